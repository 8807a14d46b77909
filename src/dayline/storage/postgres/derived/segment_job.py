"""What the process that builds segments is asked, and what it answers."""

import msgspec
from msgspec import Struct

from dayline.storage.child import run_child
from dayline.storage.segments.segment_place import SegmentPlace


class BuildJob(Struct, frozen=True, kw_only=True):
    """Months to build segments of, of one tenant. All of them are sealed."""

    address: str
    tenant: str
    places: list[SegmentPlace]


class BuildReport(Struct, frozen=True, kw_only=True):
    """What was built: not those months that have changed meanwhile, and nothing where another one is at work."""

    built: list[SegmentPlace]
    unfit: list[int]  # buckets whose data cannot be kept as columns


async def run_builder(job: BuildJob) -> BuildReport:
    """What the process answers. It is killed when nobody waits for it any longer. Raises ChildFailed."""
    # The address comes on its standard input: it may have a password, and everybody sees command lines.
    answer = await run_child("dayline.storage.postgres.derived.segment_builder", given=msgspec.json.encode(job))
    return msgspec.json.decode(answer, type=BuildReport)
