"""Health, damage, and findings: what looks wrong in the data, and its fix."""

import shlex
from pathlib import Path
from typing import Annotated, Final, Literal, TypeAlias

from msgspec import Meta, Struct

from dayline.model.event import EventId
from dayline.model.time import Microseconds, Timestamp
from dayline.model.upkeep import UndoId

ProblemKind: TypeAlias = Literal[
    "backup", "damage", "disk", "clock", "check", "replica", "background", "watcher", "connections", "sign-in"
]


class Problem(Struct, frozen=True, kw_only=True):
    """One thing that is wrong. `hint` says what mends it; `since` is null where nobody knows."""

    kind: ProblemKind
    message: str
    hint: str | None = None
    since: Timestamp | None = None


class BackgroundWork(Struct, frozen=True, kw_only=True):
    """Work that the server does in the background. `failing`: the last run failed, and it is retried.

    `last_run` is when it last began; `next_run` is null while it runs and if it waits to be needed. `failures` counts
    the failed runs in a row, and `last_error` is the cause of the last one.
    """

    name: str
    state: Literal["waiting", "running", "failing"]
    last_run: Timestamp | None
    next_run: Timestamp | None
    last_error: str | None
    failures: int


class HealthView(Struct, frozen=True, kw_only=True):
    """`ok`: everything is well. `degraded`: it serves and records, but something needs looking after.

    `background` lists the work that the server does in the background.
    """

    status: Literal["ok", "degraded"]
    problems: list[Problem]
    background: list[BackgroundWork]


# Damage to a database, as it is marked beside it and told to people.


class Damage(Struct, frozen=True, kw_only=True):
    """What was found, and when. The id tells whether a file was repaired since."""

    id: str
    found: Microseconds
    message: str


def repair_command(database: Path) -> str:
    """The command that repairs this database, and no other one."""
    return f"dayline doctor --repair --database {shlex.quote(str(database))}"


# What looks wrong in the data themselves, what mending does about it, and what was mended.


MendKind: TypeAlias = Literal["duplicates", "overlaps", "negative", "future", "zero_length"]
FindingKind: TypeAlias = Literal["duplicates", "overlaps", "negative", "future", "zero_length", "gaps"]

MEND_KINDS: Final[tuple[MendKind, ...]] = ("duplicates", "overlaps", "negative", "future", "zero_length")
FINDING_KINDS: Final[tuple[FindingKind, ...]] = (*MEND_KINDS, "gaps")
# Of these only one thing is true at a time, so that two events at once are a fault; elsewhere they may be meant.
ONE_AT_A_TIME: Final = frozenset({"currentwindow", "afkstatus", "web.tab.current"})
# How the types of buckets begin that have events only while a program or a stopwatch is in use: a gap is normal there.
RECORDS_AT_TIMES: Final = ("web.", "app.editor", "general.stopwatch")
MENDS: Final[dict[FindingKind, str]] = {
    "duplicates": "of events that are the same, the first one that was stored stays",
    "overlaps": "the earlier event ends where the next one begins; of two that begin together, the longer one stays",
    "negative": "the event lasts no time: it stays where it begins",
    "future": "the event is removed",
    "zero_length": "the event is removed",
    "gaps": "",
}


class Example(Struct, frozen=True, kw_only=True):
    """An event, or a time without one."""

    event: Annotated[EventId | None, Meta(description="its id; null for a time without an event")]
    start: Timestamp
    end: Timestamp
    seconds: float
    data: Annotated[str, Meta(description="the beginning of its data, as JSON text")]
    becomes: Annotated[float | None, Meta(description="the seconds it lasts when mended; null where it is removed")]


class Finding(Struct, frozen=True, kw_only=True):
    """One kind of thing that looks wrong in one bucket."""

    kind: FindingKind
    bucket: str
    count: Annotated[int, Meta(description="how many events are concerned; for gaps, how many there are")]
    seconds: Annotated[float, Meta(description="how much time is concerned, for overlaps what is counted twice")]
    examples: Annotated[list[Example], Meta(description="the first ones; of gaps, the longest")]
    is_mendable: bool
    mend: Annotated[str, Meta(description="what mending does, in words; empty where it cannot be mended")]


class RenamedHost(Struct, frozen=True, kw_only=True):
    """Two host names that look like one computer, renamed. `reason` says in words why."""

    old: str
    new: str
    reason: str


class Findings(Struct, frozen=True, kw_only=True):
    """What was looked at, and what was found there. Hosts are looked at when all buckets are."""

    buckets: int
    events: int
    findings: list[Finding]
    renamed_hosts: list[RenamedHost]


class MendRequest(Struct, frozen=True, kw_only=True):
    """What to mend, and where."""

    kind: MendKind
    bucket: Annotated[str | None, Meta(description="the bucket's id; without it, every bucket is mended")] = None
    dry_run: Annotated[bool, Meta(description="say what would be done, and do nothing")] = False


class MendedBucket(Struct, frozen=True, kw_only=True):
    """What was done in one bucket, or would be. `skipped` counts events that were changed by others meanwhile."""

    bucket: str
    removed: int
    changed: int
    skipped: int
    seconds: float
    examples: list[Example]
    undo: UndoId | None


class Mended(Struct, frozen=True, kw_only=True):
    """What was done, or would be, bucket by bucket."""

    kind: MendKind
    dry_run: bool
    removed: int
    changed: int
    buckets: list[MendedBucket]
