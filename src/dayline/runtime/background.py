"""Supervised work on the event loop, as `runtime/worker.py` has it for threads, and tasks that no caller waits for.

Periodic work runs as a BackgroundTask on the event loop or as a BackgroundThread. DetachedTasks run single pieces of
work that continue after the caller stopped waiting for them.
"""

import asyncio
import math
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from typing import Any, Final, TypeVar

from dayline.model.errors import Unavailable
from dayline.model.health import Problem, ProblemKind
from dayline.runtime.worker import HINT, MAX_RETRY_S, Failures, Worker, WorkerThreads

T = TypeVar("T")

_STOPPED_HINT: Final = "after the restart, check whether this was done before you repeat it"


class BackgroundWorkers(WorkerThreads):
    """The background work of one server, on threads and on the event loop."""

    def task(
        self,
        name: str,
        work: Callable[[], Awaitable[float | None]],
        *,
        interval_s: float | None,
        initial_delay_s: float | None = 0.0,
        retry_s: float | None = None,
        max_retry_s: float = MAX_RETRY_S,
        problem_kind: ProblemKind = "background",
        hint: str = HINT,
        tenant: str = "",
    ) -> "BackgroundTask":
        """A task that calls `work` again and again once it is started; the arguments are those of `thread`."""
        schedule = self._schedule(interval_s, initial_delay_s, retry_s, max_retry_s)
        problem = Problem(kind=problem_kind, message="", hint=hint)
        return BackgroundTask(Worker(name, schedule, problem, tenant=tenant, registry=self), work)


class BackgroundTask:
    """Calls its work on the event loop from `start` until `close`. `wake` runs it soon, whatever its schedule."""

    def __init__(self, worker: Worker, work: Callable[[], Awaitable[float | None]]) -> None:
        self._worker = worker
        self._work = work
        self._wake = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._is_closing = False

    def start(self) -> None:
        """Call on the event loop. Does nothing if it is started or closed."""
        if self._task is None and not self._is_closing:
            self._worker.start()
            self._task = asyncio.get_running_loop().create_task(self._run())

    def wake(self) -> None:
        """Run as soon as possible; if it is running, once more afterwards. Call on the event loop."""
        self._wake.set()

    async def close(self) -> None:
        """Cancel the running work and wait for its end. Raises nothing."""
        self._is_closing = True
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            await asyncio.wait([task])
        self._worker.stop()

    async def _run(self) -> None:
        pause_s = self._worker.schedule.initial_delay_s
        while not self._is_closing:
            await self._pause(pause_s)
            pause_s = await self._run_once()

    async def _pause(self, seconds: float) -> None:
        self._worker.note_pause(seconds)
        if seconds <= 0:
            await asyncio.sleep(0)
            return
        try:
            # Not wait_for: in Python 3.11 it may swallow a cancellation.
            async with asyncio.timeout(None if math.isinf(seconds) else seconds):
                await self._wake.wait()
        except TimeoutError:
            pass

    async def _run_once(self) -> float:
        """Run the work. Returns the pause that follows."""
        self._wake.clear()
        self._worker.note_run()
        try:
            pause_s = await self._work()
        except asyncio.CancelledError as error:
            # If the task itself was not canceled, something that the work waited for was.
            task = asyncio.current_task()
            if task is None or task.cancelling():
                raise
            return self._worker.note_failure(error)
        except Exception as error:
            return self._worker.note_failure(error)
        return self._worker.note_success(pause_s)


class DetachedTasks:
    """Tasks that do not depend on the caller: they end when they are done, or with `close`.

    Use on the event loop. Failures that no caller receives are logged, once until a task succeeds.
    """

    def __init__(self, name: str) -> None:
        self._failures = Failures(name)
        self._tasks: set[asyncio.Task[Any]] = set()
        self._awaited: set[asyncio.Task[Any]] = set()

    def start(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Start work whose result no caller waits for."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)
        return task

    async def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Start work and wait for its result; it continues if the caller is canceled.

        Raises what the work raises, and Unavailable if it is closed first.
        """
        task = self.start(work)
        self._awaited.add(task)
        try:
            await asyncio.wait([task])
        finally:
            self._awaited.discard(task)
        if task.cancelled():
            raise Unavailable("the server is stopping", hint=_STOPPED_HINT)
        return task.result()

    async def finish(self) -> None:
        """Wait until all tasks are done. Raises nothing."""
        while self._tasks:
            await asyncio.wait(self._tasks)

    async def close(self) -> None:
        """Cancel all tasks and wait for their end. Raises nothing."""
        while self._tasks:
            for task in self._tasks:
                task.cancel()
            await asyncio.wait(self._tasks)

    def _done(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if task.cancelled():
            return
        error = task.exception()  # retrieved in any case; otherwise asyncio logs that it was not
        if error is None:
            self._failures.clear()
        elif task not in self._awaited and isinstance(error, Exception):
            self._failures.note(error, "")


async def for_each(items: Iterable[T], work: Callable[[T], Awaitable[object]]) -> None:
    """Call `work` for every item, one after the other; a failed item does not stop the others.

    Raises the first error at the end, or at once if it is Unavailable, which the next item would raise as well.
    """
    failure: Exception | None = None
    for item in items:
        try:
            await work(item)
        except Unavailable:
            raise
        except Exception as error:
            failure = failure or error
    if failure is not None:
        raise failure
