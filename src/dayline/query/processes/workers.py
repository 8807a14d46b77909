"""Runs queries in separate processes, so that the recording process never waits for one and loads none of their
code.
"""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final

from msgspec import UNSET, Struct
from msgspec.structs import replace

from dayline.config.sections import QuerySettings
from dayline.model.errors import DaylineError, StoreUnusable, Unavailable
from dayline.query.errors import QueryMemoryError, QueryTimeoutError
from dayline.query.patterns.limits import SkippedRule
from dayline.query.processes.failures import error_of, lost_process, refusal_error
from dayline.query.processes.messages import Cancelled, Crashed, Done, JobOutcome, StoreUnreadable, Work
from dayline.query.processes.pool import CANCEL_S, IDLE_S, MAX_QUEUED, QUEUE_S, RESERVED, ProcessPool, stopping
from dayline.query.processes.process import Answer, Lost, QueryProcess, Whole

LINES_LOGGED: Final = 20  # of the output of one query
SLOW_PATTERNS_KEPT: Final = 100

log = logging.getLogger(__name__)


class ResultStream:
    """Large results being streamed. The process is busy until they are read, or until `close`."""

    def __init__(self, pool: ProcessPool, process: QueryProcess, size: int) -> None:
        self._pool = pool
        self._process = process
        self.size = size
        self._left = size

    async def read(self) -> bytes:
        """The next piece; empty at the end. Raises QueryProcessLost."""
        piece = await self._process.read(self._left) if self._left else b""
        if self._left and not piece:
            raise lost_process(await self._process.status())
        self._left -= len(piece)
        return piece

    async def until_lost(self) -> None:
        """Return when the process has ended before it could be returned."""
        await self._process.status()

    def close(self) -> None:
        """Release the process, whether or not everything was read."""
        if self._left:
            self._pool.discard(self._process)
        else:
            self._pool.release(self._process)


class Answered(Struct, frozen=True):
    """A completed query: its statistics, and its results as JSON."""

    outcome: JobOutcome
    body: bytes | ResultStream


class QueryWorkers:
    """Runs queries. `command` starts a query process, with additional environment variables."""

    def __init__(
        self,
        command: Sequence[str],
        settings: QuerySettings,
        *,
        environment: Mapping[str, str] | None = None,
        queue_s: float = QUEUE_S,
        cancel_s: float = CANCEL_S,
        reserved: int = RESERVED,
        idle_s: float = IDLE_S,
        max_queued: int = MAX_QUEUED,
    ) -> None:
        self.settings = settings
        self._pool = ProcessPool(
            command,
            settings,
            environment,
            queue_s=queue_s,
            cancel_s=cancel_s,
            reserved=reserved,
            idle_s=idle_s,
            max_queued=max_queued,
        )
        self.on_unreadable: Callable[[str], None] = lambda message: None  # called if the data could not be read
        self.may_read_replica: Callable[[], bool] = lambda: False  # asked before each query

    def of(self, tenant: str) -> "Queries":
        """The same for queries to one tenant's data."""
        return Queries(self, tenant)

    async def run(self, work: Work, *, client: str, seconds: float) -> Answered:
        """Run a job or a task; clients take turns. Canceling this cancels it.

        Raises the QueryError of a query that failed or timed out, the error of a refused task, QueriesBusy, and
        QueryProcessLost.
        """
        answered = await self._answered(work, client, seconds)
        if answered is None:
            # A signal meant for the job before, or sent by another program. Queries change nothing: run it again.
            answered = await self._answered(work, client, seconds)
        if answered is None:
            raise Unavailable("the query was canceled", hint="retry the request")
        if not work.tenant:  # output of other tenants is not for the log, which the owner reads
            _log_printed(answered.outcome.printed)
        if answered.outcome.failure is not UNSET:
            raise error_of(answered.outcome.failure)
        if answered.outcome.refusal is not UNSET:
            raise refusal_error(answered.outcome.refusal)
        return answered

    def stop(self) -> None:
        """Cancel all queries at once, and accept no more."""
        self._pool.stop()

    async def close(self) -> None:
        """Stop, and wait until every process has ended."""
        await self._pool.close()

    async def _answered(self, work: Work, client: str, seconds: float) -> Answered | None:
        """What a process answers; None if its query was canceled, though not by us."""
        process = await self._pool.acquire(client, is_bound=bool(work.buckets))
        answering = process.ask(replace(work, may_read_replica=self.may_read_replica()))
        try:
            await asyncio.wait({answering}, timeout=seconds)
        except asyncio.CancelledError:
            self._pool.reclaim(process, answering)
            raise
        if not answering.done():
            self._pool.reclaim(process, answering)
            raise QueryTimeoutError(
                f"the query took longer than {seconds:g} s",
                hint="query a shorter period, or set timeout_s of POST /api/1/query",
            )
        return self._taken(process, answering.result())

    def _taken(self, process: QueryProcess, answer: Answer) -> Answered | None:
        """The contents of a response; its process was returned or is streaming."""
        match answer:
            case Whole(done, body):
                self._give_back(process, done.outcome)
                return Answered(done.outcome, body)
            case Done(outcome, body_bytes):
                return Answered(outcome, ResultStream(self._pool, process, body_bytes))
            case StoreUnreadable(message, hint):
                self._pool.release(process)
                self.on_unreadable(message)
                raise StoreUnusable(message, hint=hint)
            case Cancelled():
                self._pool.release(process)
                return None
            case Crashed(traceback):
                self._pool.discard(process)
                log.error("A query failed in its process: %s", traceback)
                raise DaylineError("internal error while running the query", hint="see the log for details")
            case Lost(status):
                raise stopping() if self._pool.is_stopped else lost_process(status)

    def _give_back(self, process: QueryProcess, outcome: JobOutcome) -> None:
        if outcome.failure is not UNSET and outcome.failure.kind == QueryMemoryError.kind:
            self._pool.discard(process)  # its results use most of the memory limit: the next query gets a new process
        else:
            self._pool.release(process)


class Queries:
    """Queries to one tenant's data, whatever their `tenant` is."""

    def __init__(self, workers: QueryWorkers, tenant: str) -> None:
        self._workers = workers
        self._tenant = tenant
        self._slow_patterns: OrderedDict[str, None] = OrderedDict()

    @property
    def settings(self) -> QuerySettings:
        return self._workers.settings

    async def run(self, work: Work, *, client: str, seconds: float) -> Answered:
        """See QueryWorkers.run."""
        answered = await self._workers.run(replace(work, tenant=self._tenant), client=client, seconds=seconds)
        for rule in answered.outcome.skipped_rules:
            self._note_slow(rule)
        return answered

    @property
    def slow_patterns(self) -> Collection[str]:
        """Recently skipped patterns of rules."""
        return self._slow_patterns.keys()

    def _note_slow(self, rule: SkippedRule) -> None:
        if rule.pattern not in self._slow_patterns:
            name = "" if self._tenant else f" {rule.pattern[:200]!r} of {' > '.join(rule.label)[:200]}"
            log.warning("Skipped a rule%s: its regular expression takes too long for a title", name)
        self._slow_patterns[rule.pattern] = None
        self._slow_patterns.move_to_end(rule.pattern)
        if len(self._slow_patterns) > SLOW_PATTERNS_KEPT:
            self._slow_patterns.popitem(last=False)


def _log_printed(lines: Sequence[str]) -> None:
    for line in lines[:LINES_LOGGED]:
        log.info("Query print: %s", line)
    if len(lines) > LINES_LOGGED:
        log.info("Query print: and %d lines more", len(lines) - LINES_LOGGED)
