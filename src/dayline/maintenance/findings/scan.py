"""Looks through all events of a database, in a process of its own where there are many.

    python -m dayline.maintenance.findings.scan [FOLDER]

It reads a LookJob from its standard input and writes a Looked to its standard output. With a folder, the mends of
each finding are written there, one a line, in a file of its own. Of the database it reads only.
"""

import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO, Final

import msgspec
from msgspec import Struct

from dayline.maintenance.findings.finders import (
    FUTURE,
    Coverage,
    Duplicates,
    Finder,
    Future,
    Negative,
    Overlaps,
    Row,
    Span,
    ZeroLength,
    gaps,
)
from dayline.model.annotation import ANNOTATIONS_TYPE
from dayline.model.errors import DaylineError
from dayline.model.health import FINDING_KINDS, MENDS, ONE_AT_A_TIME, RECORDS_AT_TIMES, Example, Finding, FindingKind
from dayline.model.time import SECOND, Microseconds, format_timestamp
from dayline.storage.history.contract import EventCorrection
from dayline.storage.opening import open_rows
from dayline.storage.transfer.event_rows import BucketRow, EventRows, RowsLocation

EXAMPLES: Final = 20
SHOWN: Final = 120  # characters of an example's data


class LookOrder(Struct, frozen=True, kw_only=True):
    """What to look for. Without a bucket, all are looked at."""

    now: Microseconds
    kinds: list[FindingKind]
    gap: Microseconds
    bucket: str | None = None


class LookJob(Struct, frozen=True, kw_only=True):
    """Where to look, and what for."""

    place: RowsLocation
    order: LookOrder


class Found(Struct, frozen=True, kw_only=True):
    """A finding, and what mending would do: `plan` is the name of the file that lists it."""

    finding: Finding
    removed: int = 0
    changed: int = 0
    plan: str = ""


class Looked(Struct, frozen=True, kw_only=True):
    """What was looked at, and found."""

    buckets: int
    events: int
    found: list[Found]


class _Tally:
    """What one finder finds in one bucket."""

    def __init__(self, kind: FindingKind, finder: Finder, plan: Path | None) -> None:
        self.kind: FindingKind = kind
        self._finder = finder
        self._plan = plan
        self._file: IO[bytes] | None = None
        self._removed = 0
        self._changed = 0
        self._examples: list[EventCorrection] = []

    def look(self, rows: Sequence[Row]) -> None:
        for mend in self._finder.look(rows):
            if mend.new_duration is None:
                self._removed += 1
            else:
                self._changed += 1
            if len(self._examples) < EXAMPLES:
                self._examples.append(mend)
            if self._plan is not None:
                self._note(self._plan, mend)

    def found(self, rows: EventRows, bucket: BucketRow) -> Iterator[Found]:
        """What there is to tell, if anything."""
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
            examples=[_event_example(mend, rows.text(bucket.key, mend.value)) for mend in self._examples],
            is_mendable=is_mendable,
            mend=MENDS[self.kind] if is_mendable else "",
        )
        plan = "" if self._plan is None else self._plan.name
        yield Found(finding=finding, removed=self._removed, changed=self._changed, plan=plan)

    def _note(self, plan: Path, mend: EventCorrection) -> None:
        if self._file is None:
            self._file = plan.open("wb")
        self._file.write(msgspec.json.encode(mend) + b"\n")


def look(rows: EventRows, order: LookOrder, plans: Path | None = None) -> Looked:
    """Look through the events. With a folder for plans, what would be mended is written there."""
    return _Look(rows, order, plans).look()


class _Look:
    """One look through somebody's rows: every bucket that is asked about, and for gaps the others of its host."""

    def __init__(self, rows: EventRows, order: LookOrder, plans: Path | None) -> None:
        self._rows = rows
        self._order = order
        self._plans = plans
        # Not what people say about spans: that may overlap, repeat itself, or be about tomorrow.
        self._all = [bucket for bucket in rows.buckets() if bucket.type != ANNOTATIONS_TYPE]
        self._asked = [bucket for bucket in self._all if order.bucket in (None, bucket.id)]
        self._own: dict[int, Coverage] = {}
        self._active: dict[int, Coverage] = {}
        self._present: dict[int, bool] = {}  # by value: there are few in buckets of that type

    def look(self) -> Looked:
        found = [one for bucket in self._asked for one in self._look_at(bucket)]
        if "gaps" in self._order.kinds:
            hosts = {bucket.hostname for bucket in self._asked}
            for bucket in self._all:
                if bucket.hostname in hosts and bucket not in self._asked:
                    self._cover(bucket, self._rows.pages(bucket.key))
            found += [one for bucket in self._asked if self._has_to_be_whole(bucket) for one in self._gaps_of(bucket)]
        found.sort(key=lambda one: FINDING_KINDS.index(one.finding.kind))
        return Looked(buckets=len(self._asked), events=sum(bucket.events for bucket in self._asked), found=found)

    def _look_at(self, bucket: BucketRow) -> list[Found]:
        tallies = [
            _Tally(kind, finder, self._plans and self._plans / f"{bucket.key}-{kind}")
            for kind, finder in _finders(self._order)
        ]

        def seen() -> Iterator[list[Row]]:
            for page in self._rows.pages(bucket.key):
                for tally in tallies:
                    tally.look([row for row in page if row[0] >= bucket.thinned] if tally.kind == "overlaps" else page)
                yield page

        if "gaps" in self._order.kinds:
            self._cover(bucket, seen())
        else:
            for _ in seen():
                pass
        return [found for tally in tallies for found in tally.found(self._rows, bucket)]

    def _cover(self, bucket: BucketRow, pages: Iterable[list[Row]]) -> None:
        """Note when a bucket has events, and when they say that somebody was there."""
        own = active = Coverage(longest_break=self._order.gap)
        if is_about_presence := bucket.type == "afkstatus":
            active = Coverage(longest_break=self._order.gap)
        latest = self._order.now + FUTURE
        for page in pages:
            for start, _, duration, value in page:
                end = start + duration
                if start > latest or end > latest or start < bucket.thinned:
                    continue
                own.add(start, end)
                if is_about_presence and self._says_present(bucket, value):
                    active.add(start, end)
        self._own[bucket.key], self._active[bucket.key] = own, active

    def _says_present(self, bucket: BucketRow, value: int) -> bool:
        if value not in self._present:
            self._present[value] = '"status":"not-afk"' in self._rows.text(bucket.key, value)
        return self._present[value]

    def _has_to_be_whole(self, bucket: BucketRow) -> bool:
        """Whether gaps of a bucket are reported: if its watcher records for as long as the device is in use, or if the
        caller asks about this bucket."""
        return self._order.bucket is not None or not bucket.type.startswith(RECORDS_AT_TIMES)

    def _gaps_of(self, bucket: BucketRow) -> Iterator[Found]:
        others = [
            self._active[other.key].spans
            for other in self._all
            if other.hostname == bucket.hostname and other.key != bucket.key
        ]
        found = gaps(self._own[bucket.key].spans, others, longer_than=self._order.gap)
        if found:
            longest = sorted(found, key=lambda gap: (-gap.length, gap.start))[:EXAMPLES]
            finding = Finding(
                kind="gaps",
                bucket=bucket.id,
                count=len(found),
                seconds=sum(gap.length for gap in found) / SECOND,
                examples=[_gap_example(gap) for gap in longest],
                is_mendable=False,
                mend=MENDS["gaps"],
            )
            yield Found(finding=finding)


def _finders(order: LookOrder) -> Iterator[tuple[FindingKind, Finder]]:
    for kind in order.kinds:
        match kind:
            case "duplicates":
                yield kind, Duplicates()
            case "overlaps":
                yield kind, Overlaps()
            case "negative":
                yield kind, Negative()
            case "future":
                yield kind, Future(now=order.now)
            case "zero_length":
                yield kind, ZeroLength()
            case "gaps":
                pass  # they concern several buckets at once


def _event_example(mend: EventCorrection, text: str) -> Example:
    return Example(
        event=mend.id,
        start=format_timestamp(mend.start),
        end=format_timestamp(mend.start + mend.duration),
        seconds=mend.duration / SECOND,
        data=text if len(text) <= SHOWN else f"{text[:SHOWN]}…",
        becomes=None if mend.new_duration is None else mend.new_duration / SECOND,
    )


def _gap_example(gap: Span) -> Example:
    start, end = format_timestamp(gap.start), format_timestamp(gap.end)
    return Example(event=None, start=start, end=end, seconds=gap.length / SECOND, data="", becomes=None)


def main() -> None:
    job = msgspec.json.decode(sys.stdin.buffer.read(), type=LookJob)
    plans = Path(sys.argv[1]) if sys.argv[1:] else None
    try:
        with open_rows(job.place) as rows:
            looked = look(rows, job.order, plans)
    except DaylineError as error:
        sys.exit(error.message)
    sys.stdout.buffer.write(msgspec.json.encode(looked))


if __name__ == "__main__":
    main()
