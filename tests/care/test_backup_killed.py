"""Killed in the middle of a backup or of a restore: what was there is there, or what was to be; nothing half."""

import os
import random
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

import pytest

from dayline.storage.sqlite.snapshot import check_snapshot
from tests.care.backing_up import Clock, keeper_of, made
from tests.storage.snapshots import events_in, filled, packed

ROUNDS: Final = 5
EVENTS: Final = 5000
MAKE = """
import asyncio, pathlib, sys, time
from dayline.care.backup_keeper import BackupKeeper
from dayline.care.backup_settings import BackupSettings
print("now", flush=True)
asyncio.run(BackupKeeper(pathlib.Path(sys.argv[1]), BackupSettings(), clock=lambda: time.time_ns() // 1000).make())
"""
RESTORE = """
import pathlib, sys, time
import zstandard
from dayline.storage.sqlite.snapshot_restore import replace_database
print("now", flush=True)
replace_database(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), now=time.time_ns() // 1000)
"""


def run(program: str, *arguments: Path, kill_after_s: float | None) -> float:
    """Run a program, and kill it with all its processes so long after it said that it begins; how long it ran."""
    process = subprocess.Popen(
        [sys.executable, "-c", program, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"now\n"
    started = time.perf_counter()
    with suppress(subprocess.TimeoutExpired):
        process.wait(kill_after_s)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    process.stdout.close()
    return time.perf_counter() - started


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    database = tmp_path_factory.mktemp("source") / "days.db"
    filled(database, *(f"app {n}" for n in range(EVENTS)))
    return database.read_bytes()


def test_what_has_the_name_of_a_backup_is_one_whenever_it_was_killed(tmp_path: Path, content: bytes) -> None:
    database, chance = tmp_path / "days.db", random.Random(6)
    database.write_bytes(content)
    folder = keeper_of(database, Clock()).folder
    usual_s = run(MAKE, database, kill_after_s=None)
    assert len(folder.all()) == 1

    for number in range(ROUNDS):
        run(MAKE, database, kill_after_s=chance.uniform(0.2, 1.1) * usual_s)
        for path in folder.path.glob("*.zst"):
            assert check_snapshot(path, tmp_path / f"{number}-{path.name}.db").contents.events == EVENTS

    made(keeper_of(database, Clock()))
    assert [path.name for path in folder.path.iterdir() if not path.name.endswith(".db.zst")] == []


def test_a_restore_leaves_the_old_or_the_new_whenever_it_was_killed(tmp_path: Path, content: bytes) -> None:
    database, snapshot, chance = tmp_path / "days.db", tmp_path / "made.zst", random.Random(7)
    database.write_bytes(content)
    packed(database, snapshot, work=tmp_path)
    filled(database, "later")
    usual_s = run(RESTORE, database, snapshot, kill_after_s=None)

    for _ in range(ROUNDS):
        before = len(events_in(database))
        if before == EVENTS:
            filled(database, "later")
            before += 1
        for earlier in tmp_path.glob("*.before-restore-*"):
            earlier.unlink()
        run(RESTORE, database, snapshot, kill_after_s=chance.uniform(0, 1.1) * usual_s)

        after = len(events_in(database))
        assert after in (before, EVENTS)
        if after == EVENTS:  # then the old one is beside it
            assert [len(events_in(kept)) for kept in tmp_path.glob("*.before-restore-*")] == [before]

    run(RESTORE, database, snapshot, kill_after_s=None)
    assert len(events_in(database)) == EVENTS
    assert list(tmp_path.glob("*.restore-part*")) == []
