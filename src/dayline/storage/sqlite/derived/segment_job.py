"""What the process that builds segments is asked, and what it answers."""

from msgspec import Struct

from dayline.storage.segments.segment_place import SegmentPlace


class BuildJob(Struct, frozen=True, kw_only=True):
    """Months to build segments of. All of them are sealed."""

    places: list[SegmentPlace]
    indexes_texts: bool = True  # whether the full text of values is brought up to date, too
    is_from_scratch: bool = False  # throw away what is there: it is known to be damaged


class BuildReport(Struct, frozen=True, kw_only=True):
    """What was built: not those months that have changed meanwhile."""

    built: list[SegmentPlace]
    unfit: list[int]  # buckets whose data cannot be kept as columns
    is_new: bool  # the file was made anew: whatever it held before is gone
