"""Threads for blocking work: database reads share the loop's threads, everything else has its own."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Final, ParamSpec, TypeVar

from dayline.model.errors import StoreBusy

P = ParamSpec("P")
T = TypeVar("T")

TURN_S: Final = 10.0  # how long a read waits for a free thread before the client gets 503
_OWN_THREADS: Final = 4


async def in_thread(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run a read in a thread while the loop continues to record. Raises StoreBusy if no thread is free in time."""
    has_begun = False

    def run() -> T:
        nonlocal has_begun
        has_begun = True
        return function(*args, **kwargs)

    running = asyncio.get_running_loop().run_in_executor(None, run)
    try:
        await asyncio.wait({running}, timeout=TURN_S)
    except asyncio.CancelledError:
        running.cancel()
        raise
    if not has_begun:
        running.cancel()
        raise StoreBusy("too many reads are waiting for the database", hint="retry in a few seconds")
    return await running


async def aside(function: Callable[[], T]) -> T:
    """Run work that does not read the database in a separate thread, so that it does not wait for reads."""
    return await asyncio.get_running_loop().run_in_executor(_own_threads(), function)


@cache
def _own_threads() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(_OWN_THREADS, thread_name_prefix="aside")
