"""The key is in memory only: no process that has it can be dumped, or read by another program of the user."""

import os
import sys
from pathlib import Path

import pytest

from tests.storage.encryption.test_server import KEY_FILE, record, titles
from tests.support.server import RunningServer
from tests.support.storage.encrypting import write_key

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads what Linux shows of processes")


def processes_of(pid: int) -> list[int]:
    """A process and those that it started."""
    found = [pid]
    for task in Path(f"/proc/{pid}/task").iterdir():
        found += [one for child in (task / "children").read_text().split() for one in processes_of(int(child))]
    return found


def core_limit(pid: int) -> list[str]:
    (line,) = [line for line in Path(f"/proc/{pid}/limits").read_text().splitlines() if "core file" in line]
    return line.split()[4:6]


def can_be_read(pid: int) -> bool:
    """Whether a debugger of the same user could attach: it may read this exactly then."""
    try:
        Path(f"/proc/{pid}/environ").read_bytes()
    except PermissionError:
        return False
    return True


def test_no_process_with_the_key_can_be_dumped_or_read(tmp_path: Path) -> None:
    # Before, the key was in every core dump, and the limit was that of the session.
    key = write_key(tmp_path / "key")
    (tmp_path / "data").mkdir()
    with RunningServer(tmp_path / "data" / "days.db", KEY_FILE, str(key)) as server:
        record(server)
        assert len(titles(server)) == 201  # a query process
        running = processes_of(server.pid)
        limits = [core_limit(pid) for pid in running]
        readable = [pid for pid in running if can_be_read(pid)]
        scores = [Path(f"/proc/{pid}/oom_score_adj").read_text().strip() for pid in running]

    assert len(running) > 1
    assert limits == [["0", "0"]] * len(running)
    assert len(set(scores)) > 1  # the system still ends query processes first, if memory runs out
    if os.geteuid():  # root may read every process
        assert readable == []
