"""The state of the watchers of all buckets: reads what `now.buckets` needs, and caches habits."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from msgspec import Struct

from dayline.insight.now.buckets import is_always_on, is_away, is_by_hand, is_window, is_within
from dayline.insight.now.recent import (
    GIVEN_UP,
    HABIT_DAYS,
    RECENT,
    STARTED,
    TIMES,
    DeviceVerdict,
    RecordedEvent,
    Stretch,
    Verdict,
    app_in_front,
    last_of,
    longest_break,
    newest_events,
    total,
    usual_interval,
)
from dayline.model.bucket import UNKNOWN_HOST, Bucket, is_demo
from dayline.model.errors import BucketNotFound
from dayline.model.time import DAY, Microseconds, format_timestamp
from dayline.storage.store import Store

Names: TypeAlias = tuple[str, ...]  # the buckets that a caller may see: see BucketNames

_LOOKED_AT: Final = 200  # events that show the usual interval of a watcher
_OF_OTHERS: Final = 1000  # events of another watcher that show whether the device is active
_FOR_THE_APP: Final = 10  # events that show which program a watcher watches
# Habits in memory, some hundred bytes each. With more buckets than this, every list reads the events of all of them.
_MAX_KNOWN: Final = 10_000


class _Habit(Struct, frozen=True, kw_only=True):
    """The habits of a watcher up to its newest event. `is_silent` stays true until there is a newer one."""

    last: Microseconds
    interval: Microseconds | None
    app: str | None
    is_silent: bool = False


class Watchers:
    """The watchers of one store. Thread-safe.

    `hostname` is the computer that runs the server, `awake_since` returns since when it has been awake.
    """

    def __init__(self, *, hostname: str | None = None, awake_since: Callable[[], Microseconds] | None = None) -> None:
        self._hostname = hostname
        self._awake_since = awake_since
        # By caller too: answers must not depend on buckets that the caller may not see.
        self._habits: dict[tuple[Names, str], _Habit] = {}
        self._breaks: dict[tuple[Names, str], tuple[Microseconds, Microseconds | None]] = {}

    def verdicts(
        self, store: Store, buckets: Sequence[Bucket], names: Names, *, now: Microseconds
    ) -> dict[str, Verdict]:
        """The state of each of these buckets, which are all that the caller may see. Call in a thread."""
        return self._bucket_verdicts(_devices(store, buckets, now), names)

    def devices(
        self, store: Store, buckets: Sequence[Bucket], names: Names, *, now: Microseconds
    ) -> dict[str, DeviceVerdict]:
        """Whether each device of these buckets records, by host name. Call in a thread."""
        return self._device_verdicts(_devices(store, buckets, now), names)

    def all_verdicts(
        self, store: Store, buckets: Sequence[Bucket], names: Names, *, now: Microseconds
    ) -> tuple[dict[str, Verdict], dict[str, DeviceVerdict]]:
        """Both, with one read of what they share. Call in a thread."""
        devices = _devices(store, buckets, now)
        return self._bucket_verdicts(devices, names), self._device_verdicts(devices, names)

    def _bucket_verdicts(self, devices: Sequence["_Device"], names: Names) -> dict[str, Verdict]:
        verdicts: dict[str, Verdict] = {}
        for device in devices:
            verdicts |= {bucket.id: self._verdict(device, bucket, names) for bucket in device.buckets}
            if self._has_stopped(device, names):
                verdicts |= {bucket.id: self._stopped_verdict(device, bucket, names) for bucket in device.expected}
        return verdicts

    def _device_verdicts(self, devices: Sequence["_Device"], names: Names) -> dict[str, DeviceVerdict]:
        return {device.hostname: self._device_verdict(device, names) for device in devices}

    def _device_verdict(self, device: "_Device", names: Names) -> DeviceVerdict:
        last = device.last_of_all
        if last is None:
            return DeviceVerdict(health="quiet")
        if device.is_recording(device.buckets):
            return DeviceVerdict(health="recording", last=last)
        return DeviceVerdict(health="silent" if self._has_stopped(device, names) else "quiet", last=last)

    def _has_stopped(self, device: "_Device", names: Names) -> bool:
        """Whether a device that should record has stopped."""
        last = device.last_of_all
        if last is None or not RECENT < device.now - last <= GIVEN_UP or not device.expected:
            return False
        longest = self._longest_break(device, names, last)
        return self._is_awake_without(device, last) or (longest is not None and device.now - last > longest)

    def _is_awake_without(self, device: "_Device", last: Microseconds) -> bool:
        """Whether this is the computer that runs the server, awake long enough for its watchers to have started."""
        if device.hostname != self._hostname or self._awake_since is None:
            return False
        return any(map(is_always_on, device.expected)) and device.now - max(last, self._awake_since()) > STARTED

    def _longest_break(self, device: "_Device", names: Names, last: Microseconds) -> Microseconds | None:
        if device.now - last <= 2 * DAY:
            return None  # too early for a habit, so it is not read
        known = self._breaks.get((names, device.hostname))
        if known is not None and known[0] == last:
            return known[1]
        if len(self._breaks) >= _MAX_KNOWN:
            self._breaks.clear()
        longest = longest_break(device.days_until(last))
        self._breaks[names, device.hostname] = last, longest
        return longest

    def _stopped_verdict(self, device: "_Device", bucket: Bucket, names: Names) -> Verdict:
        """The state of a bucket of a device that has stopped: silent like its device, unless it was given up before."""
        last = device.last(bucket)
        if last is None or device.now - last > GIVEN_UP:
            return self._verdict(device, bucket, names)
        interval = self._habit(device, bucket, last, names).interval
        return Verdict(health="silent", interval=interval, silent_since=format_timestamp(last))

    def _verdict(self, device: "_Device", bucket: Bucket, names: Names) -> Verdict:
        last = device.last(bucket)
        if last is None:
            return Verdict(health="quiet")
        habit = self._habit(device, bucket, last, names)
        age, interval = device.now - last, habit.interval
        if is_demo(bucket.data):
            return Verdict(health="quiet", interval=interval)
        if age <= RECENT:
            return Verdict(health="recording", interval=interval)
        if interval is None or age > GIVEN_UP:
            return Verdict(health="quiet", interval=interval)
        if age <= TIMES * interval:
            is_awake = device.is_recording(device.witnesses)
            return Verdict(health="recording" if is_awake else "quiet", interval=interval)
        if habit.is_silent or device.active_without(bucket, last, habit.app) > TIMES * interval:
            self._remember(names, bucket, habit, is_silent=True)
            return Verdict(health="silent", interval=interval, silent_since=format_timestamp(last))
        return Verdict(health="quiet", interval=interval)

    def _habit(self, device: "_Device", bucket: Bucket, last: Microseconds, names: Names) -> _Habit:
        known = self._habits.get((names, bucket.id))
        if known is not None and (known.last == last or device.now - last <= RECENT):
            return known
        events = newest_events(device.store, bucket.id, until=device.now, limit=_LOOKED_AT)
        habit = _Habit(
            last=last,
            interval=usual_interval(events, bucket),
            app=device.app_of(events[:_FOR_THE_APP]) if is_within(bucket) else None,
        )
        self._remember(names, bucket, habit, is_silent=False)
        return habit

    def _remember(self, names: Names, bucket: Bucket, habit: _Habit, *, is_silent: bool) -> None:
        if len(self._habits) >= _MAX_KNOWN:
            self._habits.clear()
        self._habits[names, bucket.id] = _Habit(
            last=habit.last, interval=habit.interval, app=habit.app, is_silent=is_silent
        )


def _devices(store: Store, buckets: Sequence[Bucket], now: Microseconds) -> list["_Device"]:
    by_host: defaultdict[str, list[Bucket]] = defaultdict(list)
    for bucket in buckets:
        by_host[bucket.hostname].append(bucket)
    # A browser that does not know its host may run on any of them.
    return [
        _Device(store, hostname, own, buckets if hostname == UNKNOWN_HOST else own, now)
        for hostname, own in by_host.items()
    ]


class _Device:
    """The buckets of one device at one time, and those that record its active window."""

    def __init__(
        self,
        store: Store,
        hostname: str,
        buckets: Sequence[Bucket],
        witnesses: Sequence[Bucket],
        now: Microseconds,
    ) -> None:
        self.store = store
        self.hostname = hostname
        self.buckets = buckets
        self.now = now
        self._last: dict[str, Microseconds | None] = {}
        self.witnesses = witnesses

    @property
    def expected(self) -> list[Bucket]:
        """The buckets that have events while the device is in use. Demo buckets are not expected to record."""
        if self.hostname in ("", UNKNOWN_HOST):
            return []
        watched = [bucket for bucket in self.buckets if not is_by_hand(bucket) and not is_demo(bucket.data)]
        return [bucket for bucket in watched if not is_within(bucket)] or watched

    @property
    def last_of_all(self) -> Microseconds | None:
        """When one of its watchers last recorded something; None if never."""
        lasts = [self.last(bucket) for bucket in self.buckets if not is_by_hand(bucket)]
        return max((last for last in lasts if last is not None), default=None)

    def days_until(self, last: Microseconds) -> list[int]:
        """The number of events that started on each day up to `last`."""
        edges = [last + 1 - days * DAY for days in range(HABIT_DAYS, -1, -1)]
        days = [0] * HABIT_DAYS
        for bucket in self.expected:
            try:
                counts = self.store.counts(bucket.id, edges)
            except BucketNotFound:  # deleted concurrently
                continue
            days = [some + more for some, more in zip(days, counts, strict=True)]
        return days

    def is_recording(self, buckets: Sequence[Bucket]) -> bool:
        """Whether a watcher has just recorded something into one of these buckets. Demo buckets do not count."""
        lasts = [self.last(bucket) for bucket in buckets if not is_by_hand(bucket) and not is_demo(bucket.data)]
        return any(last is not None and self.now - last <= RECENT for last in lasts)

    def last(self, bucket: Bucket) -> Microseconds | None:
        """When a bucket last recorded something; None if it is empty."""
        if bucket.id not in self._last:
            self._last[bucket.id] = last_of(self.store, bucket, until=self.now)
        return self._last[bucket.id]

    def app_of(self, events: Sequence[RecordedEvent]) -> str | None:
        """The program that was active during events; None if no bucket records it."""
        if not events:
            return None
        since, until = min(event.start for event in events), max(event.end for event in events)
        windows = [
            window
            for bucket in filter(is_window, self.witnesses)
            for window in newest_events(self.store, bucket.id, since=since, until=until, limit=_OF_OTHERS)
        ]
        return app_in_front(events, windows)

    def active_without(self, bucket: Bucket, last: Microseconds, app: str | None) -> Microseconds:
        """How long the device was active since the bucket last recorded something; with `app`, in that app."""
        if app is None:
            others = [other for other in self.buckets if other.id != bucket.id and not is_by_hand(other)]
        else:
            others = [other for other in self.witnesses if is_window(other) or is_away(other)]
        active: list[Stretch] = []
        away: list[Stretch] = []
        for other in others:
            for event in newest_events(self.store, other.id, since=last, until=self.now, limit=_OF_OTHERS):
                if not is_away(other):
                    if app is None or event.text("app") == app:
                        active.append((event.start, event.end))
                elif event.text("status") == "afk":
                    away.append((event.start, event.end))
                elif app is None:
                    active.append((event.start, event.end))
        return total([*active, *away]) - total(away)
