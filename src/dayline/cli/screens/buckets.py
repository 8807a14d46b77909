"""The screen of `dayline buckets`."""

from collections.abc import Sequence
from datetime import datetime
from itertools import groupby
from typing import TYPE_CHECKING, Final

from dayline.cli.screens.amounts import ago, in_zone_of
from dayline.cli.screens.charts import sparkline
from dayline.cli.screens.layout import Cell, Column, table
from dayline.cli.screens.screen import Screen
from dayline.cli.screens.text import Line, Span, advice, clean, line
from dayline.runtime.text import format_size, quantity

if TYPE_CHECKING:
    from dayline.insight.now.model import BucketState, BucketStates

MARKS: Final = {"recording": Span("●", "green"), "silent": Span("○", "red"), "quiet": Span("·", "dim")}
_SPARK: Final = 100  # columns from which thirty days are shown
_TYPE: Final = 72
_ALIASES: Final = 120


def buckets_screen(screen: Screen, states: "BucketStates", now: datetime) -> list[Line]:
    """The whole screen: a table for each device, whose columns are the same."""
    if not states.buckets:
        hint = "start a watcher, or create demo data: dayline demo"
        return advice("There are no buckets: no watcher has sent anything yet.", hint, screen.width)
    if not screen.cuts:
        return _plain(screen, states, now)
    size = "" if states.bytes is None else f" · {format_size(states.bytes)}"
    message = f" · {quantity(states.events, 'event')}{size}"
    heading = line(Span(quantity(len(states.buckets), "bucket"), "bold"), Span(message, "dim"))
    ordered = sorted(states.buckets, key=lambda bucket: (bucket.device != states.this_device, bucket.device))
    rows = table(screen, *_columns_and_rows(screen, ordered, now))
    lines = [heading, (), rows[0]]
    row = 1
    for device, group in groupby(ordered, key=lambda bucket: bucket.device):
        count = len(list(group))
        lines += [device_line(device, states.this_device), *rows[row : row + count]]
        row += count
    return lines


def _plain(screen: Screen, states: "BucketStates", now: datetime) -> list[Line]:
    """A line for each bucket with all columns, for a pipe."""
    headings = ("bucket", "host", "type", "events", "last", "state", "aliases")
    columns = [Column(heading=heading, align="right" if heading == "events" else "left") for heading in headings]
    rows: list[list[Cell]] = []
    for bucket in states.buckets:
        last = "-" if bucket.last is None else f"{in_zone_of(bucket.last, now):%Y-%m-%d %H:%M}"
        cells = (bucket.id, bucket.device, bucket.type, f"{bucket.events:,}", last, bucket.health)
        rows.append([(Span(clean(cell)),) for cell in (*cells, ", ".join(bucket.aliases))])
    return table(screen, columns, rows, indent=0)


def device_line(device: str, this_device: str) -> Line:
    """The heading of what belongs to a device."""
    here = Span(" (this device)" if device == this_device else "", "dim")
    return line("  ", Span(clean(device) or "(no host)", "bold"), here)


def _columns_and_rows(
    screen: Screen, buckets: "Sequence[BucketState]", now: datetime
) -> tuple[list[Column], list[list[Cell]]]:
    has_spark = screen.width >= _SPARK
    has_type = screen.width >= _TYPE
    has_aliases = screen.width >= _ALIASES and any(bucket.aliases for bucket in buckets)
    columns = [Column(heading="  bucket", fit="cut", min_width=16)]
    columns += [Column(heading="type", fit="cut", min_width=8)] if has_type else []
    columns += [Column(heading="events", align="right"), Column(heading="last", align="right")]
    columns += [Column(heading="30 days")] if has_spark else []
    columns += [Column(heading="aliases", fit="cut", min_width=8)] if has_aliases else []
    rows: list[list[Cell]] = []
    for bucket in buckets:
        row: list[Cell] = [line(MARKS[bucket.health], f" {clean(bucket.id)}")]
        row += [(Span(clean(bucket.type), "dim"),)] if has_type else []
        row += [(Span(f"{bucket.events:,}", "bold"),), last_of(bucket, now)]
        row += [(Span(sparkline(bucket.spark), "cyan"),)] if has_spark else []
        row += [(Span(clean(", ".join(bucket.aliases)), "dim"),)] if has_aliases else []
        rows.append(row)
    return columns, rows


def last_of(bucket: "BucketState", now: datetime) -> Line:
    """When the bucket had its last event, and whether its watcher is silent."""
    if bucket.last is None:
        return (Span("never", "dim"),)
    message = ago(in_zone_of(bucket.last, now), now)
    return (Span(f"silent, {message}", "red"),) if bucket.health == "silent" else (Span(message, "dim"),)
