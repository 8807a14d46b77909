"""Removes the index of words of a bucket while recording goes on: its texts have changed, or it is purged."""

import asyncio
from functools import partial
from typing import Final

from dayline.storage.postgres.derived.word_rows import BucketPlace
from dayline.storage.postgres.derived.word_slices import Left, clear_slice
from dayline.storage.postgres.writing.scribe import Scribe
from dayline.storage.postgres.writing.turn import Turn

_BUSY_S: Final = 0.1  # before another look at an index that is being added to, which takes seconds at most


async def clear_words(scribe: Scribe, bucket: int) -> None:
    """Remove the index of a bucket. Nobody searches in it from the first slice on; it may be made anew afterwards."""
    is_begun = False
    while (left := await scribe.change(partial(_clear, bucket=bucket, is_begun=is_begun))) != "nothing":
        is_begun = is_begun or left == "more"
        if left == "busy":
            await asyncio.sleep(_BUSY_S)  # not in the transaction: heartbeats would wait for it too


def _clear(turn: Turn, *, bucket: int, is_begun: bool) -> Left:
    return clear_slice(turn.db, BucketPlace(turn.tenant, bucket), is_begun=is_begun)
