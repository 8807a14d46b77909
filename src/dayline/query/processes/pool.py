"""The pool of query processes: started on demand, assigned in turn, ended when idle."""

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Final, TypeAlias

from dayline.config.sections import QuerySettings
from dayline.model.errors import Unavailable
from dayline.query.errors import QueriesBusy, QueryProcessLost
from dayline.query.processes.failures import describe_status
from dayline.query.processes.fair_queue import FairQueue
from dayline.query.processes.messages import Cancelled
from dayline.query.processes.process import Answer, QueryProcess, Whole, start_process
from dayline.runtime.background import DetachedTasks

# A page of the web UI with all its calls takes less than this when nothing is cached.
QUICK_S: Final = 5.0
_HALVED_AFTER_S: Final = 60.0
_CLIENTS_REMEMBERED: Final = 1000

QUEUE_S: Final = 30.0
IDLE_S: Final = 30.0  # after which an unused process ends
MAX_QUEUED: Final = 200  # queries: half of them of one client, an eighth of a restricted key
RESERVED: Final = 1
CANCEL_S: Final = 0.25  # how long a query may take to cancel before its process is killed

log = logging.getLogger(__name__)

Turn: TypeAlias = asyncio.Future[QueryProcess]


class Borrowers:
    """The clients of borrowed processes. `clock` is in seconds. Use it on one event loop."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._now: dict[Hashable, tuple[str, float]] = {}  # the client of each borrowed process, and since when
        self._running: Counter[str] = Counter()
        self._used: dict[str, tuple[float, float]] = {}  # seconds, and when they were counted

    def __len__(self) -> int:
        """The number of borrowed processes."""
        return len(self._now)

    def lend(self, process: Hashable, client: str) -> None:
        self._now[process] = client, self._clock()
        self._running[client] += 1

    def settle(self, process: Hashable) -> None:
        """Take a process back, if it was borrowed."""
        client, since = self._now.pop(process, ("", 0.0))
        if not client:
            return
        self._running[client] -= 1
        if not self._running[client]:
            del self._running[client]
        now = self._clock()
        self._used[client] = self._finished_s(client, now) + now - since, now
        if len(self._used) > _CLIENTS_REMEMBERED:
            self._used.pop(min(self._used, key=lambda each: self._finished_s(each, now)))

    def running(self, client: str) -> int:
        """The number of processes of a client."""
        return self._running[client]

    def is_quick(self, client: str) -> bool:
        """Whether the client has no process, and has used little lately: less than half of what another has."""
        if self._running[client]:
            return False
        now = self._clock()
        longest_s = max((self._recent_s(each, now) for each in self._running), default=0.0)
        return self._recent_s(client, now) < max(QUICK_S, longest_s / 2)

    def _recent_s(self, client: str, now: float) -> float:
        """Including the time of running processes."""
        running_s = sum(now - since for each, since in self._now.values() if each == client)
        return self._finished_s(client, now) + running_s

    def _finished_s(self, client: str, now: float) -> float:
        seconds, at = self._used.get(client, (0.0, now))
        return float(seconds * 0.5 ** ((now - at) / _HALVED_AFTER_S))


class ProcessPool:
    """All query processes. Use it on one event loop.

    While all of them are busy, `reserved` more are started for quick clients, which run nothing and have used little in
    the last minutes. So quick queries do not wait long for the long queries of other clients.
    """

    def __init__(
        self,
        command: Sequence[str],
        settings: QuerySettings,
        environment: Mapping[str, str] | None = None,
        *,
        queue_s: float = QUEUE_S,
        cancel_s: float = CANCEL_S,
        reserved: int = RESERVED,
        idle_s: float = IDLE_S,
        max_queued: int = MAX_QUEUED,
    ) -> None:
        self._command = command
        self._reserved = reserved
        self._borrowers = Borrowers(lambda: asyncio.get_running_loop().time())
        self._bound: set[str] = set()  # waiting clients that may have one process at a time
        self._queue_s = queue_s
        self._cancel_s = cancel_s
        self._environment = environment or {}
        self._most = settings.processes
        self._idle_s = idle_s
        self._queue: FairQueue[Turn] = FairQueue(max_queued)
        self._processes: set[QueryProcess] = set()
        self._idle: dict[QueryProcess, asyncio.TimerHandle] = {}  # most recently used last; with their end timers
        self._alive = 0  # including those being started
        self._starting = 0  # not ready yet
        self._tasks = DetachedTasks("query process supervision")
        self.is_stopped = False

    async def acquire(self, client: str, *, is_bound: bool = False) -> QueryProcess:
        """Wait for a process and borrow it. Raises QueriesBusy, or QueryProcessLost if none can be started.

        `is_bound`: the client may read only some buckets, and gets one process at a time and fewer queue entries.
        """
        if self.is_stopped:
            raise stopping()
        turn: Turn = asyncio.get_running_loop().create_future()
        self._queue.put(client, turn, gets_few=is_bound)
        if is_bound:
            self._bound.add(client)
        self._assign_waiting()
        try:
            async with asyncio.timeout(self._queue_s):
                return await turn
        except TimeoutError as error:
            self._give_up(client, turn)
            raise QueriesBusy(
                f"no process was free for the query within {self._queue_s:g} s", hint="retry in a few seconds"
            ) from error
        except asyncio.CancelledError:
            self._give_up(client, turn)
            raise

    def release(self, process: QueryProcess) -> None:
        """Return a process that can take the next job."""
        self._borrowers.settle(process)
        if process not in self._processes or self.is_stopped:
            return
        self._idle[process] = asyncio.get_running_loop().call_later(self._idle_s, self._dismiss, process)
        self._assign_waiting()

    def discard(self, process: QueryProcess) -> None:
        """Return a process that must not be used again. Nothing may be reading from it."""
        self._borrowers.settle(process)
        process.kill()
        self._tasks.start(process.drained())

    def reclaim(self, process: QueryProcess, answering: "asyncio.Task[Answer]") -> None:
        """Return a process whose job is no longer wanted: the job is canceled, or the process killed."""
        self._tasks.start(self._cancel(process, answering))

    def stop(self) -> None:
        """End all processes at once; waiting queries fail because the server is stopping."""
        self.is_stopped = True
        while len(self._queue):
            turn = self._queue.take()
            if not turn.done():
                turn.set_exception(stopping())
        for timer in self._idle.values():
            timer.cancel()
        self._idle.clear()
        for process in self._processes:
            process.kill()

    async def close(self) -> None:
        """Stop, and wait until every process has ended."""
        self.stop()
        await self._tasks.finish()

    def _assign_waiting(self) -> None:
        """Assign idle processes to waiting queries; start processes for the others, up to the limit.

        A starting process is not assigned yet: one that becomes free earlier, and has cached data, takes the query.
        """
        while self._idle and (taken := self._queue.take_if(self._may_run)) is not None:
            client, turn = taken
            if not turn.done():
                process, timer = self._idle.popitem()
                timer.cancel()
                self._borrowers.lend(process, client)
                turn.set_result(process)
        self._bound.intersection_update(self._queue.clients)
        are_busy = len(self._borrowers) >= self._most and any(map(self._borrowers.is_quick, self._queue.clients))
        most = self._most + (self._reserved if are_busy else 0)
        while self._starting < len(self._queue) and self._alive < most:
            self._starting += 1
            self._alive += 1
            self._tasks.start(self._start())

    def _may_run(self, client: str) -> bool:
        if client in self._bound and self._borrowers.running(client):
            return False
        return len(self._borrowers) < self._most or self._borrowers.is_quick(client)

    def _give_up(self, client: str, turn: Turn) -> None:
        self._queue.remove(client, turn)
        if turn.done() and not turn.cancelled() and turn.exception() is None:
            self.release(turn.result())  # it was assigned just now

    async def _start(self) -> None:
        try:
            process = await self._started()
        except QueryProcessLost as error:
            self._starting -= 1
            self._fail_next(error)
        except Exception as error:
            self._starting -= 1
            self._fail_next(QueryProcessLost(f"no process can be started for the query: {error}"))
            raise
        else:
            self._starting -= 1
            log.debug("Query process %d started", process.pid)
            self.release(process)

    async def _started(self) -> QueryProcess:
        try:
            process = await start_process(self._command, self._environment)
        except Exception as error:
            self._alive -= 1
            if not isinstance(error, OSError):
                raise
            raise QueryProcessLost(f"no process can be started for the query: {error.strerror}") from error
        self._processes.add(process)
        self._tasks.start(self._watch(process))
        if self.is_stopped:
            process.kill()
        try:
            await process.until_ready()
        except BaseException:
            process.kill()
            raise
        return process

    def _fail_next(self, error: QueryProcessLost) -> None:
        """Fail one of the waiting queries; otherwise all would wait for one attempt after the other."""
        if len(self._queue):
            turn = self._queue.take()
            if not turn.done():
                turn.set_exception(error)
        if not self.is_stopped:
            self._assign_waiting()

    async def _watch(self, process: QueryProcess) -> None:
        status = await process.ended()
        self._processes.discard(process)
        self._borrowers.settle(process)
        self._alive -= 1
        timer = self._idle.pop(process, None)
        if timer is not None:
            timer.cancel()
        log.debug("Query process %d ended (%s)", process.pid, describe_status(status))
        if not self.is_stopped:
            self._assign_waiting()

    async def _cancel(self, process: QueryProcess, answering: "asyncio.Task[Answer]") -> None:
        if not answering.done():
            process.cancel()
            await asyncio.wait({answering}, timeout=self._cancel_s)
        if answering.done() and isinstance(answering.result(), Cancelled | Whole):
            self.release(process)
        else:
            process.kill()
            await answering
            self.discard(process)

    def _dismiss(self, process: QueryProcess) -> None:
        del self._idle[process]
        process.dismiss()


def stopping() -> Unavailable:
    """The error of queries when the server stops."""
    return Unavailable("the server is stopping", hint="retry when the server is running again")
