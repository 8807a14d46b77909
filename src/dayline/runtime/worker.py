"""Supervised work on threads: it survives every error, retries with a back-off, and reports its state to health.

    work        ok          ok          error     error         error     ok
    next run      interval    interval    retry     2 retry       …         interval
    log                                 cause                             works again

`runtime/background.py` has the same for the event loop. Apart from it, because watchers use threads alone, and asyncio
takes 2.5 MiB.
"""

import logging
import math
import threading
from collections.abc import Callable
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from dayline.model.errors import DaylineError, Unavailable
from dayline.model.health import BackgroundWork, Problem, ProblemKind
from dayline.model.time import SECOND, Microseconds, format_timestamp, now_us
from dayline.runtime.text import quantity

RETRY_S: Final = 10.0  # after the first failure, unless the interval is shorter
MAX_RETRY_S: Final = 600.0
HINT: Final = "Dayline retries it automatically; the log has the details"
_MAX_DOUBLINGS: Final = 32  # beyond any maximum; 2.0**failures would overflow after a thousand failures

log = logging.getLogger("dayline.runtime.background")


class WorkerThreads:
    """Background work, from the start of each worker until it is closed. Read from any thread.

    `retry_s` is the pause after a first failure, unless the interval of the work is shorter or it has its own.
    """

    def __init__(self, *, clock: Callable[[], Microseconds] = now_us, retry_s: float = RETRY_S) -> None:
        self.clock = clock
        self._retry_s = retry_s
        self._workers: dict[int, Worker] = {}
        self._lock = threading.Lock()

    def thread(
        self,
        name: str,
        work: Callable[[], float | None],
        *,
        interval_s: float | None,
        initial_delay_s: float | None = 0.0,
        retry_s: float | None = None,
        max_retry_s: float = MAX_RETRY_S,
        problem_kind: ProblemKind = "background",
        hint: str = HINT,
        on_stop: Callable[[], None] = lambda: None,
    ) -> "BackgroundThread":
        """A thread that calls `work` again and again once it is started, and `on_stop` as the last thing it does.

        `interval_s` is the pause between two runs, None to run only when woken; `initial_delay_s` the one before the
        first run, None to wait for `wake`. Work that returns a number chooses its next pause itself, in seconds.
        While it fails, health has a problem of that kind with that hint, unless the owner of the work reports one.
        """
        schedule = self._schedule(interval_s, initial_delay_s, retry_s, max_retry_s)
        problem = Problem(kind=problem_kind, message="", hint=hint)
        return BackgroundThread(Worker(name, schedule, problem, tenant="", registry=self), work, on_stop)

    def states(self, tenant: str = "") -> list[BackgroundWork]:
        """The work of the server and of one tenant, by name. Without a tenant also what fails for any other one."""
        return [worker.state() for worker in self._visible(tenant)]

    def problems(self, known: list[Problem], tenant: str = "") -> list[Problem]:
        """What fails of that, without what the `known` problems report already."""
        kinds: set[ProblemKind] = {problem.kind for problem in known}
        return [problem for worker in self._visible(tenant) for problem in worker.problems(kinds)]

    def add(self, worker: "Worker") -> None:
        with self._lock:
            self._workers[id(worker)] = worker

    def remove(self, worker: "Worker") -> None:
        with self._lock:
            self._workers.pop(id(worker), None)

    def _schedule(
        self, interval_s: float | None, initial_delay_s: float | None, retry_s: float | None, max_retry_s: float
    ) -> "Schedule":
        interval = math.inf if interval_s is None else interval_s
        first_retry_s = min(self._retry_s, interval) if retry_s is None else retry_s
        return Schedule(
            interval_s=interval,
            initial_delay_s=math.inf if initial_delay_s is None else initial_delay_s,
            retry_s=first_retry_s,
            max_retry_s=max(first_retry_s, max_retry_s),
        )

    def _visible(self, tenant: str) -> "list[Worker]":
        with self._lock:
            workers = list(self._workers.values())
        visible = [each for each in workers if each.tenant in ("", tenant) or (not tenant and each.is_failing)]
        return sorted(visible, key=lambda worker: worker.name)


class BackgroundThread:
    """Calls its work on a daemon thread from `start` until `close`. All methods may be called from any thread."""

    def __init__(self, worker: "Worker", work: Callable[[], float | None], on_stop: Callable[[], None]) -> None:
        self._worker = worker
        self._work = work
        self._on_stop = on_stop
        self._wake = threading.Event()
        self._is_closing = threading.Event()
        # A daemon: a call that hangs must not keep the process from ending.
        self._thread = threading.Thread(target=self._run, name=worker.name, daemon=True)

    def start(self) -> None:
        self._worker.start()
        self._thread.start()

    def wake(self) -> None:
        """Run as soon as possible; if it is running, once more afterwards. Takes no lock if it is woken already."""
        if not self._wake.is_set():
            self._wake.set()

    def begin_close(self) -> None:
        """Stop after the run under way, without waiting for it."""
        self._is_closing.set()
        self._wake.set()

    def close(self, timeout_s: float | None = None) -> bool:
        """Stop, and wait for the run under way; False if that takes longer than `timeout_s`."""
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


class Schedule(Struct, frozen=True, kw_only=True):
    """When a worker runs: all in seconds, infinite where only `wake` runs it."""

    interval_s: float
    initial_delay_s: float
    retry_s: float
    max_retry_s: float

    def pause_after(self, failures: int) -> float:
        return min(self.max_retry_s, self.retry_s * 2.0 ** min(failures - 1, _MAX_DOUBLINGS))


class Failures:
    """Failures in a row. Logs the first one with its cause, every other kind of error that follows, and their end."""

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


class Worker:
    """The state of one worker. Its task or thread writes it; it may be read from any thread."""

    def __init__(
        self, name: str, schedule: Schedule, problem: Problem, *, tenant: str, registry: WorkerThreads
    ) -> None:
        self.name = f"{name} of tenant {tenant!r}" if tenant else name
        self.schedule = schedule
        self.tenant = tenant
        self._problem = problem  # without a message
        self._registry = registry
        self._failures = Failures(self.name)
        # Of the last run. Not the error itself: its traceback holds whatever the work had in its hands.
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
        """The pause that follows: the one that the work chose, or the interval."""
        if self._error is not None:
            self._error, self._failing_since = None, None
            self._failures.clear()
        return self.schedule.interval_s if pause_s is None else pause_s

    def note_failure(self, error: BaseException) -> float:
        """The pause that follows: longer after every failure in a row."""
        pause_s = self.schedule.pause_after(self._failures.count + 1)
        self._failing_since = self._failing_since or self._registry.clock()
        self._error, self._is_unavailable = error_text(error), isinstance(error, Unavailable)
        self._failures.note(error, f"; next attempt in {pause_s:g} s")
        return pause_s

    def state(self) -> BackgroundWork:
        return BackgroundWork(
            name=self.name,
            state="failing" if self.is_failing else "running" if self._is_running else "waiting",
            last_run=_formatted(self._last_run),
            next_run=None if self._is_running else _formatted(self._next_run),
            last_error=self._error,
            failures=self._failures.count,
        )

    def problems(self, known: set[ProblemKind]) -> list[Problem]:
        error = self._error
        if error is None or self._is_known(known):
            return []
        message = f"{self.name} is failing: {error}"
        return [replace(self._problem, message=message, since=_formatted(self._failing_since))]

    def _is_known(self, known: set[ProblemKind]) -> bool:
        """Whether a problem of another source says it already."""
        kind = self._problem.kind
        if kind != "background" and kind in known:
            return True
        # A store that takes no writes fails everything that writes: that is one problem, and the store reports it.
        return self._is_unavailable and bool(known & {"disk", "damage"})


def error_text(error: BaseException) -> str:
    """What went wrong, for a log line: of the system's errors the file and the reason, without the number."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    if isinstance(error, DaylineError):
        return error.message
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def _formatted(time: Microseconds | None) -> str | None:
    return None if time is None else format_timestamp(time)
