"""Reads of what a redaction changes: its rows, and the events to change, a page at a time.

A plan is opened with the database attached as `store`.
"""

from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Final

import apsw
import msgspec

from dayline.model.privacy import Redaction
from dayline.model.time import start_of_month
from dayline.runtime.sqlite_file import READ_ONLY, attach, connect
from dayline.storage.redaction.lifecycle import OPEN, no_redaction
from dayline.storage.redaction.seam import Counts, EventKey, Part, Progress
from dayline.storage.sqlite.file.connection import BUSY_TIMEOUT_MS, ReaderPool
from dayline.storage.sqlite.file.schema import ORIGIN
from dayline.storage.sqlite.redaction.tables import all_redactions, redaction_at

EVENTS_PER_PAGE: Final = 10_000

_PROGRESS = "SELECT state, has_rest, plan FROM redaction WHERE key = ?"
_UNFINISHED = "SELECT key FROM redaction WHERE state IN ('applying', 'undoing') OR has_rest ORDER BY key"
_PLANS_IN_USE = "SELECT plan FROM redaction WHERE state = 'applying'"
_BUCKETS = "SELECT DISTINCT bucket FROM redacted_value WHERE redaction = ? ORDER BY bucket"
_MONTHS = "SELECT month FROM month WHERE bucket = ? AND events > 0 ORDER BY month"
_PAGE = """
event.bucket = :bucket AND event.start >= :start AND event.start < :end
AND (event.start, event.id) > (:start, :id) ORDER BY event.start, event.id LIMIT :limit
"""
# Those whose text was changed in place keep their events.
_PLANNED_EVENTS = f"""
SELECT event.bucket, event.start, event.id FROM store.event AS event
WHERE event.id < :next_id AND EXISTS (SELECT 1 FROM main.change WHERE change.key = event.value) AND NOT EXISTS (
    SELECT 1 FROM store.redacted_value AS kept
    WHERE kept.redaction = :redaction AND kept.value = event.value AND kept.json IS NOT NULL
) AND {_PAGE}
"""
_CHANGED_EVENTS = f"""
SELECT event.bucket, event.start, event.id FROM event
WHERE EXISTS (
    SELECT 1 FROM redacted_value AS kept
    WHERE kept.redaction = :redaction AND kept.value = event.value AND kept.json IS NOT NULL
    AND event.id < kept.next_id
) AND {_PAGE}
"""
_MOVED_VALUES = """
SELECT value.key FROM redacted_value AS moved JOIN value ON value.key = moved.value AND value.bucket = moved.bucket
WHERE moved.redaction = ? AND moved.json IS NULL
"""
_USED_VALUES = """
SELECT DISTINCT event.value FROM event WHERE event.bucket = :bucket AND event.start >= :start AND event.start < :end
AND EXISTS (
    SELECT 1 FROM redacted_value AS moved
    WHERE moved.redaction = :redaction AND moved.value = event.value AND moved.json IS NULL
)
"""
_NEEDED_TO_UNDO = f"""
SELECT kept.value FROM redaction AS other JOIN redacted_value AS kept ON kept.redaction = other.key
WHERE other.state IN {OPEN} AND other.key <> ?
"""
_COUNTS = """
SELECT
    (SELECT count(*) FROM change WHERE events > 0),
    (SELECT count(target) FROM store.redacted_event WHERE redaction = :redaction) + (
        SELECT coalesce(sum(change.events), 0) FROM store.redacted_value AS kept JOIN change ON change.key = kept.value
        WHERE kept.redaction = :redaction AND kept.json IS NOT NULL
    ),
    (SELECT count(*) - count(target) FROM store.redacted_event WHERE redaction = :redaction)
"""


class SqliteRedactionReads:
    """See RedactionReads. A redaction has one part: the whole file."""

    def __init__(self, path: Path, readers: ReaderPool) -> None:
        self._path = path
        self._readers = readers

    def all(self) -> list[Redaction]:
        with self._readers.connection() as db:
            return all_redactions(db)

    def one(self, key: int) -> Redaction:
        with self._readers.connection() as db:
            return redaction_at(db, key)

    def progress(self, key: int) -> Progress:
        with self._readers.connection() as db:
            row = db.execute(_PROGRESS, (key,)).fetchone()
        if row is None:
            raise no_redaction(key)
        state, has_rest, plan = row
        return msgspec.convert({"state": state, "has_rest": bool(has_rest), "plan": plan}, Progress)

    def unfinished(self) -> list[int]:
        return self._numbers(_UNFINISHED)

    def abandoned_plans(self) -> list[str]:
        # First the files: a plan that is finished in between is then in use.
        files = [file.name for file in self._path.parent.glob(f"{self._path.name}-redaction-*")]
        with self._readers.connection() as db:
            used = {name for (name,) in msgspec.convert(db.execute(_PLANS_IN_USE).fetchall(), list[tuple[str]])}
        return [name for name in files if name not in used]

    def is_leased(self) -> bool:
        return False

    def planned_parts(self, key: int, plan: str) -> list[Part] | None:
        if not plan or not self._path.with_name(plan).exists():
            return None
        return [Part(redaction=key, plan=plan)]

    def changed_parts(self, key: int) -> list[Part]:
        return [Part(redaction=key)]

    def planned_events(self, part: Part) -> Iterator[list[EventKey]]:
        with closing(self._open(part.plan)) as plan:
            buckets = plan.execute("SELECT DISTINCT bucket FROM change ORDER BY bucket").fetchall()
            terms = {"redaction": part.redaction, "next_id": _next_id(plan)}
        for (bucket,) in msgspec.convert(buckets, list[tuple[int]]):
            for month in self._months(bucket):
                yield from self._pages(_PLANNED_EVENTS, {**terms, **month}, plan=part.plan)

    def changed_events(self, part: Part) -> Iterator[list[EventKey]]:
        for bucket in self._numbers(_BUCKETS, part.redaction):
            for month in self._months(bucket):
                yield from self._pages(_CHANGED_EVENTS, {"redaction": part.redaction, **month})

    def moved_values(self, part: Part) -> set[int]:
        return set(self._numbers(_MOVED_VALUES, part.redaction))

    def used_values(self, part: Part, values: Sequence[int]) -> set[int]:
        found = set(self._numbers(_NEEDED_TO_UNDO, part.redaction))
        for bucket in self._numbers(_BUCKETS, part.redaction):
            for month in self._months(bucket):
                with self._readers.connection() as db:
                    rows = db.execute(_USED_VALUES, {"redaction": part.redaction, **month}).fetchall()
                found.update(value for (value,) in msgspec.convert(rows, list[tuple[int]]))
        return found.intersection(values)

    def counts(self, key: int, plan: str) -> Counts:
        with closing(self._open(plan)) as db:
            return msgspec.convert(db.execute(_COUNTS, {"redaction": key}).fetchone(), Counts)

    def _pages(self, statement: str, month: dict[str, int], *, plan: str = "") -> Iterator[list[EventKey]]:
        after = {"id": -1, "limit": EVENTS_PER_PAGE}
        while page := self._page(statement, {**month, **after}, plan):
            yield page
            after |= {"start": page[-1][1], "id": page[-1][2]}

    def _page(self, statement: str, terms: dict[str, int], plan: str) -> list[EventKey]:
        if plan:
            with closing(self._open(plan)) as db:
                return msgspec.convert(db.execute(statement, terms).fetchall(), list[EventKey])
        with self._readers.connection() as db:
            return msgspec.convert(db.execute(statement, terms).fetchall(), list[EventKey])

    def _open(self, plan: str) -> apsw.Connection:
        db = connect(self._path.with_name(plan), READ_ONLY)
        try:
            db.set_busy_timeout(BUSY_TIMEOUT_MS)
            attach(db, self._path, "store", options="mode=ro")
        except BaseException:
            db.close()
            raise
        return db

    def _months(self, bucket: int) -> Iterator[dict[str, int]]:
        for month in self._numbers(_MONTHS, bucket):
            start, end = start_of_month(month) - ORIGIN, start_of_month(month + 1) - ORIGIN
            yield {"bucket": bucket, "start": start, "end": end}

    def _numbers(self, statement: str, *terms: int) -> list[int]:
        with self._readers.connection() as db:
            return [number for (number,) in msgspec.convert(db.execute(statement, terms).fetchall(), list[tuple[int]])]


def _next_id(plan: apsw.Connection) -> int:
    """Events from this id on arrived after the plan was made. Plans of earlier versions list the events instead."""
    if plan.execute("SELECT 1 FROM sqlite_schema WHERE name = 'move'").get is None:
        return int(plan.execute("SELECT next_id FROM boundary").get)
    return int(plan.execute("SELECT coalesce(max(id), 0) + 1 FROM move").get)
