"""Events that are changed, split and deleted by hand, and undone at any time, are those of a plain model."""

from collections.abc import Awaitable, Callable
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dayline.model.data import canonical_json
from dayline.model.edits.events import EventChange, changed
from dayline.model.edits.selection import DataFilter, Selection
from dayline.model.errors import Conflict, Invalid
from dayline.model.event import StoredEvent
from dayline.model.time import SECOND, Microseconds
from dayline.storage.store import Store
from tests.storage.contract.history.diary_pair import entry_of, event_of, play
from tests.support.profile import examples
from tests.support.storage.engines import Engine, Engines
from tests.support.storage.models import Diary, Entry
from tests.support.storage.opened import BEGIN, events_of, sent

PULSETIME: Final = 5 * SECOND
DAY_BEFORE: Final = BEGIN - 86_400 * SECOND

NUMBERS = st.integers(0, 9)
APPS = st.sampled_from(["a", "b", "ab"])
SECONDS = st.integers(0, 60).map(lambda seconds: seconds * SECOND)
ENTRIES = st.builds(
    Entry, st.integers(0, 600).map(lambda n: DAY_BEFORE + n * SECOND), SECONDS, APPS.map(lambda app: {"app": app})
)
MOMENTS = st.none() | st.integers(-10, 700).map(lambda n: DAY_BEFORE + n * SECOND)
STEPS = st.one_of(
    st.tuples(st.just("beat"), st.sampled_from([1, 2, 9]), st.sampled_from(["a", "a", "b"])),
    st.tuples(st.just("insert"), st.lists(ENTRIES, max_size=6)),
    st.tuples(st.just("change"), NUMBERS, st.none() | SECONDS, st.none() | SECONDS, st.none() | APPS),
    st.tuples(st.just("split"), NUMBERS, st.integers(0, 12)),
    st.tuples(st.just("delete"), NUMBERS),
    st.tuples(
        st.just("delete some"), MOMENTS, MOMENTS, st.booleans(), st.none() | APPS, st.sampled_from(["is", "has"])
    ),
    st.tuples(st.just("cut"), MOMENTS, st.none() | SECONDS, st.none() | APPS),
    st.tuples(st.just("undo"), st.sampled_from([0, 0, 0, 1, 2])),
)


def anything(stored: StoredEvent) -> None:
    """Whatever the event is."""


class Splitting(Diary):
    """The model: undoing a split also moves what the second part has grown to the event."""

    def __init__(self) -> None:
        super().__init__()
        self.splits: dict[int, tuple[int, int]] = {}  # by the number of the act: the first part and the second

    def undo_act(self, number: int) -> None:
        [act] = [act for act in self.acts if act.number == number]
        growth = 0
        if number in self.splits:
            first, second = self.splits[number]
            left = act.after[second]
            assert left is not None
            growth = self.events[second].duration - left.duration
        self.undo(act)
        if growth:
            first = self.splits[number][0]
            self.events[first] = self.events[first].lasting(self.events[first].duration + growth)


class Pair:
    """The model and the real store, which are given the same input."""

    def __init__(self, engine: Engine) -> None:
        self.diary = Splitting()
        self.moment = BEGIN
        self.engine = engine
        self.database = engine.open()

    @property
    def store(self) -> Store:
        return self.database.store(self.engine.tenant)

    async def step(self, kind: str, *details: Any) -> None:
        steps: dict[str, Callable[..., Awaitable[None]]] = {
            "beat": self.beat,
            "insert": self.insert,
            "change": self.change,
            "split": self.split,
            "delete": self.delete,
            "delete some": self.delete_some,
            "cut": self.cut,
            "undo": self.undo,
        }
        await steps[kind](*details)
        assert {event["id"]: entry_of(event) for event in events_of(self.store, "window")} == self.diary.events

    async def beat(self, seconds: int, app: str) -> None:
        self.moment += seconds * SECOND
        entry = Entry(self.moment, 0, {"app": app})
        event = await sent(self.store, "window", event_of(entry))
        event_id = self.diary.merged(entry, PULSETIME)
        assert event_id in (None, event.id)
        if event_id is None:
            self.diary.events[event.id] = entry

    async def insert(self, entries: list[Entry]) -> None:
        inserted = await self.store.insert("window", [event_of(entry) for entry in entries])
        self.diary.events |= {event.id: entry for event, entry in zip(inserted.events, entries, strict=True)}

    async def change(
        self, number: int, moved: Microseconds | None, duration: Microseconds | None, app: str | None
    ) -> None:
        event_id, entry = self.chosen(number)
        if entry is None:
            return
        start = None if moved is None else entry.start - moved
        data = None if app is None else canonical_json({"app": app})
        change = EventChange(start=start, duration=duration, data=data)
        edited = await self.store.edits.edit("window", event_id, lambda stored: changed(stored.event, change))
        after = Entry(
            entry.start if start is None else start,
            entry.duration if duration is None else duration,
            entry.data if app is None else {"app": app},
        )
        assert (edited.undo is None) == (after == entry)
        if edited.undo is not None:
            self.diary.change(edited.undo, {event_id: after})

    async def split(self, number: int, part: int) -> None:
        event_id, entry = self.chosen(number)
        if entry is None:
            return
        at = entry.start + entry.duration * part // 12
        if not entry.start < at < entry.end:
            with pytest.raises(Invalid):
                await self.store.edits.split("window", event_id, at, check=anything)
            return
        edited = await self.store.edits.split("window", event_id, at, check=anything)
        first, second = (stored.event for stored in edited.events)
        assert edited.undo is not None
        assert (first.id, first.end, second.start, second.end) == (event_id, at, at, entry.end)
        self.diary.change(
            edited.undo, {first.id: entry.lasting(at - entry.start), second.id: Entry(at, entry.end - at, entry.data)}
        )
        self.diary.splits[edited.undo] = first.id, second.id

    async def delete(self, number: int) -> None:
        event_id, entry = self.chosen(number)
        if entry is not None:
            edited = await self.store.edits.edit("window", event_id, anything)
            assert edited.undo is not None
            self.diary.change(edited.undo, {event_id: None})

    async def delete_some(
        self, start: Microseconds | None, end: Microseconds | None, is_touching: bool, app: str | None, op: Any
    ) -> None:
        filters = () if app is None else (DataFilter(field="app", op=op, value=app),)
        selection = Selection(bucket="window", start=start, end=end, is_touching=is_touching, filters=filters)
        meant = {event_id for event_id, entry in self.diary.events.items() if _is_meant(selection, entry)}
        seconds = sum(self.diary.events[event_id].duration for event_id in meant) / SECOND

        surveyed = self.store.edits.survey(selection)
        deleted = await self.store.edits.delete_selected(selection)

        assert (surveyed.events, surveyed.seconds) == (len(meant), seconds)
        assert (deleted.events, deleted.seconds, deleted.samples) == (len(meant), seconds, surveyed.samples)
        assert (deleted.undo is None) == (not meant)
        if deleted.undo is not None:
            self.diary.change(deleted.undo, dict.fromkeys(meant))

    async def cut(self, start: Microseconds | None, length: Microseconds | None, app: str | None) -> None:
        """Delete the time after `start` for this long, or all of it."""
        if start is None or length == 0:
            return
        end = None if length is None else start + length
        filters = () if app is None else (DataFilter(field="app", op="is", value=app),)
        selection = Selection(bucket="window", start=start, end=end, is_touching=True, is_cutting=True, filters=filters)
        before = self.diary.events.copy()
        kept = {event_id: _outside(selection, each) for event_id, each in before.items() if _is_meant(selection, each)}
        seconds = sum(before[event_id].duration - sum(part.duration for part in kept[event_id]) for event_id in kept)

        surveyed = self.store.edits.survey(selection)
        deleted = await self.store.edits.delete_selected(selection)

        expected = (len(kept), sum(1 for parts in kept.values() if parts), seconds / SECOND)
        assert (surveyed.events, surveyed.cut, surveyed.seconds) == expected
        assert (deleted.events, deleted.cut, deleted.seconds, deleted.samples) == (*expected, surveyed.samples)
        assert (deleted.undo is None) == (not kept)
        if deleted.undo is None:
            return
        new = {event["id"]: entry_of(event) for event in events_of(self.store, "window") if event["id"] not in before}
        after: dict[int, Entry | None] = {event_id: parts[-1] if parts else None for event_id, parts in kept.items()}
        # Of an event that is split, the later part keeps the id: it is the one that heartbeats extend.
        firsts = sorted((parts[0] for parts in kept.values() if len(parts) > 1), key=repr)
        assert sorted(new.values(), key=repr) == firsts
        self.diary.change(deleted.undo, {**after, **new})

    async def undo(self, number: int) -> None:
        if not self.diary.acts:
            return
        act = self.diary.acts[-1 - number % len(self.diary.acts)]
        if self.diary.can_undo(act):
            await self.store.trash.undo(act.number)
            self.diary.undo_act(act.number)
        else:
            with pytest.raises(Conflict, match="changed again"):
                await self.store.trash.undo(act.number)

    def chosen(self, number: int) -> tuple[int, Entry | None]:
        ids = sorted(self.diary.events)
        if not ids:
            return 1, None
        event_id = ids[number % len(ids)]
        return event_id, self.diary.events[event_id]


def _outside(selection: Selection, entry: Entry) -> list[Entry]:
    """The parts of an entry before the range and after it."""
    assert selection.start is not None
    end = entry.end if selection.end is None else selection.end
    first = entry.lasting(min(entry.end, selection.start) - entry.start)
    last = Entry(end, entry.end - end, entry.data)
    return [part for part in (first, last) if part.duration > 0]


def _is_meant(selection: Selection, entry: Entry) -> bool:
    start = -(2**62) if selection.start is None else selection.start
    end = 2**62 if selection.end is None else selection.end
    is_inside = start <= entry.start < end
    if selection.is_touching:
        is_inside = is_inside or (entry.start < end and entry.end > start)
    return is_inside and all(one.fits(entry.data) for one in selection.filters)


ANY_SERIES = st.lists(STEPS, min_size=5, max_size=25)


@settings(max_examples=settings().max_examples // 2, suppress_health_check=[HealthCheck.too_slow])
@given(steps=ANY_SERIES, in_slices=st.booleans())
def test_any_series_of_edits_and_undos_gives_what_the_model_gives(
    files: Engines, steps: list[tuple[Any, ...]], in_slices: bool
) -> None:
    play(Pair, files.new(), steps, in_slices=in_slices)


@settings(max_examples=examples(15), suppress_health_check=[HealthCheck.too_slow])
@given(steps=ANY_SERIES, in_slices=st.booleans())
def test_so_does_any_series_on_postgresql(servers: Engines, steps: list[tuple[Any, ...]], in_slices: bool) -> None:
    play(Pair, servers.new(), steps, in_slices=in_slices)
