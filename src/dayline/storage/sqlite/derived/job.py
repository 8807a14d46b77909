"""The job of the segment builder, and how it is started."""

from pathlib import Path

import msgspec
from msgspec import Struct

from dayline.storage.columns.months import BuildReport, SegmentKey
from dayline.storage.operations.background import run_child


class BuildJob(Struct, frozen=True, kw_only=True):
    """Months to build segments for. All of them are sealed."""

    places: list[SegmentKey]
    indexes_texts: bool = True  # whether to update the full-text index too
    is_from_scratch: bool = False  # discard the existing file, which is known to be damaged


async def run_builder(database: Path, job: BuildJob) -> BuildReport:
    """Run the builder and return its report. Cancelling kills it. Raises ChildFailed."""
    answer = await run_child("dayline.storage.sqlite.derived.builder", database, given=msgspec.json.encode(job))
    return msgspec.json.decode(answer, type=BuildReport)
