"""The commands of docs/reference/stream.md, typed as they stand there."""

import os
import re
import signal
import subprocess
import threading
from contextlib import suppress
from pathlib import Path
from typing import Final

import pytest

from tests.support.server import RunningServer
from tests.support.waiting import PATIENCE_S

PAGE: Final = (Path(__file__).parents[3] / "docs" / "reference" / "stream.md").read_text("utf-8")
COMMANDS: Final = re.findall(r"^    (curl .*)$", PAGE, re.MULTILINE)
HELLO: Final = re.compile(rb"\nevent: hello\ndata: \{")


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_begins_with_hello(command: str, shared_server: RunningServer) -> None:
    typed = command.replace("localhost:5600", f"127.0.0.1:{shared_server.port}")

    # It never ends: it is killed as soon as it has printed what is looked for.
    process = subprocess.Popen(
        ["sh", "-c", typed],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={"LAST": "0-0", "PATH": "/usr/bin:/bin"},
        start_new_session=True,
    )
    impatience = threading.Timer(PATIENCE_S, os.killpg, [process.pid, signal.SIGKILL])
    impatience.start()
    with process:
        assert process.stdout is not None
        printed = b""
        while not HELLO.search(printed) and (line := process.stdout.readline()):
            printed += line
        impatience.cancel()
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)

    assert HELLO.search(printed), printed


def test_there_are_commands() -> None:
    assert len(COMMANDS) == 3
