"""One server to a file: the second one is refused with the holder's name."""

import os
import subprocess
from pathlib import Path

import pytest

from dayline.model.errors import StoreLocked
from dayline.storage.sqlite.file.lock import FileLock
from tests.support.processes.prepared import completed
from tests.support.server import RunningServer, free_port
from tests.support.waiting import PATIENCE_S

UNAVAILABLE = 75  # EX_TEMPFAIL: it may work later


def serve(database: Path) -> subprocess.CompletedProcess[str]:
    """Start a server that is expected to refuse."""
    arguments = ["serve", "--port", str(free_port()), "--database", str(database)]
    return completed(arguments, os.environ, seconds=PATIENCE_S)


def test_a_second_server_on_the_same_file_names_the_first_and_ends(server: RunningServer) -> None:
    second = serve(server.database)

    assert second.returncode == UNAVAILABLE
    assert f"{server.database} is in use by process {server.pid}" in second.stderr
    assert "--database" in second.stderr
    assert "Traceback" not in second.stderr


def test_the_first_server_continues_when_a_second_was_refused(server: RunningServer) -> None:
    serve(server.database)

    assert server.create("still-recording").status == 200


def test_a_server_may_start_where_another_was_killed(tmp_path: Path) -> None:
    server = RunningServer(tmp_path / "days.db")
    server.start()
    server.kill()

    with server:
        assert server.get("/api/0/info").status == 200


def test_the_lock_is_free_again_after_it_is_closed(tmp_path: Path) -> None:
    FileLock(tmp_path / "days.db").close()

    FileLock(tmp_path / "days.db").close()


def test_a_lock_keeps_out_a_second_one_of_the_same_process(tmp_path: Path) -> None:
    first = FileLock(tmp_path / "days.db")
    try:
        with pytest.raises(StoreLocked, match="is in use by process"):
            FileLock(tmp_path / "days.db")
    finally:
        first.close()


def test_files_in_one_folder_have_locks_of_their_own(tmp_path: Path) -> None:
    first, second = FileLock(tmp_path / "days.db"), FileLock(tmp_path / "nights.db")

    first.close()
    second.close()
