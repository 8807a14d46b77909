"""What a new file is made with, because it cannot be changed later."""

from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from dayline.storage.sqlite.file.connection import open_reader
from dayline.storage.sqlite.file.schema import APPLICATION_ID, MIGRATIONS
from dayline.storage.sqlite.upgrade import open_current
from tests.support.server import RunningServer


@pytest.fixture
def db(tmp_path: Path) -> Iterator[apsw.Connection]:
    db = open_current(tmp_path / "days.db")
    yield db
    db.close()


def test_a_new_file_can_return_disk_space(db: apsw.Connection) -> None:
    assert db.pragma("auto_vacuum") == 2  # incremental


def test_a_new_file_has_the_application_id_and_the_schema_version(db: apsw.Connection) -> None:
    assert db.pragma("application_id") == APPLICATION_ID == int.from_bytes(b"Dayl", "big")
    assert db.pragma("user_version") == len(MIGRATIONS)


def test_commits_reach_the_disk_before_they_return(db: apsw.Connection) -> None:
    assert db.pragma("journal_mode") == "wal"
    assert db.pragma("synchronous") == 2  # full


def test_no_commit_makes_a_checkpoint(db: apsw.Connection) -> None:
    assert db.pragma("wal_autocheckpoint") == 0


def test_a_reader_cannot_write(tmp_path: Path, db: apsw.Connection) -> None:
    reader = open_reader(tmp_path / "days.db")

    with pytest.raises(apsw.ReadOnlyError):
        reader.execute("DELETE FROM event")
    reader.close()


def test_the_file_of_a_running_server_has_it_all(server: RunningServer) -> None:
    db = apsw.Connection(str(server.database), flags=apsw.SQLITE_OPEN_READONLY)
    found = tuple(db.pragma(name) for name in ("auto_vacuum", "application_id", "user_version", "journal_mode"))
    db.close()

    assert found == (2, APPLICATION_ID, len(MIGRATIONS), "wal")


def test_the_files_of_a_server_are_next_to_its_database(tmp_path: Path) -> None:
    with RunningServer(tmp_path / "elsewhere" / "days.db") as server:
        server.create("window")

    names = {path.name for path in (tmp_path / "elsewhere").iterdir()}
    assert names == {"days.db", "days.db.lock", "days.db.d", "device_id"}
    assert {path.name for path in (tmp_path / "elsewhere" / "days.db.d").iterdir()} == {"dayline.log"}


def test_only_the_owner_may_look_into_a_folder_that_the_server_made(tmp_path: Path) -> None:
    with RunningServer(tmp_path / "made" / "days.db"):
        assert (tmp_path / "made").stat().st_mode & 0o077 == 0
