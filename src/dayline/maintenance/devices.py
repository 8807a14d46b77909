"""The devices that have recorded, by the host names of buckets, and which of them were probably renamed.

old name   window ├──────────────┤
           afk    ├─────────────┤
new name   window                  ├─────────
           afk                     ├────────
                                 ↑ soon after, by the same watchers, and never both at once
"""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Final, TypeAlias

from msgspec import Struct

from dayline.model.bucket import Bucket
from dayline.model.edits.annotation import ANNOTATIONS_TYPE
from dayline.model.time import DAY, SECOND, Microseconds
from dayline.model.upkeep.mirror import is_mirror
from dayline.runtime.text import quantity

HOUR: Final[Microseconds] = 3600 * SECOND
SOON: Final[Microseconds] = 14 * DAY  # there may be a holiday between the last event and the first under the new name
# Placeholders of watchers that do not know their host; buckets of several computers may have them.
NAMELESS: Final = frozenset(("", "unknown", "localhost"))

_Watcher: TypeAlias = tuple[str, str]  # the client and type of a bucket


class RecordingDevice(Struct, frozen=True, kw_only=True):
    """All buckets of one host name. `start` and `end` are the range of their events, None if there are none."""

    hostname: str
    buckets: tuple[Bucket, ...]
    start: Microseconds | None
    end: Microseconds | None

    @property
    def watchers(self) -> frozenset[_Watcher]:
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
    own = (bucket for bucket in buckets if not is_mirror(bucket))  # a mirror is renamed on its device
    with_events = (device for device in devices_of(own) if device.start is not None and device.end is not None)
    devices = [device for device in with_events if device.hostname not in NAMELESS]
    earlier = _EarlierDevices(devices)
    pairs = ((earlier.latest_before(new, soon=soon), new) for new in devices)
    return [_renaming(old, new) for old, new in pairs if old is not None]


def _device(hostname: str, buckets: tuple[Bucket, ...]) -> RecordingDevice:
    return RecordingDevice(
        hostname=hostname,
        buckets=buckets,
        start=min((bucket.start for bucket in buckets if bucket.start is not None), default=None),
        end=max((bucket.end for bucket in buckets if bucket.end is not None), default=None),
    )


class _EarlierDevices:
    """Finds the device that a new name may have replaced.

    Devices are grouped by their watchers, of which there are few combinations, and sorted by end: with a thousand
    devices, comparing each with every other would take half a minute.
    """

    def __init__(self, latest_first: Sequence[RecordingDevice]) -> None:
        self._places = {device.hostname: number for number, device in enumerate(latest_first)}
        self._by_watchers: defaultdict[frozenset[_Watcher], list[RecordingDevice]] = defaultdict(list)
        for device in reversed(latest_first):
            self._by_watchers[device.watchers].append(device)

    def latest_before(self, new: RecordingDevice, *, soon: Microseconds) -> RecordingDevice | None:
        """The last device that ended at most `soon` before the new one began, with watchers of the same set."""
        # One may have been installed or removed: the watchers of one device are a subset of the other's.
        own = new.watchers
        groups = (group for watchers, group in self._by_watchers.items() if watchers <= own or own <= watchers)
        candidates = [old for group in groups if (old := _last_before(group, new, soon)) is not None]
        return min(candidates, key=lambda old: self._places[old.hostname], default=None)


def _last_before(
    ascending: Sequence[RecordingDevice], new: RecordingDevice, soon: Microseconds
) -> RecordingDevice | None:
    start = _start(new)
    first, after = bisect_left(ascending, start - soon, key=_end), bisect_right(ascending, start, key=_end)
    # If both began at the same time, nothing was renamed. It may also be the device itself.
    candidates = (ascending[number] for number in range(after - 1, first - 1, -1))
    return next((old for old in candidates if old.start != start), None)


def _start(device: RecordingDevice) -> Microseconds:
    assert device.start is not None  # devices without events are no candidates
    return device.start


def _end(device: RecordingDevice) -> Microseconds:
    assert device.end is not None  # as above
    return device.end


def _renaming(old: RecordingDevice, new: RecordingDevice) -> Renaming:
    gap = _start(new) - _end(old)
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
