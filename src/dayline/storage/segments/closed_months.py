"""Months that nothing is recorded in any more, and which of them have been left alone for long enough."""

from typing import Final

from msgspec import Struct

from dayline.model.timestamps import SECOND, Microseconds
from dayline.storage.segments.segment_place import SegmentPlace

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
