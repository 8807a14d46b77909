"""The Tab key in bash, zsh and fish: every command, and the names that a running server knows."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import click
import pytest

from dayline.cli.main import commands
from tests.cli.data.shells import SHELLS, Shell, missing, program_in_this_process
from tests.support.server import RunningServer
from tests.support.waiting import eventually

# Each with what must be quoted, or is read in another way by one of the shells.
BUCKET = "notes of mine"
CATEGORY = "Work/Deep work: Größe"
PROJECT = "ACME, Inc. (web)"
DEVICE = "robin's laptop"


@pytest.fixture(params=SHELLS)
def shell(request: pytest.FixtureRequest) -> str:
    name = str(request.param)
    reason = missing(name)
    if reason is not None:
        pytest.skip(reason)
    return name


def each_command(command: click.Command, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Every command that can be typed."""
    if not isinstance(command, click.Group):
        yield path, command
        return
    for name in command.commands:
        yield from each_command(command.commands[name], (*path, name))


def unique_option(command: click.Command) -> str:
    """An option that needs to be typed but for its last letter."""
    names = [name for each in command.params if isinstance(each, click.Option) for name in each.opts]
    names = [*names, "--help"]
    return next(
        name for name in names if len(name) > 3 and [other for other in names if other.startswith(name[:-1])] == [name]
    )


def test_tab_completes_every_command_and_its_options(shell: str, tmp_path: Path) -> None:
    wrong: list[tuple[list[str], list[str]]] = []
    with program_in_this_process() as program, Shell(shell, tmp_path, program=program) as typed:
        for path, command in each_command(commands, ("dayline",)):
            option = unique_option(command)
            line = [*path, option]

            words = typed.completed(" ".join(line)[:-1])

            if words != line:
                wrong.append((line, words))
    assert wrong == []


def test_tab_completes_names_that_need_quotes(shell: str, tmp_path: Path, subtests: pytest.Subtests) -> None:
    with RunningServer(tmp_path / "days.db") as server:
        server.post("/api/0/buckets/notes%20of%20mine", {"client": "notes", "type": "note", "hostname": DEVICE})
        rules = {"categories": [{"name": ["Work"]}, {"name": CATEGORY.split("/")}]}
        assert server.call("PUT", "/api/1/categories", rules).status == 200
        projects = {"projects": [{"name": PROJECT, "categories": [CATEGORY.split("/")]}]}
        assert server.call("PUT", "/api/1/projects", projects).status == 200
        key = server.post("/api/1/keys", {"name": "phone", "scope": "read"}).json["id"]
        lines = (
            ("dayline events not", [BUCKET]),
            ("dayline events 'not", [BUCKET]),
            ("dayline buckets set-host not", [BUCKET]),
            ("dayline goals add Focus --category Work/De", [CATEGORY]),
            ("dayline search --device rob", [DEVICE]),
            ("dayline keys revoke " + key[:-1], [key]),
            ("dayline top --filter categ", ["category:"]),
            ("dayline top --filter category:und", ["category:under:"]),
            ("dayline top --filter category:under:Work/De", [f"category:under:{CATEGORY}"]),
            ("dayline report --by category --filter project:is:AC", [f"project:is:{PROJECT}"]),
        )
        with Shell(shell, tmp_path, DAYLINE_DATABASE=str(server.database)) as typed:
            for line, words in lines:
                with subtests.test(line=line):
                    before = line.replace("'", "").split()[:-1]
                    # Again, because a busy machine may not answer within the moment that someone at a keyboard waits.
                    eventually(partial(_is_completed, typed, line, [*before, *words]))


def _is_completed(typed: Shell, line: str, full: list[str]) -> bool:
    return typed.completed(line) == full
