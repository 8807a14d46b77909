"""Undoing anything at any time gives what a plain model gives, or is refused and changes nothing."""

from typing import Any, Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dayline.model.errors import Conflict
from dayline.model.time import SECOND
from dayline.storage.store import Store
from tests.storage.contract.history.diary_pair import entry_of, event_of, play
from tests.support.profile import examples
from tests.support.storage.engines import Engine, Engines
from tests.support.storage.models import Diary, Entry
from tests.support.storage.opened import BEGIN, events_of, sent

PULSETIME: Final = 5 * SECOND

NUMBERS = st.integers(0, 9)
ENTRIES = st.builds(
    Entry,
    st.integers(1, 5_000_000).map(lambda seconds: BEGIN - seconds * SECOND),
    st.integers(0, 60).map(lambda seconds: seconds * SECOND),
    st.sampled_from(["a", "b"]).map(lambda app: {"app": app}),
)
LATELY = st.sampled_from([0, 0, 0, 1, 2, 5])
STEPS = st.one_of(
    st.tuples(st.just("beat"), st.sampled_from([1, 2, 9]), st.sampled_from(["a", "a", "b"])),
    st.tuples(st.just("beat"), st.sampled_from([1, 2, 9]), st.sampled_from(["a", "a", "b"])),
    st.tuples(st.just("insert"), st.lists(st.tuples(NUMBERS | st.none(), ENTRIES), max_size=4)),
    st.tuples(st.just("relabel"), st.just("a")),
    st.tuples(st.just("delete"), NUMBERS),
    st.tuples(st.just("undo"), LATELY),
    st.tuples(st.just("undo"), LATELY),
    st.tuples(st.just("lose bucket")),
    st.tuples(st.just("restart")),
)


class Pair:
    """The model and the real store, which are given the same input."""

    def __init__(self, engine: Engine) -> None:
        self.diary = Diary()
        self.moment = BEGIN
        self.newest_id = 0
        self.engine = engine
        self.database = engine.open()

    @property
    def store(self) -> Store:
        return self.database.store(self.engine.tenant)

    async def step(self, kind: str, *details: Any) -> None:
        match kind:
            case "beat":
                await self.beat(*details)
            case "insert":
                await self.insert(*details)
            case "relabel":
                await self.relabel(*details)
            case "delete":
                await self.delete(*details)
            case "undo":
                await self.undo(*details)
            case "lose bucket":
                await self.store.trash.undo(await self.store.delete_bucket("window"))
            case _:
                await self.database.close()
                self.database = self.engine.open()
        self.check()

    async def beat(self, seconds: int, app: str) -> None:
        self.moment += seconds * SECOND
        beat = Entry(self.moment, 0, {"app": app})
        event = await sent(self.store, "window", event_of(beat))
        event_id = self.diary.merged(beat, PULSETIME)
        assert event_id in (None, event.id)
        if event_id is None:
            self.diary.events[event.id] = beat

    async def insert(self, entries: list[tuple[int | None, Entry]]) -> None:
        ids = [self.chosen(number) if number is not None else 0 for number, _ in entries]
        given_events = [event_of(entry, event_id) for event_id, (_, entry) in zip(ids, entries, strict=True)]
        inserted = await self.store.insert("window", given_events)
        after: dict[int, Entry | None] = {
            event.id: entry for event, (_, entry) in zip(inserted.events, entries, strict=True)
        }
        assert (inserted.undo is not None) == any(event_id in self.diary.events for event_id in ids)
        if inserted.undo is not None:
            self.diary.change(inserted.undo, after)
        else:
            self.diary.events |= {event_id: entry for event_id, entry in after.items() if entry is not None}

    async def relabel(self, app: str) -> None:
        """Give the newest event other data: heartbeats may extend it then."""
        if self.diary.events:
            event_id, newest = max(self.diary.events.items(), key=lambda item: item[1].start)
            relabelled = Entry(newest.start, newest.duration, {"app": app})
            inserted = await self.store.insert("window", [event_of(relabelled, event_id)])
            assert inserted.undo is not None
            self.diary.change(inserted.undo, {event_id: relabelled})

    async def delete(self, number: int) -> None:
        event_id = self.chosen(number)
        undo = await self.store.delete_event("window", event_id)
        assert (undo is not None) == (event_id in self.diary.events)
        if undo is not None:
            self.diary.change(undo, {event_id: None})

    async def undo(self, number: int) -> None:
        if not self.diary.acts:
            return
        act = self.diary.acts[-1 - number % len(self.diary.acts)]
        if self.diary.can_undo(act):
            await self.store.trash.undo(act.number)
            self.diary.undo(act)
        else:
            with pytest.raises(Conflict, match="changed again"):
                await self.store.trash.undo(act.number)

    def chosen(self, number: int) -> int:
        """The id of an event that there is, mostly, or else was; 0 if there never was one."""
        ids = sorted(self.diary.events)
        return ids[number % len(ids)] if ids and number else min(number + 1, self.newest_id)

    def check(self) -> None:
        self.newest_id = max(self.newest_id, *self.diary.events, 0)
        assert {event["id"]: entry_of(event) for event in events_of(self.store, "window")} == self.diary.events
        assert self.store.count("window", start=None, end=None) == len(self.diary.events)
        found = self.store.bucket("window")
        entries = self.diary.events.values()
        assert found.start == min((entry.start for entry in entries), default=None)
        assert found.end == max((entry.end for entry in entries), default=None)


ANY_SERIES = st.lists(STEPS, min_size=5, max_size=25)


@settings(max_examples=settings().max_examples // 2, suppress_health_check=[HealthCheck.too_slow])
@given(steps=ANY_SERIES, in_slices=st.booleans())
def test_any_series_of_changes_and_undos_gives_what_the_model_gives(
    files: Engines, steps: list[tuple[Any, ...]], in_slices: bool
) -> None:
    play(Pair, files.new(), steps, in_slices=in_slices)


@settings(max_examples=examples(15), suppress_health_check=[HealthCheck.too_slow])
@given(steps=ANY_SERIES, in_slices=st.booleans())
def test_so_does_any_series_on_postgresql(servers: Engines, steps: list[tuple[Any, ...]], in_slices: bool) -> None:
    play(Pair, servers.new(), steps, in_slices=in_slices)
