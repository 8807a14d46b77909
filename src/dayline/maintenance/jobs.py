"""Background jobs: work that continues after its call was answered, with progress and result.

Jobs are kept in memory. After a restart they are unknown, but what they stored remains.
"""

import asyncio
import contextlib
import logging
import secrets
from collections.abc import Awaitable, Callable
from typing import Final, Literal

import msgspec
from msgspec import UNSET, Struct, UnsetType

from dayline.maintenance.migration.proof import MigrationProof
from dayline.model.errors import Conflict, DaylineError, NotFound
from dayline.model.time import Microseconds, Timestamp, format_timestamp
from dayline.runtime.text import quantity
from dayline.storage.transfer.report import ImportReport

JobKind = Literal["import", "migration", "demo"]
JobState = Literal["running", "done", "failed", "cancelled"]

MAX_FINISHED: Final = 50
_ID_BYTES: Final = 16

log = logging.getLogger(__name__)


class JobProgress(Struct, frozen=True, kw_only=True):
    """The progress of a job; `total` is null until it is known."""

    done: int = 0
    total: int | None = None


class JobFault(Struct, frozen=True, kw_only=True):
    """Why a job failed, like the error of a call."""

    message: str
    type: str
    hint: str | None = None


class JobResult(ImportReport, frozen=True, kw_only=True):
    """The result, as for an import; for a migration also the proof that both sides are equal."""

    proof: MigrationProof | UnsetType = UNSET


class JobView(Struct, frozen=True, kw_only=True):
    """A job. `result` is set when it is done, `error` when it failed or was canceled."""

    id: str
    kind: JobKind
    state: JobState
    progress: JobProgress
    started: Timestamp
    finished: Timestamp | None
    result: JobResult | None
    error: JobFault | None


class JobList(Struct, frozen=True, kw_only=True):
    """All known jobs, the newest first."""

    jobs: list[JobView]


class BackgroundJob:
    """One job. Its work reports progress with `advance`.

    `is_given_up` is set if a user canceled it, and not if the server stops; `left` is then the work's description of
    what remains.
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
        """Report progress: `done` of `total`, and how many events are stored."""
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


Work = Callable[[BackgroundJob], Awaitable[JobResult]]
OnJob = Callable[[BackgroundJob], None]


def result_of(report: ImportReport, proof: MigrationProof | UnsetType = UNSET) -> JobResult:
    """The result of a job that imports."""
    return JobResult(**msgspec.structs.asdict(report), proof=proof)


class Jobs:
    """All jobs of a tenant. Use on the event loop. `on_change` is called when a job starts, progresses or ends."""

    def __init__(self, *, clock: Callable[[], Microseconds]) -> None:
        self._clock = clock
        self._jobs: dict[str, BackgroundJob] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self.on_change: OnJob = lambda job: None

    def start(self, kind: JobKind, work: Work) -> BackgroundJob:
        """Start the work in its own task, independent of the caller."""
        job = BackgroundJob(kind, self._clock(), lambda job: self.on_change(job))
        self._jobs[job.id] = job
        self.on_change(job)
        task = asyncio.get_running_loop().create_task(self._run(job, work))
        self._tasks[job.id] = task
        task.add_done_callback(lambda _: self._on_task_done(job))
        return job

    def start_exclusive(self, kind: JobKind, work: Work) -> BackgroundJob:
        """Start a job of a kind that runs only once at a time. Raises Conflict."""
        self.check_exclusive(kind)
        return self.start(kind, work)

    def check_exclusive(self, kind: JobKind) -> None:
        """Raise Conflict if a job of that kind is running."""
        job = self.running(kind)
        if job is not None:
            raise Conflict(f"a {kind} job is already running", hint=f"GET /api/1/jobs/{job.id} returns its progress")

    def all(self) -> list[BackgroundJob]:
        """All jobs, the newest first."""
        return list(reversed(self._jobs.values()))

    def running(self, kind: JobKind) -> BackgroundJob | None:
        """The running job of that kind, if any."""
        return next((job for job in self.all() if job.kind == kind and job.state == "running"), None)

    def find(self, job_id: str) -> BackgroundJob:
        """The job with this id. Raises NotFound."""
        try:
            return self._jobs[job_id]
        except KeyError:
            raise NotFound(
                f"there is no job {job_id[:40]!r}",
                hint="GET /api/1/jobs lists the jobs; jobs are not kept after a restart",
            ) from None

    async def wait(self, job: BackgroundJob, *, seconds: float) -> None:
        """Wait until it ends, or for this long."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await job.is_over.wait()

    async def cancel(self, job: BackgroundJob) -> None:
        """Stop a job; its kind decides what remains. Does nothing if it has ended."""
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

    async def _run(self, job: BackgroundJob, work: Work) -> None:
        try:
            job.result = await work(job)
            job.state = "done"
        except asyncio.CancelledError:
            job.state, job.error = "cancelled", job.left or _cancellation(job)
        except DaylineError as error:
            job.state = "failed"
            job.error = JobFault(message=error.message, type=type(error).__name__, hint=error.hint)
        except Exception as error:  # no caller waits for it: this is the only report
            log.exception("A job failed: %s", job.kind)
            job.state, job.error = "failed", JobFault(message=f"the job failed: {error}", type=type(error).__name__)
        finally:
            self._end(job)

    def _on_task_done(self, job: BackgroundJob) -> None:
        del self._tasks[job.id]
        if not job.is_over.is_set():  # canceled before its first step
            job.state, job.error = "cancelled", _cancellation(job)
            self._end(job)

    def _end(self, job: BackgroundJob) -> None:
        job.finished = self._clock()
        job.is_over.set()
        self._drop_oldest()
        self.on_change(job)

    def _drop_oldest(self) -> None:
        over = [job.id for job in self._jobs.values() if job.is_over.is_set()]
        for job_id in over[: max(0, len(over) - MAX_FINISHED)]:
            del self._jobs[job_id]


def _cancellation(job: BackgroundJob) -> JobFault:
    return JobFault(
        message=f"canceled: {quantity(job.stored, 'new event')} stored",
        type="Cancelled",
        hint="send the document again to resume: existing events are skipped",
    )
