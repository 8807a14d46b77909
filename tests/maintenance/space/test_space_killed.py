"""Killed in the middle of compaction or of downsampling: the file is whole, nothing is lost, and it continues."""

import random
import shutil
from pathlib import Path
from typing import Final

import pytest

from dayline.config.data_folder import DataFile, data_file
from dayline.storage.sqlite.database import SqliteDatabase
from tests.maintenance.backups.test_backup_killed import run_and_read
from tests.support.storage.file_upkeep import check_file, lasting, play, read, rows_of
from tests.support.storage.opened import beat, bucket

DOWNSAMPLED: Final = 10 * 9  # quarters and apps
ROUNDS: Final = 2
MANY_ROUNDS: Final = 50
EVENTS: Final = 1000
LONG: Final = "a title that is as long as titles are " * 4
WORK = """
import asyncio, pathlib, sys
from dayline.storage.sqlite.database import SqliteDatabase
from tests.support.storage.opened import beat, sent

async def main():
    database = SqliteDatabase(pathlib.Path(sys.argv[1]), asyncio.get_running_loop())
    work = asyncio.ensure_future({work})
    print("now", flush=True)
    second = 10_000_000
    while not work.done():
        await sent(database.store(), "recording", beat(second, app=f"app {{second % 50}}"))
        print(second, flush=True)
        second += 60
    await work
    await database.close()

asyncio.run(main())
"""
COMPACT: Final = WORK.format(work="database.upkeep.compact()")
DOWNSAMPLE: Final = WORK.format(work='database.upkeep.downsample({"window": 1})')


def run(program: str, database: Path, *, kill_after_s: float | None) -> tuple[float, int]:
    """Run a program, and kill it with all its processes so long after it began; how long it ran, beats acknowledged.

    It records one heartbeat after the other, and says so when each is committed.
    """
    took_s, output = run_and_read(program, database, kill_after_s=kill_after_s)
    return took_s, len([line for line in output.splitlines(keepends=True) if line.endswith(b"\n")])


def prepare(database: Path) -> None:
    """A bucket to keep, one to record into, and one that was released, with its values; and values of no one."""

    async def fill(opened: SqliteDatabase) -> None:
        store = opened.store()
        for bucket_id in ("recording", "gone"):
            await store.create_bucket(bucket(bucket_id))
        for first in range(0, EVENTS, 500):
            minutes = range(first, first + 500)
            await store.insert("window", [lasting(minute / 7, 2, app=f"app {minute % 9}") for minute in minutes])
            await store.insert("gone", [beat(60 * minute, app=f"{LONG}{minute}") for minute in minutes])
        unused = (await store.insert("window", [beat(n, app=f"{LONG} unused {n}") for n in range(200)])).events
        for event in unused:
            await store.delete_event("window", event.id)
        await store.delete_bucket("gone")
        await store.trash.empty()

    play(database, fill)


def check_rounds(tmp_path: Path, program: str, seed: int, rounds: int, events: int) -> None:
    """Kill at random moments; `events` is what the bucket has left when the work is done."""
    database, chance = tmp_path / "days.db", random.Random(seed)
    prepare(database)
    content, before = database.read_bytes(), rows_of(database)
    usual_s, _ = run(program, database, kill_after_s=None)
    assert len(rows_of(database)) == events

    for _ in range(rounds):
        shutil.rmtree(data_file(database, DataFile.FOLDER), ignore_errors=True)
        for leftover in tmp_path.glob("days.db*"):
            leftover.unlink()
        database.write_bytes(content)

        _, reported = run(program, database, kill_after_s=chance.uniform(0, 1.05) * usual_s)

        play(database, _undo_downsampling)
        assert rows_of(database) == before
        assert len(rows_of(database, "recording")) >= reported
        check_file(database)

    run(program, database, kill_after_s=None)
    assert len(rows_of(database)) == events
    assert read(database, "SELECT 1 FROM operation WHERE state NOT IN ('done', 'undone')") == []


async def _undo_downsampling(database: SqliteDatabase) -> None:
    await database.upkeep.downsample({})  # what was cut off is done by then
    for item in database.store().trash.all():
        assert item.state == "done"
        await database.store().trash.undo(item.id)


def test_compaction_leaves_a_whole_file_whenever_it_was_killed(tmp_path: Path) -> None:
    check_rounds(tmp_path, COMPACT, 11, ROUNDS, EVENTS)


def test_downsampling_can_be_undone_whenever_it_was_killed(tmp_path: Path) -> None:
    check_rounds(tmp_path, DOWNSAMPLE, 12, ROUNDS, DOWNSAMPLED)


@pytest.mark.long
@pytest.mark.parametrize(
    ("program", "events"), [(COMPACT, EVENTS), (DOWNSAMPLE, DOWNSAMPLED)], ids=["compaction", "downsampling"]
)
def test_the_same_fifty_times(tmp_path: Path, program: str, events: int) -> None:
    check_rounds(tmp_path, program, random.randrange(2**32), MANY_ROUNDS, events)
