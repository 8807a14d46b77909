"""When segments are built: soon after an import, not while a month keeps changing, never in the way of recording."""

import asyncio
import shutil
import time
from pathlib import Path
from typing import Any, Final

import apsw
import msgspec
import pytest

from dayline.storage.columns.segment_plan import ClosedMonth, QuietMonths, SegmentPace
from dayline.storage.sqlite.derived import engine
from dayline.storage.sqlite.transfer.imports import SqliteSliceMerger
from dayline.storage.transfer.imports import MergedRows
from dayline.storage.transfer.staging import StagedBucket, StagedRange
from tests.support.calls.load import Watcher
from tests.support.maintenance.documents import document
from tests.support.server import RunningServer
from tests.support.storage.building import months_of, opened_database, sealed_in, segments_in
from tests.support.storage.opened import bucket
from tests.support.waiting import eventually

EVENTS: Final = 12_000
JANUARY: Final = "2024-01-10T00:00:00Z"
NEVER_BUILT: Final = ClosedMonth(1, "window", 650, 1000, 60, 0, False, 0)
BUILT_ONCE: Final = msgspec.structs.replace(NEVER_BUILT, changes=1)


def looks_until_quiet(month: ClosedMonth) -> int:
    quiet = QuietMonths()
    return next(number for number in range(1, 1000) if quiet.is_quiet(month))


@pytest.mark.parametrize(("changes", "looks"), [(0, 1), (1, 2), (2, 3), (3, 5), (4, 9), (7, 65), (100, 65)])
def test_a_month_that_was_built_more_often_waits_longer(changes: int, looks: int) -> None:
    assert looks_until_quiet(msgspec.structs.replace(NEVER_BUILT, changes=changes)) == looks


@pytest.mark.parametrize("change", [{"events": 1001}, {"longest": 61}, {"reach": 1}])
def test_a_month_that_changes_between_two_looks_is_not_quiet(change: dict[str, Any]) -> None:
    quiet = QuietMonths()
    quiet.is_quiet(BUILT_ONCE)
    changed = msgspec.structs.replace(BUILT_ONCE, **change)

    assert not quiet.is_quiet(changed)
    assert quiet.is_quiet(changed)


def test_segments_are_built_by_themselves_after_the_start(tmp_path: Path) -> None:
    path = tmp_path / "days.db"

    async def scenario() -> None:
        async with opened_database(path) as database:
            await database.store().create_bucket(bucket("window"))
            await database.store().insert("window", months_of(JANUARY))
        async with opened_database(path, pace=SegmentPace(initial_delay_s=0, min_events=1)):
            await asyncio.to_thread(eventually, lambda: has_segments(path))

    asyncio.run(scenario())

    assert segments_in(path) == sealed_in(path)


def test_a_changed_month_is_rebuilt_automatically_once_it_is_quiet(tmp_path: Path) -> None:
    path = tmp_path / "days.db"

    async def scenario() -> None:
        async with opened_database(
            path, pace=SegmentPace(initial_delay_s=0, interval_s=0.05, min_events=1)
        ) as database:
            store = database.store()
            await store.create_bucket(bucket("window"))
            await store.insert("window", months_of(JANUARY))
            await asyncio.to_thread(eventually, lambda: has_segments(path))
            await store.insert("window", months_of(JANUARY, events=1, app="late"))
            await asyncio.to_thread(eventually, lambda: has_segments(path, version=1))

    asyncio.run(scenario())


def has_segments(path: Path, *, version: int = 0) -> bool:
    try:
        return any(found == version for _, _, found in segments_in(path))
    except apsw.Error:  # it is not there yet, or just being made
        return False


def test_a_store_without_closed_months_gets_no_file_of_derived_data(tmp_path: Path) -> None:
    path = tmp_path / "days.db"
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())

    async def scenario() -> None:
        async with opened_database(path) as database:
            await database.store().create_bucket(bucket("window"))
            await database.store().insert("window", months_of(now))
            await database.build_segments()

    asyncio.run(scenario())

    assert list(tmp_path.rglob("*derived*")) == []


def test_the_last_disk_space_is_reserved_for_recording(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "RESERVED_BYTES", shutil.disk_usage(tmp_path).total)
    path = tmp_path / "days.db"

    async def scenario() -> None:
        async with opened_database(path) as database:
            await database.store().create_bucket(bucket("window"))
            await database.store().insert("window", months_of(JANUARY))
            await database.build_segments()

    asyncio.run(scenario())

    assert sealed_in(path) == set()
    assert list(tmp_path.rglob("*derived*")) == []


class Story:
    """A server imports closed months and builds their segments, while a watcher sends heartbeats into one of them."""

    def __init__(self, server: RunningServer) -> None:
        path = server.database
        server.create("window")
        assert (
            server.call("POST", "/api/0/import", raw=document("large", events=EVENTS, values=EVENTS // 2)).status == 200
        )
        watcher = Watcher(server.port)
        watcher.start()
        try:
            eventually(lambda: has_segments(path))
        finally:
            watcher.is_stopping = True
            watcher.join()
        self.watcher = watcher
        self.beats: list[dict[str, Any]] = server.get("/api/0/buckets/window/events").json
        self.count: int = server.get("/api/0/buckets/large/events/count").json
        self.loaded = Path(f"/proc/{server.pid}/maps").read_text() if Path("/proc/self/maps").exists() else ""


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Story:
    with RunningServer(tmp_path_factory.mktemp("segments") / "days.db") as server:
        return Story(server)


def test_recording_continues_while_segments_are_built(story: Story) -> None:
    assert story.watcher.statuses == {200}
    assert len(story.beats) == story.watcher.sent > 0
    assert story.count == EVENTS


def test_the_recording_process_does_not_load_what_builds_segments(story: Story) -> None:
    assert "numpy" not in story.loaded
    assert "zstandard" not in story.loaded


def segments_during_import(folder: Path, monkeypatch: pytest.MonkeyPatch, *documents: str) -> tuple[int, int]:
    """Import a document for each of these lists of months.

    Returns the number of segments before the last month was stored, when no more were expected, and soon afterwards.
    """
    paths: list[Path] = []
    months = [document.split() for document in documents]
    for number, names in enumerate(months):
        times = [f"{month}-{day:02}T12:00:00Z" for month in names for day in range(1, 21)]
        events = [{"timestamp": time, "data": {"document": number}} for time in times]
        head = {"type": "t", "client": "c", "hostname": "h"}
        paths.append(folder / f"{number}.json")
        paths[-1].write_bytes(msgspec.json.encode({"buckets": {"window": {**head, "events": events}}}))
    finished = {name for names in months for name in names} - {months[-1][-1]}
    merge, found = SqliteSliceMerger.merge, -1
    path = folder / "days.db"

    async def merge_last(self: SqliteSliceMerger, bucket: StagedBucket, rows: StagedRange) -> MergedRows:
        nonlocal found
        if rows.last == 20 * sum(map(len, months)):
            await asyncio.to_thread(eventually, lambda: has_segments(path) and len(segments_in(path)) >= len(finished))
            found = len(segments_in(path))
        return await merge(self, bucket, rows)

    async def run() -> None:
        pace = SegmentPace(initial_delay_s=3600, interval_s=3600, after_import_s=3600, min_events=1, imported_events=20)
        async with opened_database(path, pace=pace) as database:
            await database.store().import_files(paths)
            await asyncio.to_thread(eventually, lambda: len(segments_in(path)) > found)

    monkeypatch.setattr(SqliteSliceMerger, "merge", merge_last)
    asyncio.run(run())
    return found, len(segments_in(path))


def test_months_that_an_import_has_finished_are_packed_while_it_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert segments_during_import(tmp_path, monkeypatch, "2024-01 2024-02 2024-03") == (2, 3)
    assert segments_in(tmp_path / "days.db") == sealed_in(tmp_path / "days.db")


def test_a_month_in_two_documents_is_packed_after_the_second(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = segments_during_import(tmp_path, monkeypatch, "2024-01 2024-03", "2024-02 2024-03")

    assert found == (2, 3)
    assert segments_in(tmp_path / "days.db") == sealed_in(tmp_path / "days.db")
