"""The process that builds segments: what it is asked, what it answers, and how it is started."""

from pathlib import Path

import msgspec
from msgspec import Struct

from dayline.storage.background import run_child
from dayline.storage.columns.months import SegmentKey


class BuildJob(Struct, frozen=True, kw_only=True):
    """Months to build segments of. All of them are sealed."""

    places: list[SegmentKey]
    indexes_texts: bool = True  # whether the full text of values is brought up to date, too
    is_from_scratch: bool = False  # throw away what is there: it is known to be damaged


class BuildReport(Struct, frozen=True, kw_only=True):
    """What was built: not those months that have changed meanwhile."""

    built: list[SegmentKey]
    unpackable: list[int]  # buckets whose data cannot be kept as columns
    is_new: bool  # the file was made anew: whatever it held before is gone


# Starts the process that builds segments, and waits for it.


async def run_builder(database: Path, job: BuildJob) -> BuildReport:
    """What the process answers. It is killed when nobody waits for it any longer. Raises ChildFailed."""
    answer = await run_child("dayline.storage.sqlite.derived.builder", database, given=msgspec.json.encode(job))
    return msgspec.json.decode(answer, type=BuildReport)
