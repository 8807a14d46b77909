"""Long work through the writer: slices that note how long they took, and leave recording its time."""

import asyncio
from collections.abc import Callable
from time import perf_counter
from typing import TypeVar

from dayline.storage.slice_pace import SlicePace
from dayline.storage.sqlite.writing.changes import Changes
from dayline.storage.sqlite.writing.writer import Writer

T = TypeVar("T")


def timed(change: Callable[[Changes], T], *, rows: int, pace: SlicePace) -> Callable[[Changes], T]:
    """A change that notes how long it took, without its commit."""

    def timed_change(changes: Changes) -> T:
        started = perf_counter()
        result = change(changes)
        pace.note(rows, perf_counter() - started)
        return result

    return timed_change


async def paced_change(writer: Writer, change: Callable[[Changes], T], *, rows: int, pace: SlicePace) -> T:
    """Make a change and note how long it took with its commit; then let others have the writer for as long.

    Without the pause every heartbeat would share its commit with a slice.
    """
    started = perf_counter()
    result = await writer.change(change, rows=rows)
    took_s = perf_counter() - started
    pace.note(rows, took_s)
    await asyncio.sleep(took_s)
    return result
