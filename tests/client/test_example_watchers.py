"""The example watchers in contrib/watchers record what really happened, and the guide shows them as they are."""

import os
import shutil
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest

from tests.support.project.files import ROOT
from tests.support.server import RunningServer
from tests.support.waiting import eventually

EXAMPLES: Final = ROOT / "contrib" / "watchers"
GUIDE: Final = ROOT / "docs" / "start" / "your-own-watcher.md"
PLAYER: Final = ROOT / "tests" / "client" / "mpris_player.py"


@contextmanager
def running(server: RunningServer, home: Path, *command: str, **variables: str) -> Generator[subprocess.Popen[bytes]]:
    """A program with this home folder, until the end of the block."""
    environment = {**os.environ, "HOME": str(home), "DAYLINE_URL": server.url, **variables}
    environment.pop("XDG_DATA_HOME", None)
    process = subprocess.Popen([sys.executable, *command], env=environment, stdout=subprocess.PIPE)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def recorded(server: RunningServer, prefix: str) -> list[dict[str, Any]]:
    """The data of all events in the bucket whose id begins like this, oldest first."""
    buckets = [bucket_id for bucket_id in server.get("/api/0/buckets/").json if bucket_id.startswith(prefix)]
    events = [event for bucket_id in buckets for event in server.get(f"/api/0/buckets/{bucket_id}/events").json]
    return [event["data"] for event in reversed(events)]


def git(folder: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run(["git", "-C", str(folder), *identity, *arguments], check=True, capture_output=True)


def test_the_active_branch_is_recorded(server: RunningServer, tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    git(project, "init", "--initial-branch", "main")
    git(project, "commit", "--allow-empty", "--message", "first")
    (project / "file").touch()
    git(project, "add", "file")
    # Ten seconds apart is right for a day, and too long for a test.
    program = (EXAMPLES / "git_branch.py").read_text().replace("INTERVAL_S = 10.0", "INTERVAL_S = 0.1")

    with running(server, tmp_path, "-c", program, str(project)):
        eventually(lambda: recorded(server, "git-branch_") == [{"repository": "project", "branch": "main"}])
        git(project, "switch", "--create", "topic")
        eventually(lambda: len(recorded(server, "git-branch_")) == 2)

    assert recorded(server, "git-branch_")[1] == {"repository": "project", "branch": "topic"}


def bash_settings() -> str:
    """What the example asks you to add to ~/.bashrc."""
    docstring = (EXAMPLES / "terminal_command.py").read_text().split('"""')[1].replace("\\\\", "\\")
    return "\n".join(line[4:] for line in docstring.splitlines() if line.startswith("    "))


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
def test_the_commands_of_a_terminal_are_recorded(server: RunningServer, tmp_path: Path) -> None:
    (tmp_path / ".bashrc").write_text(bash_settings())
    (tmp_path / ".dayline-commands").touch()

    with running(server, tmp_path, str(EXAMPLES / "terminal_command.py")):
        eventually(lambda: any((tmp_path / ".local/share/dayline/watchers").glob("*.db")))
        subprocess.run(
            ["bash", "-i"],
            input=b"sleep 0.2\nfalse --with=secret\nexit\n",
            env={**os.environ, "HOME": str(tmp_path)},
            capture_output=True,
            check=False,
        )
        eventually(lambda: len(recorded(server, "terminal-command_")) == 2)

    assert recorded(server, "terminal-command_") == [
        {"command": "sleep", "status": 0},
        {"command": "false", "status": 1},
    ]
    (bucket_id,) = (each for each in server.get("/api/0/buckets/").json if each.startswith("terminal-command_"))
    slept = server.get(f"/api/0/buckets/{bucket_id}/events").json[-1]
    assert slept["duration"] >= 0.2


def test_what_a_media_player_plays_is_recorded(server: RunningServer, tmp_path: Path, session_bus: str) -> None:
    variables = {"DBUS_SESSION_BUS_ADDRESS": session_bus}
    with running(server, tmp_path, str(PLAYER), "A song", **variables) as player:
        assert player.stdout is not None
        assert player.stdout.readline() == b"ready\n"
        with running(server, tmp_path, str(EXAMPLES / "now_playing.py"), **variables):
            eventually(lambda: bool(recorded(server, "now-playing_")))

    assert recorded(server, "now-playing_") == [{"player": "testplayer", "artist": "One, Other", "title": "A song"}]


def test_the_guide_shows_the_examples_as_they_are() -> None:
    guide = GUIDE.read_text(encoding="utf-8")

    missing = [file.name for file in EXAMPLES.glob("*.py") if f"```python\n{file.read_text()}```" not in guide]
    assert missing == []
