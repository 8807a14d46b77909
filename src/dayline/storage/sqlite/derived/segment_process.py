"""Starts the process that builds segments, and waits for it."""

from pathlib import Path

import msgspec

from dayline.storage.child import run_child
from dayline.storage.sqlite.derived.segment_job import BuildJob, BuildReport


async def run_builder(database: Path, job: BuildJob) -> BuildReport:
    """What the process answers. It is killed when nobody waits for it any longer. Raises ChildFailed."""
    answer = await run_child("dayline.storage.sqlite.derived.segment_builder", database, given=msgspec.json.encode(job))
    return msgspec.json.decode(answer, type=BuildReport)
