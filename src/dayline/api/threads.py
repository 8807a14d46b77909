"""Threads for what would hold up the event loop: those for reads, and others that no read can take away."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Final, TypeVar

from dayline.model.errors import StoreBusy

T = TypeVar("T")

TURN_S: Final = 10.0  # that a read waits for a thread, before it is told to come back later
_OWN_THREADS: Final = 4


async def in_turn(read: Callable[[], T]) -> T:
    """Run a read on one of the threads for them. Raises StoreBusy where all are taken for long by others that wait."""
    has_begun = False

    def run() -> T:
        nonlocal has_begun
        has_begun = True
        return read()

    running = asyncio.get_running_loop().run_in_executor(None, run)
    try:
        await asyncio.wait({running}, timeout=TURN_S)
    except asyncio.CancelledError:
        running.cancel()
        raise
    if not has_begun:
        running.cancel()
        raise StoreBusy("too many reads wait for the database at present", hint="send it again in a few seconds")
    return await running


async def aside(function: Callable[[], T]) -> T:
    """Run what waits for no database: it is answered also while all reads wait for theirs."""
    return await asyncio.get_running_loop().run_in_executor(_own_threads(), function)


@cache
def _own_threads() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(_OWN_THREADS, thread_name_prefix="aside")
