"""Requests and responses of a query process. Small and plain: the recording process reads and writes these."""

from typing import Literal, TypeAlias

from msgspec import UNSET, Struct, UnsetType

from dayline.model.time import Period
from dayline.query.patterns.slow import SkippedRule

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
    line: int | None = None
    column: int | None = None
    excerpt: str | None = None
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
