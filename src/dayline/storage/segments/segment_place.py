"""What segments and packs are made of, apart from segments.py: the recording process names them without numpy."""

from msgspec import Struct

PackedPack = tuple[int, int, bytes]  # the number of its first value in the bucket, how many it has, and the pack


class SegmentPlace(Struct, frozen=True, array_like=True):
    """A bucket's month, as it was after so many changes."""

    bucket: int
    month: int
    version: int
