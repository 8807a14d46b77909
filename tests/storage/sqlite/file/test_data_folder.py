"""Databases with a folder of their own: renamed, linked, next to each other, damaged, and read without rights."""

import shutil
from pathlib import Path
from typing import Final

import pytest

from dayline.config.data_folder import DataFile, data_file, make_own_folder
from dayline.maintenance.repair import repair
from dayline.storage.sqlite.derived.check import rebuild_derived
from dayline.storage.sqlite.derived.file import derived_path
from dayline.storage.sqlite.repair.bootstrap import make_recovery
from dayline.storage.sqlite.repair.mark import mark_path, recovery_path, set_aside, write_mark
from tests.support.maintenance.backups import Clock, scheduler_of
from tests.support.server import RunningServer
from tests.support.storage.damaging import fill_well, pages_of, spoil
from tests.support.storage.opened import make_database

NAMES: Final = ["days.db", "my days [2] ü.db", "no suffix"]


def own_files(database: Path) -> set[str]:
    return {path.name for path in data_file(database, DataFile.FOLDER).iterdir()}


@pytest.mark.parametrize("name", NAMES)
def test_a_server_writes_into_the_folder_of_its_database(tmp_path: Path, name: str) -> None:
    with RunningServer(tmp_path / name) as server:
        server.create("window")
        assert own_files(server.database) == {"dayline.log", "revocations", "token"}

    assert {path.name for path in tmp_path.iterdir()} == {name, f"{name}.d", f"{name}.lock", "device_id"}


def test_databases_in_one_folder_have_files_of_their_own(tmp_path: Path) -> None:
    with RunningServer(tmp_path / "days.db") as first, RunningServer(tmp_path / "days.sqlite") as second:
        logs = [data_file(server.database, DataFile.LOG).read_text() for server in (first, second)]

    assert [f":{server.port}/" in log for log in logs for server in (first, second)] == [True, False, False, True]


def test_a_database_is_renamed_with_its_folder(tmp_path: Path) -> None:
    with RunningServer(tmp_path / "days.db") as server:
        server.create("window")
    (tmp_path / "days.db").rename(tmp_path / "years.db")
    (tmp_path / "days.db.d").rename(tmp_path / "years.db.d")

    with RunningServer(tmp_path / "years.db") as server:
        assert list(server.get("/api/0/buckets/").json) == ["window"]

    assert data_file(server.database, DataFile.LOG).read_text().count("is ready at") == 2


def test_a_link_to_a_database_has_its_folder_next_to_the_link(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    make_database(tmp_path / "elsewhere" / "days.db")
    (tmp_path / "link.db").symlink_to(tmp_path / "elsewhere" / "days.db")

    for bucket in ("first", "second"):
        with RunningServer(tmp_path / "link.db") as server:
            server.create(bucket)
            assert {"first", bucket} <= set(server.get("/api/0/buckets/").json)

    assert own_files(tmp_path / "link.db") == {"dayline.log"}


def test_a_server_continues_if_its_folder_is_deleted_in_between(tmp_path: Path) -> None:
    with RunningServer(tmp_path / "days.db") as server:
        server.create("window")
    shutil.rmtree(tmp_path / "days.db.d")

    with RunningServer(tmp_path / "days.db") as server:
        assert list(server.get("/api/0/buckets/").json) == ["window"]


def test_derived_data_that_is_rebuilt_is_not_taken_from_where_an_earlier_version_kept_it(tmp_path: Path) -> None:
    database = tmp_path / "days.db"
    make_database(database)
    (tmp_path / "days.db-derived").write_text("wrong")

    rebuild_derived(database)

    assert not derived_path(database).exists()
    assert not (tmp_path / "days.db-derived").exists()


def test_after_a_repair_the_database_has_the_plans_of_the_recovery_file(tmp_path: Path) -> None:
    database, clock = tmp_path / "days.db", Clock()
    recovery_folder = data_file(recovery_path(database), DataFile.FOLDER)
    fill_well(database)
    spoil(database, pages_of(database, "event")[0].number)

    def leave_plan(text: str) -> None:
        if text.startswith("Filling"):
            (make_own_folder(recovery_path(database)) / "redaction-00ff").write_text("a plan")

    repair(database, scheduler_of(database, clock).folder, finding="spoiled", now=clock.now, report=leave_plan)

    assert (tmp_path / "days.db.d" / "redaction-00ff").read_text() == "a plan"
    assert not recovery_folder.exists()


def test_a_recovery_file_that_a_restore_replaces_keeps_its_folder(tmp_path: Path) -> None:
    database, kept = tmp_path / "days.db", tmp_path / "days.db.before-restore-1"
    make_database(database)
    recovery = make_recovery(database, write_mark(database, "its end is missing", now=1))
    (make_own_folder(recovery) / "redaction-00ff").write_text("a plan")

    set_aside(database, kept)

    assert not mark_path(database).exists()
    assert recovery_path(kept).exists()
    assert (tmp_path / "days.db.before-restore-1-recovery.d" / "redaction-00ff").exists()
