"""Runs wrong command lines in this process. `python -m tests.cli.options.wrong_usages` writes the golden files again.

The command lines of `wrong_usages.txt` run without a database, those of `wrong_values.txt` with a small one.
"""

import contextlib
import io
import json
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
VALUES: Final = GOLDEN.with_name("wrong_values.txt")
_FIRST: Final = (
    "import export.json",
    "categories add Work/Code --app Code",
    "annotations add Lunch --from 2026-03-05T12:00 --for 1h",
    "privacy apply --field title --pattern secret --action redact --replacement *** --yes",
    "privacy undo 1",
    "database status",
)
_EXPORT: Final = {
    "buckets": {
        f"aw-watcher-{name}_laptop": {
            "id": f"aw-watcher-{name}_laptop", "type": type_, "client": "test", "hostname": "laptop",
            "created": "2026-03-05T08:00:00Z",
            "events": [{"timestamp": "2026-03-05T09:00:00Z", "duration": 600, "data": data}],
        }
        for name, type_, data in (
            ("window", "currentwindow", {"app": "Code", "title": "secret"}),
            ("window2", "currentwindow", {"app": "Mail", "title": "Inbox"}),
            ("afk", "afkstatus", {"status": "not-afk"}),
        )
    }
}  # fmt: skip


class WrongUsage(NamedTuple):
    """A command line, and what it prints and exits with. `$HOME` is the folder it runs in."""

    command: str
    code: int
    output: str


def usages(golden: Path = GOLDEN) -> Iterator[WrongUsage]:
    """The blocks of a golden file."""
    for block in golden.read_text("utf-8").strip().split("\n\n"):
        command, code, *lines = block.split("\n")
        yield WrongUsage(command.removeprefix("$ dayline "), int(code.removeprefix("exit ")), "\n".join(lines))


def run_here(command: str, home: Path, *, is_wrong: bool = True) -> WrongUsage:
    """Run a command line in this process with a home of its own."""
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
    assert not is_wrong or output.buffer.getvalue() == b"", f"an error belongs on standard error: {command}"
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


def prepare_data(home: Path) -> None:
    """The same files, and a database."""
    prepare(home)
    (home / "export.json").write_text(json.dumps(_EXPORT))
    (home / "list.json").write_text("[]")
    (home / "null.json").write_text("null")
    (home / "object.json").write_text('{"a": 1}')
    for command in _FIRST:
        done = run_here(command, home, is_wrong=False)
        assert done.code == 0, done


if __name__ == "__main__":
    for golden, before in ((GOLDEN, prepare), (VALUES, prepare_data)):
        with tempfile.TemporaryDirectory() as folder:
            before(Path(folder))
            found = [run_here(each.command, Path(folder), is_wrong=False) for each in usages(golden)]
        blocks = (f"$ dayline {each.command}\nexit {each.code}\n{each.output}" for each in found)
        golden.write_text("\n\n".join(blocks) + "\n", "utf-8")
