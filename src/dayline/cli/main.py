"""The `dayline` command: its subcommands, and what an error looks like on a terminal."""

import contextlib
import sys
from collections.abc import Sequence
from typing import Final

import click

from dayline import __version__
from dayline.cli.lazy_group import LazyGroup
from dayline.cli.standard_streams import drop_unwritable, open_missing
from dayline.model import errors
from dayline.model.errors import DaylineError

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
