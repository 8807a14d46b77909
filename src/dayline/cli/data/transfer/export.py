"""`dayline export`: a JSON document that ActivityWatch can import, or a table."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final

import click
from msgspec import Struct

from dayline.cli.calls.local import LocalServer, reading_server
from dayline.cli.data.transfer.formats import write_document, write_lines, write_table
from dayline.cli.groups import WrongUsage
from dayline.cli.options.backup_key import with_archive_key
from dayline.cli.options.names import bucket_ids
from dayline.cli.options.options import as_json, force_option, on_database
from dayline.cli.options.ranges import Range, range_options
from dayline.cli.options.settings import Settings
from dayline.cli.options.view import view_of
from dayline.cli.screens.layout import print_json
from dayline.model.bucket import BucketView
from dayline.model.errors import NotFound
from dayline.model.time import parse_timestamp
from dayline.runtime.text import quantity

if TYPE_CHECKING:
    from dayline.maintenance.migration.stored import StoredEvents
    from dayline.storage.sqlite.backup.encryption import Secret

EXAMPLES = """\b
Examples:
  dayline export --output days.json
  dayline export aw-watcher-window_laptop | gzip > window.json.gz
  dayline export --format csv --last month -o february.csv
  dayline export --format archive -o days.jsonl.zst      the whole database in one file
"""
FORMATS: Final = ("json", "csv", "ndjson", "activitywatch", "archive")


class _Chosen(Struct, frozen=True, kw_only=True):
    bucket: "BucketView"
    events: "StoredEvents"


def _between(range_: Range, server: LocalServer) -> tuple[int | None, int | None]:
    """The range in microseconds since 1970; None for an open end."""
    if not range_.is_given:
        return None, None
    start, end = range_.edges(view_of(server))
    return (None if start is None else parse_timestamp(start)), (None if end is None else parse_timestamp(end))


@click.command(epilog=EXAMPLES)
@click.argument("buckets", metavar="[BUCKET]...", nargs=-1, shell_complete=bucket_ids)
@click.option(
    "--format", "format_", type=click.Choice(FORMATS), default="json", show_default=True,
    help="json or activitywatch: a document that ActivityWatch can import. csv: a table. ndjson: one JSON object per "
    "event. archive: the whole database, with settings, keys and the audit log.",
)  # fmt: skip
@click.option(
    "--output", "-o", type=click.Path(path_type=Path, dir_okay=False, allow_dash=True),
    help="File, or - for standard output. [default: standard output, unless it is a terminal]",
)  # fmt: skip
@force_option
@click.option("--bucket", "more", multiple=True, shell_complete=bucket_ids, help="The same as BUCKET.")
@range_options()
@as_json
@on_database
@with_archive_key
def export(
    secret: "Secret | None",
    settings: Settings,
    buckets: tuple[str, ...],
    format_: str,
    output: Path | None,
    more: tuple[str, ...],
    range_: Range,
    force: bool,
    is_json: bool,
) -> None:
    """Export buckets as JSON, CSV, NDJSON or an archive.

    Without BUCKET, all of them. A range selects the events that start in it. `dayline import` imports JSON exports and
    archives; ActivityWatch imports JSON exports under Raw Data. An archive is encrypted if you give a key.
    """
    if format_ == "archive":
        is_limited = bool(buckets or more or range_.is_given)
        _export_archive(settings, output, secret, is_json=is_json, is_limited=is_limited, force=force)
        return
    if secret is not None:
        raise WrongUsage("--key-file and --passphrase-file need --format archive", hint="add --format archive")
    if output is None and sys.stdout.isatty():
        raise WrongUsage("an export is not written to a terminal", hint="choose a file with --output, or use a pipe")
    target = output or Path("-")
    # Here, because other commands start faster without it.
    from dayline.cli.output_files import opened_for_writing

    with reading_server(settings) as server:
        chosen = _chosen(server, (*buckets, *more), _between(range_, server))
        with opened_for_writing(target, replaces=force) as file:
            written = _write(chosen, format_, file)
    if is_json and str(target) != "-":
        print_json(written)
    else:
        where = "standard output" if str(target) == "-" else target
        events, of = quantity(written["events"], "event"), quantity(written["buckets"], "bucket")
        click.echo(f"{events} of {of} written to {where}", err=True)


def _export_archive(
    settings: Settings, output: Path | None, secret: "Secret | None", *, is_json: bool, is_limited: bool, force: bool
) -> None:
    from dayline.cli.data.transfer.archive import create_archive  # here, because the other formats do not need it

    if is_limited:
        raise WrongUsage(
            "an archive is the whole database", hint="leave out buckets and ranges, or choose another --format"
        )
    if output is None or str(output) == "-":
        raise WrongUsage("an archive needs a file", hint="choose one with --output")
    create_archive(settings, output, secret, is_json=is_json, force=force)


def _chosen(server: LocalServer, wanted: tuple[str, ...], between: tuple[int | None, int | None]) -> list[_Chosen]:
    from dayline.maintenance.migration.stored import StoredEvents, stored_buckets

    stored = stored_buckets(server)
    unknown = [bucket_id for bucket_id in wanted if bucket_id not in stored]
    if unknown:
        raise NotFound(f"no bucket named {unknown[0]!r}", hint="dayline buckets lists them")
    return [
        _Chosen(bucket=stored[bucket_id], events=StoredEvents(server, stored[bucket_id], between=between))
        for bucket_id in dict.fromkeys(wanted or stored)
    ]


def _write(chosen: list[_Chosen], format_: str, file: BinaryIO) -> dict[str, int]:
    from dayline.cli.calls.progress import progress_of

    write = {"csv": write_table, "ndjson": write_lines}.get(format_, write_document)
    total = sum(each.events.count() for each in chosen) if sys.stderr.isatty() else 0
    with progress_of("export", total) as advance:
        count = write(chosen, file, advance)
    return {"buckets": len(chosen), "events": count}
