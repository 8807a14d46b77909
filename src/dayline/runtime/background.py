"""Supervised background work: it survives every error, retries with a back-off, and reports its state to health.

    work        ok          ok          error     error         error     ok
    next run      interval    interval    retry     2 retry       …         interval
    log                                 cause                             works again

Periodic work runs as a BackgroundTask on the event loop or as a BackgroundThread. DetachedTasks run single pieces of
work that continue after the caller stopped waiting for them.
"""

import asyncio
import logging
import math
import threading
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from typing import Any, Final, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from dayline.model.errors import DaylineError, Unavailable
from dayline.model.health import BackgroundWork, Problem, ProblemKind
from dayline.model.time import SECOND, Microseconds, format_timestamp, now_us
from dayline.runtime.text import quantity

T = TypeVar("T")

_RETRY_S: Final = 10.0  # after the first failure, unless the interval is shorter
_MAX_RETRY_S: Final = 600.0
_HINT: Final = "Dayline retries it automatically; the log has the details"
_STOPPED_HINT: Final = "after the restart, check whether this was done before you repeat it"
_MAX_DOUBLINGS: Final = 32  # beyond any maximum; 2.0**failures would overflow after a thousand failures

log = logging.getLogger(__name__)


class BackgroundWorkers:
    """The background work of one server. Each worker is listed from its start until it is closed. Thread-safe.

    `retry_s` is the pause after a first failure, unless the interval of the work is shorter or it has its own.
    """

    def __init__(self, *, clock: Callable[[], Microseconds] = now_us, retry_s: float = _RETRY_S) -> None:
        self.clock = clock
        self._retry_s = retry_s
        self._workers: dict[int, _Worker] = {}
        self._lock = threading.Lock()

    def task(
        self,
        name: str,
        work: Callable[[], Awaitable[float | None]],
        *,
        interval_s: float | None,
        initial_delay_s: float | None = 0.0,
        retry_s: float | None = None,
        max_retry_s: float = _MAX_RETRY_S,
        problem_kind: ProblemKind = "background",
        hint: str = _HINT,
        tenant: str = "",
    ) -> "BackgroundTask":
        """A task that calls `work` repeatedly once it is started.

        `interval_s` is the pause between two runs, None to run only when woken; `initial_delay_s` is the pause before
        the first run, None to wait for `wake`. Work that returns a number chooses its next pause itself, in seconds.
        While it fails, health has a problem of that kind with that hint, unless another source reports one.
        """
        schedule = self._schedule(interval_s, initial_delay_s, retry_s, max_retry_s)
        problem = Problem(kind=problem_kind, message="", hint=hint)
        return BackgroundTask(_Worker(name, schedule, problem, tenant=tenant, registry=self), work)

    def thread(
        self,
        name: str,
        work: Callable[[], float | None],
        *,
        interval_s: float | None,
        initial_delay_s: float | None = 0.0,
        retry_s: float | None = None,
        max_retry_s: float = _MAX_RETRY_S,
        problem_kind: ProblemKind = "background",
        hint: str = _HINT,
        on_stop: Callable[[], None] = lambda: None,
    ) -> "BackgroundThread":
        """The same in a thread, which calls `on_stop` at its end."""
        schedule = self._schedule(interval_s, initial_delay_s, retry_s, max_retry_s)
        problem = Problem(kind=problem_kind, message="", hint=hint)
        return BackgroundThread(_Worker(name, schedule, problem, tenant="", registry=self), work, on_stop)

    def states(self, tenant: str = "") -> list[BackgroundWork]:
        """The work of the server and of one tenant, by name. Without a tenant also failing work of all tenants."""
        return [worker.state() for worker in self._visible(tenant)]

    def problems(self, known: list[Problem], tenant: str = "") -> list[Problem]:
        """The failing work, except what the `known` problems report already."""
        kinds: set[ProblemKind] = {problem.kind for problem in known}
        return [problem for worker in self._visible(tenant) for problem in worker.problems(kinds)]

    def add(self, worker: "_Worker") -> None:
        with self._lock:
            self._workers[id(worker)] = worker

    def remove(self, worker: "_Worker") -> None:
        with self._lock:
            self._workers.pop(id(worker), None)

    def _schedule(
        self, interval_s: float | None, initial_delay_s: float | None, retry_s: float | None, max_retry_s: float
    ) -> "_Schedule":
        interval = math.inf if interval_s is None else interval_s
        first_retry_s = min(self._retry_s, interval) if retry_s is None else retry_s
        return _Schedule(
            interval_s=interval,
            initial_delay_s=math.inf if initial_delay_s is None else initial_delay_s,
            retry_s=first_retry_s,
            max_retry_s=max(first_retry_s, max_retry_s),
        )

    def _visible(self, tenant: str) -> "list[_Worker]":
        with self._lock:
            workers = list(self._workers.values())
        visible = [each for each in workers if each.tenant in ("", tenant) or (not tenant and each.is_failing)]
        return sorted(visible, key=lambda worker: worker.name)


class BackgroundTask:
    """Calls its work on the event loop from `start` until `close`. `wake` runs it soon, whatever its schedule."""

    def __init__(self, worker: "_Worker", work: Callable[[], Awaitable[float | None]]) -> None:
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
            # If the task itself was not cancelled, something that the work waited for was.
            task = asyncio.current_task()
            if task is None or task.cancelling():
                raise
            return self._worker.note_failure(error)
        except Exception as error:
            return self._worker.note_failure(error)
        return self._worker.note_success(pause_s)


class BackgroundThread:
    """Calls its work in a daemon thread from `start` until `close`. Thread-safe."""

    def __init__(self, worker: "_Worker", work: Callable[[], float | None], on_stop: Callable[[], None]) -> None:
        self._worker = worker
        self._work = work
        self._on_stop = on_stop
        self._wake = threading.Event()
        self._is_closing = threading.Event()
        # A daemon thread: a call that hangs must not keep the process from exiting.
        self._thread = threading.Thread(target=self._run, name=worker.name, daemon=True)

    @property
    def is_closing(self) -> bool:
        """Whether the work should return as soon as possible."""
        return self._is_closing.is_set()

    def start(self) -> None:
        self._worker.start()
        self._thread.start()

    def wake(self) -> None:
        """Run as soon as possible; if it is running, once more afterwards. Takes no lock if it is woken already."""
        if not self._wake.is_set():
            self._wake.set()

    def begin_close(self) -> None:
        """Stop after the current run, without waiting for it."""
        self._is_closing.set()
        self._wake.set()

    def close(self, timeout_s: float | None = None) -> bool:
        """Stop, and wait for the current run. Returns False on timeout."""
        self.begin_close()
        if self._thread.ident is not None:
            self._thread.join(timeout_s)
        self._worker.stop()
        return not self._thread.is_alive()

    def _run(self) -> None:
        pause_s = self._worker.schedule.initial_delay_s
        try:
            while True:
                self._worker.note_pause(pause_s)
                if pause_s > 0:
                    self._wake.wait(None if math.isinf(pause_s) else pause_s)
                if self._is_closing.is_set():
                    break
                pause_s = self._run_once()
        finally:
            try:
                self._on_stop()
            except Exception:
                log.exception("%s did not stop cleanly", self._worker.name)

    def _run_once(self) -> float:
        self._wake.clear()
        if self._is_closing.is_set():  # set before the wake-up that was just cleared
            return 0.0
        self._worker.note_run()
        try:
            pause_s = self._work()
        except Exception as error:
            return self._worker.note_failure(error)
        return self._worker.note_success(pause_s)


class DetachedTasks:
    """Tasks that do not depend on the caller: they end when they are done, or with `close`.

    Use on the event loop. Failures that no caller receives are logged, once until a task succeeds.
    """

    def __init__(self, name: str) -> None:
        self._failures = _Failures(name)
        self._tasks: set[asyncio.Task[Any]] = set()
        self._awaited: set[asyncio.Task[Any]] = set()

    def start(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Start work whose result no caller waits for."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)
        return task

    async def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Start work and wait for its result; it continues if the caller is cancelled.

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


class _Schedule(Struct, frozen=True, kw_only=True):
    """When a worker runs, in seconds; infinite if only `wake` runs it."""

    interval_s: float
    initial_delay_s: float
    retry_s: float
    max_retry_s: float

    def pause_after(self, failures: int) -> float:
        return min(self.max_retry_s, self.retry_s * 2.0 ** min(failures - 1, _MAX_DOUBLINGS))


class _Failures:
    """Consecutive failures. Logs the first one with its cause, each other kind of error, and their end."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._logged: set[type[BaseException]] = set()
        self.count = 0

    def note(self, error: BaseException, then: str) -> None:
        self.count += 1
        is_expected = isinstance(error, DaylineError | OSError)
        level = logging.WARNING if is_expected else logging.ERROR
        if type(error) in self._logged:
            level = logging.DEBUG
        self._logged.add(type(error))
        cause = None if is_expected else error
        log.log(level, "%s failed: %s%s", self._name, error_text(error), then, exc_info=cause)

    def clear(self) -> None:
        if self.count:
            log.info("%s works again after %s", self._name, quantity(self.count, "failed attempt"))
        self.count = 0
        self._logged.clear()


class _Worker:
    """The state of one worker. Written by its task or thread, read by any thread."""

    def __init__(
        self, name: str, schedule: _Schedule, problem: Problem, *, tenant: str, registry: BackgroundWorkers
    ) -> None:
        self.name = f"{name} of tenant {tenant!r}" if tenant else name
        self.schedule = schedule
        self.tenant = tenant
        self._problem = problem  # without a message
        self._registry = registry
        self._failures = _Failures(self.name)
        # Of the last run. Not the error itself: its traceback keeps the work's objects alive.
        self._error: str | None = None
        self._is_unavailable = False
        self._failing_since: Microseconds | None = None
        self._last_run: Microseconds | None = None
        self._next_run: Microseconds | None = None
        self._is_running = False

    @property
    def is_failing(self) -> bool:
        return self._error is not None

    def start(self) -> None:
        self._registry.add(self)

    def stop(self) -> None:
        self._registry.remove(self)

    def note_pause(self, seconds: float) -> None:
        self._is_running = False
        self._next_run = None if math.isinf(seconds) else self._registry.clock() + int(seconds * SECOND)

    def note_run(self) -> None:
        self._is_running = True
        self._last_run = self._registry.clock()

    def note_success(self, pause_s: float | None) -> float:
        """The pause that follows: that of the work, or the interval."""
        if self._error is not None:
            self._error, self._failing_since = None, None
            self._failures.clear()
        return self.schedule.interval_s if pause_s is None else pause_s

    def note_failure(self, error: BaseException) -> float:
        """The pause that follows: longer after every consecutive failure."""
        pause_s = self.schedule.pause_after(self._failures.count + 1)
        self._failing_since = self._failing_since or self._registry.clock()
        self._error, self._is_unavailable = error_text(error), isinstance(error, Unavailable)
        self._failures.note(error, f"; next attempt in {pause_s:g} s")
        return pause_s

    def state(self) -> BackgroundWork:
        return BackgroundWork(
            name=self.name,
            state="failing" if self.is_failing else "running" if self._is_running else "waiting",
            last_run=_format_time(self._last_run),
            next_run=None if self._is_running else _format_time(self._next_run),
            last_error=self._error,
            failures=self._failures.count,
        )

    def problems(self, known: set[ProblemKind]) -> list[Problem]:
        error = self._error
        if error is None or self._is_known(known):
            return []
        message = f"{self.name} is failing: {error}"
        return [replace(self._problem, message=message, since=_format_time(self._failing_since))]

    def _is_known(self, known: set[ProblemKind]) -> bool:
        """Whether another source reports the problem already."""
        kind = self._problem.kind
        if kind != "background" and kind in known:
            return True
        # If the store cannot be written, everything that writes fails: that is one problem, and the store reports it.
        return self._is_unavailable and bool(known & {"disk", "damage"})


def error_text(error: BaseException) -> str:
    """The error for a log line; for an OSError the path and the reason, without its number."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    if isinstance(error, DaylineError):
        return error.message
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def _format_time(time: Microseconds | None) -> str | None:
    return None if time is None else format_timestamp(time)
