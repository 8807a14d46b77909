"""The screen of `dayline status`: whether everything records that should, and since when not."""

from datetime import datetime
from itertools import groupby

from msgspec import Struct

from dayline.cli.screens.ages import about, ago, last_recorded
from dayline.cli.screens.amounts import counted
from dayline.cli.screens.bucket_answers import BucketShown, BucketsShown, DeviceShown, NowShown
from dayline.cli.screens.buckets import MARKS, device_line
from dayline.cli.screens.layout import Cell, Column, table
from dayline.cli.screens.screen import Screen
from dayline.cli.screens.text import Line, Span, advice, clean, flowed, line


class Status(Struct, frozen=True, kw_only=True):
    """What the screen shows. `server` is where one runs; None: nowhere, so that nothing is recorded.

    `problems` are the messages of what needs attention, as `dayline health` shows them.
    """

    buckets: BucketsShown
    now: NowShown
    server: str | None
    database: str
    problems: tuple[str, ...] = ()


def is_well(status: Status) -> bool:
    """Whether all that should record does."""
    return status.server is not None and not _silent(status)


def status_screen(screen: Screen, status: Status) -> list[Line]:
    """The whole screen; times in the zone of `status.now.now`."""
    lines = _heading(screen, status)
    for problem in status.problems:
        first, *rest = flowed(clean(problem).split(" "), screen.width - 2, indent="")
        lines += [line(Span("! ", "yellow"), first), *(line("  ", each) for each in rest)]
    if not status.buckets.buckets:
        hint = "start a watcher, or look around with invented data: dayline demo"
        return [*lines, (), *advice("No watcher has sent anything yet.", hint, screen.width)]
    devices = {device.device: device for device in status.now.devices}
    here = status.buckets.this_device
    ordered = sorted(status.buckets.buckets, key=lambda bucket: (bucket.device != here, bucket.device))
    columns = [Column(room="cut", least=16), Column(), Column(room="cut", least=10)]
    rows = table(screen, columns, [_row(bucket, status.now.now) for bucket in ordered])
    place = 0
    for device, group in groupby(ordered, key=lambda bucket: bucket.device):
        count = len(list(group))
        shown = devices.get(device)
        front = [] if shown is None else [Span("  "), *_in_front(screen, shown, status.now.now)]
        lines += [(), line(device_line(device, here), *front), *rows[place : place + count]]
        place += count
    return lines


def _heading(screen: Screen, status: Status) -> list[Line]:
    silent, now = _silent(status), status.now.now
    recording = sum(bucket.health == "recording" for bucket in status.buckets.buckets)
    at = f"  {status.server or 'no server'} · {status.database}"
    where: Line = (Span(at, "dim"),)
    if status.server is None:
        told = line(Span("○ ", "red"), Span("Nothing is recorded: no server runs.", "bold"))
        return [told, where, (Span("  → start one with: dayline serve", "dim"),)]
    if silent:
        return _stopped(screen, status, silent, where)
    if recording:
        words = f"{counted(recording, 'watcher records', 'watchers record')}."
        return [line(Span("● ", "green"), Span(words, "bold")), where]
    lasts = [bucket.last for bucket in status.buckets.buckets if bucket.last is not None]
    since = f": {last_recorded(max(lasts), now)}" if lasts else ""
    return [line(Span("· ", "yellow"), Span(f"Nothing is being recorded{since}.", "bold")), where]


def _stopped(screen: Screen, status: Status, silent: list[BucketShown], where: Line) -> list[Line]:
    """Which devices and which watchers have stopped, and what to start again."""
    stopped = [device for device in status.now.devices if device.health == "silent"]
    alone = [bucket for bucket in silent if bucket.device not in {device.device for device in stopped}]
    lines: list[Line] = []
    for device in stopped:
        last = "" if device.last_seen is None else f": {last_recorded(device.last_seen, status.now.now)}"
        words = f"Nothing is recorded on {clean(device.device)}{last}."
        lines.append(line(Span("○ ", "red"), Span(words, "bold")))
    if alone:
        words = f"{counted(len(alone), 'watcher is', 'watchers are')} silent."
        lines.append(line(Span("○ ", "red"), Span(words, "bold")))
    names = ", ".join(clean(bucket.id) for bucket in silent)
    return [*lines, where, *advice("", f"start again what sends to {names}", screen.width)[1:]]


def _row(bucket: BucketShown, now: datetime) -> list[Cell]:
    mark = MARKS[bucket.health]
    told = "nothing recorded yet" if bucket.last is None else ago(bucket.last, now)
    detail = ""
    if bucket.health == "silent" and bucket.silent_since is not None:
        told = f"silent for {about(now - bucket.silent_since)}"
        detail = f"since {_when(bucket.silent_since.astimezone(now.tzinfo), now)}"
    style = "red" if bucket.health == "silent" else "dim"
    return [line(mark, f" {clean(bucket.id)}"), (Span(told, style),), (Span(detail, "dim"),)]


def _in_front(screen: Screen, device: DeviceShown, now: datetime) -> Line:
    if not device.is_recording:
        told = "nothing recorded yet" if device.last_seen is None else last_recorded(device.last_seen, now)
        return (Span(told, "red" if device.health == "silent" else "dim"),)
    if device.away:
        since = "" if device.away_since is None else f" for {about(now - device.away_since)}"
        return (Span(f"away{since}", "yellow"),)
    since = "" if device.since is None else f" for {about(now - device.since)}"
    return (Span(f"{clean(device.app or 'active')}{since}", "cyan"), Span(_title(screen, device), "dim"))


def _title(screen: Screen, device: DeviceShown) -> str:
    return f" · {clean(device.title)}" if device.title and screen.width >= 100 else ""


def _when(moment: datetime, now: datetime) -> str:
    return f"{moment:%H:%M}" if moment.date() == now.date() else f"{moment:%Y-%m-%d %H:%M}"


def _silent(status: Status) -> list[BucketShown]:
    return [bucket for bucket in status.buckets.buckets if bucket.health == "silent"]
