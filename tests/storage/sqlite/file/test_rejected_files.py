"""A file that is not ours, or that a newer version wrote, is refused and left as it is."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Final

import apsw
import pytest

from dayline.model.errors import StoreTooNew
from dayline.storage.sqlite.file.connection import open_writer
from dayline.storage.sqlite.file.schema import MIGRATIONS
from dayline.storage.sqlite.upgrade import open_current
from tests.support.processes.prepared import completed
from tests.support.server import free_port
from tests.support.waiting import PATIENCE_S

UNAVAILABLE: Final = 75
WRONG_INPUT: Final = 65


def by_a_newer_dayline(path: Path) -> None:
    open_current(path).close()
    db = apsw.Connection(str(path))
    db.execute(f"PRAGMA user_version={len(MIGRATIONS) + 1}; CREATE TABLE of_the_future(a)")
    db.close()


def by_a_newer_dayline_that_was_killed(path: Path) -> None:
    """All that is newer is in the log alone."""
    open_current(path).close()
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / path.name
        copy.write_bytes(path.read_bytes())
        db = open_writer(copy)
        db.execute(f"PRAGMA user_version={len(MIGRATIONS) + 1}")
        for suffix in ("", "-wal"):
            path.with_name(f"{path.name}{suffix}").write_bytes(copy.with_name(f"{path.name}{suffix}").read_bytes())
        db.close()


def by_another_program(path: Path) -> None:
    db = apsw.Connection(str(path))
    db.execute("CREATE TABLE eventmodel(id INTEGER PRIMARY KEY, timestamp TEXT); INSERT INTO eventmodel VALUES(1, 'x')")
    db.close()


def by_another_program_that_marks_its_files(path: Path) -> None:
    db = apsw.Connection(str(path))
    db.pragma("journal_mode", "WAL")
    db.execute("PRAGMA application_id=1234; CREATE TABLE a(b)")
    db.close()


def by_hand(path: Path) -> None:
    path.write_text("Monday: wrote a letter\n" * 100)


def by_a_broken_download(path: Path) -> None:
    open_current(path).close()
    path.write_bytes(path.read_bytes()[:5000])


REFUSED: Final[list[tuple[Callable[[Path], None], str]]] = [
    (by_a_newer_dayline, f"newer Dayline (schema {len(MIGRATIONS) + 1}, supported: {len(MIGRATIONS)})"),
    (by_a_newer_dayline_that_was_killed, "newer Dayline"),
    (by_another_program, "is a database of another program"),
    (by_another_program_that_marks_its_files, "is a database of another program"),
    (by_hand, "is not a database"),
    (by_a_broken_download, "cannot be read"),
]


def serve(database: Path) -> subprocess.CompletedProcess[str]:
    """Start a server that is expected to refuse."""
    arguments = ["serve", "--port", str(free_port()), "--database", str(database)]
    return completed(arguments, os.environ, seconds=PATIENCE_S)


def files_in(folder: Path) -> dict[str, bytes]:
    """Every file with its content, but for the lock, and the index of a log, which any reader makes."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if not path.name.endswith((".lock", "-shm"))}


@pytest.mark.parametrize(("make", "reason"), REFUSED, ids=[make.__name__ for make, _ in REFUSED])
def test_a_file_made_by_another_program_is_refused_and_untouched(
    tmp_path: Path, make: Callable[[Path], None], reason: str
) -> None:
    path = tmp_path / "days.db"
    make(path)
    before = files_in(tmp_path)

    refused = serve(path)

    assert refused.returncode == (UNAVAILABLE if "newer" in reason else WRONG_INPUT)
    assert reason in refused.stderr
    assert str(path) in refused.stderr
    assert "→" in refused.stderr  # what fixes it
    assert "Traceback" not in refused.stderr
    assert files_in(tmp_path) == before


def test_looking_at_a_file_in_wal_mode_leaves_nothing_beside_it(tmp_path: Path) -> None:
    # Opened read-only the usual way, SQLite made a log and its index, and left them there.
    path = tmp_path / "days.db"
    by_a_newer_dayline(path)

    with pytest.raises(StoreTooNew):
        open_current(path)

    assert [file.name for file in tmp_path.iterdir()] == ["days.db"]


def test_a_folder_in_place_of_the_file_is_refused(tmp_path: Path) -> None:
    refused = serve(tmp_path)

    assert refused.returncode != 0
    assert "Traceback" not in refused.stderr


def test_a_place_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "a-file").touch()

    refused = serve(tmp_path / "a-file" / "days.db")

    assert refused.returncode == UNAVAILABLE
    assert f"cannot create the folder {tmp_path / 'a-file'}" in refused.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="a folder that even root cannot write in")
def test_a_folder_that_cannot_be_written_in_is_named() -> None:
    # It ended in a traceback.
    refused = serve(Path("/proc/days.db"))

    assert refused.returncode == UNAVAILABLE
    assert "cannot write to the folder of the database /proc/days.db" in refused.stderr
    assert "Traceback" not in refused.stderr


def test_an_empty_file_becomes_a_database(tmp_path: Path) -> None:
    path = tmp_path / "days.db"
    path.touch()

    db = open_current(path)

    assert db.pragma("user_version") == len(MIGRATIONS)
    db.close()
