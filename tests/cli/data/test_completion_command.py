"""`dayline completion`: in real shells, with the names that a running server knows."""

import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from tests.support.processes.command import environment, run
from tests.support.server import RunningServer
from tests.support.waiting import PATIENCE_S, eventually

# Fills in what bash has when Tab is pressed at the end of the line, and prints what it would offer.
BASH: Final = """
compopt() {{ :; }}
eval "$(dayline completion bash)"
COMP_LINE={line}; COMP_POINT=${{#COMP_LINE}}; COMP_WORDBREAKS=$' \t\n"><=;|&(:'; COMPREPLY=()
_dayline_completion dayline
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with the command of this code on the path."""
    program = tmp_path / "bin" / "dayline"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m dayline "$@"\n')
    program.chmod(0o755)
    return tmp_path


def in_shell(*command: str, home: Path) -> list[str]:
    variables = environment(home)
    variables["PATH"] = f"{home / 'bin'}{os.pathsep}{variables['PATH']}"
    done = subprocess.run(command, env=variables, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def in_bash(*words: str, home: Path) -> list[str]:
    return in_shell("bash", "--norc", "-c", BASH.format(line=shlex.quote(" ".join(words))), home=home)


def test_bash_completes_commands_and_options(home: Path) -> None:
    assert in_bash("dayline", "serv", home=home) == ["serve", "service"]
    assert in_bash("dayline", "service", "", home=home) == ["install", "status", "uninstall"]
    assert "--database" in in_bash("dayline", "import", "--d", home=home)


def test_bash_completes_buckets_of_the_running_server(home: Path, tmp_path: Path) -> None:
    line = ("dayline", "export", "--database", str(tmp_path / "days.db"), "window_")
    with RunningServer(tmp_path / "days.db") as server:
        for bucket_id in ("window_laptop", "window_phone", "web_laptop"):
            server.create(bucket_id)
        # Again, because a busy machine may not answer within the moment that someone at a keyboard would wait.
        eventually(lambda: in_bash(*line, home=home) == ["window_laptop", "window_phone"])

    assert in_bash(*line, home=home) == [""]  # no one answers, and no one waits


# Not every machine has these shells: asked as their scripts ask, and answered as they read it.
@pytest.mark.parametrize(
    ("shell", "place", "answer"),
    [
        ("zsh", "1", ["plain", "serve", "Start the server.", "plain", "service"]),
        ("fish", "serv", ["plain,serve\tStart the server."]),
    ],
)
def test_script_of_the_other_shells_gets_commands_with_their_help(
    tmp_path: Path, shell: str, place: str, answer: list[str]
) -> None:
    asked = {"_DAYLINE_COMPLETE": f"{shell}_complete", "COMP_WORDS": "dayline serv", "COMP_CWORD": place}

    reported = run(home=tmp_path, **asked)

    assert reported.stdout.splitlines()[: len(answer)] == answer


@pytest.mark.parametrize(
    ("shell", "place"),
    [
        ("bash", ".local/share/bash-completion/completions/dayline"),
        ("zsh", ".local/share/zsh/site-functions/_dayline"),
        ("fish", ".config/fish/completions/dayline.fish"),
    ],
)
def test_it_is_put_where_the_shell_looks(tmp_path: Path, shell: str, place: str) -> None:
    first = run("completion", "--install", home=tmp_path, SHELL=f"/bin/{shell}")
    printed = run("completion", shell, home=tmp_path)

    assert first.returncode == 0, first.stderr
    assert (tmp_path / place).read_text() == printed.stdout
    assert "_DAYLINE_COMPLETE" in printed.stdout


def test_another_file_that_is_there_is_kept(tmp_path: Path) -> None:
    path = tmp_path / ".config" / "fish" / "completions" / "dayline.fish"
    path.parent.mkdir(parents=True)
    path.write_text("mine")

    for _ in range(2):
        run("completion", "fish", "--install", home=tmp_path)

    assert [copy.read_text() for copy in path.parent.glob("*.before-*")] == ["mine"]


def test_a_shell_that_is_not_known_is_reported(tmp_path: Path) -> None:
    done = run("completion", home=tmp_path, SHELL="/bin/tcsh")

    assert (done.returncode, "'tcsh'" in done.stderr) == (65, True)
