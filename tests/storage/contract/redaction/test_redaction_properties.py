"""Any series of writes and redactions: what is applied, undone and made final is what a plain model says."""

import asyncio
from collections.abc import Iterable
from typing import Any, Final

import msgspec
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dayline.model.bucket import Bucket
from dayline.model.data import canonical_json
from dayline.model.event import Event
from dayline.model.privacy.rules import PrivacyRule, RuleBook
from dayline.model.time import EARLIEST, LATEST, SECOND, Microseconds, parse_timestamp
from dayline.storage.columns.source import ReadReport
from dayline.storage.opening import Database
from dayline.storage.store import Store
from dayline.transform.privacy import PrivacyRules
from tests.support.privacy import rule
from tests.support.profile import examples
from tests.support.storage.building import ON_REQUEST, built_in_this_process
from tests.support.storage.columns_read import shown, stored
from tests.support.storage.engines import Engine, Engines
from tests.support.storage.opened import sent
from tests.support.storage.redacting import Rows, order, planned_in_this_process, rows_of
from tests.support.waiting import eventually_async

BUCKETS: Final = ("a", "b")  # most happens in the first
DAY: Final[Microseconds] = 86400 * SECOND
JANUARY: Final[Microseconds] = parse_timestamp("2026-01-10T00:00:00Z")
# Few texts, so that values meet: some rules lead from one of them to another, in rings too, and some make longer ones.
TEXTS: Final = ("a", "b", "ab", "secret")
DATA = st.sampled_from([canonical_json({"title": text}) for text in TEXTS])
EVENTS = st.builds(
    Event,
    start=st.integers(0, 40).map(lambda number: JANUARY + number * 2 * DAY),
    duration=st.integers(0, 3).map(lambda number: number * DAY),
    data=DATA,
)
RULES = st.lists(
    st.builds(
        rule,
        st.sampled_from(["^a$", "b", "secret", "^ab$", "[as]"]),
        action=st.sampled_from(["redact", "redact", "rewrite", "drop"]),
        replacement=st.sampled_from(["a", "b", "x", "something longer"]),
        buckets=st.sampled_from([[], [], ["a"]]),
    ),
    min_size=1,
    max_size=2,
)
BUCKET = st.sampled_from(("a", "a", "a", "b"))
SOME_EVENTS = st.lists(EVENTS, min_size=1, max_size=4)
STEPS = st.one_of(
    st.tuples(st.just("insert"), BUCKET, SOME_EVENTS),
    st.tuples(st.just("replace"), BUCKET, EVENTS, st.integers(0, 9)),
    st.tuples(st.just("heartbeat"), BUCKET, EVENTS),
    st.tuples(st.just("delete event"), BUCKET, st.integers(0, 9)),
    st.tuples(st.just("apply"), RULES),
    st.tuples(st.just("apply"), RULES),
    st.tuples(st.just("undo")),
    st.tuples(st.just("undo")),
    st.tuples(st.just("final")),
    st.tuples(st.just("build")),
    st.tuples(st.just("restart")),
)
SERIES = st.lists(STEPS, min_size=3, max_size=12)


class Applied:
    """A redaction, and what it did to which event: data before and after; None after where it was dropped."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.done: dict[tuple[str, int], tuple[tuple[str, float, str], str | None]] = {}


class Machine:
    """A store, one process that queries it all the while, and what is expected of both."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.databases = self.opened()
        self.columns = engine.columns()
        self.applied: list[Applied] = []

    def opened(self) -> list[Database]:
        return [self.engine.open(pace=ON_REQUEST) for _ in range(self.engine.servers)]

    async def close(self) -> None:
        for database in self.databases:
            await database.close()

    @property
    def store(self) -> Store:
        return self.databases[0].store(self.engine.tenant)

    async def next_server(self) -> None:
        """Of several servers, each has its turn, and knows by then what the one before has done."""
        if len(self.databases) > 1:
            known = self.store.buckets()
            self.databases = [*self.databases[1:], self.databases[0]]
            await eventually_async(lambda: self.store.buckets() == known)

    async def begin(self) -> None:
        for bucket_id in BUCKETS:
            bucket = Bucket(id=bucket_id, type="t", client="c", hostname="h", created=0, data={})
            await self.store.create_bucket(bucket)

    async def step(self, kind: str, *details: Any) -> None:
        await self.next_server()
        match kind:
            case "insert":
                await self.store.insert(*details)
            case "replace":
                await self.replace(*details)
            case "heartbeat":
                await sent(self.store, *details)
            case "delete event":
                await self.delete(*details)
            case "apply":
                await self.apply(*details)
            case "undo":
                await self.undo()
            case "final":
                await self.make_final()
            case "build":
                await self.engine.build_segments(self.databases[0])
            case _:
                await self.close()
                self.databases = self.opened()
        self.check()

    async def replace(self, bucket_id: str, event: Event, which: int) -> None:
        ids = sorted(rows_of(self.store, bucket_id))
        if not ids:
            return
        event_id = ids[which % len(ids)]
        await self.store.insert(bucket_id, [msgspec.structs.replace(event, id=event_id)])
        now = rows_of(self.store, bucket_id)[event_id][2]
        for applied in self.applied:
            before = applied.done.get((bucket_id, event_id))
            if before is not None and before[1] != now:
                del applied.done[bucket_id, event_id]

    async def delete(self, bucket_id: str, which: int) -> None:
        ids = sorted(rows_of(self.store, bucket_id))
        if ids:
            event_id = ids[which % len(ids)]
            await self.store.delete_event(bucket_id, event_id)
            for applied in self.applied:
                applied.done.pop((bucket_id, event_id), None)

    async def apply(self, rules: list[PrivacyRule]) -> None:
        before = {bucket_id: rows_of(self.store, bucket_id) for bucket_id in BUCKETS}
        expected = {bucket_id: dict(rows) for bucket_id, rows in before.items()}
        plain = PrivacyRules(RuleBook(rules=rules))

        redaction = await self.store.redactions.apply(order(*rules))

        applied = Applied(redaction.id)
        changed, dropped = 0, 0
        for bucket_id, rows in before.items():
            for event_id, (start, duration, data) in rows.items():
                kept = plain.traced(bucket_id, data.encode()).data
                if kept is None:
                    del expected[bucket_id][event_id]
                    applied.done[bucket_id, event_id] = ((start, duration, data), None)
                    dropped += 1
                elif kept != data.encode():
                    expected[bucket_id][event_id] = (start, duration, kept.decode())
                    applied.done[bucket_id, event_id] = ((start, duration, data), kept.decode())
                    changed += 1
        assert {bucket_id: rows_of(self.store, bucket_id) for bucket_id in BUCKETS} == expected
        assert (redaction.changed_events, redaction.dropped_events) == (changed, dropped)
        self.applied.append(applied)

    async def undo(self) -> None:
        if not self.applied:
            return
        applied = self.applied.pop()
        expected = {bucket_id: rows_of(self.store, bucket_id) for bucket_id in BUCKETS}
        for (bucket_id, event_id), (before, after) in applied.done.items():
            now = expected[bucket_id].get(event_id)
            if after is None and now is None:
                expected[bucket_id][event_id] = before
            elif now is not None and now[2] == after:
                expected[bucket_id][event_id] = (now[0], now[1], before[2])

        redaction = await self.store.redactions.undo(applied.number)

        assert redaction.state == "undone"
        assert {bucket_id: rows_of(self.store, bucket_id) for bucket_id in BUCKETS} == expected

    async def make_final(self) -> None:
        if not self.applied:
            return
        expected = {bucket_id: rows_of(self.store, bucket_id) for bucket_id in BUCKETS}

        redaction = await self.store.redactions.make_final(self.applied.pop(0).number)

        assert redaction.state == "final"
        assert {bucket_id: rows_of(self.store, bucket_id) for bucket_id in BUCKETS} == expected

    def check(self) -> None:
        """Queries see what the rows say, metadata are exact, and no text is there twice."""
        for bucket_id in BUCKETS:
            with self.columns.snapshot() as source:
                assert shown(source.events(bucket_id, EARLIEST, LATEST, ReadReport())) == stored(self.store, bucket_id)
            rows = rows_of(self.store, bucket_id)
            bucket = self.store.bucket(bucket_id)
            assert (bucket.start, bucket.end) == extent(rows)
            assert self.store.count(bucket_id, start=None, end=None) == len(rows)


def extent(rows: Rows) -> tuple[Microseconds | None, Microseconds | None]:
    starts = [parse_timestamp(start) for start, _, _ in rows.values()]
    ends = [parse_timestamp(start) + round(duration * SECOND) for start, duration, _ in rows.values()]
    return min(starts, default=None), max(ends, default=None)


def play(engine: Engine, steps: Iterable[tuple[Any, ...]]) -> None:
    async def run() -> None:
        machine = Machine(engine)
        try:
            await machine.begin()
            for step in steps:
                await machine.step(*step)
        finally:
            machine.columns.close()
            await machine.close()

    with built_in_this_process(), planned_in_this_process():
        asyncio.run(run())


@settings(max_examples=examples(1000, daily=25), suppress_health_check=[HealthCheck.too_slow])
@given(first=SOME_EVENTS, steps=SERIES)
def test_any_series_of_writes_and_redactions_is_as_the_model_has_it(
    files: Engines, first: list[Event], steps: list[tuple[Any, ...]]
) -> None:
    play(files.new(), [("insert", "a", first), *steps])


@settings(max_examples=examples(18, daily=3), suppress_health_check=[HealthCheck.too_slow])
@given(first=SOME_EVENTS, steps=SERIES)
def test_so_is_any_series_through_two_servers_on_postgresql(
    servers: Engines, first: list[Event], steps: list[tuple[Any, ...]]
) -> None:
    play(servers.new(servers=2), [("insert", "a", first), *steps])
