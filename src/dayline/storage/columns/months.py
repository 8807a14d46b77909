"""Closed months, what they span, and when their segments are built. The recording process imports this: no numpy."""

from typing import Final

from msgspec import Struct

from dayline.model.time import SECOND, Microseconds, start_of_month

# A part of a month that is smaller than this is read from rows: decoding the whole month takes longer.
LEAST_SHARE: Final = 1 / 8
_FEW_ROWS: Final = 2_500  # of a month, which take a millisecond
_SHORT: Final = 60 * SECOND


class MonthSpan(Struct, frozen=True, kw_only=True):
    """Starts from `low` to `high`. `version` is None where no segment of the month can be valid."""

    month: int
    low: Microseconds
    high: Microseconds
    events: int  # in the whole month
    version: int | None

    @property
    def share(self) -> float:
        """How much of the month it is."""
        first, after = start_of_month(self.month), start_of_month(self.month + 1)
        return (self.high - self.low + 1) / (after - first)

    @property
    def is_short(self) -> bool:
        """Whether its rows are quickly read: they tell what they are themselves."""
        return self.events <= _FEW_ROWS or self.high - self.low <= _SHORT


# When segments are built, and texts indexed.


class SegmentPace(Struct, frozen=True, kw_only=True):
    """When closed months are packed into segments, and which months are worth it."""

    initial_delay_s: float = 20.0  # the start of the server has enough to do
    interval_s: float = 300.0
    after_import_s: float = 5.0
    min_events: int = 500  # of a month: fewer are read as quickly from rows
    min_values: int = 500  # before new values are indexed: a search scans fewer


SEGMENT_PACE: Final = SegmentPace()


# What segments and packs are made of, apart from segments.py, since the recording process names them without numpy.


PackedPack = tuple[int, int, bytes]  # the number of its first value in the bucket, how many it has, and the pack


class SegmentPlace(Struct, frozen=True, array_like=True):
    """A bucket's month, as it was after so many changes."""

    bucket: int
    month: int
    version: int


# Months that nothing is recorded in any more, and which of them have been left alone for long enough.


# The last event of a month goes on for a while after its end, and so does what other devices have still to send.
GRACE: Final[Microseconds] = 3600 * SECOND
MOST_DOUBLINGS: Final = 6  # with a look every five minutes, a month that changes again and again waits five hours


class ClosedMonth(Struct, frozen=True, array_like=True):
    """A bucket's month as the store has it."""

    bucket: int
    bucket_id: str
    month: int
    events: int
    longest: Microseconds
    reach: Microseconds
    is_sealed: bool
    changes: int

    @property
    def place(self) -> SegmentPlace:
        return SegmentPlace(self.bucket, self.month, self.changes)


class QuietMonths:
    """Which months are worth building a segment of now.

    One that was never built is so at once. One that changed after it was built has to be the same at two looks, the
    next time at three, then at five: a device that keeps sending the past costs little.
    """

    def __init__(self) -> None:
        self._seen: dict[tuple[int, int], tuple[ClosedMonth, int]] = {}

    def is_quiet(self, month: ClosedMonth) -> bool:
        """To be asked once at every look, about a month that is not sealed."""
        place = (month.bucket, month.month)
        before, looks = self._seen.get(place, (None, 0))
        looks = looks + 1 if before == month else 0
        self._seen[place] = (month, looks)
        return month.changes == 0 or looks >= 1 << min(month.changes - 1, MOST_DOUBLINGS)
