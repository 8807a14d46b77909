"""`dayline logs`: the end of the server's log, also as it grows and after a rotation."""

import subprocess
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner, Result

from dayline.cli.main import commands
from dayline.cli.screens.amounts import local_time
from dayline.model.errors import NotFound
from tests.support.processes.command import COMMAND, environment
from tests.support.waiting import PATIENCE_S


def record(message: str, level: str = "info") -> str:
    line = {"timestamp": "2026-03-05T09:00:00Z", "level": level, "logger": "dayline", "message": message}
    return msgspec.json.encode(line).decode() + "\n"


@pytest.fixture
def database(tmp_path: Path) -> Path:
    lines = [record(f"line {number}", "warning" if number % 10 == 0 else "info") for number in range(1, 101)]
    (tmp_path / "days.db.d").mkdir()
    (tmp_path / "days.db.d" / "dayline.log").write_text("".join(lines))
    return tmp_path / "days.db"


def run(database: Path, *arguments: str) -> Result:
    return CliRunner().invoke(commands, ["logs", *arguments, "--database", str(database)])


def test_the_last_lines_are_shown_as_text_or_as_json(database: Path) -> None:
    assert run(database, "-n", "2").stdout.splitlines() == [
        f"{local_time('2026-03-05T09:00:00Z')}:00 info    line 99",
        f"{local_time('2026-03-05T09:00:00Z')}:00 warning line 100",
    ]
    [line] = run(database, "--lines", "1", "--json").stdout.splitlines()
    assert msgspec.json.decode(line)["message"] == "line 100"
    assert len(run(database).stdout.splitlines()) == 50


def test_a_level_leaves_out_lower_ones(database: Path) -> None:
    assert [line[-3:] for line in run(database, "--level", "warning", "-n", "3").stdout.splitlines()] == [
        " 80", " 90", "100",
    ]  # fmt: skip


def test_without_a_log_the_command_reports_it(tmp_path: Path) -> None:
    assert isinstance(run(tmp_path / "other.db").exception, NotFound)


def test_new_lines_are_followed_into_the_file_after_a_rotation(database: Path, tmp_path: Path) -> None:
    log = tmp_path / "days.db.d" / "dayline.log"
    command = [*COMMAND, "logs", "--follow", "-n", "1", "--database", str(database)]
    with subprocess.Popen(command, env=environment(tmp_path), stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            assert process.stdout.readline().endswith("line 100\n")
            with log.open("a") as file:
                file.write(record("before"))
            assert process.stdout.readline().endswith("before\n")
            log.rename(log.with_name("dayline.log.1"))
            log.write_text(record("after"))
            assert process.stdout.readline().endswith("after\n")
        finally:
            process.terminate()
            process.wait(PATIENCE_S)
