"""Every store agrees with a slow, obvious model on any series of writes and reads."""

import asyncio
from collections.abc import Awaitable
from datetime import UTC, datetime, timedelta
from typing import Any, Final, cast

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dayline.model.bucket import Bucket
from dayline.model.data import canonical_json
from dayline.model.errors import BucketNotFound, DaylineError, EventElsewhere, EventIdReserved
from dayline.model.event import Event
from dayline.storage.history.contract import TrashPolicy
from dayline.storage.opening import Database
from dayline.storage.store import Store
from tests.support.profile import examples
from tests.support.storage.engines import Engine, Engines, rows
from tests.support.storage.models import ForeignId, ModelBucket, ModelEvent, ModelStore
from tests.support.waiting import eventually_async

pytestmark = pytest.mark.encrypted

KEEPS_NOTHING: Final = TrashPolicy(days=0)
SECOND: Final = 1_000_000
DAY: Final = 86_400 * SECOND
LAST: Final = 9_214_646_399_999_999  # the last microsecond of 2261
BUCKETS: Final = ("a", "b")
EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)

# Around the turns of months and years, because events are kept by month.
TURNS: Final = [
    (datetime(*date, tzinfo=UTC) - EPOCH) // timedelta(microseconds=1)
    for date in ((2020, 3, 1), (2026, 1, 1), (2026, 1, 2))
]
NEAR_TURNS: Final = [turn + halves * SECOND // 2 for turn in TURNS for halves in range(-4, 5)]
MOMENTS = st.sampled_from([*NEAR_TURNS, 0, 1, LAST - SECOND, LAST])
DURATIONS = st.sampled_from([0, 0, 1, SECOND // 2, SECOND, 5 * SECOND, 60 * SECOND, -SECOND, 40 * DAY, 1200 * DAY])
DATA = st.sampled_from([{"a": 1}, {"a": 1}, {"a": 1}, {"a": 1.0}, {"a": True}, {}, {"b": "x", "a": 2}])
IDS = st.integers(1, 8)
EVENTS = st.builds(ModelEvent, MOMENTS, DURATIONS, DATA).filter(lambda event: 0 <= event.end <= LAST)
NAMES = st.sampled_from(BUCKETS)
SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]


def with_id(event: ModelEvent, event_id: int) -> ModelEvent:
    return ModelEvent(event.start, event.duration, event.data, event_id)


WRITES = st.one_of(
    st.tuples(st.just("heartbeat"), NAMES, EVENTS, st.sampled_from([0, SECOND, 5 * SECOND, 60 * DAY])),
    st.tuples(st.just("heartbeat"), NAMES, EVENTS, st.sampled_from([0, SECOND, 5 * SECOND, 60 * DAY])),
    st.tuples(st.just("insert"), NAMES, st.lists(EVENTS | st.builds(with_id, EVENTS, IDS), max_size=4)),
    st.tuples(st.just("delete event"), NAMES, IDS),
)
STEPS = st.one_of(
    st.tuples(st.just("together"), st.lists(WRITES, min_size=1, max_size=5)),
    st.tuples(st.just("together"), st.lists(WRITES, min_size=1, max_size=5)),
    st.tuples(st.just("read"), NAMES, st.none() | MOMENTS, st.none() | MOMENTS, st.none() | st.integers(0, 5)),
    st.tuples(st.just("recreate"), NAMES),
    st.tuples(st.just("restart")),
)


class Pair:
    """The model and the real store, which are given the same input."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.model = ModelStore()
        self.databases = self.opened()
        self.steps = 0

    @property
    def store(self) -> Store:
        """Of several servers, each has its turn."""
        return self.databases[self.steps % len(self.databases)].store(self.engine.tenant)

    def opened(self) -> list[Database]:
        return [self.engine.open(KEEPS_NOTHING) for _ in range(self.engine.servers)]

    async def close(self) -> None:
        for database in self.databases:
            await database.close()

    async def create(self, bucket_id: str) -> None:
        self.model.buckets[bucket_id] = ModelBucket()
        await self.store.create_bucket(Bucket(id=bucket_id, type="t", client="c", hostname="h", created=0, data={}))

    async def step(self, kind: str, *details: Any) -> None:
        match kind:
            case "together":
                await self.together(*details)
            case "read":
                self.check_range(*details)
            case "recreate":
                await self.recreate(*details)
            case _:
                await self.restart()
        self.steps += 1
        for bucket_id in BUCKETS:
            await self.check_whole(bucket_id)

    async def restart(self) -> None:
        await self.close()
        self.databases = self.opened()
        if self.engine.forgets_tails:
            self.model.restart()

    async def recreate(self, bucket_id: str) -> None:
        await self.store.delete_bucket(bucket_id)
        with pytest.raises(BucketNotFound):
            self.store.bucket(bucket_id)
        await self.create(bucket_id)
        # Until they are purged, the ids of the deleted bucket still belong to it.
        await eventually_async(lambda: rows(self.engine, "bucket") <= len(BUCKETS))

    async def together(self, writes: list[tuple[Any, ...]]) -> None:
        """Writes that arrive in one turn of the loop, and so share a commit."""
        expected = [self.expected(*write) for write in writes]

        results = await asyncio.gather(*(self.real(*write) for write in writes), return_exceptions=True)

        assert [_shown(result) for result in results] == expected

    def expected(self, kind: str, bucket_id: str, *details: Any) -> object:
        try:
            match kind:
                case "heartbeat":
                    return _row(self.model.heartbeat(bucket_id, *details))
                case "insert":
                    return [_row(event) for event in self.model.insert(bucket_id, *details)]
                case _:
                    return self.model.delete_event(bucket_id, *details)
        except ForeignId:
            return ForeignId

    def real(self, kind: str, bucket_id: str, *details: Any) -> Awaitable[object]:
        match kind:
            case "heartbeat":
                return self.heartbeat(bucket_id, *details)
            case "insert":
                return self.insert(bucket_id, [_event(event) for event in details[0]])
            case _:
                return self.delete_event(bucket_id, *details)

    async def insert(self, bucket_id: str, events: list[Event]) -> list[Event]:
        return (await self.store.insert(bucket_id, events)).events

    async def delete_event(self, bucket_id: str, event_id: int) -> bool:
        return await self.store.delete_event(bucket_id, event_id) is not None

    async def heartbeat(self, bucket_id: str, beat: ModelEvent, pulsetime: int) -> Event:
        answer: asyncio.Future[Event | DaylineError] = asyncio.get_running_loop().create_future()
        self.store.heartbeat(bucket_id, _event(beat), pulsetime=pulsetime, done=answer.set_result)
        outcome = await answer
        assert isinstance(outcome, Event)
        return outcome

    async def check_whole(self, bucket_id: str) -> None:
        self.check_range(bucket_id, None, None, None)
        if self.engine.servers > 1:  # another server hears of it a moment later
            await eventually_async(lambda: self.extent(bucket_id) == self.model.extent(bucket_id))
        assert self.extent(bucket_id) == self.model.extent(bucket_id)
        for event in self.model.buckets[bucket_id].events:
            assert _shown(self.store.event(bucket_id, event.id)) == _row(event)

    def extent(self, bucket_id: str) -> tuple[int | None, int | None]:
        bucket = self.store.buckets().get(bucket_id)
        return (None, None) if bucket is None else (bucket.start, bucket.end)

    def check_range(self, bucket_id: str, start: int | None, end: int | None, limit: int | None) -> None:
        pages = self.store.events(bucket_id, start=start, end=end, limit=limit)
        found = msgspec.json.decode(b"[%b]" % b",".join(pages), type=list[dict[str, Any]])
        expected = self.model.events(bucket_id, start, end, limit)
        assert [_read(event) for event in found] == [_row(event) for event in expected]
        if limit is None:
            assert self.store.count(bucket_id, start=start, end=end) == len(expected)


def _event(event: ModelEvent) -> Event:
    return Event(start=event.start, duration=event.duration, data=canonical_json(event.data), id=event.id)


def _row(event: ModelEvent) -> tuple[int, int, int, str]:
    # As text, so that 1, 1.0 and true are distinguished.
    return event.id, event.start, event.duration, canonical_json(event.data).decode()


def _shown(result: object) -> object:
    match result:
        case Event():
            return result.id, result.start, result.duration, result.data.decode()
        case list():
            return [_shown(item) for item in cast("list[Event]", result)]
        case EventElsewhere() | EventIdReserved():
            return ForeignId
        case _:
            return result


def _read(event: dict[str, Any]) -> tuple[int, int, int, str]:
    moment = (datetime.fromisoformat(event["timestamp"]) - EPOCH) // timedelta(microseconds=1)
    return event["id"], moment, round(event["duration"] * SECOND), canonical_json(event["data"]).decode()


async def play(engine: Engine, steps: list[tuple[Any, ...]]) -> None:
    pair = Pair(engine)
    try:
        for bucket_id in BUCKETS:
            await pair.create(bucket_id)
        for step in [*steps, ("restart",)]:
            await pair.step(*step)
    finally:
        await pair.close()


ANY_SERIES = st.lists(STEPS, min_size=6, max_size=14)


@settings(max_examples=settings().max_examples // 2, suppress_health_check=SLOW)
@given(steps=ANY_SERIES)
def test_any_series_of_writes_and_reads_gives_what_the_model_gives(
    files: Engines, steps: list[tuple[Any, ...]]
) -> None:
    asyncio.run(play(files.new(), steps))


@settings(max_examples=examples(15, daily=3), suppress_health_check=SLOW)
@given(steps=ANY_SERIES)
def test_so_does_any_series_through_two_servers_on_postgresql(servers: Engines, steps: list[tuple[Any, ...]]) -> None:
    asyncio.run(play(servers.new(servers=2), steps))


# One bucket, one value, a few seconds: which event a heartbeat is compared with makes a difference nearly every time.
CLOSE = st.builds(
    ModelEvent,
    st.integers(0, 9).map(lambda seconds: TURNS[1] + (seconds - 5) * SECOND),
    st.sampled_from([0, SECOND]),
    st.just({"a": 1}),
)
CLOSE_WRITES = st.one_of(
    st.tuples(st.just("heartbeat"), st.just("a"), CLOSE, st.just(SECOND)),
    st.tuples(st.just("heartbeat"), st.just("a"), CLOSE, st.just(SECOND)),
    st.tuples(st.just("insert"), st.just("a"), st.lists(CLOSE, min_size=1, max_size=1)),
    st.tuples(st.just("delete event"), st.just("a"), st.integers(1, 5)),
)


CLOSE_SERIES = st.lists(CLOSE_WRITES, min_size=10, max_size=25)


def close_steps(writes: list[tuple[Any, ...]], *, are_together: bool) -> list[tuple[Any, ...]]:
    return [("together", writes)] if are_together else [("together", [write]) for write in writes]


@settings(max_examples=settings().max_examples // 2, suppress_health_check=SLOW)
@given(writes=CLOSE_SERIES, are_together=st.booleans())
def test_any_series_of_heartbeats_is_compared_with_the_right_event(
    files: Engines, writes: list[tuple[Any, ...]], are_together: bool
) -> None:
    asyncio.run(play(files.new(), close_steps(writes, are_together=are_together)))


@settings(max_examples=examples(15, daily=3), suppress_health_check=SLOW)
@given(writes=CLOSE_SERIES, are_together=st.booleans())
def test_so_is_one_through_two_servers_on_postgresql(
    servers: Engines, writes: list[tuple[Any, ...]], are_together: bool
) -> None:
    asyncio.run(play(servers.new(servers=2), close_steps(writes, are_together=are_together)))
