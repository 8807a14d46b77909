"""Scans all events of a database for problems, in a child process if there are many.

With a folder, the fixes of each finding are written to a file there, one per line. The database is only read.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from dayline.maintenance.findings.finders import (
    FUTURE,
    CoveredTime,
    DuplicateFinder,
    Finder,
    FutureFinder,
    NegativeFinder,
    OverlapFinder,
    Row,
    TimeSpan,
    ZeroLengthFinder,
    gaps,
)
from dayline.model.edits.annotation import ANNOTATIONS_TYPE
from dayline.model.time import SECOND, Microseconds, format_timestamp
from dayline.model.upkeep.findings import (
    FINDING_KINDS,
    FIXES,
    ONE_AT_A_TIME,
    RECORDS_AT_TIMES,
    Example,
    Finding,
    FindingKind,
)
from dayline.runtime.spool import SpoolWriter, create_spool
from dayline.storage.history.contract import EventCorrection
from dayline.storage.opening import open_rows
from dayline.storage.transfer.event_rows import BucketRow, EventRows, RowsLocation

EXAMPLES: Final = 20
MAX_DATA_CHARACTERS: Final = 120  # of an example's data


class ScanOrder(Struct, frozen=True, kw_only=True):
    """What to look for. Without a bucket, in all buckets."""

    now: Microseconds
    kinds: list[FindingKind]
    gap: Microseconds
    bucket: str | None = None


class PlannedFinding(Struct, frozen=True, kw_only=True):
    """A finding, and what a fix would do; `plan` is the name of the file with the fixes."""

    finding: Finding
    removed: int = 0
    changed: int = 0
    plan: str = ""


class ScanResult(Struct, frozen=True, kw_only=True):
    """The number of buckets and events scanned, and the findings."""

    buckets: int
    events: int
    findings: list[PlannedFinding]


class _Tally:
    """The findings of one finder in one bucket."""

    def __init__(self, kind: FindingKind, finder: Finder, plan: Path | None) -> None:
        self.kind: FindingKind = kind
        self._finder = finder
        self._plan = plan
        self._file: SpoolWriter | None = None
        self._removed = 0
        self._changed = 0
        self._examples: list[EventCorrection] = []

    def look(self, rows: Sequence[Row]) -> None:
        for fix in self._finder.look(rows):
            if fix.new_duration is None:
                self._removed += 1
            else:
                self._changed += 1
            if len(self._examples) < EXAMPLES:
                self._examples.append(fix)
            if self._plan is not None:
                self._write(self._plan, fix)

    def findings(self, rows: EventRows, bucket: BucketRow) -> Iterator[PlannedFinding]:
        """The finding, if there is one."""
        if self._file is not None:
            self._file.close()
        if not self._examples:
            return
        is_mendable = self.kind != "overlaps" or bucket.type in ONE_AT_A_TIME
        finding = Finding(
            kind=self.kind,
            bucket=bucket.id,
            count=self._removed + self._changed,
            seconds=self._finder.time / SECOND,
            examples=[_event_example(fix, rows.text(bucket.key, fix.value)) for fix in self._examples],
            is_mendable=is_mendable,
            mend=FIXES[self.kind] if is_mendable else "",
        )
        plan = "" if self._plan is None else self._plan.name
        yield PlannedFinding(finding=finding, removed=self._removed, changed=self._changed, plan=plan)

    def _write(self, plan: Path, fix: EventCorrection) -> None:
        if self._file is None:
            self._file = create_spool(plan)
        self._file.write(msgspec.json.encode(fix) + b"\n")


def scan_database(place: RowsLocation, order: ScanOrder, plans: Path | None) -> ScanResult:
    """Open a tenant's rows and scan them. It may take seconds: call it in a child process."""
    with open_rows(place) as rows:
        return scan(rows, order, plans)


def scan(rows: EventRows, order: ScanOrder, plans: Path | None = None) -> ScanResult:
    """Scan the events. With a folder for plans, the fixes are written there."""
    return _Scan(rows, order, plans).run()


class _Scan:
    """One scan of a tenant's rows: the requested buckets, and for gaps the others of their hosts."""

    def __init__(self, rows: EventRows, order: ScanOrder, plans: Path | None) -> None:
        self._rows = rows
        self._order = order
        self._plans = plans
        # Without annotations, which may overlap, repeat or be in the future.
        self._all = [bucket for bucket in rows.buckets() if bucket.type != ANNOTATIONS_TYPE]
        self._asked = [bucket for bucket in self._all if order.bucket in (None, bucket.id) and not bucket.is_mirror]
        self._own: dict[int, CoveredTime] = {}
        self._active: dict[int, CoveredTime] = {}
        self._present: dict[int, bool] = {}  # by value: such buckets have few

    def run(self) -> ScanResult:
        findings = [one for bucket in self._asked for one in self._scan_bucket(bucket)]
        if "gaps" in self._order.kinds:
            hosts = {bucket.hostname for bucket in self._asked}
            for bucket in self._all:
                if bucket.hostname in hosts and bucket not in self._asked:
                    self._cover(bucket, self._rows.pages(bucket.key))
            findings += [one for bucket in self._asked if self._reports_gaps(bucket) for one in self._gaps_of(bucket)]
        findings.sort(key=lambda one: FINDING_KINDS.index(one.finding.kind))
        events = sum(bucket.events for bucket in self._asked)
        return ScanResult(buckets=len(self._asked), events=events, findings=findings)

    def _scan_bucket(self, bucket: BucketRow) -> list[PlannedFinding]:
        tallies = [
            _Tally(kind, finder, self._plans and self._plans / f"{bucket.key}-{kind}")
            for kind, finder in _finders(self._order)
        ]

        def pages() -> Iterator[list[Row]]:
            for page in self._rows.pages(bucket.key):
                for tally in tallies:
                    tally.look(
                        [row for row in page if row[0] >= bucket.downsampled] if tally.kind == "overlaps" else page
                    )
                yield page

        if "gaps" in self._order.kinds:
            self._cover(bucket, pages())
        else:
            for _ in pages():
                pass
        return [finding for tally in tallies for finding in tally.findings(self._rows, bucket)]

    def _cover(self, bucket: BucketRow, pages: Iterable[list[Row]]) -> None:
        """Record when a bucket has events, and when they show that the user was present."""
        own = active = CoveredTime(max_break=self._order.gap)
        if is_about_presence := bucket.type == "afkstatus":
            active = CoveredTime(max_break=self._order.gap)
        latest = self._order.now + FUTURE
        for page in pages:
            for start, _, duration, value in page:
                end = start + duration
                if start > latest or end > latest or start < bucket.downsampled:
                    continue
                own.add(start, end)
                if is_about_presence and self._says_present(bucket, value):
                    active.add(start, end)
        self._own[bucket.key], self._active[bucket.key] = own, active

    def _says_present(self, bucket: BucketRow, value: int) -> bool:
        if value not in self._present:
            self._present[value] = '"status":"not-afk"' in self._rows.text(bucket.key, value)
        return self._present[value]

    def _reports_gaps(self, bucket: BucketRow) -> bool:
        """Whether gaps of a bucket are reported: if its watcher records while the device is in use, or if it was
        requested."""
        return self._order.bucket is not None or not bucket.type.startswith(RECORDS_AT_TIMES)

    def _gaps_of(self, bucket: BucketRow) -> Iterator[PlannedFinding]:
        others = [
            self._active[other.key].spans
            for other in self._all
            if other.hostname == bucket.hostname and other.key != bucket.key
        ]
        spans = gaps(self._own[bucket.key].spans, others, longer_than=self._order.gap)
        if spans:
            longest = sorted(spans, key=lambda gap: (-gap.length, gap.start))[:EXAMPLES]
            finding = Finding(
                kind="gaps",
                bucket=bucket.id,
                count=len(spans),
                seconds=sum(gap.length for gap in spans) / SECOND,
                examples=[_gap_example(gap) for gap in longest],
                is_mendable=False,
                mend=FIXES["gaps"],
            )
            yield PlannedFinding(finding=finding)


def _finders(order: ScanOrder) -> Iterator[tuple[FindingKind, Finder]]:
    for kind in order.kinds:
        match kind:
            case "duplicates":
                yield kind, DuplicateFinder()
            case "overlaps":
                yield kind, OverlapFinder()
            case "negative":
                yield kind, NegativeFinder()
            case "future":
                yield kind, FutureFinder(now=order.now)
            case "zero_length":
                yield kind, ZeroLengthFinder()
            case "gaps":
                pass  # they involve several buckets


def _event_example(fix: EventCorrection, text: str) -> Example:
    return Example(
        event=fix.id,
        start=format_timestamp(fix.start),
        end=format_timestamp(fix.start + fix.duration),
        seconds=fix.duration / SECOND,
        data=text if len(text) <= MAX_DATA_CHARACTERS else f"{text[:MAX_DATA_CHARACTERS]}…",
        becomes=None if fix.new_duration is None else fix.new_duration / SECOND,
    )


def _gap_example(gap: TimeSpan) -> Example:
    start, end = format_timestamp(gap.start), format_timestamp(gap.end)
    return Example(event=None, start=start, end=end, seconds=gap.length / SECOND, data="", becomes=None)
