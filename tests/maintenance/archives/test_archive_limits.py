"""Archives of any size in little memory, and a restore that is killed: nothing, or all of it."""

import random
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from dayline.maintenance.archives import check_archive
from tests.maintenance.backups.test_backup_killed import run
from tests.support.maintenance.backups import events_in, filled
from tests.support.maintenance.documents import archived

ROUNDS: Final = 2
MANY: Final = 10_000
HEADROOM_MIB: Final = 6  # how much more memory ten times as many events may take: caches that are full then, of 12 MiB
CREATE = """
import pathlib, resource, sys
from tests.support.maintenance.documents import archived
archived(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""
RESTORE = """
import pathlib, resource, sys
from tests.support.maintenance.documents import restored
import zstandard
print("now", flush=True)
restored(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""

COMMAND = """
import sys
from dayline.cli.main import main
print("now", flush=True)
main(["export", "--format", "archive", "--output", sys.argv[2], "--database", sys.argv[1]])
"""


@pytest.fixture(scope="module")
def databases(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """One with a tenth of the events of the other; each event has data of its own."""
    folder = tmp_path_factory.mktemp("sizes")
    for name, events in (("few", MANY // 10), ("many", MANY)):
        filled(folder / name, *(f"{number} {'title ' * 200}" for number in range(events)))
    return folder / "few", folder / "many"


def memory_kib(program: str, *arguments: Path) -> int:
    done = subprocess.run(
        [sys.executable, "-c", program, *map(str, arguments)], check=True, capture_output=True, text=True
    )
    return int(done.stdout.split()[-1])


def test_memory_does_not_grow_with_the_number_of_events(databases: tuple[Path, Path], tmp_path: Path) -> None:
    made, restored = zip(
        *(
            (
                memory_kib(CREATE, database, tmp_path / f"{database.name}.zst"),
                memory_kib(RESTORE, tmp_path / f"{database.name}.zst", tmp_path / database.name),
            )
            for database in databases
        ),
        strict=True,
    )

    assert len(events_in(tmp_path / "many")) == MANY
    for few, many in (made, restored):
        assert many < few + HEADROOM_MIB * 1024


def killed_rounds(archive: Path, database: Path, *, events: int, rounds: int) -> None:
    chance = random.Random(8)
    usual_s = run(RESTORE, archive, database.with_name("usual.db"), kill_after_s=None)
    for _ in range(rounds):
        run(RESTORE, archive, database, kill_after_s=chance.uniform(0, 1.2) * usual_s)
        if database.exists():
            assert len(events_in(database)) == events
            database.unlink()

    run(RESTORE, archive, database, kill_after_s=None)
    assert len(events_in(database)) == events
    assert list(database.parent.glob("*.restore-part*")) == []


def test_a_restore_that_is_killed_leaves_nothing_or_all(databases: tuple[Path, Path], tmp_path: Path) -> None:
    archived(databases[0], tmp_path / "days.zst")

    killed_rounds(tmp_path / "days.zst", tmp_path / "days.db", events=MANY // 10, rounds=ROUNDS)


def test_an_archive_that_is_killed_while_it_is_written_has_no_name_yet(
    databases: tuple[Path, Path], tmp_path: Path
) -> None:
    target, chance = tmp_path / "days.zst", random.Random(9)
    usual_s = run(COMMAND, databases[0], tmp_path / "usual.zst", kill_after_s=None)

    for _ in range(ROUNDS):
        run(COMMAND, databases[0], target, kill_after_s=chance.uniform(0.1, 1.2) * usual_s)
        if target.exists():
            check_archive(target, on_start=lambda _: None, on_events=lambda _: None)
            target.unlink()

    run(COMMAND, databases[0], target, kill_after_s=None)
    check_archive(target, on_start=lambda _: None, on_events=lambda _: None)


@pytest.mark.long
def test_a_restore_that_is_killed_often_leaves_nothing_or_all(databases: tuple[Path, Path], tmp_path: Path) -> None:
    archived(databases[0], tmp_path / "days.zst")

    killed_rounds(tmp_path / "days.zst", tmp_path / "days.db", events=MANY // 10, rounds=50)
