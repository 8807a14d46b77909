"""`dayline export`: everything as one JSON document, which the existing ActivityWatch servers take too."""

from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from typing import BinaryIO, Final

import click
import msgspec

from dayline.cli.local import LocalServer, local_server
from dayline.cli.options import as_json, on_database
from dayline.cli.settings import Settings
from dayline.cli.tables import print_json
from dayline.cli.written_file import opened_for_writing
from dayline.model.errors import NotFound
from dayline.model.event import Event
from dayline.model.timestamps import timestamp_bytes

EVENTS_A_WRITE: Final = 1000
EXAMPLES = """\b
Examples:
  dayline export --output days.json
  dayline export --bucket aw-watcher-window_laptop --output - | gzip > window.json.gz
"""


@click.command(epilog=EXAMPLES)
@click.option(
    "--format", "format_", type=click.Choice(["activitywatch"]), default="activitywatch", show_default=True,
    help="activitywatch: the export document of the ActivityWatch servers.",
)  # fmt: skip
@click.option(
    "--output", required=True, type=click.Path(path_type=Path, dir_okay=False, allow_dash=True),
    help="File, or - for stdout.",
)  # fmt: skip
@click.option("--bucket", "buckets", multiple=True, help="Only this bucket. Several times for several. [default: all]")
@as_json
@on_database
def export(settings: Settings, format_: str, output: Path, buckets: tuple[str, ...], is_json: bool) -> None:
    """Write buckets and events as an export document: the way to another server, or back to one.

    The ActivityWatch servers take it in their web UI (Raw Data, Import); Dayline with dayline migrate.
    """
    assert format_ == "activitywatch"  # the only one so far
    with local_server(settings) as server, opened_for_writing(output) as file:
        written = _write(server, buckets, file)
    if is_json and str(output) != "-":
        print_json(written)
    else:
        click.echo(f"{written['events']:,} events of {written['buckets']} buckets written to {output}", err=True)


def _write(server: LocalServer, wanted: tuple[str, ...], file: BinaryIO) -> dict[str, int]:
    # Here, because the other commands start quicker without it.
    from dayline.care.migration.stored import StoredEvents, stored_buckets

    stored = stored_buckets(server)
    unknown = [bucket_id for bucket_id in wanted if bucket_id not in stored]
    if unknown:
        raise NotFound(f"there is no bucket named {unknown[0]!r}")
    chosen = [stored[bucket_id] for bucket_id in wanted or stored]
    count = 0
    file.write(b'{"buckets":{')
    for number, bucket in enumerate(chosen):
        head = msgspec.json.encode(bucket).removesuffix(b'"events":null}')
        file.write(b'%b%b:%b"events":[' % (b",\n" if number else b"\n", msgspec.json.encode(bucket.id), head))
        count += _write_events(StoredEvents(server, bucket), file)
        file.write(b"]}")
    file.write(b"\n}}\n")
    return {"buckets": len(chosen), "events": count}


def _write_events(events: Iterable[Event], file: BinaryIO) -> int:
    count = 0
    lines = map(_line, events)
    while batch := list(islice(lines, EVENTS_A_WRITE)):
        file.write((b",\n" if count else b"\n") + b",\n".join(batch))
        count += len(batch)
    return count


def _line(event: Event) -> bytes:
    # Without the id: it means something else to whoever reads this.
    timestamp, seconds = timestamp_bytes(event.start), event.duration / 1_000_000
    return b'{"timestamp":"%b","duration":%a,"data":%b}' % (timestamp, seconds, event.data)
