"""The commands of docs/stream.md, typed as they stand there."""

import re
import subprocess
from pathlib import Path
from typing import Final

import pytest

from tests.server import RunningServer

PAGE: Final = (Path(__file__).parents[2] / "docs" / "stream.md").read_text("utf-8")
COMMANDS: Final = re.findall(r"^    (curl .*)$", PAGE, re.MULTILINE)


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_begins_with_hello(command: str, shared_server: RunningServer) -> None:
    typed = command.replace("localhost:5600", f"127.0.0.1:{shared_server.port}")

    # It would go on for ever: what it has printed in two seconds is looked at.
    done = subprocess.run(
        ["sh", "-c", f"{typed} --max-time 2"],
        capture_output=True,
        timeout=20,
        env={"LAST": "0-0", "PATH": "/usr/bin:/bin"},
    )

    assert b"\nevent: hello\ndata: {" in done.stdout, done.stderr


def test_there_are_commands() -> None:
    assert len(COMMANDS) == 3
