"""The screens of `dayline status` and `dayline buckets`: which watchers are recording."""

from collections.abc import Sequence
from datetime import datetime
from itertools import groupby
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from dayline.cli.errors import command_hint
from dayline.cli.screens.amounts import about, ago, last_recorded
from dayline.cli.screens.charts import sparkline
from dayline.cli.screens.layout import Cell, Column, Screen, table
from dayline.cli.screens.text import Line, Span, advice, clean, flowed, line
from dayline.runtime.text import format_size, quantity

if TYPE_CHECKING:
    from dayline.insight.now.model import BucketState, BucketStates, DeviceNow


# The screen of `dayline buckets`.


MARKS: Final = {"recording": Span("●", "green"), "silent": Span("○", "red"), "quiet": Span("·", "dim")}
_SPARK: Final = 100  # columns from which thirty days are shown
_TYPE: Final = 72
_ALIASES: Final = 120


def buckets_screen(screen: Screen, found: "BucketStates", now: datetime) -> list[Line]:
    """The whole screen: a table for each device, whose columns are the same."""
    if not found.buckets:
        hint = "start a watcher, or create demo data: dayline demo"
        return advice("There are no buckets: no watcher has sent anything yet.", hint, screen.width)
    if not screen.cuts:
        return _plain(screen, found, now)
    size = "" if found.bytes is None else f" · {format_size(found.bytes)}"
    message = f" · {quantity(found.events, 'event')}{size}"
    heading = line(Span(quantity(len(found.buckets), "bucket"), "bold"), Span(message, "dim"))
    ordered = sorted(found.buckets, key=lambda bucket: (bucket.device != found.this_device, bucket.device))
    rows = table(screen, *_columns_and_rows(screen, ordered, now))
    lines = [heading, (), rows[0]]
    row = 1
    for device, group in groupby(ordered, key=lambda bucket: bucket.device):
        count = len(list(group))
        lines += [device_line(device, found.this_device), *rows[row : row + count]]
        row += count
    return lines


def _plain(screen: Screen, found: "BucketStates", now: datetime) -> list[Line]:
    """A line for each bucket with all columns, for a pipe."""
    headings = ("bucket", "host", "type", "events", "last", "state", "aliases")
    columns = [Column(heading=heading, align="right" if heading == "events" else "left") for heading in headings]
    rows: list[list[Cell]] = []
    for bucket in found.buckets:
        last = "-" if bucket.last is None else f"{_local(bucket.last, now):%Y-%m-%d %H:%M}"
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
    message = ago(_local(bucket.last, now), now)
    return (Span(f"silent, {message}", "red"),) if bucket.health == "silent" else (Span(message, "dim"),)


# The screen of `dayline status`: which watchers are recording, and which are silent since when.


class Problem(Struct, frozen=True, kw_only=True):
    """Something that needs attention, other than a silent watcher."""

    message: str
    hint: str | None = None


class Status(Struct, frozen=True, kw_only=True):
    """The content of the screen. `server` is the address of the server; None if none runs."""

    buckets: "BucketStates"
    devices: "list[DeviceNow]"
    now: datetime
    server: str | None
    database: str
    problems: tuple[Problem, ...] = ()
    recording: str | None = None  # what Dayline's own watcher does


def is_well(status: Status) -> bool:
    """Whether a server runs, no watcher is silent, and nothing else needs attention."""
    return status.server is not None and not _silent(status) and not status.problems


def status_screen(screen: Screen, status: Status) -> list[Line]:
    """The whole screen; times in the zone of `status.now`."""
    lines = _heading(screen, status)
    if status.recording is not None:
        lines.append((Span(f"  {status.recording}", "dim"),))
    for problem in status.problems:
        first, *rest = flowed(clean(problem.message).split(" "), screen.width - 2, indent="")
        lines += [line(Span("! ", "yellow"), first), *(line("  ", each) for each in rest)]
        if problem.hint:
            lines += advice("", clean(command_hint(problem.hint)), screen.width)[1:]
    if not status.buckets.buckets:
        hint = "start a watcher, or create demo data: dayline demo"
        return [*lines, (), *advice("No watcher has sent anything yet.", hint, screen.width)]
    devices = {device.device: device for device in status.devices}
    here = status.buckets.this_device
    ordered = sorted(status.buckets.buckets, key=lambda bucket: (bucket.device != here, bucket.device))
    columns = [Column(fit="cut", min_width=16), Column(), Column(fit="cut", min_width=10)]
    rows = table(screen, columns, [_row(bucket, status.now) for bucket in ordered])
    row = 0
    for device, group in groupby(ordered, key=lambda bucket: bucket.device):
        count = len(list(group))
        shown = devices.get(device)
        front = [] if shown is None else [Span("  "), *_active_window(screen, shown, status.now)]
        lines += [(), line(device_line(device, here), *front), *rows[row : row + count]]
        row += count
    return lines


def _heading(screen: Screen, status: Status) -> list[Line]:
    silent, now = _silent(status), status.now
    recording = sum(bucket.health == "recording" for bucket in status.buckets.buckets)
    at = f"  {status.server or 'no server'} · {status.database}"
    where: Line = (Span(at, "dim"),)
    if status.server is None:
        message = line(Span("○ ", "red"), Span("Nothing is recorded: no server runs.", "bold"))
        return [message, where, (Span("  → start one with: dayline serve", "dim"),)]
    if silent:
        return _stopped(screen, status, silent, where)
    if recording:
        words = f"{quantity(recording, 'watcher records', 'watchers record')}."
        return [line(Span("● ", "green"), Span(words, "bold")), where]
    lasts = [_local(bucket.last, now) for bucket in status.buckets.buckets if bucket.last is not None]
    since = f": {last_recorded(max(lasts), now)}" if lasts else ""
    return [line(Span("· ", "yellow"), Span(f"Nothing is being recorded{since}.", "bold")), where]


def _stopped(screen: Screen, status: Status, silent: "list[BucketState]", where: Line) -> list[Line]:
    """The devices and watchers that have stopped."""
    stopped = [device for device in status.devices if device.health == "silent"]
    alone = [bucket for bucket in silent if bucket.device not in {device.device for device in stopped}]
    lines: list[Line] = []
    for device in stopped:
        last = (
            "" if device.last_seen is None else f": {last_recorded(_local(device.last_seen, status.now), status.now)}"
        )
        words = f"Nothing is recorded on {clean(device.device)}{last}."
        lines.append(line(Span("○ ", "red"), Span(words, "bold")))
    if alone:
        words = f"{quantity(len(alone), 'watcher is', 'watchers are')} silent."
        lines.append(line(Span("○ ", "red"), Span(words, "bold")))
    names = ", ".join(clean(bucket.id) for bucket in silent)
    return [*lines, where, *advice("", f"start the watchers of {names} again", screen.width)[1:]]


def _row(bucket: "BucketState", now: datetime) -> list[Cell]:
    mark = MARKS[bucket.health]
    message = "nothing recorded yet" if bucket.last is None else ago(_local(bucket.last, now), now)
    detail = ""
    if bucket.health == "silent" and bucket.silent_since is not None:
        since = _local(bucket.silent_since, now)
        message = f"silent for {about(now - since)}"
        detail = f"since {when(since, now)}"
    style = "red" if bucket.health == "silent" else "dim"
    return [line(mark, f" {clean(bucket.id)}"), (Span(message, style),), (Span(detail, "dim"),)]


def _active_window(screen: Screen, device: "DeviceNow", now: datetime) -> Line:
    if not device.is_recording:
        message = (
            "nothing recorded yet" if device.last_seen is None else last_recorded(_local(device.last_seen, now), now)
        )
        return (Span(message, "red" if device.health == "silent" else "dim"),)
    if device.away:
        since = "" if device.away_since is None else f" for {about(now - _local(device.away_since, now))}"
        return (Span(f"away{since}", "yellow"),)
    since = "" if device.since is None else f" for {about(now - _local(device.since, now))}"
    return (Span(f"{clean(device.app or 'active')}{since}", "cyan"), Span(_title(screen, device), "dim"))


def _title(screen: Screen, device: "DeviceNow") -> str:
    return f" · {clean(device.title)}" if device.title and screen.width >= 100 else ""


def when(moment: datetime, now: datetime) -> str:
    """A time, with its date unless it is today."""
    return f"{moment:%H:%M}" if moment.date() == now.date() else f"{moment:%Y-%m-%d %H:%M}"


def _silent(status: Status) -> "list[BucketState]":
    return [bucket for bucket in status.buckets.buckets if bucket.health == "silent"]


def _local(timestamp: str, now: datetime) -> datetime:
    """A time of an answer in the zone of `now`."""
    return datetime.fromisoformat(timestamp).astimezone(now.tzinfo)
