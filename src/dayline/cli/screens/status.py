"""The screen of `dayline status`: which watchers are recording, and which are silent since when."""

from datetime import datetime
from itertools import groupby
from typing import TYPE_CHECKING

from msgspec import Struct

from dayline.cli.screens.amounts import about, ago, in_zone_of, last_recorded
from dayline.cli.screens.buckets import MARKS, device_line
from dayline.cli.screens.layout import Cell, Column, table
from dayline.cli.screens.screen import Screen
from dayline.cli.screens.text import Line, Span, advice, clean, flowed, line
from dayline.model.health import Problem
from dayline.runtime.text import quantity

if TYPE_CHECKING:
    from dayline.insight.now.model import BucketState, BucketStates, DeviceNow


class Status(Struct, frozen=True, kw_only=True):
    """The content of the screen. `server` is the address of the server; None if none runs.

    `problems` are those other than silent watchers, which the screen shows itself.
    """

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
            lines += advice("", clean(problem.hint), screen.width)[1:]
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
        words = f"{quantity(recording, 'watcher is recording', 'watchers are recording')}."
        return [line(Span("● ", "green"), Span(words, "bold")), where]
    lasts = [in_zone_of(bucket.last, now) for bucket in status.buckets.buckets if bucket.last is not None]
    since = f": {last_recorded(max(lasts), now)}" if lasts else ""
    return [line(Span("· ", "yellow"), Span(f"Nothing is being recorded{since}.", "bold")), where]


def _stopped(screen: Screen, status: Status, silent: "list[BucketState]", where: Line) -> list[Line]:
    """The devices and watchers that have stopped."""
    stopped = [device for device in status.devices if device.health == "silent"]
    alone = [bucket for bucket in silent if bucket.device not in {device.device for device in stopped}]
    lines: list[Line] = []
    for device in stopped:
        last = (
            ""
            if device.last_seen is None
            else f": {last_recorded(in_zone_of(device.last_seen, status.now), status.now)}"
        )
        words = f"Nothing is recorded on {clean(device.device)}{last}."
        lines.append(line(Span("○ ", "red"), Span(words, "bold")))
    if alone:
        words = f"{quantity(len(alone), 'watcher is', 'watchers are')} silent."
        lines.append(line(Span("○ ", "red"), Span(words, "bold")))
    names = ", ".join(clean(bucket.id) for bucket in silent)
    return [*lines, where, *advice("", f"restart {names}", screen.width)[1:]]


def _row(bucket: "BucketState", now: datetime) -> list[Cell]:
    mark = MARKS[bucket.health]
    message = "nothing recorded yet" if bucket.last is None else ago(in_zone_of(bucket.last, now), now)
    detail = ""
    if bucket.health == "silent" and bucket.silent_since is not None:
        since = in_zone_of(bucket.silent_since, now)
        message = f"silent for {about(now - since)}"
        detail = f"since {when(since, now)}"
    style = "red" if bucket.health == "silent" else "dim"
    return [line(mark, f" {clean(bucket.id)}"), (Span(message, style),), (Span(detail, "dim"),)]


def _active_window(screen: Screen, device: "DeviceNow", now: datetime) -> Line:
    if not device.is_recording:
        message = (
            "nothing recorded yet"
            if device.last_seen is None
            else last_recorded(in_zone_of(device.last_seen, now), now)
        )
        return (Span(message, "red" if device.health == "silent" else "dim"),)
    if device.away:
        since = "" if device.away_since is None else f" for {about(now - in_zone_of(device.away_since, now))}"
        return (Span(f"away{since}", "yellow"),)
    since = "" if device.since is None else f" for {about(now - in_zone_of(device.since, now))}"
    return (Span(f"{clean(device.app or 'active')}{since}", "cyan"), Span(_title(screen, device), "dim"))


def _title(screen: Screen, device: "DeviceNow") -> str:
    return f" · {clean(device.title)}" if device.title and screen.width >= 100 else ""


def when(moment: datetime, now: datetime) -> str:
    """A time, with its date unless it is today."""
    return f"{moment:%H:%M}" if moment.date() == now.date() else f"{moment:%Y-%m-%d %H:%M}"


def _silent(status: Status) -> "list[BucketState]":
    return [bucket for bucket in status.buckets.buckets if bucket.health == "silent"]
