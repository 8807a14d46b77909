"""What the process that indexes words is asked, and how it is started."""

import msgspec
from msgspec import Struct

from dayline.storage.child import run_child


class WordJob(Struct, frozen=True):
    """Whose words to index."""

    address: str
    tenant: str


async def run_indexer(job: WordJob) -> None:
    """Wait for the process. It is killed when nobody waits for it any longer. Raises ChildFailed."""
    # The address comes on its standard input: it may have a password, and everybody sees command lines.
    await run_child("dayline.storage.postgres.derived.word_indexer", given=msgspec.json.encode(job))
