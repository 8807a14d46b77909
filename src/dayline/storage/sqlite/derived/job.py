"""The jobs and reports of the segment builder, and how it is started."""

from pathlib import Path

import msgspec
from msgspec import Struct

from dayline.storage.background import run_child
from dayline.storage.columns.months import SegmentKey


class BuildJob(Struct, frozen=True, kw_only=True):
    """Months to build segments for. All of them are sealed."""

    places: list[SegmentKey]
    indexes_texts: bool = True  # whether to update the full-text index too
    is_from_scratch: bool = False  # discard the existing file, which is known to be damaged


class BuildReport(Struct, frozen=True, kw_only=True):
    """What was built, without the months that changed in between."""

    built: list[SegmentKey]
    unpackable: list[int]  # buckets whose data does not fit into columns
    is_new: bool  # the file was created again: its former contents are gone


async def run_builder(database: Path, job: BuildJob) -> BuildReport:
    """Run the builder and return its report. Cancelling kills it. Raises ChildFailed."""
    answer = await run_child("dayline.storage.sqlite.derived.builder", database, given=msgspec.json.encode(job))
    return msgspec.json.decode(answer, type=BuildReport)
