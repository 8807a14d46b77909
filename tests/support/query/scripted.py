"""Query processes that do as the job asks, for tests of whatever is around the engine."""

import asyncio
import contextlib
import os
import sys
import time
from collections.abc import AsyncGenerator, Callable, Coroutine, Generator
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, TypeVar

import msgspec
import uvloop

from dayline.config.sections import QuerySettings
from dayline.query.processes.messages import Mode, QueryJob
from dayline.query.processes.pool import CANCEL_S, IDLE_S, MAX_QUEUED
from dayline.query.processes.workers import Answered, QueryWorkers
from tests.support.query.scripted_worker import BEGUN_FOLDER, HELD, marked
from tests.support.waiting import PATIENCE_S

T = TypeVar("T")

COMMAND: Final = (sys.executable, "-m", "tests.support.query.scripted_worker", "512")

_STRANGERS: Final[set[int]] = set()  # a browser, say, that serves the tests of other files


def run(test: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Run an asynchronous test on the loop that the server has."""
    uvloop.run(test())


class SetClock(asyncio.SelectorEventLoop):
    """A loop whose time stands still until a test advances it. Processes and pipes are not held up by that."""

    _now = 0.0

    def time(self) -> float:
        return self._now

    def advance(self, seconds: float) -> None:
        self._now += seconds


def run_with_clock(test: Callable[[SetClock], Coroutine[Any, Any, None]]) -> None:
    """Run an asynchronous test that sets the time itself."""
    with asyncio.Runner(loop_factory=SetClock) as runner:
        loop = runner.get_loop()
        assert isinstance(loop, SetClock)
        runner.run(test(loop))


class ScriptedWorkers(QueryWorkers):
    """Query processes that leave a mark in a folder when they begin an order."""

    def __init__(
        self,
        command: tuple[str, ...],
        folder: Path,
        *,
        queue_s: float,
        cancel_s: float,
        reserved: int,
        idle_s: float,
        max_queued: int,
        **settings: Any,
    ) -> None:
        super().__init__(
            command,
            QuerySettings(**settings),
            environment={BEGUN_FOLDER: str(folder)},
            queue_s=queue_s,
            cancel_s=cancel_s,
            reserved=reserved,
            idle_s=idle_s,
            max_queued=max_queued,
        )
        self._folder = folder

    @contextlib.contextmanager
    def starts_held(self) -> Generator[None]:
        """Let no new process become ready within the block."""
        gate = self._folder / HELD
        gate.touch()
        yield
        gate.unlink()

    async def until_begun(self, *orders: str) -> None:
        """Wait until processes are at work on all of these."""
        await eventually(lambda: {marked(order) for order in orders} <= {path.name for path in self._folder.iterdir()})


@asynccontextmanager
async def workers(
    command: tuple[str, ...] = COMMAND,
    *,
    queue_s: float = PATIENCE_S,
    cancel_s: float = CANCEL_S,
    reserved: int = 0,
    idle_s: float = IDLE_S,
    max_queued: int = MAX_QUEUED,
    **settings: Any,
) -> AsyncGenerator[ScriptedWorkers]:
    """Query processes that are gone when the block ends. None is reserved for quick callers unless it is asked for."""
    _STRANGERS.clear()
    _STRANGERS.update(children())
    with TemporaryDirectory() as folder:
        pool = ScriptedWorkers(
            command,
            Path(folder),
            queue_s=queue_s,
            cancel_s=cancel_s,
            reserved=reserved,
            idle_s=idle_s,
            max_queued=max_queued,
            **settings,
        )
        try:
            yield pool
        finally:
            await pool.close()
            assert children() == set()


async def ask(
    pool: QueryWorkers,
    order: str,
    *,
    client: str = "client",
    seconds: float = PATIENCE_S,
    mode: Mode = "answer",
    buckets: tuple[str, ...] = (),
) -> Answered:
    return await pool.run(QueryJob(text=order, periods=[], mode=mode, buckets=buckets), client=client, seconds=seconds)


async def result_of(pool: QueryWorkers, order: str, **options: Any) -> Any:
    """The first of the results, which are small."""
    body = (await ask(pool, order, **options)).body
    assert isinstance(body, bytes)
    return msgspec.json.decode(body)[0]


async def pid_of(pool: QueryWorkers) -> int:
    """The process that answers now."""
    return int((await result_of(pool, "report"))["pid"])


async def started(work: Coroutine[Any, Any, T]) -> "asyncio.Task[T]":
    """Begin something: it has run up to its first wait."""
    task = asyncio.get_running_loop().create_task(work)
    await asyncio.sleep(0)
    return task


async def under_way(pool: ScriptedWorkers, order: str, **options: Any) -> "asyncio.Task[Answered]":
    """Ask for something, and wait until a process is at work on it."""
    task = await started(ask(pool, order, **options))
    await pool.until_begun(order)
    return task


async def eventually(is_so: Callable[[], bool]) -> None:
    """Return as soon as it is so, without holding up the loop; fail when it never is."""
    deadline = time.monotonic() + PATIENCE_S  # not the loop's time, which a test may have set
    while not is_so():
        assert time.monotonic() < deadline, f"it was not so within {PATIENCE_S:.0f} seconds"
        await asyncio.to_thread(time.sleep, 0.01)


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
