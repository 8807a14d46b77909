"""`dayline export`: everything as one JSON document that the existing ActivityWatch servers take too, or as a table."""

import sys
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final

import click
from msgspec import Struct

from dayline.cli.completing import bucket_ids
from dayline.cli.local import LocalServer, reading_server
from dayline.cli.options import as_json, on_database
from dayline.cli.periods import whole_day
from dayline.cli.settings import Settings
from dayline.cli.tables import print_json
from dayline.model.errors import Invalid, NotFound

if TYPE_CHECKING:
    from dayline.care.migration.stored import StoredEvents
    from dayline.model.bucket import BucketView

EXAMPLES = """\b
Examples:
  dayline export --output days.json
  dayline export aw-watcher-window_laptop | gzip > window.json.gz
  dayline export --format csv --from 2026-03-01 --to 2026-03-31 --output march.csv
"""
FORMATS: Final = ("json", "csv", "ndjson", "activitywatch")
_EPOCH: Final = datetime.fromisoformat("1970-01-01T00:00:00+00:00")
_MICROSECOND: Final = timedelta(microseconds=1)


class _Chosen(Struct, frozen=True, kw_only=True):
    bucket: "BucketView"
    events: "StoredEvents"


def _moment(_context: click.Context, parameter: click.Parameter, value: str | None) -> int | None:
    """The midnight of this computer at which a day begins, or of --to ends; or a time with or without its zone."""
    if value is None:
        return None
    try:
        moment = datetime.fromisoformat(value)
        if parameter.name == "end" and whole_day(value) is not None:
            moment += timedelta(days=1)
        moment = moment.astimezone()
    except (ValueError, OverflowError) as error:
        raise click.BadParameter(
            f"{value!r} is neither a day such as 2026-03-01 nor a time such as 2026-03-01T09:00"
        ) from error
    return (moment - _EPOCH) // _MICROSECOND


@click.command(epilog=EXAMPLES)
@click.argument("buckets", metavar="[BUCKET]...", nargs=-1, shell_complete=bucket_ids)
@click.option(
    "--format", "format_", type=click.Choice(FORMATS), default="json", show_default=True,
    help="json, also called activitywatch: the export document of the ActivityWatch servers. "
    "csv: a table for spreadsheets. ndjson: a JSON object a line for every event.",
)  # fmt: skip
@click.option(
    "--output", type=click.Path(path_type=Path, dir_okay=False, allow_dash=True),
    help="File, or - for stdout. [default: stdout, where that is not a terminal]",
)  # fmt: skip
@click.option("--bucket", "more", multiple=True, shell_complete=bucket_ids, help="The same as BUCKET.")
@click.option(
    "--from",
    "start",
    metavar="TIME",
    callback=_moment,
    help="Only events that begin on this day or at this time, or later.",
)
@click.option(
    "--to",
    "end",
    metavar="TIME",
    callback=_moment,
    help="Only events that begin on this day or earlier, or before this time.",
)
@as_json
@on_database
def export(
    settings: Settings,
    buckets: tuple[str, ...],
    format_: str,
    output: Path | None,
    more: tuple[str, ...],
    start: int | None,
    end: int | None,
    is_json: bool,
) -> None:
    """Write each BUCKET, or all of them, with their events: the way to another server, back to one, or to a table.

    The ActivityWatch servers take the document in their web UI (Raw Data, Import); Dayline with dayline import.
    """
    if output is None and sys.stdout.isatty():
        raise Invalid("an export is long for a terminal", hint="name a file with --output, or send it on with |")
    place = output or Path("-")
    # Here, because the other commands start quicker without it.
    from dayline.cli.written_file import opened_for_writing

    with reading_server(settings) as server:
        chosen = _chosen(server, (*buckets, *more), (start, end))
        with opened_for_writing(place) as file:
            written = _write(chosen, format_, file)
    if is_json and str(place) != "-":
        print_json(written)
    else:
        where = "standard output" if str(place) == "-" else place
        click.echo(f"{written['events']:,} events of {written['buckets']} buckets written to {where}", err=True)


def _chosen(server: LocalServer, wanted: tuple[str, ...], between: tuple[int | None, int | None]) -> list[_Chosen]:
    from dayline.care.migration.stored import StoredEvents, stored_buckets

    stored = stored_buckets(server)
    unknown = [bucket_id for bucket_id in wanted if bucket_id not in stored]
    if unknown:
        raise NotFound(f"there is no bucket named {unknown[0]!r}", hint="dayline buckets list shows them")
    return [
        _Chosen(bucket=stored[bucket_id], events=StoredEvents(server, stored[bucket_id], between=between))
        for bucket_id in dict.fromkeys(wanted or stored)
    ]


def _write(chosen: list[_Chosen], format_: str, file: BinaryIO) -> dict[str, int]:
    from dayline.cli.export_formats import write_document, write_lines, write_table
    from dayline.cli.progress import progress_of

    write = {"csv": write_table, "ndjson": write_lines}.get(format_, write_document)
    total = sum(each.events.count() for each in chosen) if sys.stderr.isatty() else 0
    with progress_of("export", total) as advance:
        count = write(chosen, file, advance)
    return {"buckets": len(chosen), "events": count}
