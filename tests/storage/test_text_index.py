"""The full text of values: the index finds exactly what a look through all texts finds, whatever happened before."""

import asyncio
import os
import signal
import sys
import tempfile
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Iterable
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, Final

import apsw
import msgspec
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dayline.model.bucket import Bucket
from dayline.model.data import canonical_json
from dayline.model.errors import DaylineError
from dayline.model.event import Event
from dayline.model.privacy import PrivacyRule
from dayline.model.timestamps import EARLIEST, LATEST, SECOND, parse_timestamp
from dayline.storage.base import Store
from dayline.storage.columns import ReadReport
from dayline.storage.sqlite.columns import SqliteColumns
from dayline.storage.sqlite.connection import open_reader
from dayline.storage.sqlite.database import SqliteDatabase
from dayline.storage.sqlite.derived_check import check_derived
from dayline.storage.sqlite.segment_builder import build
from dayline.storage.sqlite.segment_file import derived_path, epoch_of, stored_texts
from dayline.storage.sqlite.segment_job import BuildJob
from dayline.storage.sqlite.segment_pace import SegmentPace
from dayline.storage.sqlite.text_index import TextIndex
from dayline.transform.text_query import Clause, TextField, TextQuery, clause_of, document_of, matches
from tests.storage.building import built_in_this_process
from tests.storage.columns_read import CACHE_BYTES, shown, stored
from tests.storage.opened import sent
from tests.storage.redacting import order, planned_in_this_process
from tests.waiting import eventually

PACE: Final = SegmentPace(first_s=3600, every_s=3600, after_import_s=3600, least_events=1, least_values=1)
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
    st.tuples(st.just("rename"), NAMES),
    st.tuples(st.just("merge")),
    st.tuples(st.just("redact")),
    st.tuples(st.just("undo redaction")),
    st.tuples(st.just("build")),
    st.tuples(st.just("build")),
    st.tuples(st.just("drop")),
)


class Machine:
    """A store, and one process that searches it all the while."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.database = SqliteDatabase(path, asyncio.get_running_loop(), segment_pace=PACE)
        self.columns = SqliteColumns(path, cache_bytes=CACHE_BYTES)
        self.renames = 0

    @property
    def store(self) -> Store:
        return self.database.store()

    async def create(self, bucket_id: str) -> None:
        if bucket_id not in self.store.buckets():
            await self.store.create_bucket(Bucket(id=bucket_id, type="t", client="c", hostname="h", created=0, data={}))

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
                case "build":
                    await self.database.build_segments()
                case _:
                    for file in self.path.parent.glob("days.db-derived*"):
                        file.unlink()
        for bucket_id in BUCKETS:
            with suppress(DaylineError):  # after a merge it is another name of the other
                await self.create(bucket_id)

    def check(self, queries: Iterable[TextQuery]) -> None:
        for query in queries:
            for bucket_id in self.store.buckets():
                check(self.columns, self.store, bucket_id, query)


def check(columns: SqliteColumns, store: Store, bucket_id: str, query: TextQuery) -> ReadReport:
    """What is found in a bucket is what a look through all its events finds."""
    expected = [row for row in stored(store, bucket_id) if matches(query, document_of(row[3].encode()))]
    report = ReadReport()
    with columns.snapshot() as source:
        assert shown(source.matching(bucket_id, EARLIEST, LATEST, query, report)) == expected
    return report


async def play(steps: Iterable[tuple[Any, ...]], queries: list[TextQuery]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        machine = Machine(Path(folder) / "days.db")
        try:
            for bucket_id in BUCKETS:
                await machine.create(bucket_id)
            for step in steps:
                await machine.step(*step)
                machine.check(queries)
        finally:
            machine.columns.close()
            await machine.database.close()


def query_of(clauses: list[Clause | None]) -> TextQuery:
    return TextQuery(tuple(asked for asked in clauses if asked is not None))


@settings(max_examples=settings().max_examples // 4, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(STEPS, min_size=4, max_size=12),
    st.lists(st.lists(CLAUSES, max_size=3).map(query_of), min_size=3, max_size=3),
)
def test_after_any_series_of_changes_search_finds_what_a_look_through_everything_finds(
    steps: list[tuple[Any, ...]], queries: list[TextQuery]
) -> None:
    with built_in_this_process(), planned_in_this_process():
        asyncio.run(play(steps, queries))


@settings(max_examples=settings().max_examples // 2, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(DATA, min_size=1, max_size=20), st.lists(st.lists(CLAUSES, min_size=1, max_size=3), max_size=12))
def test_the_index_finds_what_a_look_through_the_texts_finds(
    data: list[dict[str, Any]], asked: list[list[Clause | None]]
) -> None:
    async def scenario(path: Path) -> None:
        machine = Machine(path)
        try:
            await machine.create("a")
            events = [
                Event(start=JANUARY + number * SECOND, data=canonical_json(item)) for number, item in enumerate(data)
            ]
            await machine.store.insert("a", events)
            await machine.database.build_segments()
            for clauses in asked:
                assert check(machine.columns, machine.store, "a", query_of(clauses)).looked_through == 0
        finally:
            machine.columns.close()
            await machine.database.close()

    with built_in_this_process(), tempfile.TemporaryDirectory() as folder:
        asyncio.run(scenario(Path(folder) / "days.db"))


SLOW_BUILDER: Final = """
from dayline.storage.sqlite import segment_builder, text_index_builder
text_index_builder.PAGE = 5
segment_builder.main()
"""


def test_a_builder_that_is_killed_leaves_an_index_that_is_right_as_far_as_it_goes(tmp_path: Path) -> None:
    path = tmp_path / "days.db"
    events = [
        Event(start=JANUARY + number * SECOND, data=canonical_json({"title": f"page {number} of rust"}))
        for number in range(4000)
    ]

    async def scenario() -> None:
        machine = Machine(path)
        try:
            await machine.create("a")
            await machine.store.insert("a", events)
            process = await asyncio.create_subprocess_exec(
                sys.executable, "-c", SLOW_BUILDER, str(path), stdin=PIPE, stdout=DEVNULL,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            )  # fmt: skip
            talk = asyncio.create_task(process.communicate(msgspec.json.encode(BuildJob(places=[]))))
            await asyncio.to_thread(eventually, lambda: indexed_upto(path) > 0, within_s=60)
            process.send_signal(signal.SIGKILL)
            await talk
            query = query_of([clause_of("page 12", is_prefix=True), clause_of("rus", is_prefix=True)])
            left = check(machine.columns, machine.store, "a", query).looked_through
            assert 0 < left < len(events)
            build(path, BuildJob(places=[]))
            assert check(machine.columns, machine.store, "a", query).looked_through == 0
            with machine.columns.snapshot() as source:
                assert source.words_like("a", "pgae") == [("page", len(events))]
        finally:
            machine.columns.close()
            await machine.database.close()

    asyncio.run(scenario())


def test_an_index_that_lacks_a_value_is_found_by_the_doctor(tmp_path: Path) -> None:
    path = tmp_path / "days.db"
    events = [Event(start=JANUARY + number, data=canonical_json({"title": f"page {number}"})) for number in range(20)]

    async def scenario() -> None:
        machine = Machine(path)
        try:
            await machine.create("a")
            await machine.store.insert("a", events)
            await machine.database.build_segments()
        finally:
            machine.columns.close()
            await machine.database.close()

    with built_in_this_process():
        asyncio.run(scenario())
    assert check_derived(path) == []

    with closing(apsw.Connection(str(derived_path(path)))) as db:
        TextIndex(db).begin(1, 0)
        TextIndex(db).add(1, [], upto=20)
    assert check_derived(path) == ["a: the full text differs from the dictionary in 20 values"]


def indexed_upto(path: Path) -> int:
    """Up to which value some bucket is indexed."""
    db = open_reader(path)
    try:
        marks = stored_texts(derived_path(path), epoch=epoch_of(db))
    finally:
        db.close()
    return max((indexed.upto for indexed in marks.indexed.values()), default=0) if marks is not None else 0
