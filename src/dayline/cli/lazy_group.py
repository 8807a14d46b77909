"""A group of commands that are imported when they are called, so that each starts as quickly as if it were alone."""

from collections.abc import Iterator, Mapping, MutableMapping
from importlib import import_module
from typing import Any

import click

from dayline.cli.command_table import SECTIONS, Entry, entries


class LazyCommands(MutableMapping[str, click.Command]):
    """Commands by name. One of the table is imported when it is taken out."""

    def __init__(self, table: Mapping[str, Entry]) -> None:
        self._table = table
        self._loaded: dict[str, click.Command] = {}

    def __getitem__(self, name: str) -> click.Command:
        if name not in self._loaded:
            entry = self._table[name]
            self._loaded[name] = getattr(import_module(f"dayline.cli.{entry.module}"), entry.attribute)
        return self._loaded[name]

    def __contains__(self, name: object) -> bool:
        return name in self._table or name in self._loaded  # or else asking would import

    def __setitem__(self, name: str, command: click.Command) -> None:
        self._loaded[name] = command

    def __delitem__(self, name: str) -> None:
        del self._loaded[name]

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys((*self._table, *self._loaded)))

    def __len__(self) -> int:
        return len({*self._table, *self._loaded})


class LazyGroup(click.Group):
    """The commands of the table, listed under its headings without importing any of them."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.commands = LazyCommands(dict(entries()))

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        widest = max(len(name) for name, _ in entries())
        for heading, section in SECTIONS.items():
            with formatter.section(heading):
                formatter.write_dl([(name.ljust(widest), entry.help) for name, entry in section.items()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[Any]:
        from click.shell_completion import CompletionItem  # here, because only a shell that completes needs it

        names = [CompletionItem(name, help=entry.help) for name, entry in entries() if name.startswith(incomplete)]
        return [*names, *click.Command.shell_complete(self, ctx, incomplete)]
