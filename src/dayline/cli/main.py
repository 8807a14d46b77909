"""The `dayline` command: its subcommands, and what an error looks like on a terminal."""

import sys
from collections.abc import Sequence
from typing import Final

import click

from dayline import __version__
from dayline.cli.archive import archive
from dayline.cli.audit import audit
from dayline.cli.backup import backup
from dayline.cli.buckets import buckets
from dayline.cli.categories import categories
from dayline.cli.compact import compact
from dayline.cli.demo import demo
from dayline.cli.devices import devices
from dayline.cli.doctor import doctor
from dayline.cli.export import export
from dayline.cli.findings import findings
from dayline.cli.health import health
from dayline.cli.import_ import import_
from dayline.cli.keys import keys
from dayline.cli.migrate import migrate
from dayline.cli.open import open_
from dayline.cli.privacy import privacy
from dayline.cli.relay import relay
from dayline.cli.retention import retention
from dayline.cli.serve import serve
from dayline.cli.space import space
from dayline.cli.tls import tls
from dayline.cli.trash import trash, undo
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


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="dayline")
def commands() -> None:
    """Dayline: a local-first server for personal activity data.

    It speaks the interface of the ActivityWatch ecosystem: watchers, clients and web UIs of it work unchanged.
    """


for command in (
    serve,
    demo,
    open_,
    keys,
    tls,
    relay,
    privacy,
    audit,
    health,
    doctor,
    findings,
    buckets,
    categories,
    undo,
    trash,
    backup,
    archive,
    migrate,
    import_,
    export,
    devices,
    space,
    retention,
    compact,
):
    commands.add_command(command)


def exit_code_of(error: DaylineError) -> int:
    """The code of the error's class, or of the nearest one above it."""
    return next(EXIT_CODE_OF[kind] for kind in type(error).__mro__ if kind in EXIT_CODE_OF)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command; errors of ours become one line and a hint, never a traceback."""
    try:
        commands(args=arguments, prog_name="dayline")
    except DaylineError as error:
        click.secho(f"dayline: {error.message}", fg="red", err=True)
        if error.hint:
            click.echo(f"  → {error.hint}", err=True)
        sys.exit(exit_code_of(error))
