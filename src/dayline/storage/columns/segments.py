"""Segments: the events of a closed month, packed as columns. Only query processes and builders import this."""

import zlib
from typing import Any, Final, TypeVar

import msgspec
import numpy as np
import numpy.typing as npt
import zstandard
from msgspec import Struct

from dayline.model.time import Microseconds
from dayline.storage.columns.segment_plan import SegmentKey
from dayline.storage.columns.source import Codes, Flags, Ids, Times

T = TypeVar("T", bound=Struct)

Integers = npt.NDArray[np.signedinteger[Any]]

# Above level 9, the benchmark year shrinks by 3 % and takes five times as long.
LEVEL: Final = 9
_WIDTHS: Final = (1, 2, 4, 8)
_UNITS: Final = (1_000_000, 1_000, 1)  # times are often whole seconds or milliseconds
_HEAD_BYTES: Final = 3
_CHECK_BYTES: Final = 4


class Damaged(Exception):
    """Packed data is damaged."""


def pack_integers(numbers: Integers) -> bytes:
    """Integers compressed in as few bytes as they need, in order.

    Bytes of equal significance are grouped if that compresses better, as it nearly always does.
    """
    unit = next(unit for unit in _UNITS if not (numbers % unit).any())
    narrow = to_narrowest(numbers // unit)
    width = narrow.dtype.itemsize
    as_they_are = pack_bytes(narrow.tobytes())
    by_weight = pack_bytes(narrow.view(np.uint8).reshape(-1, width).T.tobytes()) if width > 1 else as_they_are
    is_by_weight = len(by_weight) < len(as_they_are)
    head = bytes((width, _UNITS.index(unit), is_by_weight))
    return head + (by_weight if is_by_weight else as_they_are)


def unpack_integers(packed: bytes) -> Times:
    """The inverse of `pack_integers`."""
    width, unit, is_by_weight = packed[:_HEAD_BYTES]
    raw = np.frombuffer(unpack_bytes(packed[_HEAD_BYTES:]), dtype=np.uint8)
    if is_by_weight:
        planes = raw.reshape(width, -1)
        raw = np.empty(planes.shape[::-1], dtype=np.uint8)
        for weight in range(width):  # four times as fast as copying the transposed array
            raw[:, weight] = planes[weight]
    numbers = raw.reshape(-1).view(_type_of(width)).astype(np.int64)
    if _UNITS[unit] != 1:
        numbers *= _UNITS[unit]
    return numbers


def unpack_codes(packed: bytes) -> Codes:
    """Like `unpack_integers`, for numbers of values or items."""
    return unpack_integers(packed).astype(np.int32)


def pack_flags(flags: Flags) -> bytes:
    """Booleans, eight per byte."""
    return len(flags).to_bytes(4, "little") + pack_bytes(np.packbits(flags).tobytes())


def unpack_flags(packed: bytes) -> Flags:
    count = int.from_bytes(packed[:4], "little")
    bits = np.frombuffer(unpack_bytes(packed[4:]), dtype=np.uint8)
    return np.unpackbits(bits, count=count).astype(np.bool_)


def to_narrowest(numbers: Integers) -> Integers:
    """The same numbers in the narrowest type that fits all."""
    if not len(numbers):
        return numbers.astype(np.int8)
    low, high = int(numbers.min()), int(numbers.max())
    for width in _WIDTHS:
        limits = np.iinfo(_type_of(width))
        if limits.min <= low and high <= limits.max:
            return numbers.astype(_type_of(width), copy=False)
    raise AssertionError("every int64 fits eight bytes")


def pack_frame(content: Struct) -> bytes:
    """A struct as bytes with a checksum."""
    body = msgspec.msgpack.encode(content)
    return zlib.crc32(body).to_bytes(_CHECK_BYTES, "little") + body


def unpack_frame(frame: bytes, kind: type[T]) -> T:
    """The struct in a frame. Raises Damaged."""
    body = memoryview(frame)[_CHECK_BYTES:]
    if len(frame) < _CHECK_BYTES or zlib.crc32(body) != int.from_bytes(frame[:_CHECK_BYTES], "little"):
        raise Damaged("packed data has a wrong checksum")
    try:
        return msgspec.msgpack.decode(body, type=kind)
    except msgspec.DecodeError as error:
        raise Damaged(f"packed data has an unexpected shape: {error}") from error


def pack_bytes(raw: bytes) -> bytes:
    return zstandard.ZstdCompressor(level=LEVEL).compress(raw)


def unpack_bytes(packed: bytes) -> bytes:
    return zstandard.ZstdDecompressor().decompress(packed)


def _type_of(width: int) -> np.dtype[np.signedinteger[Any]]:
    return np.dtype(f"<i{width}")


class MonthEvents(Struct, frozen=True, eq=False):
    """The events of one month ordered by start and id, exactly as stored; `value` numbers their data."""

    start: Times
    duration: Times
    id: Ids
    value: Codes


class Segment(Struct, frozen=True, eq=False):
    """The events of one month for reading. Negative durations are replaced by 0."""

    start: Times
    duration: Integers
    id: Integers
    value: Codes

    @property
    def nbytes(self) -> int:
        return self.start.nbytes + self.duration.nbytes + self.id.nbytes + self.value.nbytes


class _PackedMonth(Struct, array_like=True):
    place: SegmentKey
    first_start: Microseconds
    first_id: int
    gaps: bytes  # from the end of each event to the start of the next: often 0
    durations: bytes
    id_steps: bytes
    values: bytes


def pack_segment(events: MonthEvents, place: SegmentKey) -> bytes:
    """Pack the events of a month."""
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


def unpack_month(packed: bytes, place: SegmentKey) -> MonthEvents:
    """The inverse of `pack_segment`. Raises Damaged if it is not the month of that place."""
    month = unpack_frame(packed, _PackedMonth)
    if month.place != place:
        raise Damaged(f"found a segment of {month.place} instead of {place}")
    start, duration = unpack_integers(month.gaps), unpack_integers(month.durations)
    start[1:] += duration[:-1]
    start[:1] += month.first_start
    np.cumsum(start, out=start)
    event_id = unpack_integers(month.id_steps)
    event_id[:1] += month.first_id
    np.cumsum(event_id, out=event_id)
    return MonthEvents(start, duration, event_id, unpack_codes(month.values))


def unpack_segment(packed: bytes, place: SegmentKey) -> Segment:
    """Unpack a month compactly for reading. Raises Damaged if it is not the month of that place."""
    events = unpack_month(packed, place)
    duration = np.maximum(events.duration, 0, out=events.duration)
    return Segment(events.start, to_narrowest(duration), to_narrowest(events.id), events.value)
