"""Segments: the events of one bucket and month as packed columns."""

import numpy as np
from msgspec import Struct

from dayline.model.timestamps import Microseconds
from dayline.storage.columns.columns import Codes, Ids, Times
from dayline.storage.segments.packing import (
    Damaged,
    Integers,
    narrowed,
    pack_frame,
    pack_integers,
    unpack_codes,
    unpack_frame,
    unpack_integers,
)
from dayline.storage.segments.segment_place import SegmentPlace


class MonthEvents(Struct, frozen=True, eq=False):
    """The events of one month by start and then by id, exactly as they are stored; `value` numbers their data."""

    start: Times
    duration: Times
    id: Ids
    value: Codes


class Segment(Struct, frozen=True, eq=False):
    """The events of one month, ready to be looked into. A negative duration has become none."""

    start: Times
    duration: Integers
    id: Integers
    value: Codes

    @property
    def nbytes(self) -> int:
        return self.start.nbytes + self.duration.nbytes + self.id.nbytes + self.value.nbytes


class _PackedMonth(Struct, array_like=True):
    place: SegmentPlace
    first_start: Microseconds
    first_id: int
    gaps: bytes  # from the end of each event to the start of the next: often none at all
    durations: bytes
    id_steps: bytes
    values: bytes


def pack_segment(events: MonthEvents, place: SegmentPlace) -> bytes:
    """One month's events as bytes."""
    has_any = len(events.start) > 0
    gaps, id_steps = np.zeros_like(events.start), np.zeros_like(events.id)
    gaps[1:] = events.start[1:] - (events.start + events.duration)[:-1]
    id_steps[1:] = np.diff(events.id)
    return pack_frame(
        _PackedMonth(
            place=place,
            first_start=int(events.start[0]) if has_any else 0,
            first_id=int(events.id[0]) if has_any else 0,
            gaps=pack_integers(gaps),
            durations=pack_integers(events.duration),
            id_steps=pack_integers(id_steps),
            values=pack_integers(events.value),
        )
    )


def unpack_month(packed: bytes, place: SegmentPlace) -> MonthEvents:
    """What `pack_segment` was given. Raises Damaged where it is not the month of that place."""
    month = unpack_frame(packed, _PackedMonth)
    if month.place != place:
        raise Damaged(f"a segment of {month.place} lies where one of {place} should")
    start, duration = unpack_integers(month.gaps), unpack_integers(month.durations)
    start[1:] += duration[:-1]
    start[:1] += month.first_start
    np.cumsum(start, out=start)
    event_id = unpack_integers(month.id_steps)
    event_id[:1] += month.first_id
    np.cumsum(event_id, out=event_id)
    return MonthEvents(start, duration, event_id, unpack_codes(month.values))


def unpack_segment(packed: bytes, place: SegmentPlace) -> Segment:
    """The month for reading, in little memory. Raises Damaged where it is not the month of that place."""
    events = unpack_month(packed, place)
    duration = np.maximum(events.duration, 0, out=events.duration)
    return Segment(events.start, narrowed(duration), narrowed(events.id), events.value)
