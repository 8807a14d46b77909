"""How the watchers behind buckets are: reads what the rule of `bucket_health` looks at, and remembers what stays so."""

from collections.abc import Sequence
from itertools import groupby
from typing import Final, TypeAlias

from msgspec import Struct

from dayline.insight.bucket_health import (
    GIVEN_UP,
    RECENT,
    TIMES,
    Stretch,
    Verdict,
    app_in_front,
    total,
    usual_interval,
)
from dayline.insight.bucket_kinds import UNKNOWN_HOST, is_away, is_by_hand, is_window, is_within
from dayline.insight.recent_events import Recorded, last_of, newest_events
from dayline.model.bucket import Bucket
from dayline.model.timestamps import Microseconds, format_timestamp
from dayline.storage.base import Store

Names: TypeAlias = tuple[str, ...]  # what a caller may see: see BucketNames

_LOOKED_AT: Final = 200  # events of a watcher that tell its usual interval
_OF_OTHERS: Final = 1000  # events of another that tell whether the device is active
_FOR_THE_APP: Final = 10  # events of a watcher that tell which program it watches
_MOST_KNOWN: Final = 1000


class _Habit(Struct, frozen=True, kw_only=True):
    """What is usual for a watcher, as far as its newest event. `is_silent` stays so until there is a newer one."""

    last: Microseconds
    interval: Microseconds | None
    app: str | None
    is_silent: bool = False


class Watchers:
    """The watchers of one store. May be asked on any thread."""

    def __init__(self) -> None:
        # By what the caller may see, too: of what it may not, nothing shows in an answer.
        self._habits: dict[tuple[Names, str], _Habit] = {}

    def verdicts(
        self, store: Store, buckets: Sequence[Bucket], names: Names, *, now: Microseconds
    ) -> dict[str, Verdict]:
        """How each of these buckets is, which are all that the caller may see. Read on a thread."""
        found: dict[str, Verdict] = {}
        ordered = sorted(buckets, key=lambda bucket: bucket.hostname)
        for hostname, group in groupby(ordered, key=lambda bucket: bucket.hostname):
            own = list(group)
            # A browser that does not know where it runs may be in front of any of them.
            device = _Device(store, own, ordered if hostname == UNKNOWN_HOST else own, now)
            found |= {bucket.id: self._verdict(device, bucket, names) for bucket in device.buckets}
        return found

    def _verdict(self, device: "_Device", bucket: Bucket, names: Names) -> Verdict:
        last = device.last(bucket)
        if last is None:
            return Verdict(health="quiet")
        habit = self._habit(device, bucket, last, names)
        age, interval = device.now - last, habit.interval
        if age <= RECENT:
            return Verdict(health="recording", interval=interval)
        if interval is None or age > GIVEN_UP:
            return Verdict(health="quiet", interval=interval)
        if age <= TIMES * interval:
            return Verdict(health="recording" if device.is_awake else "quiet", interval=interval)
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
        if len(self._habits) >= _MOST_KNOWN:
            self._habits.clear()
        self._habits[names, bucket.id] = _Habit(
            last=habit.last, interval=habit.interval, app=habit.app, is_silent=is_silent
        )


class _Device:
    """The buckets of one device at one moment, and those that tell what is in front of it."""

    def __init__(self, store: Store, buckets: Sequence[Bucket], witnesses: Sequence[Bucket], now: Microseconds) -> None:
        self.store = store
        self.buckets = buckets
        self.now = now
        self._last: dict[str, Microseconds | None] = {}
        self._witnesses = witnesses

    @property
    def is_awake(self) -> bool:
        """Whether anything was recorded a moment ago."""
        lasts = map(self.last, self._witnesses)
        return any(last is not None and self.now - last <= RECENT for last in lasts)

    def last(self, bucket: Bucket) -> Microseconds | None:
        """When a bucket had something last; None where it is empty."""
        if bucket.id not in self._last:
            self._last[bucket.id] = last_of(self.store, bucket, until=self.now)
        return self._last[bucket.id]

    def app_of(self, events: Sequence[Recorded]) -> str | None:
        """The program that was in front during events; None where no bucket tells."""
        if not events:
            return None
        since, until = min(event.start for event in events), max(event.end for event in events)
        windows = [
            window
            for bucket in filter(is_window, self._witnesses)
            for window in newest_events(self.store, bucket.id, since=since, until=until, limit=_OF_OTHERS)
        ]
        return app_in_front(events, windows)

    def active_without(self, bucket: Bucket, last: Microseconds, app: str | None) -> Microseconds:
        """How much time the device was active since a bucket had something last; where an app is given, in that."""
        if app is None:
            others = [other for other in self.buckets if other.id != bucket.id and not is_by_hand(other)]
        else:
            others = [other for other in self._witnesses if is_window(other) or is_away(other)]
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
