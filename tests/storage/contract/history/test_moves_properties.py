"""Any series of renames, merges, deletions and changes: undone in reverse order, each gives what was there before it.

And with recording in between, every event is where a plain model has it.
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any, Final

import msgspec
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dayline.model.bucket import BucketChange
from dayline.model.data import canonical_json
from dayline.model.errors import Conflict, NotFound
from dayline.model.event import Event
from dayline.model.time import SECOND, Microseconds
from dayline.storage.store import Store
from tests.support.profile import examples
from tests.support.storage.engines import Engine, Engines, check_figures
from tests.support.storage.opened import BEGIN, bucket, everything, sent
from tests.support.waiting import eventually_async

BUCKETS: Final = ("a_laptop", "b_laptop", "c")
NAMES: Final = (*BUCKETS, "a_desktop", "d")
DAY: Final[Microseconds] = 86_400 * SECOND
SLOW: Final = [HealthCheck.too_slow, HealthCheck.data_too_large]

NAME = st.sampled_from(NAMES)
EVENT = st.builds(
    Event,
    start=st.integers(0, 6).map(lambda number: BEGIN + number * 12 * DAY),  # some months
    duration=st.integers(0, 2).map(lambda number: number * DAY),
    data=st.sampled_from([canonical_json({"app": name}) for name in "xyz"]),
)
EVENTS = st.lists(EVENT, min_size=1, max_size=4)
MOVES = st.one_of(
    st.tuples(st.just("rename"), NAME, NAME, st.booleans()),
    st.tuples(st.just("merge"), NAME, NAME),
    st.tuples(st.just("merge"), NAME, NAME),
    st.tuples(st.just("rehost"), NAME, st.sampled_from(["laptop", "desktop"])),
    st.tuples(st.just("remove alias"), NAME),
    st.tuples(st.just("delete bucket"), NAME),
)
ACTS = st.one_of(
    MOVES,
    MOVES,
    st.tuples(st.just("delete event"), NAME, st.integers(1, 20)),
    st.tuples(st.just("replace"), NAME, EVENT, st.integers(1, 20)),
    st.tuples(st.just("update"), NAME, st.sampled_from(["tablet", "laptop"])),
    st.tuples(st.just("restart")),
)


class Play:
    """A store that is closed and opened again at times. Of several servers, each has its turn."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._turn = 0
        self.open()

    @property
    def store(self) -> Store:
        return self._stores[self._turn % len(self._stores)]

    def open(self) -> None:
        self._databases = [self._engine.open() for _ in range(self._engine.servers)]
        self._stores = [database.store(self._engine.tenant) for database in self._databases]

    async def close(self) -> None:
        for database in self._databases:
            await database.close()

    async def restart(self) -> None:
        await self.close()
        self.open()

    async def pass_on(self) -> None:
        """The next server has its turn, as soon as all have heard of what the last one did."""
        now = _known(self.store)
        await eventually_async(lambda: all(_known(store) == now for store in self._stores))
        self._turn += 1

    async def act(self, kind: str, *details: Any) -> int | None:
        """Do something; what undoes it. What is refused changes nothing."""
        before = everything(self.store)
        try:
            return await self._act(kind, *details)
        except (Conflict, NotFound):
            assert everything(self.store) == before
            return None

    async def _act(self, kind: str, *details: Any) -> int | None:
        moves = self.store.moves
        match kind, details:
            case "rename", (bucket_id, new_id, keeps_alias):
                return (await moves.rename(bucket_id, new_id, keeps_alias=keeps_alias)).undo
            case "merge", (bucket_id, into):
                return (await moves.merge(bucket_id, into)).undo
            case "rehost", (bucket_id, hostname):
                return (await moves.rehost(bucket_id, hostname, merges=True)).undo
            case "remove alias", (alias,):
                return await moves.remove_alias(alias)
            case "delete bucket", (bucket_id,):
                return await self.store.delete_bucket(bucket_id)
            case "delete event", (bucket_id, event_id):
                return await self.store.delete_event(bucket_id, event_id)
            case "replace", (bucket_id, event, event_id):
                self.store.event(bucket_id, event_id)  # one that is there: what is new is no act
                return (await self.store.insert(bucket_id, [msgspec.structs.replace(event, id=event_id)])).undo
            case "update", (bucket_id, hostname):
                return await self.store.update_bucket(bucket_id, BucketChange(hostname=hostname))
            case _:
                await self.restart()
                return None


def _known(store: Store) -> Any:
    """What a server knows without asking the database."""
    return list(store.buckets().items()), [store.own_id(name) for name in NAMES]


@asynccontextmanager
async def playing(engine: Engine) -> AsyncGenerator[Play]:
    play = Play(engine)
    try:
        for bucket_id in BUCKETS:
            await play.store.create_bucket(bucket(bucket_id))
        yield play
    finally:
        await play.close()


FIRST = st.lists(EVENTS, min_size=3, max_size=3)
ANY_ACTS = st.lists(ACTS, min_size=2, max_size=10)


@settings(max_examples=settings().max_examples // 4, suppress_health_check=SLOW)
@given(first=FIRST, acts=ANY_ACTS)
def test_undone_in_reverse_order_each_act_gives_what_was_before_it(
    files: Engines, first: list[list[Event]], acts: list[tuple[Any, ...]]
) -> None:
    asyncio.run(done_and_undone(files.new(), first, acts))


@settings(max_examples=examples(12, daily=2), suppress_health_check=SLOW)
@given(first=FIRST, acts=ANY_ACTS)
def test_so_does_each_that_two_servers_on_postgresql_make_in_turn(
    servers: Engines, first: list[list[Event]], acts: list[tuple[Any, ...]]
) -> None:
    asyncio.run(done_and_undone(servers.new(servers=2), first, acts))


async def done_and_undone(engine: Engine, first: list[list[Event]], acts: list[tuple[Any, ...]]) -> None:
    async with playing(engine) as play:
        for bucket_id, events in zip(BUCKETS, first, strict=True):
            await play.store.insert(bucket_id, events)
        undos: list[tuple[int, Any]] = []
        for act in acts:
            await play.pass_on()
            before = everything(play.store)
            undo = await play.act(*act)
            if undo is not None:
                undos.append((undo, before))
        check_figures(engine)
        for undo, before in reversed(undos):
            await play.pass_on()
            await play.store.trash.undo(undo)
            assert everything(play.store) == before
        check_figures(engine)


Row = tuple[Microseconds, Microseconds, bytes]


class Model:
    """Buckets as lists of events, and where each other name leads to."""

    def __init__(self) -> None:
        self.buckets: dict[str, list[Row]] = {bucket_id: [] for bucket_id in BUCKETS}
        self.aliases: dict[str, str] = {}
        self.beats = 0

    def find(self, name: str) -> str | None:
        own_id = name if name in self.buckets else self.aliases.get(name, "")
        return own_id if own_id in self.buckets else None

    def rename(self, own_id: str, new_id: str, *, keeps_alias: bool) -> None:
        self.buckets[new_id] = self.buckets.pop(own_id)
        self._lead(own_id, new_id)
        self.aliases.pop(new_id, None)
        if keeps_alias:
            self.aliases[own_id] = new_id

    def merge(self, own_id: str, into: str) -> None:
        there = set(self.buckets[into])
        self.buckets[into] += [row for row in self.buckets.pop(own_id) if row not in there]
        self._lead(own_id, into)
        self.aliases[own_id] = into

    def _lead(self, before: str, now: str) -> None:
        self.aliases = {alias: now if own_id == before else own_id for alias, own_id in self.aliases.items()}


RECORDING = st.one_of(
    st.tuples(st.just("insert"), NAME, EVENTS),
    st.tuples(st.just("heartbeat"), NAME, EVENT),
    st.tuples(st.just("rename"), NAME, NAME, st.booleans()),
    st.tuples(st.just("merge"), NAME, NAME),
    st.tuples(st.just("restart")),
)


ANY_RECORDING = st.lists(RECORDING, min_size=3, max_size=14)


@settings(max_examples=settings().max_examples // 4, suppress_health_check=SLOW)
@given(steps=ANY_RECORDING)
def test_every_event_is_where_a_plain_model_has_it(files: Engines, steps: list[tuple[Any, ...]]) -> None:
    asyncio.run(recorded(files.new(), steps))


@settings(max_examples=examples(15, daily=3), suppress_health_check=SLOW)
@given(steps=ANY_RECORDING)
def test_so_is_every_event_that_two_servers_on_postgresql_record_in_turn(
    servers: Engines, steps: list[tuple[Any, ...]]
) -> None:
    asyncio.run(recorded(servers.new(servers=2), steps))


async def recorded(engine: Engine, steps: list[tuple[Any, ...]]) -> None:
    model = Model()
    async with playing(engine) as play:
        for step in steps:
            await play.pass_on()
            await apply_to_both(play, model, *step)
            assert {bucket_id: rows(play.store, bucket_id) for bucket_id in play.store.buckets()} == {
                bucket_id: sorted(found) for bucket_id, found in model.buckets.items()
            }
            assert {name: play.store.own_id(name) for name in NAMES} == {
                name: model.find(name) or name for name in NAMES
            }
        check_figures(engine)


async def apply_to_both(play: Play, model: Model, kind: str, *details: Any) -> None:
    """Apply the same to both."""
    if kind == "restart":
        await play.restart()
        return
    own_id = model.find(details[0])
    if own_id is None:
        return
    match kind, details:
        case "insert", (name, events):
            await play.store.insert(name, events)
            model.buckets[own_id] += [row(event) for event in events]
        case "heartbeat", (name, event):
            # Never merged with what is there: no two have the same data.
            model.beats += 1
            beat = msgspec.structs.replace(event, data=canonical_json({"app": f"beat {model.beats}"}))
            await sent(play.store, name, beat)
            model.buckets[own_id].append(row(beat))
        case "rename", (name, new_id, keeps_alias):
            if await play.act("rename", name, new_id, keeps_alias) is not None:
                model.rename(own_id, new_id, keeps_alias=keeps_alias)
        case _, (name, into):
            if await play.act("merge", name, into) is not None:
                model.merge(own_id, model.find(into) or "")
        case _:
            raise AssertionError(kind)


def row(event: Event) -> Row:
    return event.start, event.duration, event.data


def rows(store: Store, bucket_id: str) -> list[Row]:
    page = b"[%b]" % b",".join(store.events(bucket_id, start=None, end=None, limit=None))
    ids = [found["id"] for found in msgspec.json.decode(page, type=list[dict[str, Any]])]
    assert store.count(bucket_id, start=None, end=None) == len(ids) == len(set(ids))
    return sorted(row(store.event(bucket_id, event_id)) for event_id in ids)
