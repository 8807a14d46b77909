"""The `dayline` command: its subcommands, loaded when used, and how errors are printed."""

import contextlib
import sys
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from importlib import import_module
from typing import Any, Final

import click

from dayline import __version__
from dayline.cli.command_table import SECTIONS, Entry, entries
from dayline.model import errors
from dayline.model.errors import DaylineError
from dayline.runtime.streams import drop_unwritable, open_missing


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


# The `dayline` command: its subcommands, and what an error looks like on a terminal.


# As sysexits.h has them, so that a supervisor can tell a typo from a taken port.
EXIT_CODE_OF: Final[dict[type[DaylineError], int]] = {
    errors.Malformed: 65,
    errors.Invalid: 78,
    errors.NotFound: 66,
    errors.Unavailable: 75,
    DaylineError: 1,
}
INTERRUPTED: Final = 130  # as shells have it for Ctrl-C: 128 and the number of the signal


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="dayline")
def commands() -> None:
    """Dayline: a local-first server for personal activity data.

    It speaks the interface of the ActivityWatch ecosystem: watchers, clients and web UIs of it work unchanged.
    """


def exit_code_of(error: DaylineError) -> int:
    """The code of the error's class, or of the nearest one above it."""
    return next(EXIT_CODE_OF[kind] for kind in type(error).__mro__ if kind in EXIT_CODE_OF)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command; errors of ours become one line and a hint, never a traceback."""
    open_missing()
    try:
        _run(arguments)
    finally:
        drop_unwritable(sys.stderr)


def _run(arguments: Sequence[str] | None) -> None:
    try:
        code = commands.main(args=arguments, prog_name="dayline", standalone_mode=False)
        sys.exit(code if isinstance(code, int) else 0)
    except DaylineError as error:
        with contextlib.suppress(OSError):  # where nobody can read it, the exit code says the same
            click.secho(f"dayline: {error.message}", fg="red", err=True)
            if error.hint:
                click.echo(f"  → {error.hint}", err=True)
        sys.exit(exit_code_of(error))
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except click.Abort as error:
        if isinstance(error.__context__, KeyboardInterrupt):
            sys.exit(INTERRUPTED)
        click.echo("Aborted!", err=True)
        sys.exit(1)
