"""Query processes that do as they are told, for tests of whatever is around the engine."""

import asyncio
import contextlib
import os
import sys
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec
import uvloop

from dayline.query.job import Job, Mode
from dayline.query.settings import QuerySettings
from dayline.query.workers import Answered, QueryWorkers
from tests.waiting import PATIENCE_S

T = TypeVar("T")

COMMAND: Final = (sys.executable, "-m", "tests.query.workers.scripted_worker", "512")

_STRANGERS: Final[set[int]] = set()  # a browser, say, that serves the tests of other files


def run(test: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Run an asynchronous test on the loop that the server has."""
    uvloop.run(test())


@asynccontextmanager
async def workers(command: tuple[str, ...] = COMMAND, **settings: Any) -> AsyncGenerator[QueryWorkers]:
    """Query processes that are gone when the block ends."""
    _STRANGERS.clear()
    _STRANGERS.update(children())
    pool = QueryWorkers(command, QuerySettings(**settings))
    try:
        yield pool
    finally:
        await pool.close()
        assert children() == set()


async def ask(
    pool: QueryWorkers, order: str, *, client: str = "client", seconds: float = 20, mode: Mode = "answer"
) -> Answered:
    return await pool.run(Job(text=order, periods=[], mode=mode), client=client, seconds=seconds)


async def result_of(pool: QueryWorkers, order: str, **options: Any) -> Any:
    """The first of the results, which are small."""
    body = (await ask(pool, order, **options)).body
    assert isinstance(body, bytes)
    return msgspec.json.decode(body)[0]


async def pid_of(pool: QueryWorkers) -> int:
    """The process that answers now."""
    return int((await result_of(pool, "tell"))["pid"])


async def started(work: Coroutine[Any, Any, T], seconds: float = 0.1) -> "asyncio.Task[T]":
    """Begin something, and give it a moment to be under way."""
    task = asyncio.get_running_loop().create_task(work)
    await asyncio.sleep(seconds)
    return task


async def eventually(is_so: Callable[[], bool]) -> None:
    """Return as soon as it is so, without holding up the loop; fail when it never is."""
    async with asyncio.timeout(PATIENCE_S):
        while not is_so():
            await asyncio.sleep(0.01)


def children(of: int | None = None) -> set[int]:
    """The processes that a process has started and that have not ended; of our own, without those of other tests."""
    found: set[int] = set()
    for status in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            state, parent = status.read_text().rpartition(")")[2].split()[:2]
            if int(parent) == (of or os.getpid()) and state != "Z":
                found.add(int(status.parent.name))
    return found if of else found - _STRANGERS


def is_running(pid: int) -> bool:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False
