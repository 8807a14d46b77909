"""Findings: problems in the data, their fixes, and what was fixed."""

from typing import Annotated, Final, Literal, TypeAlias

from msgspec import Meta, Struct

from dayline.model.event import EventId
from dayline.model.time import Timestamp
from dayline.model.upkeep.undo import UndoId

FixKind: TypeAlias = Literal["duplicates", "overlaps", "negative", "future", "zero_length"]
FindingKind: TypeAlias = Literal["duplicates", "overlaps", "negative", "future", "zero_length", "gaps"]

FIXABLE_KINDS: Final[tuple[FixKind, ...]] = ("duplicates", "overlaps", "negative", "future", "zero_length")
FINDING_KINDS: Final[tuple[FindingKind, ...]] = (*FIXABLE_KINDS, "gaps")
# In these buckets only one thing is true at a time, so overlapping events are an error; elsewhere they may be intended.
ONE_AT_A_TIME: Final = frozenset({"currentwindow", "afkstatus", "web.tab.current"})
# Prefixes of bucket types with events only while a program or stopwatch is in use: gaps are normal there.
RECORDS_AT_TIMES: Final = ("web.", "app.editor", "general.stopwatch")
FIXES: Final[dict[FindingKind, str]] = {
    "duplicates": "of identical events, the one stored first is kept",
    "overlaps": "the earlier event ends where the next one starts; of two with the same start, the longer one is kept",
    "negative": "the event's duration becomes 0; its start stays",
    "future": "the event is deleted",
    "zero_length": "the event is deleted",
    "gaps": "",
}


class Example(Struct, frozen=True, kw_only=True):
    """An event, or a gap."""

    event: Annotated[EventId | None, Meta(description="its id; null for a gap")]
    start: Timestamp
    end: Timestamp
    seconds: float
    data: Annotated[str, Meta(description="the first part of its data, as JSON text")]
    becomes: Annotated[float | None, Meta(description="its duration in seconds after the fix; null if it is deleted")]


class Finding(Struct, frozen=True, kw_only=True):
    """One kind of problem in one bucket."""

    kind: FindingKind
    bucket: str
    count: Annotated[int, Meta(description="number of affected events; for gaps, the number of gaps")]
    seconds: Annotated[float, Meta(description="affected time; for overlaps, the time counted twice")]
    examples: Annotated[list[Example], Meta(description="the first ones; for gaps, the longest")]
    is_mendable: bool
    mend: Annotated[str, Meta(description="what the fix does, as text; empty if there is no fix")]


class RenamedHost(Struct, frozen=True, kw_only=True):
    """Two host names that look like the same computer, renamed. `reason` explains why."""

    old: str
    new: str
    reason: str


class Findings(Struct, frozen=True, kw_only=True):
    """What was checked, and what was found. Hosts are checked if all buckets are."""

    buckets: int
    events: int
    findings: list[Finding]
    renamed_hosts: list[RenamedHost]


class FixRequest(Struct, frozen=True, kw_only=True):
    """What to fix, and where."""

    kind: FixKind
    bucket: Annotated[str | None, Meta(description="the bucket's id; without it, every bucket is fixed")] = None
    dry_run: Annotated[bool, Meta(description="preview without changing anything")] = False


class FixedBucket(Struct, frozen=True, kw_only=True):
    """What was done in one bucket, or would be. `skipped` counts events that changed since the check."""

    bucket: str
    removed: int
    changed: int
    skipped: int
    seconds: float
    examples: list[Example]
    undo: UndoId | None


class FixResult(Struct, frozen=True, kw_only=True):
    """What was done, or would be, by bucket."""

    kind: FixKind
    dry_run: bool
    removed: int
    changed: int
    buckets: list[FixedBucket]
