"""Work that goes on after its call was answered: what is under way, how far it is, and what became of it.

Jobs live in memory: after a restart nobody knows of them any more, and what they had stored by then is there.
"""

import asyncio
import contextlib
import logging
import secrets
from collections.abc import Awaitable, Callable
from typing import Final, Literal

import msgspec
from msgspec import UNSET, Struct, UnsetType

from dayline.maintenance.migration.copying import MigrationProof
from dayline.model.errors import Conflict, DaylineError, NotFound
from dayline.model.time import Microseconds, Timestamp, format_timestamp
from dayline.storage.store import ImportReport

JobKind = Literal["import", "migration", "demo"]
JobState = Literal["running", "done", "failed", "cancelled"]

KEPT: Final = 50  # of those that are over
_ID_BYTES: Final = 16

log = logging.getLogger(__name__)


class JobProgress(Struct, frozen=True, kw_only=True):
    """How far it is; `total` is null until it is known."""

    done: int = 0
    total: int | None = None


class JobFault(Struct, frozen=True, kw_only=True):
    """Why it did not come to its end, as the answer to a call would have said it."""

    message: str
    type: str
    hint: str | None = None


class JobResult(ImportReport, frozen=True, kw_only=True):
    """What it did, as an import tells it; of a migration, the proof besides that everything is here as it is there."""

    proof: MigrationProof | UnsetType = UNSET


class JobView(Struct, frozen=True, kw_only=True):
    """A job as it is now. `result` is there when it is done, `error` when it failed or was cancelled."""

    id: str
    kind: JobKind
    state: JobState
    progress: JobProgress
    started: Timestamp
    finished: Timestamp | None
    result: JobResult | None
    error: JobFault | None


class JobList(Struct, frozen=True, kw_only=True):
    """Every job that is known, the newest first."""

    jobs: list[JobView]


class Job:
    """One piece of work. Whoever does it tells with `advance` how far it is.

    `is_given_up` is set where somebody has cancelled it, and not where the server stops; `left` is what the work says
    then of what it leaves behind.
    """

    def __init__(self, kind: JobKind, started: Microseconds, on_change: "OnJob") -> None:
        self.id = secrets.token_urlsafe(_ID_BYTES)
        self.kind: JobKind = kind
        self.state: JobState = "running"
        self.progress = JobProgress()
        self.stored = 0
        self.finished: Microseconds | None = None
        self.result: JobResult | None = None
        self.error: JobFault | None = None
        self.is_given_up = False
        self.left: JobFault | None = None
        self.is_over = asyncio.Event()
        self._started = started
        self._on_change = on_change

    def advance(self, done: int, total: int, stored: int) -> None:
        """So many of so many are gone through, and so many are stored."""
        self.progress = JobProgress(done=done, total=total)
        self.stored = stored
        self._on_change(self)

    def view(self) -> JobView:
        return JobView(
            id=self.id,
            kind=self.kind,
            state=self.state,
            progress=self.progress,
            started=format_timestamp(self._started),
            finished=None if self.finished is None else format_timestamp(self.finished),
            result=self.result,
            error=self.error,
        )


Work = Callable[[Job], Awaitable[JobResult]]
OnJob = Callable[[Job], None]


def result_of(report: ImportReport, proof: MigrationProof | UnsetType = UNSET) -> JobResult:
    """The result of a job that imports."""
    return JobResult(**msgspec.structs.asdict(report), proof=proof)


class Jobs:
    """Every job of this server. Used on the event loop. `on_change` hears of each that begins, goes on or ends."""

    def __init__(self, *, clock: Callable[[], Microseconds]) -> None:
        self._clock = clock
        self._jobs: dict[str, Job] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self.on_change: OnJob = lambda job: None

    def start(self, kind: JobKind, work: Work) -> Job:
        """Begin the work in a task of its own: whoever asked for it may go."""
        job = Job(kind, self._clock(), lambda job: self.on_change(job))
        self._jobs[job.id] = job
        self.on_change(job)
        task = asyncio.get_running_loop().create_task(self._run(job, work))
        self._tasks[job.id] = task
        task.add_done_callback(lambda _: self._ended(job))
        return job

    def start_alone(self, kind: JobKind, work: Work) -> Job:
        """The same for what is done once at a time. Raises Conflict."""
        self.check_alone(kind)
        return self.start(kind, work)

    def check_alone(self, kind: JobKind) -> None:
        """Raise Conflict where one of that kind is under way."""
        job = self.running(kind)
        if job is not None:
            raise Conflict(f"a {kind} is under way already", hint=f"GET /api/1/jobs/{job.id} tells how far it is")

    def all(self) -> list[Job]:
        """The newest first."""
        return list(reversed(self._jobs.values()))

    def running(self, kind: JobKind) -> Job | None:
        """One of that kind that is under way."""
        return next((job for job in self.all() if job.kind == kind and job.state == "running"), None)

    def find(self, job_id: str) -> Job:
        """Raises NotFound."""
        try:
            return self._jobs[job_id]
        except KeyError:
            raise NotFound(
                f"there is no job {job_id[:40]!r}",
                hint="GET /api/1/jobs lists them; after a restart none are known any more",
            ) from None

    async def wait(self, job: Job, *, seconds: float) -> None:
        """Until it is over, but no longer than that."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await job.is_over.wait()

    async def cancel(self, job: Job) -> None:
        """Stop it where it is; its kind decides what stays. Nothing happens to a job that is over."""
        task = self._tasks.get(job.id)
        if task is not None:
            job.is_given_up = True
            task.cancel()
            await job.is_over.wait()

    async def close(self) -> None:
        for task in list(self._tasks.values()):
            task.cancel()
        if self._tasks:
            await asyncio.wait(list(self._tasks.values()))

    async def _run(self, job: Job, work: Work) -> None:
        try:
            job.result = await work(job)
            job.state = "done"
        except asyncio.CancelledError:
            job.state, job.error = "cancelled", job.left or _cancelled(job)
        except DaylineError as error:
            job.state = "failed"
            job.error = JobFault(message=error.message, type=type(error).__name__, hint=error.hint)
        except Exception as error:  # nobody waits for it: it is told here, or never
            log.exception("a job failed: %s", job.kind)
            job.state, job.error = "failed", JobFault(message=f"it failed: {error}", type=type(error).__name__)
        finally:
            self._end(job)

    def _ended(self, job: Job) -> None:
        del self._tasks[job.id]
        if not job.is_over.is_set():  # cancelled before its first step
            job.state, job.error = "cancelled", _cancelled(job)
            self._end(job)

    def _end(self, job: Job) -> None:
        job.finished = self._clock()
        job.is_over.set()
        self._forget()
        self.on_change(job)

    def _forget(self) -> None:
        over = [job.id for job in self._jobs.values() if job.is_over.is_set()]
        for job_id in over[: max(0, len(over) - KEPT)]:
            del self._jobs[job_id]


def _cancelled(job: Job) -> JobFault:
    return JobFault(
        message=f"it was cancelled; {job.stored:,} new events are stored, and stay",
        type="Cancelled",
        hint="send the document again to go on: what is there already is skipped",
    )
