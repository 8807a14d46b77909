"""A database file that was lost while its log has data: nothing deletes the log, and a backup can be restored."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from tests.support.processes.command import run
from tests.support.server import RunningServer, free_port
from tests.support.storage.encrypting import write_key

EVENT: Final = {"timestamp": "2026-03-01T10:00:00Z", "duration": 5, "data": {"title": "kept"}}


def empty(database: Path) -> None:
    database.write_bytes(b"")


LOSSES: Final = [pytest.param(empty, id="empty"), pytest.param(Path.unlink, id="missing")]


def encryption(folder: Path) -> list[str]:
    return ["--encrypt", "--encryption-key-file", str(write_key(folder / "key"))]


def killed(database: Path, *flags: str) -> None:
    """Leave a database behind whose newest event is only in the log."""
    with RunningServer(database, *flags) as server:
        server.create("window")
        assert server.post("/api/0/buckets/window/events", [EVENT]).status == 200
        server.kill()


def state(folder: Path) -> dict[str, bytes]:
    """The database and what belongs to it."""
    files = [path for path in folder.rglob("*") if path.is_file() and path.name.startswith("days.db")]
    return {path.name: path.read_bytes() for path in files if path.suffix != ".lock"}


# SQLite deletes the log of an empty or missing file as soon as it is opened, even to read.
@pytest.mark.parametrize("lose", LOSSES)
@pytest.mark.parametrize("is_encrypted", [False, True])
def test_a_start_next_to_a_log_with_data_is_rejected_and_changes_nothing(
    tmp_path: Path, lose: Callable[[Path], None], is_encrypted: bool
) -> None:
    database = tmp_path / "days.db"
    flags = encryption(tmp_path) if is_encrypted else []
    killed(database, *flags)
    lose(database)
    before = state(tmp_path)

    done = run("serve", "--database", str(database), "--port", str(free_port()), *flags, home=tmp_path)

    assert done.returncode != 0
    assert f"{database} is empty or missing, but its log {database}-wal contains data" in done.stderr
    assert f"dayline backup list --database {database}" in done.stderr
    assert state(tmp_path) == before


@pytest.mark.parametrize("command", ["buckets list", "export", "status", "events list window", "trash list"])
@pytest.mark.parametrize("lose", LOSSES)
def test_a_reading_command_neither_deletes_the_log_nor_creates_a_file(
    tmp_path: Path, command: str, lose: Callable[[Path], None]
) -> None:
    database = tmp_path / "days.db"
    killed(database)
    lose(database)
    before = state(tmp_path)

    done = run(*command.split(), "--database", str(database), home=tmp_path)

    assert done.returncode != 0
    assert state(tmp_path) == before


def test_a_backup_is_listed_and_restored_and_the_log_is_kept(tmp_path: Path) -> None:
    database = tmp_path / "days.db"
    killed(database)
    made = run("backup", "create", "--database", str(database), home=tmp_path)
    assert made.returncode == 0, made.stderr
    killed(database)
    log = Path(f"{database}-wal").read_bytes()
    empty(database)

    listed = run("backup", "list", "--database", str(database), home=tmp_path)
    name = next(word for word in listed.stdout.split() if word.endswith(".zst"))
    restored = run("backup", "restore", name, "--yes", "--database", str(database), home=tmp_path)

    assert listed.returncode == 0
    assert restored.returncode == 0, restored.stderr
    assert [path.read_bytes() for path in tmp_path.glob("days.db.before-restore-*-wal")] == [log]
    with RunningServer(database) as server:
        assert list(server.get("/api/0/buckets/").json) == ["window"]


def test_without_the_log_a_server_starts_with_an_empty_database(tmp_path: Path) -> None:
    database = tmp_path / "days.db"
    killed(database)
    empty(database)
    Path(f"{database}-wal").rename(tmp_path / "elsewhere")

    with RunningServer(database) as server:
        assert server.get("/api/0/buckets/").json == {}
