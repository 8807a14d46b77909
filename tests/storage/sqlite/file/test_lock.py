"""One server to a file: the second one is refused with the holder's name."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from dayline.model.errors import StoreLocked
from dayline.storage.sqlite.file.lock import FileLock
from tests.support.processes.prepared import completed
from tests.support.server import RunningServer, free_port
from tests.support.waiting import PATIENCE_S

# What a server of any earlier version does first.
FORMER_SERVER = """
import fcntl, sys
file = open(sys.argv[1] + ".lock", "a+")
fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
print("locked", flush=True)
sys.stdin.read()
"""
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


def test_an_earlier_version_keeps_this_one_out_and_its_files_stay_where_it_finds_them(tmp_path: Path) -> None:
    database = tmp_path / "days.db"
    (tmp_path / "days.db-checked").write_text("of the earlier version")
    command = [sys.executable, "-c", FORMER_SERVER, str(database)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as former:
        assert former.stdout is not None
        assert former.stdout.readline() == b"locked\n"

        refused = serve(database)

        assert former.poll() is None
        former.kill()

    assert refused.returncode == UNAVAILABLE
    assert f"{database} is in use by process" in refused.stderr
    assert {path.name for path in tmp_path.iterdir()} == {"days.db.lock", "days.db-checked"}


def test_this_version_keeps_an_earlier_one_out(server: RunningServer) -> None:
    command = [sys.executable, "-c", FORMER_SERVER, str(server.database)]

    refused = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE_S, check=False)

    assert b"BlockingIOError" in refused.stderr
