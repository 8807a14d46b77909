"""Killed in the middle of a backup, a restore or an upgrade: what was there is there, or what was to be; nothing half.

program   │ now ─────────────────── done
killed    │      ✗   ✗        ✗   ✗        at random moments, some of them after the end
"""

import os
import random
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path
from typing import Final

import apsw
import pytest

from dayline.config.data_folder import DataFile, data_file
from dayline.maintenance.backups.folder import BackupFolder
from dayline.storage.sqlite.backup.snapshot import check_snapshot
from dayline.storage.sqlite.file.schema import MIGRATIONS
from tests.support.maintenance.backups import Clock, events_in, filled, made, packed, scheduler_of
from tests.support.processes.prepared import PreparedProcess
from tests.support.waiting import PATIENCE_S

EVENTS: Final = 2000
MAKE = """
import asyncio, pathlib, sys, time
from dayline.maintenance.backups.scheduler import BackupScheduler
from dayline.config.sections import BackupSettings
print("now", flush=True)
asyncio.run(BackupScheduler(pathlib.Path(sys.argv[1]), BackupSettings(), clock=lambda: time.time_ns() // 1000).make())
"""
RESTORE = """
import pathlib, sys, time
import zstandard
from dayline.maintenance.backups.before import BackupBefore
from dayline.config.sections import BackupSettings
from dayline.storage.sqlite.backup.restore import replace_database
clock = lambda: time.time_ns() // 1000
before = BackupBefore(BackupSettings(), clock=clock).ensure
print("now", flush=True)
replace_database(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), now=clock(), before=before)
"""
# Two steps more than there are, each of which touches every event.
UPGRADE = """
import pathlib, sys, time
from dayline.maintenance.backups.before import BackupBefore
from dayline.config.sections import BackupSettings
from dayline.storage.sqlite.file.schema import MIGRATIONS
from dayline.storage.sqlite.upgrade import open_current
steps = [f"CREATE TABLE copy{n} AS SELECT * FROM event; CREATE INDEX copy{n}_id ON copy{n}(id)" for n in (1, 2)]
keep = BackupBefore(BackupSettings(), clock=lambda: time.time_ns() // 1000).upgrade
print("now", flush=True)
open_current(pathlib.Path(sys.argv[1]), [*MIGRATIONS, *steps], keep=keep).close()
"""

rounds = pytest.mark.parametrize(
    "rounds", [2, pytest.param(50, marks=pytest.mark.long)], ids=["a few rounds", "many rounds"]
)


def run(program: str, *arguments: Path, kill_after_s: float | None) -> float:
    """Run a program, and kill it with all its processes so long after it said that it begins; how long it ran."""
    return run_and_read(program, *arguments, kill_after_s=kill_after_s)[0]


def run_and_read(program: str, *arguments: Path, kill_after_s: float | None) -> tuple[float, bytes]:
    """The same, with what it has written after it said that it begins."""
    reading, writing = os.pipe()
    process = PreparedProcess(
        [*map(str, arguments)], os.environ, code=f"import os; os.setsid()\n{program}", output=writing
    )
    os.close(writing)
    with os.fdopen(reading, "rb") as output, ThreadPoolExecutor(1) as pool:
        assert output.readline() == b"now\n", process.errors
        rest = pool.submit(output.read)  # at once: a program whose output no one reads stops when the pipe is full
        started = time.perf_counter()
        try:
            status = process.wait(PATIENCE_S if kill_after_s is None else kill_after_s)
            assert status == 0, process.errors.decode()
        except subprocess.TimeoutExpired:
            assert kill_after_s is not None, "it did not come to its end"
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait(PATIENCE_S)
        return time.perf_counter() - started, rest.result()


def moments(rounds: int, usual_s: float) -> Iterator[float]:
    """Seconds to let it run, from the very beginning to a little beyond the end."""
    chance = random.Random(rounds)
    return (chance.uniform(0, 1.1) * usual_s for _ in range(rounds))


def check_backups(folder: BackupFolder, work: Path, events: set[int]) -> None:
    """Everything that has the name of a backup is a good one, of one of the states that there were."""
    for path in folder.path.glob("*.zst"):
        with_name = work / f"{path.name}.db"
        with_name.unlink(missing_ok=True)
        assert check_snapshot(path, with_name).contents.events in events
        with_name.unlink()


def kept_in(folder: Path) -> list[Path]:
    """The databases that restores have replaced, without the folders that they got when they were read."""
    return [path for path in folder.glob("*.before-restore-*") if path.is_file()]


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    database = tmp_path_factory.mktemp("source") / "days.db"
    filled(database, *(f"app {n}" for n in range(EVENTS)))
    return database.read_bytes()


@pytest.fixture
def database(tmp_path: Path, content: bytes) -> Path:
    (tmp_path / "days.db").write_bytes(content)
    return tmp_path / "days.db"


@rounds
def test_what_has_the_name_of_a_backup_is_one_whenever_it_was_killed(
    database: Path, tmp_path: Path, rounds: int
) -> None:
    folder = scheduler_of(database, Clock()).folder
    usual_s = run(MAKE, database, kill_after_s=None)
    assert len(folder.all()) == 1

    for moment_s in moments(rounds, usual_s):
        run(MAKE, database, kill_after_s=moment_s)
        check_backups(folder, tmp_path, {EVENTS})
        for path in folder.path.glob("*.zst"):
            path.unlink()

    made(scheduler_of(database, Clock()))
    assert [path.name for path in folder.path.iterdir() if not path.name.endswith(".db.zst")] == []


@rounds
def test_a_restore_leaves_the_old_or_the_new_whenever_it_was_killed(
    database: Path, tmp_path: Path, rounds: int
) -> None:
    snapshot, folder = tmp_path / "made.zst", scheduler_of(database, Clock()).folder
    packed(database, snapshot, work=tmp_path)
    filled(database, "later")
    usual_s = run(RESTORE, database, snapshot, kill_after_s=None)

    for moment_s in moments(rounds, usual_s):
        if len(events_in(database)) == EVENTS:
            filled(database, "later")
        for earlier in (*kept_in(tmp_path), *folder.path.glob("*.zst")):
            earlier.unlink()
        run(RESTORE, database, snapshot, kill_after_s=moment_s)

        after = len(events_in(database))
        check_backups(folder, tmp_path, {EVENTS + 1})
        assert after in (EVENTS + 1, EVENTS)
        if after == EVENTS:  # then the old one is beside it, and in a backup
            assert [len(events_in(kept)) for kept in kept_in(tmp_path)] == [EVENTS + 1]
            assert len(folder.all()) == 1

    run(RESTORE, database, snapshot, kill_after_s=None)
    assert len(events_in(database)) == EVENTS
    assert list(tmp_path.glob("*.restore-part*")) == []


@rounds
def test_an_upgrade_leaves_a_whole_number_of_steps_and_a_backup_before_the_first_whenever_it_was_killed(
    database: Path, content: bytes, tmp_path: Path, rounds: int
) -> None:
    folder = scheduler_of(database, Clock()).folder
    usual_s = run(UPGRADE, database, kill_after_s=None)

    for moment_s in moments(rounds, usual_s):
        shutil.rmtree(data_file(database, DataFile.FOLDER), ignore_errors=True)
        for earlier in (*tmp_path.glob("days.db*"), *folder.path.glob("*.zst")):
            earlier.unlink()
        database.write_bytes(content)
        run(UPGRADE, database, kill_after_s=moment_s)

        steps = check_upgraded(database)
        check_backups(folder, tmp_path, {EVENTS})
        if steps:
            first = folder.all()[-1].manifest
            assert first is not None
            assert first.contents.schema == len(MIGRATIONS)

    # What was interrupted is brought to its end. Without a backup: the process that makes one does not know the steps,
    # and would refuse a file that was left between the two.
    run(UPGRADE.replace("keep=keep", "keep=lambda _: None"), database, kill_after_s=None)
    with closing(apsw.Connection(str(database))) as db:
        assert db.pragma("user_version") == len(MIGRATIONS) + 2


def check_upgraded(database: Path) -> int:
    """The file is whole, has every event, and exactly the tables of its version; how many steps were made."""
    with closing(apsw.Connection(str(database))) as db:
        assert db.execute("PRAGMA integrity_check").get == "ok"
        steps = int(db.pragma("user_version")) - len(MIGRATIONS)
        tables = [f"copy{n}" for n in range(1, steps + 1)]
        found = [name for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE name GLOB 'copy[12]'")]
        assert sorted(map(str, found)) == tables
        for table in ("event", *tables):
            assert db.execute(f"SELECT count(*) FROM {table}").get == EVENTS
    return steps
