"""The devices that have recorded, by the host names of buckets, and which of them were probably renamed.

old name   window ├──────────────┤
           afk    ├─────────────┤
new name   window                  ├─────────
           afk                     ├────────
                                 ↑ soon after, by the same watchers, and never both at once
"""

from collections.abc import Iterable
from itertools import groupby
from typing import Final

from msgspec import Struct

from dayline.model.annotation import ANNOTATIONS_TYPE
from dayline.model.bucket import Bucket
from dayline.model.time import DAY, SECOND, Microseconds
from dayline.runtime.text import quantity

HOUR: Final[Microseconds] = 3600 * SECOND
SOON: Final[Microseconds] = 14 * DAY  # there may be a holiday between the last event and the first under the new name
# Placeholders of watchers that do not know their host; buckets of several computers may have them.
NAMELESS: Final = frozenset(("", "unknown", "localhost"))


class RecordingDevice(Struct, frozen=True, kw_only=True):
    """All buckets of one host name. `start` and `end` are the range of their events, None if there are none."""

    hostname: str
    buckets: tuple[Bucket, ...]
    start: Microseconds | None
    end: Microseconds | None

    @property
    def watchers(self) -> frozenset[tuple[str, str]]:
        """The client and type of each bucket with events."""
        return frozenset((bucket.client, bucket.type) for bucket in self.buckets if bucket.start is not None)


class Renaming(Struct, frozen=True, kw_only=True):
    """Two host names that are probably one computer. `reason` explains why."""

    old: str
    new: str
    gap: Microseconds
    reason: str


def devices_of(buckets: Iterable[Bucket]) -> list[RecordingDevice]:
    """The devices of the buckets, the most recently active first."""
    recording = [bucket for bucket in buckets if bucket.type != ANNOTATIONS_TYPE]  # annotations belong to no device
    by_host = sorted(recording, key=lambda bucket: bucket.hostname)
    devices = [
        _device(hostname, tuple(group)) for hostname, group in groupby(by_host, key=lambda bucket: bucket.hostname)
    ]
    return sorted(devices, key=lambda device: device.end or 0, reverse=True)


def renamed_hosts(buckets: Iterable[Bucket], *, soon: Microseconds = SOON) -> list[Renaming]:
    """Host names that probably are one renamed computer, the latest first; at most one old name per new name.

    It is a guess: a computer that replaced an older one looks the same.
    """
    devices = [device for device in devices_of(buckets) if device.hostname not in NAMELESS and device.start is not None]
    renamings: list[Renaming] = []
    for new in devices:
        before = [renaming for old in devices if (renaming := _renaming(old, new, soon)) is not None]
        if before:
            renamings.append(min(before, key=lambda renaming: renaming.gap))
    return renamings


def _device(hostname: str, buckets: tuple[Bucket, ...]) -> RecordingDevice:
    return RecordingDevice(
        hostname=hostname,
        buckets=buckets,
        start=min((bucket.start for bucket in buckets if bucket.start is not None), default=None),
        end=max((bucket.end for bucket in buckets if bucket.end is not None), default=None),
    )


def _renaming(old: RecordingDevice, new: RecordingDevice, soon: Microseconds) -> Renaming | None:
    if old.end is None or new.start is None:
        return None
    if old.start == new.start:
        return None  # one device, or two that began at the same time: nothing was renamed
    gap = new.start - old.end
    # The watchers of one are a subset of the other's: one may have been installed or removed.
    is_same_set = old.watchers <= new.watchers or new.watchers <= old.watchers
    if not (0 <= gap <= soon and is_same_set):
        return None
    clients = sorted({client for client, _ in old.watchers & new.watchers})
    return Renaming(
        old=old.hostname,
        new=new.hostname,
        gap=gap,
        reason=f"{_listed(clients)} stopped on {old.hostname!r} and continued on {new.hostname!r} {_after(gap)}",
    )


def _listed(names: list[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def _after(gap: Microseconds) -> str:
    for unit, name in ((DAY, "day"), (HOUR, "hour"), (60 * SECOND, "minute")):
        if gap >= unit:
            return f"{quantity(gap // unit, name)} later"
    return "at once"
