"""`dayline migrate`: import data from ActivityWatch."""

import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

from dayline.cli.calls.local import LocalServer, storing_server
from dayline.cli.calls.sending import progress_of
from dayline.cli.options.options import as_json, on_database
from dayline.cli.options.settings import Settings
from dayline.model.errors import NotFound

if TYPE_CHECKING:
    from dayline.maintenance.migration.copying import Migrated
    from dayline.maintenance.migration.sources import Source


NOT_PROVEN = 1  # the exit status where a bucket is not here as it is there
EXAMPLES = """\b
Examples:
  dayline migrate --dry-run                          what there is in the usual places
  dayline migrate                                    all of it, into Dayline
  dayline migrate ~/backup/peewee-sqlite.v2.db       a database somewhere else
  dayline migrate aw-buckets-export.json             a JSON export
"""


@click.command(epilog=EXAMPLES)
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path, dir_okay=False))
@click.option("--dry-run", is_flag=True, help="Show what there is, and change nothing.")
@click.option("--overwrite-settings", is_flag=True, help="Also settings that have another value in Dayline.")
@as_json
@on_database
def migrate(
    settings: Settings, paths: tuple[Path, ...], dry_run: bool, overwrite_settings: bool, is_json: bool
) -> None:
    """Bring buckets, events and settings of ActivityWatch's servers along.

    Their files are only read, and their server may go on running. Run it again whenever you like: it takes what is new.
    It ends with a proof for every bucket, and with status 1 where one fails.
    """
    # Here, because the other commands start quicker without them.
    from dayline.cli.data.migrate_output import as_document, print_found, print_migrated
    from dayline.maintenance.migration.finding import usual_databases
    from dayline.maintenance.migration.opening import opened_source
    from dayline.maintenance.migration.sources import survey

    found = list(paths) or usual_databases()
    if not found:
        raise NotFound(
            "there is no database of an ActivityWatch server in the usual places", hint="dayline migrate PATH names one"
        )
    # On the disk of the database, which has to have the room anyway.
    scratch = settings.database.parent if settings.database.parent.is_dir() else None
    with ExitStack() as stack:
        sources = [stack.enter_context(opened_source(path, scratch=scratch)) for path in found]
        surveys = [[survey(source, bucket) for bucket in source.buckets()] for source in sources]
        if not is_json:
            for source, surveyed in zip(sources, surveys, strict=True):
                print_found(source, surveyed)
        migrated: list[Migrated] = []
        if not dry_run:
            total = sum(each.events for surveyed in surveys for each in surveyed)
            server = stack.enter_context(storing_server(settings))
            migrated = _copied(sources, server, scratch=scratch, overwrite_settings=overwrite_settings, total=total)
    if is_json:
        click.echo(as_document(sources, surveys, migrated))
    elif dry_run:
        click.echo("Nothing was changed. Without --dry-run it is copied into Dayline.", err=True)
    else:
        print_migrated(migrated)
    if not all(each.is_proven for each in migrated):
        sys.exit(NOT_PROVEN)


def _copied(
    sources: "Sequence[Source]", server: LocalServer, *, scratch: Path | None, overwrite_settings: bool, total: int
) -> "list[Migrated]":
    # Here for the same reason.
    from dayline.maintenance.migration.copying import migrate_source
    from dayline.maintenance.migration.ledger import Ledger

    with (
        tempfile.TemporaryDirectory(prefix="dayline-migrate-", dir=scratch, ignore_cleanup_errors=True) as folder,
        progress_of("copying", total) as advance,
    ):
        ledger = Ledger(Path(folder))
        migrated = [
            migrate_source(source, server, ledger, overwrite_settings=overwrite_settings, on_events=advance)
            for source in sources
        ]
        ledger.close()
    return migrated
