"""The processes that build segments and index words: what they are asked and how they are started."""

import msgspec
from msgspec import Struct

from dayline.storage.background import run_child
from dayline.storage.columns.months import SegmentKey


class BuildJob(Struct, frozen=True, kw_only=True):
    """Months to build segments of, of one tenant. All of them are sealed."""

    address: str
    tenant: str
    places: list[SegmentKey]


class BuildReport(Struct, frozen=True, kw_only=True):
    """What was built: not those months that have changed meanwhile, and nothing where another one is at work."""

    built: list[SegmentKey]
    unpackable: list[int]  # buckets whose data cannot be kept as columns


async def run_builder(job: BuildJob) -> BuildReport:
    """What the process answers. It is killed when nobody waits for it any longer. Raises ChildFailed."""
    # The address comes on its standard input: it may have a password, and everybody sees command lines.
    answer = await run_child("dayline.storage.postgres.derived.builder", given=msgspec.json.encode(job))
    return msgspec.json.decode(answer, type=BuildReport)


# What the process that indexes words is asked, and how it is started.


class WordJob(Struct, frozen=True):
    """Whose words to index."""

    address: str
    tenant: str


async def run_indexer(job: WordJob) -> None:
    """Wait for the process. It is killed when nobody waits for it any longer. Raises ChildFailed."""
    # The address comes on its standard input: it may have a password, and everybody sees command lines.
    await run_child("dayline.storage.postgres.derived.word_indexer", given=msgspec.json.encode(job))
