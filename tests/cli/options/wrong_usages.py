"""Runs wrong command lines in this process. `python -m tests.cli.options.wrong_usages` writes the golden file again."""

import contextlib
import io
import os
import shlex
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple
from unittest import mock

from dayline.cli.main import main

GOLDEN: Final = Path(__file__).with_suffix(".txt")


class WrongUsage(NamedTuple):
    """A command line, and what it prints and exits with. `$HOME` is the folder it runs in."""

    command: str
    code: int
    output: str


def usages() -> Iterator[WrongUsage]:
    """The blocks of the golden file."""
    for block in GOLDEN.read_text("utf-8").strip().split("\n\n"):
        command, code, *lines = block.split("\n")
        yield WrongUsage(command.removeprefix("$ dayline "), int(code.removeprefix("exit ")), "\n".join(lines))


def run_here(command: str, home: Path) -> WrongUsage:
    """Run a command line in this process with a home of its own, in which there is no database."""
    errors, output = io.StringIO(), io.TextIOWrapper(io.BytesIO(), "utf-8")
    variables = {name: value for name, value in os.environ.items() if not name.startswith(("DAYLINE_", "XDG_"))}
    variables |= {"HOME": str(home), "NO_COLOR": "1", "SHELL": "/bin/tcsh"}
    code = 0
    before = Path.cwd()
    os.chdir(home)
    try:
        with (
            mock.patch.dict(os.environ, variables, clear=True),
            mock.patch.object(sys, "stdin", io.StringIO()),
            contextlib.redirect_stderr(errors),
            contextlib.redirect_stdout(output),
        ):
            main(shlex.split(command))
    except SystemExit as exit_:
        code = exit_.code if isinstance(exit_.code, int) else 1
    finally:
        os.chdir(before)
    output.flush()
    assert output.buffer.getvalue() == b"", "an error belongs on standard error"
    return WrongUsage(command, code, errors.getvalue().rstrip("\n").replace(str(home), "$HOME"))


def prepare(home: Path) -> None:
    """The files that the command lines name."""
    (home / "list.txt").write_text("milk\n")
    (home / "broken.json").write_text('{"buckets": ')
    (home / "wrong.toml").write_text("[server]\nprot = 5600\n")
    (home / "port.toml").write_text("[server]\nport = 99999\n")
    (home / "empty").mkdir()
    (home / "export.json").write_text('{"buckets": {}}')
    (home / "sqlite.db").write_bytes(b"SQLite format 3\0" + bytes(100))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        prepare(Path(folder))
        found = [run_here(each.command, Path(folder)) for each in usages()]
    GOLDEN.write_text(
        "\n\n".join(f"$ dayline {each.command}\nexit {each.code}\n{each.output}" for each in found) + "\n", "utf-8"
    )
