"""A database that does not exist is not an empty one: only what stores something creates it."""

from pathlib import Path

import pytest

from tests.support.processes.command import CHANGING, CHANGING_FILES, READING, READING_FILES, STORING
from tests.support.processes.terminal import piped


@pytest.mark.parametrize("command", [*READING, *READING_FILES, *CHANGING, *CHANGING_FILES])
def test_a_command_on_a_missing_file_exits_with_66_and_creates_nothing(tmp_path: Path, command: str) -> None:
    missing = tmp_path / "mine" / "days.db"

    done = piped(tmp_path / "unused.db", *command.split(), "--database", str(missing))

    assert (done.code, done.out) == (66, ""), done.err
    assert f"no database at {missing}" in done.err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", STORING)
def test_what_stores_something_creates_the_file(tmp_path: Path, command: str) -> None:
    done = piped(tmp_path / "unused.db", *command.split(), "--database", str(tmp_path / "days.db"))

    assert done.code == 0, done.err
    assert (tmp_path / "days.db").exists()
