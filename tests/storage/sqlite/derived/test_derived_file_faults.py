"""Whatever happens to the file of derived data, queries are answered from rows, and the file is made again."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Final

import apsw
import pytest

from dayline.storage.columns.source import ReadReport
from dayline.storage.sqlite.columns.source import SqliteColumns
from dayline.storage.sqlite.derived.file import damage_mark, derived_path
from tests.support.storage.building import built_in_this_process, months_of, opened_database
from tests.support.storage.columns_read import CACHE_BYTES, read, shown, stored
from tests.support.storage.opened import bucket

DATES: Final = ("2024-01-10T00:00:00Z", "2024-02-10T00:00:00Z")


def removed(path: Path) -> None:
    path.unlink()


def emptied(path: Path) -> None:
    path.write_bytes(b"")


def overwritten(path: Path) -> None:
    path.write_bytes(b"no database at all" * 1000)


def cut_off(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def with_damaged_segments(path: Path) -> None:
    change(path, "UPDATE segment SET packed = zeroblob(length(packed))")


def with_damaged_packs(path: Path) -> None:
    change(path, "UPDATE pack SET packed = zeroblob(length(packed))")


def without_packs(path: Path) -> None:
    change(path, "DROP TABLE pack")


def of_another_epoch(path: Path) -> None:
    change(path, "UPDATE meta SET value = value + 1 WHERE key = 'epoch'")


def without_a_stamp(path: Path) -> None:
    change(path, "DELETE FROM meta")


def of_another_format(path: Path) -> None:
    change(path, "PRAGMA user_version=999")


def of_another_program(path: Path) -> None:
    path.unlink()
    change(path, "CREATE TABLE thing(a)")


def change(path: Path, sql: str) -> None:
    db = apsw.Connection(str(path))
    db.execute(sql)
    db.close()


TROUBLES: Final = [
    removed, emptied, overwritten, cut_off, with_damaged_segments, with_damaged_packs, without_packs, of_another_epoch,
    without_a_stamp, of_another_format, of_another_program,
]  # fmt: skip


class Story:
    """Segments are built, something happens to their file, and they are built again."""

    def __init__(self, path: Path, trouble: Callable[[Path], None], *, is_running: bool) -> None:
        self.path = path
        self.reports: list[ReadReport] = []
        self._columns = SqliteColumns(path, cache_bytes=CACHE_BYTES)
        with built_in_this_process():
            asyncio.run(self._play(trouble, is_running))
        self._columns.close()

    async def _play(self, trouble: Callable[[Path], None], is_running: bool) -> None:
        async with opened_database(self.path) as database:
            store = database.store()
            await store.create_bucket(bucket("window"))
            await store.insert("window", months_of(*DATES))
            await database.build_segments()
            self.expected = stored(store, "window")
            if is_running:
                self._read()
                trouble(derived_path(self.path))
                self._read_again()
                await database.build_segments()
                self._read_again()
        if is_running:
            return
        trouble(derived_path(self.path))
        async with opened_database(self.path) as database:
            self._read_again()
            await database.build_segments()
            self._read_again()

    def _read(self) -> None:
        with self._columns.snapshot() as source:
            events, report = read(source, "window")
        assert events == self.expected
        self.reports.append(report)

    def _read_again(self) -> None:
        """As a process does that has kept nothing in memory."""
        self._columns.close()
        self._columns = SqliteColumns(self.path, cache_bytes=CACHE_BYTES)
        self._read()


@pytest.mark.parametrize("trouble", TROUBLES)
def test_after_any_damage_while_closed_the_file_is_rebuilt(tmp_path: Path, trouble: Callable[[Path], None]) -> None:
    story = Story(tmp_path / "days.db", trouble, is_running=False)

    before, after = story.reports
    assert (before.segment_events, before.row_events) == (0, 40)
    assert (after.segment_events, after.row_events) == (40, 0)
    assert not damage_mark(story.path).exists()


@pytest.mark.parametrize("trouble", [removed, with_damaged_segments, with_damaged_packs])
def test_after_damage_while_a_server_runs_the_file_is_rebuilt(tmp_path: Path, trouble: Callable[[Path], None]) -> None:
    story = Story(tmp_path / "days.db", trouble, is_running=True)

    at_first, troubled, after = story.reports
    assert (at_first.segment_events, at_first.row_events) == (40, 0)
    assert (troubled.segment_events, troubled.row_events) == (0, 40)
    assert (after.segment_events, after.row_events) == (40, 0)
    assert not damage_mark(story.path).exists()


def test_a_file_that_is_locked_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "days.db"

    async def scenario() -> ReadReport:
        async with opened_database(path) as database:
            store = database.store()
            await store.create_bucket(bucket("window"))
            await store.insert("window", months_of(*DATES))
            await database.build_segments()
            holder = apsw.Connection(str(derived_path(path)))
            holder.pragma("locking_mode", "EXCLUSIVE")
            holder.execute("BEGIN IMMEDIATE")
            columns = SqliteColumns(path, cache_bytes=CACHE_BYTES)
            with columns.snapshot() as source:
                report = ReadReport()
                events = source.events("window", 0, 2**53, report)
            assert shown(events) == stored(store, "window")
            columns.close()
            holder.close()
            return report

    with built_in_this_process():
        report = asyncio.run(scenario())

    assert (report.segment_events, report.row_events) == (0, 40)
    assert not damage_mark(path).exists()


def test_a_running_process_uses_the_rebuilt_file(tmp_path: Path) -> None:
    # Values are numbered in another order when the file is made again, so that what was decoded before does not fit.
    path = tmp_path / "days.db"

    async def scenario() -> ReadReport:
        async with opened_database(path) as database:
            store = database.store()
            await store.create_bucket(bucket("window"))
            columns = SqliteColumns(path, cache_bytes=CACHE_BYTES)
            for date in reversed(DATES):
                await store.insert("window", months_of(date))
                await database.build_segments()
                with columns.snapshot() as source:
                    read(source, "window")
            derived_path(path).unlink()
            await store.insert("window", months_of("2024-03-10T00:00:00Z"))
            await database.build_segments()
            with columns.snapshot() as source:
                events, report = read(source, "window")
            assert events == stored(store, "window")
            columns.close()
            return report

    with built_in_this_process():
        report = asyncio.run(scenario())

    assert (report.segment_events, report.row_events) == (60, 0)
