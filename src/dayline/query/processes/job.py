"""What a query process is asked, and what it answers. Small and plain: the recording process reads and writes these."""

from typing import Literal, TypeAlias

from msgspec import UNSET, Struct, UnsetType

from dayline.model.time import Period
from dayline.query.patterns.slow import SkippedRule

Mode = Literal["answer", "check", "explain"]


class Job(Struct, frozen=True, kw_only=True, tag=True):
    """A program to run once for each period, or (check) only to be read.

    explain: run it, and tell of each statement what it did; the results are left out. `buckets` are the names of those
    that it may read (see BucketNames); none means all. `tenant` is the person whose data are read.
    `may_read_replica`: a copy of the data that has all of them will do.
    """

    text: str
    periods: list[Period]
    name: str = ""
    mode: Mode = "answer"
    most_result_bytes: int = 256 << 20
    buckets: tuple[str, ...] = ()
    tenant: str = ""
    may_read_replica: bool = False


class Task(Struct, frozen=True, kw_only=True, tag=True):
    """Something other than a program, by a name that the process knows. `request` is JSON, and so is its answer."""

    name: str
    request: bytes
    buckets: tuple[str, ...] = ()
    tenant: str = ""
    may_read_replica: bool = False


Work: TypeAlias = Job | Task


class Failure(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A QueryError on its way between processes."""

    kind: str
    message: str
    hint: str | None = None
    line: int | None = None
    column: int | None = None
    excerpt: str | None = None
    expected: tuple[str, ...] = ()


class Refusal(Struct, frozen=True, kw_only=True):
    """An error of `dayline.model.errors` on its way between processes: one that the task itself has found."""

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
    """What a query took."""

    seconds: float = 0.0
    events_read: int = 0
    segments_read: int = 0
    rows_read: int = 0  # events that came from rows, not from segments
    result_bytes: int = 0


class Outcome(Struct, frozen=True, kw_only=True):
    """How a job or a task ended. The results follow it as bytes: of a job, a JSON array with one element a period."""

    statistics: Statistics = Statistics()
    statements: list[StatementReport] = []
    printed: list[str] = []
    failure: Failure | UnsetType = UNSET
    refusal: Refusal | UnsetType = UNSET
    skipped_rules: list[SkippedRule] = []
