"""What segments are built, and when. The recording process imports this: no numpy."""

from collections.abc import Callable
from typing import Final, TypeAlias

from msgspec import Struct

from dayline.model.time import SECOND, Microseconds

OnMonthImported: TypeAlias = Callable[[str, int, int], None]  # id of the bucket, month, and number of events
PackedPack = tuple[int, int, bytes]  # the number of its first value in the bucket, the number of values, and the pack

# The last event of a month may extend beyond its end, and other devices may send late events.
GRACE: Final[Microseconds] = 3600 * SECOND
MAX_DOUBLINGS: Final = 6  # with a pass every five minutes, a month that keeps changing waits five hours


class SegmentPace(Struct, frozen=True, kw_only=True):
    """When closed months are packed into segments, and which months are worth it."""

    initial_delay_s: float = 20.0  # a start of the server has enough to do
    interval_s: float = 300.0
    after_import_s: float = 5.0
    imported_events: int = 20_000  # by a running import, before their months are packed
    min_events: int = 500  # per month; fewer are read from rows just as quickly
    min_values: int = 500  # before new values are indexed; a search scans fewer


SEGMENT_PACE: Final = SegmentPace()


class SegmentKey(Struct, frozen=True, array_like=True):
    """A bucket's month after this many changes."""

    bucket: int
    month: int
    version: int


class BuildReport(Struct, frozen=True, kw_only=True):
    """What a builder built, without the months that changed in between."""

    built: list[SegmentKey] = []
    unpackable: list[int] = []  # buckets whose data does not fit into columns
    is_new: bool = False  # the derived file was created again: its former contents are gone


class ClosedMonth(Struct, frozen=True, array_like=True):
    """A bucket's month as stored."""

    bucket: int
    bucket_id: str
    month: int
    events: int
    longest: Microseconds
    reach: Microseconds
    is_sealed: bool
    changes: int

    @property
    def place(self) -> SegmentKey:
        return SegmentKey(self.bucket, self.month, self.changes)


class QuietMonths:
    """Decides which months are worth building a segment for now.

    A month that was never built is, at once. One that changed after it was built has to be unchanged for two passes,
    the next time for three, then five: a device that keeps sending old events costs little.
    """

    def __init__(self) -> None:
        self._seen: dict[tuple[int, int], tuple[ClosedMonth, int]] = {}

    def is_quiet(self, month: ClosedMonth) -> bool:
        """Call it once per pass for a month that is not sealed."""
        month_key = (month.bucket, month.month)
        before, looks = self._seen.get(month_key, (None, 0))
        looks = looks + 1 if before == month else 0
        self._seen[month_key] = (month, looks)
        return month.changes == 0 or looks >= 1 << min(month.changes - 1, MAX_DOUBLINGS)
