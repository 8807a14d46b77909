"""Imports databases of ActivityWatch servers, and proves that every bucket was copied completely."""

import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

from dayline.cli.calls.local import LocalServer, storing_server
from dayline.cli.calls.sending import progress_of
from dayline.cli.data.import_proof import as_document, print_found, print_migrated
from dayline.cli.exit_codes import CHECK_FAILED
from dayline.cli.options.settings import Settings
from dayline.maintenance.migration.copying import migrate_source
from dayline.maintenance.migration.ledger import Ledger
from dayline.maintenance.migration.opening import opened_source
from dayline.maintenance.migration.sources import survey

if TYPE_CHECKING:
    from dayline.maintenance.migration.copying import Migrated
    from dayline.maintenance.migration.sources import Source


def import_databases(
    settings: Settings, paths: Sequence[Path], *, dry_run: bool, overwrite_settings: bool, is_json: bool
) -> None:
    """Copy buckets, events and settings. The files are only read. Exits with 1 if the proof of a bucket fails."""
    # On the disk of the database, which needs the space anyway.
    scratch = settings.database.parent if settings.database.parent.is_dir() else None
    with ExitStack() as stack:
        sources = [stack.enter_context(opened_source(path, scratch=scratch)) for path in paths]
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
        click.echo("Nothing was changed. Run it without --dry-run to import.", err=True)
    else:
        print_migrated(migrated)
    if not all(each.is_proven for each in migrated):
        sys.exit(CHECK_FAILED)


def _copied(
    sources: "Sequence[Source]", server: LocalServer, *, scratch: Path | None, overwrite_settings: bool, total: int
) -> "list[Migrated]":
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
