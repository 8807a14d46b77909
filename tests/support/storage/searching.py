"""A store with texts in many scripts, and one process that searches it all the while."""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Iterable, Iterator
from contextlib import asynccontextmanager, suppress
from itertools import cycle
from typing import Any, Final

from hypothesis import strategies as st

from dayline.model.bucket import Bucket
from dayline.model.data import canonical_json
from dayline.model.errors import DaylineError
from dayline.model.event import Event
from dayline.model.privacy.rules import PrivacyRule
from dayline.model.time import EARLIEST, LATEST, SECOND, parse_timestamp
from dayline.storage.columns.segment_plan import SegmentPace
from dayline.storage.columns.source import ReadReport
from dayline.storage.opening import Database
from dayline.storage.store import Store
from dayline.transform.text import Clause, TextField, TextQuery, clause_of, document_of, matches
from tests.support.storage.columns_read import shown, stored
from tests.support.storage.engines import Columns, Engine
from tests.support.storage.opened import sent
from tests.support.storage.redacting import order
from tests.support.waiting import eventually

PACE: Final = SegmentPace(initial_delay_s=3600, interval_s=3600, after_import_s=3600, min_events=1, min_values=1)
BUCKETS: Final = ("a", "b")
JANUARY: Final = parse_timestamp("2020-01-10T10:00:00Z")
HIDE: Final = PrivacyRule(name="hide", field="title", pattern="rust", action="rewrite", replacement="gone")

PIECES = st.sampled_from(
    ["Rust", "rusty", "RÜST", "Café", "cafe\u0301", "東京都", "京都", "日", "한국어", "ภาษา", "हिन्दी", "👍🏽", "https://ex.org/a_b",
     "x" * 70, "<img src=x>", "ß", "\u0130", "-", " ", "1.5", '"', "|", "*", "AND"]
)  # fmt: skip
TEXTS = st.lists(PIECES, max_size=4).map(" ".join) | st.lists(PIECES, max_size=3).map("".join)
DATA = st.one_of(
    st.fixed_dictionaries({"app": TEXTS, "title": TEXTS}),
    st.fixed_dictionaries(
        {"title": TEXTS, "url": TEXTS | TEXTS.map(lambda text: f"https://user@{text}.org:80/{text}")}
    ),
    st.fixed_dictionaries({"title": st.just(5), "deep": st.lists(st.fixed_dictionaries({"title": TEXTS}), max_size=2)}),
)


def event(second: int, data: dict[str, Any]) -> Event:
    return Event(start=JANUARY + second * SECOND, duration=SECOND, data=canonical_json(data))


def clause(text: str, is_prefix: bool, field: TextField | None, is_negated: bool) -> Clause | None:
    return clause_of(text, is_prefix=is_prefix, field=field, is_negated=is_negated)


def query_of(clauses: list[Clause | None]) -> TextQuery:
    return TextQuery(tuple(asked for asked in clauses if asked is not None))


EVENTS = st.builds(event, st.integers(0, 50), DATA)
FIELDS: st.SearchStrategy[TextField | None] = st.sampled_from([None, None, "app", "title", "url", "domain"])
CLAUSES = st.builds(
    clause,
    PIECES | TEXTS | PIECES.map(lambda text: text[:2]),
    st.booleans(),
    FIELDS,
    st.sampled_from([False, False, True]),
)
NAMES = st.sampled_from(BUCKETS)
STEPS = st.one_of(
    st.tuples(st.just("insert"), NAMES, st.lists(EVENTS, min_size=1, max_size=6)),
    st.tuples(st.just("insert"), NAMES, st.lists(EVENTS, min_size=1, max_size=6)),
    st.tuples(st.just("heartbeat"), NAMES, EVENTS),
    st.tuples(st.just("delete event"), NAMES, st.integers(1, 8)),
    st.tuples(st.just("delete bucket"), NAMES),
    st.tuples(st.just("undo")),
    st.tuples(st.just("purge")),
    st.tuples(st.just("rename"), NAMES),
    st.tuples(st.just("merge")),
    st.tuples(st.just("redact")),
    st.tuples(st.just("undo redaction")),
    st.tuples(st.just("make final")),
    st.tuples(st.just("build")),
    st.tuples(st.just("build")),
    st.tuples(st.just("drop")),
)


class Machine:
    """An engine in use. Of several servers, each has its turn."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.databases = [engine.open(pace=PACE) for _ in range(engine.servers)]
        self._turns: Iterator[Database] = cycle(self.databases)
        self.columns = engine.columns()
        self.renames = 0

    @property
    def store(self) -> Store:
        return next(self._turns).store(self.engine.tenant)

    async def create(self, bucket_id: str) -> None:
        if bucket_id not in self.store.buckets():
            await self.store.create_bucket(Bucket(id=bucket_id, type="t", client="c", hostname="h", created=0, data={}))

    async def purge(self) -> None:
        """Empty the trash, and wait until the rows of deleted buckets are gone."""
        await self.store.trash.empty()
        gone = "SELECT count(*) FROM bucket WHERE deleted IS NOT NULL"
        await asyncio.to_thread(eventually, lambda: self.engine.select(gone) == [(0,)])

    async def build(self) -> None:
        await self.engine.build_segments(next(self._turns))

    async def close(self) -> None:
        self.columns.close()
        for database in self.databases:
            await database.close()

    async def step(self, kind: str, *details: Any) -> None:
        with suppress(DaylineError):  # what cannot be undone or merged stays as it is
            match kind:
                case "insert":
                    await self.store.insert(*details)
                case "heartbeat":
                    await sent(self.store, *details)
                case "delete event":
                    await self.store.delete_event(*details)
                case "delete bucket":
                    await self.store.delete_bucket(*details)
                case "undo":
                    for item in self.store.trash.all()[:1]:
                        await self.store.trash.undo(item.id)
                case "purge":
                    await self.purge()
                case "rename":
                    self.renames += 1
                    await self.store.moves.rename(details[0], f"renamed {self.renames}", keeps_alias=False)
                case "merge":
                    await self.store.moves.merge("a", "b", is_forced=True)
                case "redact":
                    await self.store.redactions.apply(order(HIDE))
                case "undo redaction":
                    for redaction in self.store.redactions.all()[:1]:
                        await self.store.redactions.undo(redaction.id)
                case "make final":
                    for redaction in self.store.redactions.all()[:1]:
                        await self.store.redactions.make_final(redaction.id)
                case "build":
                    await self.build()
                case _:
                    self.engine.drop_segments()
        for bucket_id in BUCKETS:
            with suppress(DaylineError):  # after a merge it is another name of the other
                await self.create(bucket_id)

    def check(self, queries: Iterable[TextQuery]) -> None:
        for query in queries:
            for bucket_id in {row[0] for row in self.engine.select("SELECT id FROM bucket WHERE deleted IS NULL")}:
                check(self.columns, self.store, bucket_id, query)


def check(columns: Columns, store: Store, bucket_id: str, query: TextQuery) -> ReadReport:
    """What is found in a bucket is what a look through all its events finds."""
    expected = [row for row in stored(store, bucket_id) if matches(query, document_of(row[3].encode()))]
    report = ReadReport()
    with columns.snapshot() as source:
        assert shown(source.matching(bucket_id, EARLIEST, LATEST, query, report)) == expected
    return report


def counted(data: Iterable[dict[str, Any]]) -> Counter[str]:
    """In how many distinct values every word is."""
    documents = map(document_of, {canonical_json(item) for item in data})
    return Counter(
        word for document in documents for word in {w for found in document.values() for words in found for w in words}
    )


@asynccontextmanager
async def machine_of(engine: Engine) -> AsyncGenerator[Machine]:
    """A machine with the buckets; it is closed with the block."""
    machine = Machine(engine)
    try:
        for bucket_id in BUCKETS:
            await machine.create(bucket_id)
        yield machine
    finally:
        await machine.close()


async def play(engine: Engine, steps: Iterable[tuple[Any, ...]], queries: list[TextQuery]) -> None:
    async with machine_of(engine) as machine:
        for step in steps:
            await machine.step(*step)
            machine.check(queries)


async def search_index(engine: Engine, data: list[dict[str, Any]], queries: Iterable[TextQuery]) -> None:
    """Index values, and search for all sorts of things in the index alone."""
    async with machine_of(engine) as machine:
        await machine.store.insert("a", [event(number, item) for number, item in enumerate(data)])
        await machine.build()
        for query in queries:
            assert check(machine.columns, machine.store, "a", query).looked_through == 0
        words = counted(data)
        with machine.columns.snapshot() as source:
            for word in words:
                alike = {
                    other: count for other, count in words.items()
                    if other[0] == word[0] and abs(len(other) - len(word)) <= 2
                }  # fmt: skip
                assert dict(source.words_like("a", word)) == alike
