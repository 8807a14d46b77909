"""The jobs of the segment builder and the word indexer, and how they are started."""

import msgspec
from msgspec import Struct

from dayline.storage.columns.months import BuildReport, SegmentKey
from dayline.storage.operations.background import run_child


class BuildJob(Struct, frozen=True, kw_only=True):
    """Months of one tenant to build segments for. All of them are sealed."""

    address: str
    tenant: str
    places: list[SegmentKey]


async def run_builder(job: BuildJob) -> BuildReport:
    """Run the builder and return its report, empty if another builder works. Cancelling kills it. Raises
    ChildFailed.
    """
    # The address is passed on standard input: it may contain a password, and command lines are visible to all users.
    answer = await run_child("dayline.storage.postgres.derived.builder", given=msgspec.json.encode(job))
    return msgspec.json.decode(answer, type=BuildReport)


# The word indexer.


class WordJob(Struct, frozen=True):
    """The tenant whose words to index."""

    address: str
    tenant: str


async def run_indexer(job: WordJob) -> None:
    """Run the indexer. Cancelling kills it. Raises ChildFailed."""
    # The address is passed on standard input: it may contain a password, and command lines are visible to all users.
    await run_child("dayline.storage.postgres.derived.word_indexer", given=msgspec.json.encode(job))
