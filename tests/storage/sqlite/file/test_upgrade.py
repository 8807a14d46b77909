"""An older file is brought up to date, after a verified snapshot of it."""

from contextlib import closing
from pathlib import Path
from typing import Final

import apsw
import pytest

from dayline.model.errors import StoreTooNew, StoreUnusable, Unavailable
from dayline.storage.sqlite.backup.restore import write_restored
from dayline.storage.sqlite.backup.snapshot import check_snapshot
from dayline.storage.sqlite.file.schema import MIGRATIONS
from dayline.storage.sqlite.upgrade import open_current

NOW: Final = len(MIGRATIONS)
ADDED: Final = "ALTER TABLE setting ADD COLUMN size INTEGER NOT NULL DEFAULT 1; UPDATE setting SET size = 2"
OTHER: Final = "CREATE TABLE other(a)"
BROKEN: Final = "DELETE FROM setting; INSERT INTO no_such_table VALUES(1)"


@pytest.fixture
def old_file(tmp_path: Path) -> Path:
    """A file with something in it, of the schema before those of these tests."""
    path = tmp_path / "days.db"
    with closing(open_current(path)) as db:
        db.execute("INSERT INTO setting(key, json) VALUES('kept', '1')")
    return path


def version(path: Path) -> int:
    with closing(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)) as db:
        return int(db.pragma("user_version"))


def rows(path: Path) -> list[object]:
    with closing(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)) as db:
        return list(db.execute("SELECT * FROM setting"))


def snapshots(path: Path) -> list[Path]:
    return sorted(path.parent.glob("days-*.db.zst"))


def test_a_new_file_is_made_by_all_steps_without_a_snapshot(tmp_path: Path) -> None:
    path = tmp_path / "days.db"

    open_current(path, [*MIGRATIONS, ADDED]).close()

    assert version(path) == NOW + 1
    assert snapshots(path) == []


def test_an_older_file_is_upgraded_step_by_step(old_file: Path) -> None:
    open_current(old_file, [*MIGRATIONS, ADDED, OTHER]).close()

    assert version(old_file) == NOW + 2
    assert rows(old_file) == [("kept", "1", 2)]


def test_the_snapshot_is_verified_and_holds_the_file_as_it_was(old_file: Path, tmp_path: Path) -> None:
    open_current(old_file, [*MIGRATIONS, ADDED]).close()

    (snapshot,) = snapshots(old_file)
    assert check_snapshot(snapshot, tmp_path / "then.db").contents.schema == NOW
    assert rows(tmp_path / "then.db") == [("kept", "1")]


def test_nothing_but_the_snapshot_is_left_beside_the_file(old_file: Path) -> None:
    open_current(old_file, [*MIGRATIONS, ADDED]).close()

    assert {path.name for path in old_file.parent.iterdir()} == {"days.db", "days.db.d", snapshots(old_file)[0].name}


def test_the_older_program_can_go_back_to_the_snapshot(old_file: Path, tmp_path: Path) -> None:
    open_current(old_file, [*MIGRATIONS, ADDED]).close()
    with pytest.raises(StoreTooNew):
        open_current(old_file)

    write_restored(snapshots(old_file)[0], tmp_path / "back.db")

    open_current(tmp_path / "back.db").close()
    assert rows(tmp_path / "back.db") == [("kept", "1")]


@pytest.mark.parametrize("schema", range(1, NOW))
def test_a_file_of_every_schema_there_was_gets_a_snapshot(tmp_path: Path, schema: int) -> None:
    path = tmp_path / "days.db"
    open_current(path, MIGRATIONS[:schema]).close()

    open_current(path).close()

    assert version(path) == NOW
    (snapshot,) = snapshots(path)
    assert check_snapshot(snapshot, tmp_path / "then.db").contents.schema == schema


def test_a_current_file_gets_no_snapshot(old_file: Path) -> None:
    open_current(old_file).close()

    assert snapshots(old_file) == []


def test_a_step_that_fails_leaves_the_file_as_it_was(old_file: Path) -> None:
    with pytest.raises(apsw.SQLError):
        open_current(old_file, [*MIGRATIONS, BROKEN])

    open_current(old_file).close()
    assert rows(old_file) == [("kept", "1")]


def test_the_steps_before_one_that_fails_are_kept(old_file: Path) -> None:
    with pytest.raises(apsw.SQLError):
        open_current(old_file, [*MIGRATIONS, ADDED, BROKEN])

    assert version(old_file) == NOW + 1
    assert rows(old_file) == [("kept", "1", 2)]


def test_a_file_of_which_no_snapshot_can_be_made_is_not_upgraded_and_the_reason_is_reported(old_file: Path) -> None:
    def keep(database: Path) -> None:
        raise Unavailable("a backup needs 300 MiB")

    with pytest.raises(StoreUnusable, match=f"was not upgraded to {NOW + 1}.* a backup needs 300 MiB") as refusal:
        open_current(old_file, [*MIGRATIONS, ADDED], keep=keep)

    assert refusal.value.hint is not None
    assert "upgrade_without_backup" in refusal.value.hint
    assert version(old_file) == NOW


def test_a_damaged_file_is_not_upgraded(old_file: Path) -> None:
    content = bytearray(old_file.read_bytes())
    content[8192:12288] = b"\xff" * 4096
    old_file.write_bytes(content)

    with pytest.raises(StoreUnusable, match="because the file is damaged"):
        open_current(old_file, [*MIGRATIONS, ADDED])

    assert version(old_file) == NOW
    assert snapshots(old_file) == []
