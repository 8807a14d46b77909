"""A test run that is killed leaves no server behind."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.waiting import eventually

ROOT = Path(__file__).parents[2]
RUN = """
import os, sys, threading
from tests.support.processes.prepared import PreparedProcess
server = PreparedProcess(["serve", "--port", "0", "--database", sys.argv[1]], os.environ, program=sys.argv[2:])
print(server.pid, flush=True)
threading.Event().wait()
"""


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize("program", [(), (sys.executable, "-m", "dayline")], ids=["prepared", "program"])
def test_a_server_ends_with_the_run_that_started_it(tmp_path: Path, program: tuple[str, ...]) -> None:
    command = [sys.executable, "-c", RUN, str(tmp_path / "days.db"), *program]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as run:
        assert run.stdout is not None
        server = int(run.stdout.readline())
        assert is_running(server)
        run.kill()

    eventually(lambda: not is_running(server))
