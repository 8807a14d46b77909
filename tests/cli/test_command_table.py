"""The table of commands says what the commands are: nothing else is imported for the list of them."""

import click
import pytest
from click.testing import CliRunner

from dayline.cli.groups import WrongUsage
from dayline.cli.main import SECTIONS, commands, entries

# The folders of `cli/` with the commands of each heading of `dayline --help`.
FOLDERS = {"Your time": {"time"}, "The server": {"admin", "serve", "service", "relay"}, "The data": {"data"}}


@pytest.mark.parametrize("name", [name for name, _ in entries()])
def test_a_command_of_the_table_is_there_under_its_name_and_explains_itself(name: str) -> None:
    command = commands.commands[name]

    assert command.name == name
    assert command.help


@pytest.mark.parametrize("heading", SECTIONS)
def test_a_command_is_in_the_folder_of_its_heading(heading: str) -> None:
    # `status`, `events`, `privacy` and `completion` were in folders of other headings than
    # those under which `dayline --help` lists them.
    elsewhere = [
        name for name, entry in SECTIONS[heading].items() if entry.module.split(".")[0] not in FOLDERS[heading]
    ]

    assert elsewhere == []


def test_no_command_is_in_the_table_twice() -> None:
    names = [name for name, _ in entries()]

    assert len(set(names)) == len(names) == len(commands.commands)


def test_the_list_has_a_line_for_each_command_at_80_columns() -> None:
    lines = CliRunner().invoke(commands, ["--help"], terminal_width=80).output.splitlines()

    assert [
        name for name, entry in entries() if not any(line.split() == [name, *entry.help.split()] for line in lines)
    ] == []


def test_a_typo_is_reported_with_a_suggestion() -> None:
    result = CliRunner().invoke(commands, ["budgets"], standalone_mode=False)

    assert isinstance(result.exception, WrongUsage)
    assert result.exception.hint == "did you mean: commands buckets"


def test_completion_offers_the_commands_with_what_they_do() -> None:
    found = commands.shell_complete(click.Context(commands), "rel")

    assert [(item.value, item.help) for item in found] == [
        ("relay", "Forward this computer's watchers to another server.")
    ]
