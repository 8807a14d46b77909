"""The command itself: version, help, and words for mistakes."""

import platform
import re
import subprocess
import sys
from pathlib import Path

import apsw
import msgspec
import pytest

from dayline import __version__
from tests.support.processes.command import run
from tests.support.waiting import PATIENCE_S

SYSTEM = f"{platform.system()} {platform.release()} {platform.machine()}"
VERSIONS = f"dayline {__version__} (Python {platform.python_version()}, SQLite {apsw.sqlite_lib_version()}, {SYSTEM})\n"


def test_the_version_is_one_line_with_what_a_bug_report_needs(tmp_path: Path) -> None:
    result = run("--version", home=tmp_path)

    assert result.returncode == 0
    assert result.stdout == VERSIONS


@pytest.mark.parametrize("flags", [("--version", "--json"), ("--json", "--version")])
def test_the_version_can_be_had_as_json(tmp_path: Path, flags: tuple[str, ...]) -> None:
    result = run(*flags, home=tmp_path)

    assert result.returncode == 0
    assert msgspec.json.decode(result.stdout) == {
        "version": __version__,
        "python": platform.python_version(),
        "sqlite": apsw.sqlite_lib_version(),
        "platform": SYSTEM,
    }


def test_json_before_a_command_is_rejected_and_its_place_named(tmp_path: Path) -> None:
    result = run("--json", "today", home=tmp_path)

    assert result.returncode == 64
    assert result.stderr.startswith("dayline: --json must follow the command\n  → dayline today --json")


def test_the_installed_command_is_the_same() -> None:
    command = Path(sys.executable).with_name("dayline")

    result = subprocess.run([command, "--version"], capture_output=True, text=True, timeout=PATIENCE_S, check=False)

    assert result.stdout == VERSIONS


@pytest.mark.parametrize("flag", ["--help", "-h"])
def test_help_lists_the_commands(tmp_path: Path, flag: str) -> None:
    result = run(flag, home=tmp_path)

    assert result.returncode == 0
    assert re.search(r"^  serve +Start the server\.$", result.stdout, re.MULTILINE)
    assert re.search(r"^  demo +Create demo data\.", result.stdout, re.MULTILINE)


@pytest.mark.parametrize("command", ["serve", "demo"])
def test_the_help_of_a_command_has_examples(tmp_path: Path, command: str) -> None:
    result = run(command, "--help", home=tmp_path)

    assert result.returncode == 0
    assert re.search(rf"^ +Examples:\n +dayline {command}", result.stdout, re.MULTILINE)


def test_the_help_of_serve_names_every_flag_and_its_default(tmp_path: Path) -> None:
    text = run("serve", "--help", home=tmp_path).stdout

    for flag in ("--host", "--port", "--database", "--testing", "--config", "--log-level", "--web-path"):
        assert flag in text
    assert "5600" in text
    assert "5666" in text


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("serv",), "serv"),
        (("serve", "--prot", "1"), "--prot"),
        (("serve", "--port", "many"), "many"),
        (("serve", "--log-level", "loud"), "loud"),
    ],
)
def test_a_mistake_is_named_and_leaves_nothing_behind(tmp_path: Path, arguments: tuple[str, ...], named: str) -> None:
    result = run(*arguments, home=tmp_path)

    assert result.returncode == 64
    assert named in result.stderr
    assert "Traceback" not in result.stderr
    assert list(tmp_path.iterdir()) == []
