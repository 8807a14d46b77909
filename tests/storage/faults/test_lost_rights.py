"""Rights that are lost while the server runs: what cannot be written waits, and says why."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

import pytest

from tests.storage.faults.impatient_server import (
    BEATS,
    EVENTS,
    ImpatientServer,
    beat,
    event,
    until_reported,
    until_well,
)
from tests.support.storage.slow_disk import Disk
from tests.support.waiting import PATIENCE_S

# What root may do in addition, given up for good by the server itself before it starts.
WITHOUT_OVERRIDE: Final = """
import ctypes, os, sys
if os.geteuid() == 0:
    header, data = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
    libc = ctypes.CDLL(None, use_errno=True)
    assert libc.capget(header, data) == 0
    for part in (0, 1, 2):
        data[part] &= ~0b110  # CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH
    assert libc.capset(header, data) == 0
"""


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor() as pool:
        yield pool


@pytest.fixture
def disk_folder() -> Iterator[Path]:
    """A folder in which a file can be protected from being written: on a disk, since memory ignores it."""
    for parent in (tempfile.gettempdir(), "/var/tmp", Path.cwd()):
        with tempfile.TemporaryDirectory(dir=parent, prefix="dayline-") as folder:
            if can_protect(Path(folder)):
                yield Path(folder)
                return
    pytest.skip("no file can be protected here")


@pytest.mark.root
def test_a_protected_file_holds_heartbeats_until_it_is_free_again(disk_folder: Path, pool: ThreadPoolExecutor) -> None:
    with ImpatientServer(disk_folder / "days.db") as server:
        server.create("window")
        log = disk_folder / "days.db-wal"
        assert is_protected(log)
        try:
            held = beat(server, pool, 1)
            refused = server.post(EVENTS, [event(2, "refused")])
            reported = until_reported(server, "no permission to write")
            assert not held.done()
        finally:
            subprocess.run(["chattr", "-i", str(log)], check=True)

        assert refused.status == 503
        assert f"no permission to write to {server.database}" in refused.message
        assert (reported["kind"], "lsattr" in reported["hint"]) == ("disk", True)
        assert held.result(timeout=PATIENCE_S).status == 200
        until_well(server)
        assert [item["data"]["app"] for item in server.get(EVENTS).json] == ["editor"]


def can_protect(folder: Path) -> bool:
    """Whether a protected file cannot be written, also by a process that has it open."""
    file = folder / "probe"
    with file.open("wb", buffering=0) as opened:
        if not is_protected(file):
            return False
        try:
            opened.write(b"probe")
        except PermissionError:
            return True
        finally:
            subprocess.run(["chattr", "-i", str(file)], check=True)
    return False


def is_protected(file: Path) -> bool:
    """Make it one that even root cannot write."""
    if shutil.which("chattr") is None:
        return False
    return subprocess.run(["chattr", "+i", str(file)], capture_output=True, check=False).returncode == 0


def test_a_disk_that_turns_read_only_holds_heartbeats_until_it_is_fixed(
    tmp_path: Path, pool: ThreadPoolExecutor
) -> None:
    disk = Disk(tmp_path / "disk")
    server = ImpatientServer(tmp_path / "days.db")
    server.change = disk.change
    with server:
        server.create("window")
        disk.protect()

        held = beat(server, pool, 1)
        refused = server.post(EVENTS, [event(2, "refused")])
        reported = until_reported(server, "write-protected")
        was_held = not held.done()
        disk.quick()

        assert refused.status == 503
        assert f"{server.database} is read-only" in refused.message
        assert (reported["kind"], was_held) == ("disk", True)
        assert held.result(timeout=PATIENCE_S).status == 200
        until_well(server)


@pytest.mark.skipif(sys.platform != "linux" and os.geteuid() == 0, reason="rights mean nothing to root")
def test_recording_continues_in_a_folder_that_became_unreadable(tmp_path: Path) -> None:
    # The files are open, and what is written to them is there when the folder can be looked into again.
    folder = tmp_path / "data"
    folder.mkdir()
    server = ImpatientServer(folder / "days.db")
    server.change = WITHOUT_OVERRIDE
    with server:
        server.create("window")
        folder.chmod(0o000)
        try:
            reported = until_reported(server, "permission denied")
            beats = [server.post(BEATS, event(second)).status for second in range(5)]
        finally:
            folder.chmod(0o700)

        assert beats == [200] * 5
        assert f"chmod u+rwx {folder}" in reported["hint"]
        until_well(server)
        assert server.get(EVENTS).json[0]["duration"] == 4.0
