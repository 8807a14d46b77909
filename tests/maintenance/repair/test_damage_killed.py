"""Killed in the middle of a repair: there is the damaged file with what is used in its place, or the new one."""

import random
import shutil
from pathlib import Path
from typing import Any, Final

import pytest

from dayline.config.data_folder import DataFile, data_file
from dayline.storage.sqlite.repair.check_worker import check_file
from dayline.storage.sqlite.repair.mark import mark_path, recovery_path
from tests.maintenance.backups.test_backup_killed import run
from tests.support.maintenance.backups import Clock, made, scheduler_of
from tests.support.storage.damaging import contents, fill_well, pages_of, spoil

ROUNDS: Final = 2
MANY_ROUNDS: Final = 50
REPAIR: Final = """
import pathlib, sys, time
import zstandard
from dayline.maintenance.backups.scheduler import BackupScheduler
from dayline.config.sections import BackupSettings
from dayline.maintenance.repair import repair
database, clock = pathlib.Path(sys.argv[1]), lambda: time.time_ns() // 1000
folder = BackupScheduler(database, BackupSettings(), clock=clock).folder
print("now", flush=True)
repair(database, folder, finding="a page was spoiled", now=clock(), report=lambda text: None)
"""


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("filled") / "days.db"
    fill_well(path)
    made(scheduler_of(path, Clock()))
    return path


@pytest.mark.parametrize("rounds", [ROUNDS, pytest.param(MANY_ROUNDS, marks=pytest.mark.long)])
def test_a_repair_leaves_the_old_or_the_new_whenever_it_was_killed(filled: Path, tmp_path: Path, rounds: int) -> None:
    path, chance, before = tmp_path / "days.db", random.Random(17), contents(filled)
    shutil.copytree(filled.with_name("days-backups"), path.with_name("days-backups"))
    damaged = damage(filled, path)
    usual_s = run(REPAIR, path, kill_after_s=None)
    assert contents(path) == before

    for _ in range(rounds):
        if not mark_path(path).exists():
            damage(filled, path)
        run(REPAIR, path, kill_after_s=chance.uniform(0, 1.1) * usual_s)

        if mark_path(path).exists():
            assert path.read_bytes() == damaged
            assert_part_of(before, contents(path))
            assert check_file(recovery_path(path), is_full=True) == []
        else:
            assert contents(path) == before

    if mark_path(path).exists():
        run(REPAIR, path, kill_after_s=None)
    assert contents(path) == before
    assert not list(tmp_path.glob("days.db-recovery*"))


def assert_part_of(before: dict[str, dict[int, Any]], found: dict[str, dict[int, Any]]) -> None:
    """Whatever was copied by then is as it was, but for data that are lost."""
    for bucket_id, events in found.items():
        for event_id, event in events.items():
            assert event == before[bucket_id][event_id] or "lost" in event["data"]


def damage(whole: Path, path: Path) -> bytes:
    shutil.rmtree(data_file(path, DataFile.FOLDER), ignore_errors=True)
    for leftover in path.parent.glob("days.db*"):
        leftover.unlink()
    shutil.copyfile(whole, path)
    spoil(path, pages_of(whole, "event")[6].number, pages_of(whole, "value")[6].number)
    return path.read_bytes()
