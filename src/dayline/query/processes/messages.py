"""Messages between the server and query processes: jobs and replies. Plain: the recording process loads this."""

from typing import TYPE_CHECKING, BinaryIO, Literal, TypeAlias

import msgspec
from msgspec import UNSET, Struct, UnsetType

from dayline.model.time import Period
from dayline.query.errors import SourcePosition
from dayline.query.patterns.limits import SkippedRule
from dayline.runtime.framing import read_frame, receive_frame

if TYPE_CHECKING:
    import asyncio

Mode = Literal["answer", "check", "explain"]


class QueryJob(Struct, frozen=True, kw_only=True, tag=True):
    """A program to run once for each period, or (check) only to parse.

    explain: run it and report each statement, without the results. `buckets` are the names of those that it may read
    (see BucketNames); empty means all. `tenant` is the tenant whose data is read. `may_read_replica`: an up-to-date
    replica may be used.
    """

    text: str
    periods: list[Period]
    name: str = ""
    mode: Mode = "answer"
    max_result_bytes: int = 256 << 20
    buckets: tuple[str, ...] = ()
    tenant: str = ""
    may_read_replica: bool = False


class Task(Struct, frozen=True, kw_only=True, tag=True):
    """Something other than a program, by name. `request` is JSON, and so is the result."""

    name: str
    request: bytes
    buckets: tuple[str, ...] = ()
    tenant: str = ""
    may_read_replica: bool = False


Work: TypeAlias = QueryJob | Task


class Failure(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A QueryError between processes."""

    kind: str
    message: str
    hint: str | None = None
    place: SourcePosition | None = None
    expected: tuple[str, ...] = ()


class TaskRefusal(Struct, frozen=True, kw_only=True):
    """An error of `dayline.model.errors` between processes: one that the task itself raised."""

    kind: str
    message: str
    hint: str | None = None
    field: str | None = None


class BucketRead(Struct, frozen=True, kw_only=True):
    """Where the events of one read of a bucket came from."""

    bucket: str
    segments: int
    segment_events: int
    row_events: int


class StatementReport(Struct, frozen=True, kw_only=True):
    """One statement of a program, in one period."""

    period: int
    line: int
    text: str
    seconds: float
    events_in: int
    events_out: int
    reads: list[BucketRead]
    fallbacks: list[str]


class Statistics(Struct, frozen=True, kw_only=True):
    """Statistics of a query."""

    seconds: float = 0.0
    events_read: int = 0
    segments_read: int = 0
    rows_read: int = 0  # events from rows, not from segments
    result_bytes: int = 0


class JobOutcome(Struct, frozen=True, kw_only=True):
    """How a job or a task ended. The results follow as bytes: of a job, a JSON array with one element per period."""

    statistics: Statistics = Statistics()
    statements: list[StatementReport] = []
    printed: list[str] = []
    failure: Failure | UnsetType = UNSET
    refusal: TaskRefusal | UnsetType = UNSET
    skipped_rules: list[SkippedRule] = []


# Framed messages, and the bytes of results. The recording process sends Work and gets a Reply; a Done is followed by
# `body_bytes` bytes of results.
class Ready(Struct, frozen=True, tag=True):
    """The first message of a process: it is ready."""


class Done(Struct, frozen=True, tag=True):
    """The job ended, successfully or not."""

    outcome: JobOutcome
    body_bytes: int


class Cancelled(Struct, frozen=True, tag=True):
    """The job was canceled on request; the process can take the next one."""


class StoreUnreadable(Struct, frozen=True, tag=True):
    """The store could not be read; nothing is wrong with the query."""

    message: str
    hint: str | None


class Crashed(Struct, frozen=True, tag=True):
    """A defect. The process ends."""

    traceback: str


Reply: TypeAlias = Ready | Done | Cancelled | StoreUnreadable | Crashed

_work_decoder: msgspec.msgpack.Decoder[Work] = msgspec.msgpack.Decoder(Work)
_reply_decoder: msgspec.msgpack.Decoder[Reply] = msgspec.msgpack.Decoder(Reply)


def read_work(pipe: BinaryIO) -> Work | None:
    """The next job; None at the end of the pipe."""
    encoded = read_frame(pipe)
    return None if encoded is None else _work_decoder.decode(encoded)


async def read_reply(pipe: "asyncio.StreamReader") -> Reply:
    """The next reply. Raises IncompleteReadError if the process has ended."""
    return _reply_decoder.decode(await receive_frame(pipe))
