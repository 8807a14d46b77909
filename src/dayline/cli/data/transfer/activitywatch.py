"""Imports databases of ActivityWatch servers, and proves that every bucket was copied completely."""

import os
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click
import msgspec

from dayline.cli.calls.local import LocalServer, storing_server
from dayline.cli.calls.progress import progress_of
from dayline.cli.data.database_output import print_proof
from dayline.cli.errors import CHECK_FAILED
from dayline.cli.options.options import OWNER_ONLY
from dayline.cli.options.settings import Settings
from dayline.cli.screens.layout import print_table
from dayline.config.data_folder import DataFile, scratch_folder
from dayline.maintenance.migration.copying import migrate_source
from dayline.maintenance.migration.ledger import Ledger
from dayline.maintenance.migration.model import CopiedBucket, CopiedSettings, LeftOut, Migrated
from dayline.maintenance.migration.opening import opened_source
from dayline.maintenance.migration.sources import Source, Survey, survey
from dayline.model.time import Microseconds, format_timestamp
from dayline.runtime.text import quantity


def import_databases(
    settings: Settings, paths: Sequence[Path], *, dry_run: bool, overwrite_settings: bool, is_json: bool
) -> None:
    """Copy buckets, events and settings. The files are only read. Exits with 1 if the proof of a bucket fails."""
    os.umask(OWNER_ONLY)
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
    sources: Sequence[Source], server: LocalServer, *, scratch: Path | None, overwrite_settings: bool, total: int
) -> list[Migrated]:
    with (
        scratch_folder(DataFile.IMPORT, scratch) as folder,
        progress_of("copying", total) as advance,
    ):
        ledger = Ledger(folder)
        migrated = [
            migrate_source(source, server, ledger, overwrite_settings=overwrite_settings, on_events=advance)
            for source in sources
        ]
        ledger.close()
    return migrated


def print_found(source: Source, surveys: Sequence[Survey]) -> None:
    """Print the contents of a source."""
    click.echo(f"{source.kind}: {source.path}")
    print_table(
        ("bucket", "events", "from", "to"),
        [(each.bucket, f"{each.events:,}", _moment(each.start) or "-", _moment(each.end) or "-") for each in surveys],
    )
    click.echo(f"settings: {', '.join(source.settings) or 'none'}")
    for each in surveys:
        _print_left_out(each.bucket, each.left_out)
    click.echo()


def print_migrated(migrated: Sequence[Migrated]) -> None:
    """Print the result and the proof."""
    for each in migrated:
        click.echo(f"from {each.path}")
        print_proof((one.bucket, _copied_events(one), one.proof.source, one.proof.target) for one in each.buckets)
        for bucket in each.buckets:
            _print_remarks(bucket)
        _print_settings(each.settings)
        click.echo()
    if all(each.is_proven for each in migrated):
        click.echo("Everything was imported: source and target are equal.", err=True)
    else:
        click.secho("Some buckets differ from their source: see DIFFERS above.", fg="red", err=True)


def as_document(sources: Sequence[Source], surveys: Sequence[Sequence[Survey]], migrated: Sequence[Migrated]) -> str:
    """The same as JSON. Durations are in microseconds."""
    document: dict[str, Any] = {
        "found": [
            {
                "kind": source.kind,
                "path": str(source.path),
                "settings": list(source.settings),
                "buckets": [_surveyed(each) for each in surveyed],
            }
            for source, surveyed in zip(sources, surveys, strict=True)
        ],
        "migrated": [
            {
                "path": each.path,
                "settings": each.settings,
                "buckets": [
                    {**msgspec.structs.asdict(bucket), "is_proven": bucket.proof.is_proven} for bucket in each.buckets
                ],
            }
            for each in migrated
        ],
    }
    return msgspec.json.format(msgspec.json.encode(document)).decode()


def _surveyed(survey: Survey) -> dict[str, Any]:
    return {**msgspec.structs.asdict(survey), "start": _moment(survey.start), "end": _moment(survey.end)}


def _copied_events(bucket: CopiedBucket) -> str:
    longer = f", {bucket.extended:,} longer" if bucket.extended else ""
    return f"{bucket.imported:,} new{longer}"


def _print_remarks(bucket: CopiedBucket) -> None:
    proof = bucket.proof
    _print_left_out(bucket.bucket, bucket.left_out)
    if bucket.repeated:
        repeated = quantity(bucket.repeated, "event is", "events are")
        click.echo(f"{bucket.bucket}: {repeated} several times in the source, and once in Dayline")
    if proof.continued:
        click.echo(f"{bucket.bucket}: {quantity(proof.continued, 'event')} continued in Dayline and grew longer")
    if proof.others:
        click.echo(f"{bucket.bucket}: {quantity(proof.others, 'other event is', 'other events are')} only in Dayline")


def _print_left_out(bucket: str, left_out: dict[LeftOut, int]) -> None:
    for reason, count in left_out.items():
        click.echo(f"{bucket}: {quantity(count, 'event is', 'events are')} left out: {reason.value}")


def _print_settings(settings: CopiedSettings) -> None:
    for words, keys in (
        ("settings copied", settings.copied),
        ("settings that are equal", settings.same),
        ("settings that keep their value in Dayline (--overwrite-settings replaces them)", settings.kept),
    ):
        if keys:
            click.echo(f"{words}: {', '.join(keys)}")
    for key, reason in settings.refused.items():
        click.echo(f"setting {key} is invalid: {reason}")


def _moment(moment: Microseconds | None) -> str | None:
    return None if moment is None else format_timestamp(moment)
