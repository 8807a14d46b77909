"""What a segment is made of. Apart from segments.py, so that the recording process can name one without numpy."""

from msgspec import Struct


class SegmentPlace(Struct, frozen=True, array_like=True):
    """A bucket's month, as it was after so many changes."""

    bucket: int
    month: int
    version: int
