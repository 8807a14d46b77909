"""Whatever was written and whatever segments were built of it: columns hold what the rows hold."""

import asyncio
from collections.abc import Hashable, Iterable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from itertools import cycle
from typing import Any, Final

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dayline.model.bucket import Bucket
from dayline.model.data import canonical_json, same_data
from dayline.model.errors import EventElsewhere, EventIdReserved
from dayline.model.event import Event
from dayline.model.time import EARLIEST, LATEST, SECOND, Microseconds
from dayline.storage.columns.source import ColumnSource, EventColumns, ReadReport
from dayline.storage.history.contract import TrashPolicy
from dayline.storage.opening import Database
from dayline.storage.store import Store
from tests.support.profile import examples
from tests.support.storage.building import ON_REQUEST, built_in_this_process
from tests.support.storage.columns_read import Shown, shown, stored
from tests.support.storage.engines import Engine, Engines
from tests.support.storage.opened import sent
from tests.support.waiting import eventually_async

DAY: Final = 86_400 * SECOND
KEEPS_NOTHING: Final = TrashPolicy(days=0)
BUCKETS: Final = ("a", "b")
# Around the turns of three months in a row, so that events reach from one into another.
TURNS: Final = [int(datetime(2020, month, 1, tzinfo=UTC).timestamp()) * SECOND for month in (2, 3, 4)]
NEAR_TURNS: Final = [turn + halves * SECOND // 2 for turn in TURNS for halves in range(-3, 4)]
MOMENTS = st.sampled_from(NEAR_TURNS) | st.sampled_from([TURNS[0] + day * DAY for day in (3, 10, 25, 40)])
BOUNDS = MOMENTS | st.sampled_from([EARLIEST, LATEST])
DURATIONS = st.sampled_from([0, 1, SECOND // 2, SECOND, 5 * SECOND, -SECOND, -40 * DAY, 12 * DAY, 40 * DAY])
DATA = st.sampled_from(
    [{"a": 1}, {"a": 1.0}, {"a": True}, {"a": "1"}, {}, {"b": "x", "a": 2}, {"b": "y"}, {"ü": [1, {"a": 1.0}]}]
) | st.fixed_dictionaries({"title": st.sampled_from("klmnopqrstuvw")})
IDS = st.integers(1, 12)


def event(start: Microseconds, duration: Microseconds, data: Any, event_id: int = 0) -> Event:
    return Event(start=start, duration=duration, data=canonical_json(data), id=event_id)


EVENTS = st.builds(event, MOMENTS, DURATIONS, DATA)
NAMES = st.sampled_from(BUCKETS)
STEPS = st.one_of(
    st.tuples(st.just("insert"), NAMES, st.lists(EVENTS, min_size=1, max_size=6)),
    st.tuples(st.just("insert"), NAMES, st.lists(EVENTS, min_size=1, max_size=6)),
    st.tuples(st.just("replace"), NAMES, st.builds(event, MOMENTS, DURATIONS, DATA, IDS)),
    st.tuples(st.just("heartbeat"), NAMES, EVENTS),
    st.tuples(st.just("delete event"), NAMES, IDS),
    st.tuples(st.just("recreate"), NAMES),
    st.tuples(st.just("build")),
    st.tuples(st.just("build")),
    st.tuples(st.just("restart")),
    st.tuples(st.just("drop segments")),
    st.tuples(st.just("read"), NAMES, BOUNDS, BOUNDS),
)


class Machine:
    """A store, and one process that queries it all the while, so that its caches get every chance to be stale."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.databases = self.opened()
        self.columns = engine.columns()
        self.known: dict[Hashable, list[Shown]] = {}

    def opened(self) -> Iterator[Database]:
        """Of several servers, each has its turn."""
        return cycle([self.engine.open(KEEPS_NOTHING, pace=ON_REQUEST) for _ in range(self.engine.servers)])

    async def close(self) -> None:
        for _ in range(self.engine.servers):
            await next(self.databases).close()

    @property
    def store(self) -> Store:
        return next(self.databases).store(self.engine.tenant)

    async def create(self, bucket_id: str) -> None:
        await self.store.create_bucket(Bucket(id=bucket_id, type="t", client="c", hostname="h", created=0, data={}))

    async def step(self, kind: str, *details: Any) -> None:
        match kind:
            case "insert":
                await self.store.insert(*details)
            case "replace":
                await self.replace(*details)
            case "heartbeat":
                await sent(self.store, *details)
            case "delete event":
                await self.store.delete_event(*details)
            case "recreate":
                await self.recreate(*details)
            case "build":
                await self.build()
            case "restart":
                await self.close()
                self.databases = self.opened()
            case "drop segments":
                self.engine.drop_segments()
            case _:
                self.check(*details)
        for bucket_id in BUCKETS:
            self.check(bucket_id, EARLIEST, LATEST)

    async def replace(self, bucket_id: str, replacing: Event) -> None:
        with suppress(EventElsewhere, EventIdReserved):
            await self.store.insert(bucket_id, [replacing])

    async def recreate(self, bucket_id: str) -> None:
        await self.store.delete_bucket(bucket_id)
        await self.create(bucket_id)
        await eventually_async(lambda: not self.engine.select("SELECT 1 FROM bucket WHERE deleted IS NOT NULL"))

    async def build(self) -> None:
        """Build all that is missing: a read of everything then needs no rows."""
        await self.engine.build_segments(next(self.databases))
        with self.columns.snapshot() as source:
            for bucket_id in BUCKETS:
                report = ReadReport()
                source.events(bucket_id, EARLIEST, LATEST, report)
                assert report.row_events == 0
                assert report.segment_events == len(stored(self.store, bucket_id))

    def check(self, bucket_id: str, start: Microseconds, end: Microseconds) -> None:
        expected = stored(self.store, bucket_id, start, end) if start <= end else []
        with self.columns.snapshot() as source:
            report = ReadReport()
            events = source.events(bucket_id, start, end, report)
            assert shown(events) == expected
            assert source.count(bucket_id, start, end) == len(expected)
            assert report.segment_events + report.row_events == len(expected)
            self.check_state(source, bucket_id, (start, end), expected)
        check_classes(events)

    def check_state(self, source: ColumnSource, bucket_id: str, span: tuple[int, int], events: list[Shown]) -> None:
        """A state that was seen before means the same events, and none reaches out of the extent."""
        state = source.state(bucket_id, *span)
        if state is not None:
            assert self.known.setdefault((bucket_id, span, state), events) == events
        extent = source.extent(bucket_id)
        assert all(extent is not None and extent[0] <= start and end <= extent[1] for _, start, end, _ in events)


def check_classes(events: EventColumns) -> None:
    """Two values are of one class when they are equal, whether they were packed or read from rows."""
    dictionary = events.dictionary
    every = np.arange(len(dictionary), dtype=np.int32)
    texts, classes = dictionary.texts(every), dictionary.classes().tolist()
    for one, text in enumerate(texts):
        first = next(number for number, other in enumerate(texts) if same_data(other, text))
        assert classes[one] == first


async def play(engine: Engine, steps: Iterable[tuple[Any, ...]]) -> None:
    machine = Machine(engine)
    try:
        for bucket_id in BUCKETS:
            await machine.create(bucket_id)
        for step in steps:
            await machine.step(*step)
    finally:
        machine.columns.close()
        await machine.close()


@settings(max_examples=examples(2000, daily=40), suppress_health_check=[HealthCheck.too_slow])
@given(steps=st.lists(STEPS, min_size=5, max_size=14))
def test_any_series_of_writes_and_builds_is_read_as_the_rows_have_it(
    files: Engines, steps: list[tuple[Any, ...]]
) -> None:
    with built_in_this_process():
        asyncio.run(play(files.new(), steps))


@settings(max_examples=examples(30, daily=4), suppress_health_check=[HealthCheck.too_slow])
@given(steps=st.lists(STEPS, min_size=5, max_size=14))
def test_so_is_any_series_through_two_servers_on_postgresql(servers: Engines, steps: list[tuple[Any, ...]]) -> None:
    with built_in_this_process():
        asyncio.run(play(servers.new(servers=2), steps))
