"""An older file is brought up to date, after a snapshot of it."""

from pathlib import Path
from typing import Final

import apsw
import pytest

from dayline.model.errors import StoreTooNew
from dayline.storage.sqlite.schema import APPLICATION_ID
from dayline.storage.sqlite.upgrade import open_current

FIRST: Final = "CREATE TABLE thing(name TEXT)"
SECOND: Final = "ALTER TABLE thing ADD COLUMN size INTEGER NOT NULL DEFAULT 1; UPDATE thing SET size = 2"
THIRD: Final = "CREATE TABLE other(a)"
BROKEN: Final = "DELETE FROM thing; INSERT INTO no_such_table VALUES(1)"


@pytest.fixture
def old_file(tmp_path: Path) -> Path:
    """A file of the first version, with something in it."""
    path = tmp_path / "days.db"
    db = open_current(path, [FIRST])
    db.execute("INSERT INTO thing VALUES('kept')")
    db.close()
    return path


def version(path: Path) -> int:
    db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        return int(db.pragma("user_version"))
    finally:
        db.close()


def rows(path: Path) -> list[object]:
    db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        return list(db.execute("SELECT * FROM thing"))
    finally:
        db.close()


def snapshots(path: Path) -> list[str]:
    return sorted(file.name for file in path.parent.iterdir() if ".schema-" in file.name)


def test_a_new_file_is_made_by_all_steps_without_a_snapshot(tmp_path: Path) -> None:
    path = tmp_path / "days.db"

    open_current(path, [FIRST, SECOND]).close()

    assert version(path) == 2
    assert snapshots(path) == []


def test_an_older_file_is_upgraded_step_by_step(old_file: Path) -> None:
    open_current(old_file, [FIRST, SECOND, THIRD]).close()

    assert version(old_file) == 3
    assert rows(old_file) == [("kept", 2)]


def test_the_snapshot_holds_the_file_as_it_was(old_file: Path) -> None:
    open_current(old_file, [FIRST, SECOND]).close()

    snapshot = old_file.with_name("days.db.schema-1")
    assert snapshots(old_file) == [snapshot.name]
    assert version(snapshot) == 1
    assert rows(snapshot) == [("kept",)]


def test_the_older_program_can_go_back_to_the_snapshot(old_file: Path) -> None:
    open_current(old_file, [FIRST, SECOND]).close()
    with pytest.raises(StoreTooNew):
        open_current(old_file, [FIRST])

    db = open_current(old_file.with_name("days.db.schema-1"), [FIRST])

    assert db.pragma("application_id") == APPLICATION_ID
    assert db.execute("SELECT name FROM thing").get == "kept"
    db.close()


def test_a_current_file_gets_no_snapshot(old_file: Path) -> None:
    open_current(old_file, [FIRST]).close()

    assert snapshots(old_file) == []


def test_an_interrupted_snapshot_does_not_pass_for_one(old_file: Path) -> None:
    old_file.with_name("days.db.schema-1.part").write_bytes(b"SQLite format 3\0 but only the beginning")

    open_current(old_file, [FIRST, SECOND]).close()

    assert snapshots(old_file) == ["days.db.schema-1"]
    assert rows(old_file.with_name("days.db.schema-1")) == [("kept",)]


def test_a_step_that_fails_leaves_the_file_as_it_was(old_file: Path) -> None:
    with pytest.raises(apsw.SQLError):
        open_current(old_file, [FIRST, BROKEN])

    db = open_current(old_file, [FIRST])
    assert db.execute("SELECT name FROM thing").get == "kept"
    db.close()


def test_the_steps_before_one_that_fails_are_kept(old_file: Path) -> None:
    with pytest.raises(apsw.SQLError):
        open_current(old_file, [FIRST, SECOND, BROKEN])

    assert version(old_file) == 2
    assert rows(old_file) == [("kept", 2)]


def test_an_upgrade_that_was_interrupted_keeps_its_first_snapshot(old_file: Path) -> None:
    with pytest.raises(apsw.SQLError):
        open_current(old_file, [FIRST, BROKEN])

    open_current(old_file, [FIRST, SECOND]).close()

    assert rows(old_file.with_name("days.db.schema-1")) == [("kept",)]
    assert rows(old_file) == [("kept", 2)]
