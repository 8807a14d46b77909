"""`dayline doctor` says what is wrong with a database, and fixes what is derived from its rows."""

import asyncio
import shutil
from contextlib import closing
from pathlib import Path

import apsw
import msgspec
import pytest

from dayline.storage.sqlite.derived.check import check_derived, rebuild_derived
from dayline.storage.sqlite.derived.file import derived_path
from dayline.storage.sqlite.repair.check_worker import check_file
from tests.maintenance.doctoring import doctor
from tests.support.storage.building import opened_database
from tests.support.storage.damaging import event_of, fill_well, pages_of, spoil
from tests.support.storage.opened import bucket


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("filled") / "days.db"
    fill_well(path)
    return path


@pytest.fixture
def path(filled: Path, tmp_path: Path) -> Path:
    return shutil.copyfile(filled, tmp_path / "days.db")


def change(path: Path, statement: str) -> None:
    with closing(apsw.Connection(str(path))) as db:
        db.execute(statement)


def test_a_whole_database_is_well_and_its_data_are_looked_at(path: Path) -> None:
    found = doctor(path)

    assert found.returncode == 0
    assert found.stdout.startswith("The database file is not damaged.\n")
    assert set(msgspec.json.decode(doctor(path, "--json").stdout)["data"]) == {
        "buckets", "events", "findings", "renamed_hosts",
    }  # fmt: skip


def test_damage_is_reported_with_the_command_that_fixes_it(path: Path) -> None:
    spoil(path, pages_of(path, "event_id")[3].number)

    found = doctor(path)

    assert found.returncode == 1
    assert found.stdout.startswith("days.db is damaged: ")
    assert f"dayline doctor --repair --database {path}" in found.stdout


def test_a_program_reads_the_findings_as_json(path: Path) -> None:
    spoil(path, 1)

    found = doctor(path, "--json")

    assert [finding["kind"] for finding in msgspec.json.decode(found.stdout)["findings"]] == ["file"]


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("UPDATE month SET events = events + 1 WHERE bucket = 1", "the statistics count"),
        ("UPDATE month SET longest = 1, reach = -1000000000000000", "longer than the statistics allow"),
        ("UPDATE value SET hash = 12 WHERE key = 5", "1 values have a wrong hash"),
        ("DELETE FROM value WHERE key = 5", "events without data"),
    ],
)
def test_what_does_not_fit_the_rows_is_reported_and_fixed(path: Path, statement: str, words: str) -> None:
    change(path, statement)

    found = check_derived(path)
    rebuild_derived(path)

    assert words in found[0]
    assert check_derived(path) == check_file(path, is_full=True) == []


def test_segments_that_differ_from_the_rows_are_reported_and_dropped(tmp_path: Path) -> None:
    path = tmp_path / "days.db"

    async def build() -> None:
        async with opened_database(path) as database:
            await database.store().create_bucket(bucket("window"))
            await database.store().insert("window", [event_of("window", number) for number in range(300)])
            await database.build_segments()

    asyncio.run(build())
    assert check_derived(path) == []
    change(path, "UPDATE event SET duration = duration + 1 WHERE id = 50")  # not by us: it leaves the month sealed

    found, fixed = doctor(path), doctor(path, "--repair", "--yes")

    assert (found.returncode, "the segment differs from the rows" in found.stdout) == (1, True)
    assert (fixed.returncode, "The file is not damaged" in fixed.stderr) == (0, True)
    assert not derived_path(path).exists()
    assert check_derived(path) == []
