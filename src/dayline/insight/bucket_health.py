"""Whether a watcher does what it usually does. The rule is in docs/buckets.md. No numpy.

window   ├──────────────────────────────────┤     the device is active
away     ├─────────────────────────────────┤
tabs     ├──────────┤                             nothing more, though its browser is in front: silent

Whether a device as a whole should record is decided by what is usual for it, and for the computer that the server
runs on by the server itself: it is awake.
"""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from math import ceil
from typing import Final, Literal, TypeAlias

from msgspec import Struct

from dayline.insight.bucket_kinds import is_always_on, is_by_hand, is_within
from dayline.insight.recent_events import Recorded
from dayline.model.bucket import Bucket
from dayline.model.timestamps import DAY, SECOND, Microseconds, Timestamp

Health: TypeAlias = Literal["recording", "silent", "quiet"]
Stretch: TypeAlias = tuple[Microseconds, Microseconds]

TIMES: Final = 3  # a watcher is late after so many of its usual intervals
# Clients send what has not changed every ten seconds, however often they look: nothing can be told within less.
SHORTEST_INTERVAL: Final[Microseconds] = 10 * SECOND
RECENT: Final[Microseconds] = TIMES * SHORTEST_INTERVAL
# A watcher of what happens within a program: its program may be in front with nothing to tell, such as a private tab.
LONGEST_INTERVAL_WITHIN: Final[Microseconds] = 600 * SECOND
# Silent for longer, it has been given up, and is not to be complained about for ever.
GIVEN_UP: Final[Microseconds] = 30 * DAY
# A computer that is awake for so long has started its watchers.
STARTED: Final[Microseconds] = 600 * SECOND
HABIT_DAYS: Final = 28  # before its last event, that show how often a device is used
_FEWEST_DAYS: Final = 5  # of them with something recorded, for a habit
_FEWEST_GAPS: Final = 10
_USUAL: Final = 0.95  # of all gaps; the others are nights and holidays


class Verdict(Struct, frozen=True, kw_only=True):
    """How a watcher is. `interval` is the longest time that it is usually quiet for; None where nobody can tell."""

    health: Health
    interval: Microseconds | None = None
    silent_since: Timestamp | None = None


def usual_interval(events: Sequence[Recorded], bucket: Bucket) -> Microseconds | None:
    """How long a watcher is usually quiet between two events, from its newest ones; None where there are too few."""
    if is_by_hand(bucket):
        return None
    ascending = sorted(events, key=lambda event: event.start)
    gaps = [max(0, following.start - event.end) for event, following in pairwise(ascending)]
    if len(gaps) < _FEWEST_GAPS:
        return SHORTEST_INTERVAL if is_always_on(bucket) else None
    usual = max(sorted(gaps)[ceil(_USUAL * len(gaps)) - 1], SHORTEST_INTERVAL)
    return min(usual, LONGEST_INTERVAL_WITHIN) if is_within(bucket) else usual


class DeviceVerdict(Struct, frozen=True, kw_only=True):
    """Whether a device records. `last` is when any of its watchers recorded something, None if they never did."""

    health: Health
    last: Microseconds | None = None


def longest_break(days: Sequence[int]) -> Microseconds | None:
    """How long a device may record nothing before that is unusual; None if it is used too rarely to know.

    `days` has the number of events on each of the HABIT_DAYS up to its last event. The answer is twice the longest
    break among them, so that a device that is used from Monday to Friday may be off for six days.
    """
    used = [place for place, count in enumerate(days) if count]
    if len(used) < _FEWEST_DAYS:
        return None
    return 2 * max(after - before for before, after in pairwise(used)) * DAY


def app_in_front(events: Sequence[Recorded], windows: Sequence[Recorded]) -> str | None:
    """The program that most of these events happened in, by the windows of that time."""
    time: dict[str, Microseconds] = {}
    for event in events:
        for window in windows:
            app = window.text("app")
            if app is not None and (shared := min(event.end, window.end) - max(event.start, window.start)) > 0:
                time[app] = time.get(app, 0) + shared
    return max(time, key=time.__getitem__, default=None)


def total(stretches: Iterable[Stretch]) -> Microseconds:
    """How much time stretches cover together."""
    covered = reached = 0
    for start, end in sorted(stretches):
        covered += max(0, end - max(start, reached))
        reached = max(reached, end)
    return covered
