"""Generate docs/reference/cli.md: the help of every command."""

from collections.abc import Iterator
from typing import Final

import click

from dayline.cli.errors import EXIT_CODES
from dayline.cli.main import commands
from scripts.markdown import assemble, filled, table

WIDTH: Final = 100  # of the help texts


def cli_page() -> str:
    """Return the page."""
    return assemble(
        "# Command reference",
        filled(
            "The output of `--help` for every command. Commands write data to standard output and messages to standard "
            "error. [Settings](settings.md) lists the environment variables."
        ),
        "## Exit codes",
        table(("code", "meaning"), [(str(each.code), each.meaning) for each in EXIT_CODES]),
        *(part for name, command in walk("dayline", commands) for part in (f"## `{name}`", help_of(name, command))),
    )


def walk(name: str, command: click.Command) -> Iterator[tuple[str, click.Command]]:
    yield name, command
    if isinstance(command, click.Group):
        for child in sorted(command.commands):
            yield from walk(f"{name} {child}", command.commands[child])


def help_of(name: str, command: click.Command) -> str:
    context = click.Context(command, info_name=name, terminal_width=WIDTH, max_content_width=WIDTH)
    context.help_option_names = ["-h", "--help"]
    vars(command)["_help_option"] = None  # click keeps the option of the first context, which may have other names
    return f"```text\n{command.get_help(context).rstrip()}\n```"
