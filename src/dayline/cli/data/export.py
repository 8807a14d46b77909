"""`dayline export`: a JSON document that ActivityWatch can import, or a table."""

import csv
import io
import sys
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final, Protocol, TypeVar

import click
import msgspec
from msgspec import Struct

from dayline.cli.calls.local import LocalServer, reading_server
from dayline.cli.options.completion import bucket_ids
from dayline.cli.options.options import as_json, on_database
from dayline.cli.options.periods import whole_day
from dayline.cli.options.settings import Settings
from dayline.cli.screens.layout import print_json
from dayline.model.bucket import BucketView
from dayline.model.errors import Invalid, NotFound
from dayline.model.event import Event
from dayline.model.time import timestamp_bytes
from dayline.runtime.text import quantity
from dayline.transform.spreadsheet import COLUMNS, cell

if TYPE_CHECKING:
    from dayline.maintenance.migration.stored import StoredEvents


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
    from dayline.runtime.files import opened_for_writing

    with reading_server(settings) as server:
        chosen = _chosen(server, (*buckets, *more), (start, end))
        with opened_for_writing(place) as file:
            written = _write(chosen, format_, file)
    if is_json and str(place) != "-":
        print_json(written)
    else:
        where = "standard output" if str(place) == "-" else place
        events, of = quantity(written["events"], "event"), quantity(written["buckets"], "bucket")
        click.echo(f"{events} of {of} written to {where}", err=True)


def _chosen(server: LocalServer, wanted: tuple[str, ...], between: tuple[int | None, int | None]) -> list[_Chosen]:
    from dayline.maintenance.migration.stored import StoredEvents, stored_buckets

    stored = stored_buckets(server)
    unknown = [bucket_id for bucket_id in wanted if bucket_id not in stored]
    if unknown:
        raise NotFound(f"there is no bucket named {unknown[0]!r}", hint="dayline buckets list shows them")
    return [
        _Chosen(bucket=stored[bucket_id], events=StoredEvents(server, stored[bucket_id], between=between))
        for bucket_id in dict.fromkeys(wanted or stored)
    ]


def _write(chosen: list[_Chosen], format_: str, file: BinaryIO) -> dict[str, int]:
    from dayline.cli.calls.sending import progress_of

    write = {"csv": write_table, "ndjson": write_lines}.get(format_, write_document)
    total = sum(each.events.count() for each in chosen) if sys.stderr.isatty() else 0
    with progress_of("export", total) as advance:
        count = write(chosen, file, advance)
    return {"buckets": len(chosen), "events": count}


# The forms that an export can have: one document, a table, or a line for every event.


EVENTS_A_WRITE: Final = 1000
_FIELDS: Final = ("app", "title", "url")

T = TypeVar("T")
Advance = Callable[[int], None]


class MatchedRows(Protocol):
    """A bucket, and those of its events that are wanted."""

    @property
    def bucket(self) -> BucketView: ...

    @property
    def events(self) -> Iterable[Event]: ...


def write_document(chosen: Iterable[MatchedRows], file: BinaryIO, advance: Advance) -> int:
    """The export document of the ActivityWatch servers."""
    count = 0
    file.write(b'{"buckets":{')
    for number, each in enumerate(chosen):
        head = msgspec.json.encode(each.bucket).removesuffix(b'"events":null}')
        file.write(b'%b%b:%b"events":[' % (b",\n" if number else b"\n", msgspec.json.encode(each.bucket.id), head))
        written = 0
        for batch in _batches(map(_in_document, each.events)):
            file.write((b",\n" if written else b"\n") + b",\n".join(batch))
            written += len(batch)
            advance(len(batch))
        count += written
        file.write(b"]}")
    file.write(b"\n}}\n")
    return count


def write_lines(chosen: Iterable[MatchedRows], file: BinaryIO, advance: Advance) -> int:
    """A JSON object for every event, each on a line of its own."""
    count = 0
    for each in chosen:
        head = b'{"bucket":%b,' % msgspec.json.encode(each.bucket.id)
        for batch in _batches(map(_in_document, each.events)):
            file.write(b"".join(head + line[1:] + b"\n" for line in batch))
            count += len(batch)
            advance(len(batch))
    return count


def write_table(chosen: Iterable[MatchedRows], file: BinaryIO, advance: Advance) -> int:
    """A table for spreadsheets, with all data as JSON in the last column."""
    count = 0
    text = io.TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
    rows = csv.writer(text)
    rows.writerow(COLUMNS)
    for each in chosen:
        bucket = each.bucket
        head = [cell(part) for part in (bucket.id, bucket.hostname, bucket.type)]
        for batch in _batches(_row(event) for event in each.events):
            rows.writerows([*head, *row] for row in batch)
            count += len(batch)
            advance(len(batch))
    text.detach()  # or it would close the file
    return count


def _in_document(event: Event) -> bytes:
    # Without the id: it means something else to whoever reads this.
    timestamp, seconds = timestamp_bytes(event.start), event.duration / 1_000_000
    return b'{"timestamp":"%b","duration":%a,"data":%b}' % (timestamp, seconds, event.data)


def _row(event: Event) -> list[str]:
    data = msgspec.json.decode(event.data)
    times = (timestamp_bytes(at).decode() for at in (event.start, event.end))
    fields = (cell(data[name]) if isinstance(data.get(name), str) else "" for name in _FIELDS)
    return [*times, repr(event.duration / 1_000_000), *fields, event.data.decode()]


def _batches(lines: Iterable[T]) -> Iterator[list[T]]:
    following = iter(lines)
    while batch := list(islice(following, EVENTS_A_WRITE)):
        yield batch
