"""The newest events of a bucket, which the recording process reads itself, and whether it records as usual."""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from math import ceil
from typing import Any, Final, TypeAlias

import msgspec
from msgspec import Struct

from dayline.insight.now.buckets import is_always_on, is_by_hand, is_within
from dayline.insight.now.model import Health
from dayline.model.bucket import Bucket
from dayline.model.errors import BucketNotFound
from dayline.model.event import EventView, duration_of
from dayline.model.time import DAY, SECOND, Microseconds, Timestamp, parse_timestamp
from dayline.storage.store import Store

_events = msgspec.json.Decoder(list[EventView])

Stretch: TypeAlias = tuple[Microseconds, Microseconds]

TIMES: Final = 3  # a watcher is late after this many of its usual intervals
# Clients send an unchanged state every ten seconds, however often they poll: shorter gaps are normal.
MIN_INTERVAL: Final[Microseconds] = 10 * SECOND
RECENT: Final[Microseconds] = TIMES * MIN_INTERVAL
# A watcher inside a program: the program may be active with nothing to record, such as a private tab.
MAX_INTERVAL_WITHIN: Final[Microseconds] = 600 * SECOND
# A watcher that is silent for longer was given up, and is no longer reported.
GIVEN_UP: Final[Microseconds] = 30 * DAY
# After this time awake, a computer has started its watchers.
STARTED: Final[Microseconds] = 600 * SECOND
HABIT_DAYS: Final = 28  # days before the last event that show how often a device is used
_FEWEST_DAYS: Final = 5  # days with events that make a habit
_FEWEST_GAPS: Final = 10
_USUAL: Final = 0.95  # share of all gaps; the others are nights and holidays


class RecordedEvent(Struct, frozen=True, kw_only=True):
    """An event. `end` is never before `start`."""

    start: Microseconds
    end: Microseconds
    data: dict[str, Any]

    def text(self, field: str) -> str | None:
        """A field of its data if it is a string."""
        value = self.data.get(field)
        return value if isinstance(value, str) else None


def newest_events(
    store: Store, bucket_id: str, *, until: Microseconds, since: Microseconds | None = None, limit: int
) -> list[RecordedEvent]:
    """The newest events that start before a given time, newest first, clipped to the range. Call in a thread.

    Events in the future are left out: after a wrong clock, one of them would be the newest event for years.
    """
    try:
        pages = store.events(bucket_id, start=since, end=until, limit=limit)
        views = [view for page in pages for view in _events.decode(b"[%b]" % page)]
    except BucketNotFound:  # deleted concurrently
        return []
    return [_recorded_event(view) for view in views]


def last_of(store: Store, bucket: Bucket, *, until: Microseconds) -> Microseconds | None:
    """The end of a bucket's last event, up to a given time; None if there is none. Call in a thread."""
    if bucket.end is None or bucket.end <= until:
        return bucket.end
    # There are events in the future: only those that have started count.
    events = newest_events(store, bucket.id, until=until, limit=1)
    return events[0].end if events else None


def _recorded_event(view: EventView) -> RecordedEvent:
    start = parse_timestamp(view.timestamp)
    return RecordedEvent(start=start, end=start + max(0, duration_of(view.duration)), data=view.data)


class Verdict(Struct, frozen=True, kw_only=True):
    """The state of a watcher. `interval` is its usual longest silence; None if it is unknown."""

    health: Health
    interval: Microseconds | None = None
    silent_since: Timestamp | None = None


def usual_interval(events: Sequence[RecordedEvent], bucket: Bucket) -> Microseconds | None:
    """The usual longest gap between two events of a watcher, from its newest ones; None if there are too few."""
    if is_by_hand(bucket):
        return None
    ascending = sorted(events, key=lambda event: event.start)
    gaps = [max(0, following.start - event.end) for event, following in pairwise(ascending)]
    if len(gaps) < _FEWEST_GAPS:
        return MIN_INTERVAL if is_always_on(bucket) else None
    usual = max(sorted(gaps)[ceil(_USUAL * len(gaps)) - 1], MIN_INTERVAL)
    return min(usual, MAX_INTERVAL_WITHIN) if is_within(bucket) else usual


class DeviceVerdict(Struct, frozen=True, kw_only=True):
    """Whether a device records. `last` is when one of its watchers last recorded something, None if never."""

    health: Health
    last: Microseconds | None = None


def longest_break(days: Sequence[int]) -> Microseconds | None:
    """How long a device may record nothing before that is unusual; None if it is used too rarely to know.

    `days` has the number of events on each of the HABIT_DAYS up to its last event. The result is twice the longest
    break among them: a device used from Monday to Friday may be off for six days.
    """
    used = [number for number, count in enumerate(days) if count]
    if len(used) < _FEWEST_DAYS:
        return None
    return 2 * max(after - before for before, after in pairwise(used)) * DAY


def app_in_front(events: Sequence[RecordedEvent], windows: Sequence[RecordedEvent]) -> str | None:
    """The app that was active during most of these events."""
    time: dict[str, Microseconds] = {}
    for event in events:
        for window in windows:
            app = window.text("app")
            if app is not None and (shared := min(event.end, window.end) - max(event.start, window.start)) > 0:
                time[app] = time.get(app, 0) + shared
    return max(time, key=time.__getitem__, default=None)


def total(stretches: Iterable[Stretch]) -> Microseconds:
    """The total time of the stretches, counting overlaps once."""
    covered = reached = 0
    for start, end in sorted(stretches):
        covered += max(0, end - max(start, reached))
        reached = max(reached, end)
    return covered
