"""Segments that are built when a test says so, and builders that halt at a chosen point."""

import asyncio
import os
import signal
from collections.abc import AsyncGenerator, Generator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Final, NoReturn

import pytest

import dayline.storage.postgres.derived.builder as postgres_builder
import dayline.storage.postgres.derived.engine as postgres_engine
import dayline.storage.sqlite.derived.engine as sqlite_engine
from dayline.model.data import canonical_json
from dayline.model.event import Event
from dayline.model.time import SECOND, parse_timestamp
from dayline.runtime.sqlite_file import READ_ONLY, connect
from dayline.storage.columns.builder import SegmentBuilding
from dayline.storage.columns.segment_plan import BuildReport, SegmentKey, SegmentPace
from dayline.storage.operations.children import ChildFunction
from dayline.storage.postgres.derived import builder as of_postgres
from dayline.storage.postgres.derived.word_indexer import index_words
from dayline.storage.sqlite.database import SqliteDatabase
from dayline.storage.sqlite.derived import builder as of_sqlite
from dayline.storage.sqlite.derived.builder import build
from dayline.storage.sqlite.derived.file import derived_path

ON_REQUEST: Final = SegmentPace(initial_delay_s=3600, interval_s=3600, after_import_s=3600, min_events=1)


@asynccontextmanager
async def opened_database(path: Path, *, pace: SegmentPace = ON_REQUEST) -> AsyncGenerator[SqliteDatabase]:
    """A database that builds no segments on its own, and those of the smallest months when configured to."""
    database = SqliteDatabase(path, asyncio.get_running_loop(), segment_pace=pace)
    try:
        yield database
    finally:
        await database.close()


@contextmanager
def built_in_this_process() -> Generator[None]:
    """No process is started for each build: what it would do is done here, in a hundredth of the time."""

    async def run(database: Path, places: list[SegmentKey], *, min_events: int | None, **named: bool) -> BuildReport:
        if min_events is None:
            return build(database, places, **named)
        return await asyncio.to_thread(build, database, places, min_events=min_events, **named)

    async def run_on_postgres(
        address: str, tenant: str, places: list[SegmentKey], *, min_events: int | None
    ) -> BuildReport:
        return await asyncio.to_thread(postgres_builder.build, address, tenant, places, min_events=min_events)

    async def index_on_postgres(address: str, tenant: str) -> None:
        await asyncio.to_thread(index_words, address, tenant)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sqlite_engine, "run_builder", run)
        patch.setattr(postgres_engine, "run_builder", run_on_postgres)
        patch.setattr(postgres_engine, "run_indexer", index_on_postgres)
        yield


def months_of(*dates: str, events: int = 20, app: str = "editor") -> list[Event]:
    """Events in the month of each date, a minute apart, each lasting half a minute and with data of its own."""
    return [
        Event(
            start=parse_timestamp(date) + number * 60 * SECOND,
            duration=30 * SECOND,
            data=canonical_json({"app": app, "title": f"{date} {number}"}),
        )
        for date in dates
        for number in range(events)
    ]


def segments_in(path: Path) -> set[tuple[int, int, int]]:
    """Bucket, month and version of every segment in the file of derived data."""
    db = connect(derived_path(path), READ_ONLY)
    try:
        return set(db.execute("SELECT bucket, month, version FROM segment"))
    finally:
        db.close()


def sealed_in(path: Path) -> set[tuple[int, int, int]]:
    """Bucket, month and count of changes of every month that is sealed."""
    db = connect(path, READ_ONLY)
    try:
        return set(db.execute("SELECT bucket, month, changes FROM month WHERE is_sealed"))
    finally:
        db.close()


Segment = tuple[SegmentKey, bytes]

halted_sqlite = ChildFunction("tests.support.storage.building:build_sqlite", BuildReport)
halted_postgres = ChildFunction("tests.support.storage.building:build_postgres", BuildReport)


class Deadly(list[Segment]):
    """Segments of which only the first can be read."""

    def __iter__(self) -> Iterator[Segment]:
        yield self[0]
        _die()


def _die() -> NoReturn:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


def _halt(kind: type[of_sqlite.BucketBuild] | type[of_postgres.BucketBuild], point: str) -> None:
    """Let it halt when it stores segments."""
    keep, count = kind.keep, 0

    def kept(build: SegmentBuilding, segments: list[Segment]) -> None:
        nonlocal count
        count += 1
        if point == "wait":
            signal.pause()
        if point == "first":
            _die()
        keep(build, Deadly(segments) if (point, count) == ("middle", 2) else segments)  # type: ignore[arg-type]
        if count == 2:
            _die()

    kind.keep = kept  # type: ignore[assignment]


def build_sqlite(
    point: str,
    database: Path,
    places: list[SegmentKey],
    *,
    is_from_scratch: bool,
    has_texts: bool,
    min_events: int | None,
) -> BuildReport:
    _halt(of_sqlite.BucketBuild, point)
    return of_sqlite.build(
        database, places, is_from_scratch=is_from_scratch, has_texts=has_texts, min_events=min_events
    )


def build_postgres(
    point: str, address: str, tenant: str, places: list[SegmentKey], *, min_events: int | None
) -> BuildReport:
    _halt(of_postgres.BucketBuild, point)
    return of_postgres.build(address, tenant, places, min_events=min_events)
