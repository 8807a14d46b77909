"""Every command can print JSON, and a change that can be undone prints the number that undoes it."""

import re
import shlex
from pathlib import Path

import click
import msgspec
import pytest

from dayline.cli.main import commands
from tests.cli.options.wrong_usages import prepare_data
from tests.support.processes.terminal import piped

WITHOUT: dict[str, str] = {
    "serve": "continues, with a log that can be JSON",
    "watch": "continues, with a log",
    "relay run": "continues, with a log",
    "open": "opens a browser",
    "completion": "prints a script for a shell",
    "categories export": "prints JSON without an option",
}
# In this order, on one database.
UNDOABLE = (
    "annotations add Tea --from 2026-03-05T15:00 --for 15m",
    "annotations off 5",
    "annotations on 5",
    "annotations delete 5",
    "buckets rename aw-watcher-window2_laptop aw-watcher-other_laptop --yes",
    "buckets unalias aw-watcher-window2_laptop --yes",
    "buckets set-host aw-watcher-other_laptop desktop --yes",
    "buckets merge aw-watcher-other_desktop aw-watcher-window_laptop --yes",
    "buckets delete aw-watcher-afk_laptop --yes",
)


def each_command(command: click.Command, path: str = "") -> dict[str, click.Command]:
    """Every command that is no group, by the words that run it."""
    if not isinstance(command, click.Group):
        return {path: command}
    found: dict[str, click.Command] = {}
    for name in command.commands:
        found |= each_command(command.commands[name], f"{path} {name}".strip())
    return found


def test_every_command_has_an_option_for_json_or_a_reason() -> None:
    without = {
        path for path, command in each_command(commands).items()
        if not any("--json" in option.opts for option in command.params)
    }  # fmt: skip

    assert without == set(WITHOUT)


@pytest.mark.parametrize("as_json", [False, True])
def test_a_change_that_can_be_undone_prints_its_number(
    as_json: bool, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    prepare_data(tmp_path)
    database = tmp_path / ".local" / "share" / "dayline" / "dayline.db"
    for command in UNDOABLE:
        with subtests.test(command=command):
            done = piped(database, *shlex.split(command), *(["--json"] if as_json else []), HOME=str(tmp_path))

            assert done.code == 0, done.err
            number = msgspec.json.decode(done.out)["undo"] if as_json else found_number(done.out)
            listed = piped(database, "trash", "--json", HOME=str(tmp_path)).json
            assert number in [item["id"] for item in listed]


def found_number(output: str) -> int:
    found = re.search(r"dayline undo (\d+)", output)
    assert found is not None, output
    return int(found[1])
