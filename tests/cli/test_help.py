"""The help of every command: a short first line that starts with a verb, and an example that exists."""

import re
from collections.abc import Iterator

import click
import pytest

from dayline.cli.main import commands, entries

LONGEST = 60
VERBS = frozenset(
    ["Add", "Annotate", "Apply", "Change", "Check", "Confirm", "Copy", "Create", "Decrypt", "Delete", "Disable",
     "Downsample", "Enable", "Encrypt", "Explain", "Export", "Forward", "Import", "Install", "Join", "List", "Manage",
     "Merge", "Open", "Print", "Reclaim", "Record", "Rename", "Replace", "Restore", "Revoke", "Rotate", "Run",
     "Search", "Set", "Show", "Sign", "Start", "Stop", "Suggest", "Sync", "Undo", "Upgrade", "Verify"]
)  # fmt: skip


def walk(name: str, command: click.Command) -> Iterator[tuple[str, click.Command]]:
    if name:
        yield name, command
    if isinstance(command, click.Group):
        for child in command.commands:
            yield from walk(f"{name} {child}".strip(), command.commands[child])


EVERY = dict(walk("", commands))


def test_the_first_line_is_short_and_starts_with_a_verb(subtests: pytest.Subtests) -> None:
    for name in EVERY:
        with subtests.test(name=name):
            first = " ".join((EVERY[name].help or "").partition("\n\n")[0].split())

            assert len(first) <= LONGEST, first
            assert first.split()[0].rstrip(",") in VERBS
            assert first.endswith(".")


def test_every_command_has_an_example_of_its_own(subtests: pytest.Subtests) -> None:
    for name in EVERY:
        with subtests.test(name=name):
            epilog = EVERY[name].epilog or ""
            example = re.compile(rf"^ *(?:.*[ ;&|])?(?:eval \"\$\()?dayline {name.split()[0]}\b", re.MULTILINE)

            assert example.search(epilog), epilog


def test_the_list_of_commands_has_the_first_lines_of_the_commands() -> None:
    firsts = {name: (commands.commands[name].help or "").partition("\n\n")[0] for name, _ in entries()}

    assert {name: entry.help for name, entry in entries()} == firsts
