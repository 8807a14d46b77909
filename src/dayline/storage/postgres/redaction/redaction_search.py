"""Looks for what a redaction concerns: buckets, values and events, read in short transactions beside the writer."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from dayline.model.timestamps import Microseconds, start_of_month
from dayline.storage.postgres.connections.arrays import as_array
from dayline.storage.postgres.connections.connection import Readers
from dayline.storage.postgres.redaction.redaction_part import Part, Place
from dayline.storage.redaction.redaction import OPEN

_EVENTS_AT_ONCE: Final = 10_000
_BEFORE_ALL: Final = -(2**62)

_PLANNED: Final = """
SELECT key FROM bucket WHERE tenant = %s AND EXISTS (
    SELECT 1 FROM redaction_change AS new WHERE new.tenant = bucket.tenant AND new.bucket = bucket.key AND plan = %s
) ORDER BY key
"""
_CHANGED: Final = """
SELECT key FROM bucket WHERE tenant = %s AND EXISTS (
    SELECT 1 FROM redacted_value AS old WHERE old.tenant = bucket.tenant AND old.bucket = bucket.key AND redaction = %s
) ORDER BY key
"""
_NEXT_ID: Final = "SELECT next_id FROM redaction_plan WHERE tenant = %s AND number = %s"
_MOVING: Final = "SELECT value FROM redaction_change WHERE tenant = %s AND bucket = %s AND plan = %s AND is_moved"
_KEPT: Final = "FROM redacted_value WHERE tenant = %s AND bucket = %s AND redaction = %s"
_CHANGED_TEXTS: Final = f"SELECT value, next_id {_KEPT} AND json IS NOT NULL"
_MOVED: Final = f"SELECT value {_KEPT} AND json IS NULL AND hash <> 0"
_NEEDED: Final = f"""
SELECT value FROM redacted_value WHERE tenant = %(tenant)s AND bucket = %(bucket)s AND redaction = ANY(ARRAY(
    SELECT key FROM redaction WHERE tenant = %(tenant)s AND state IN {OPEN} AND key <> %(redaction)s
))
"""
_MONTHS: Final = "SELECT month FROM month WHERE tenant = %s AND bucket = %s AND events > 0 ORDER BY month"
# The values are planned with: PostgreSQL makes a table of them that it looks each event up in.
_EVENTS: Final = """
SELECT start, id FROM event
WHERE tenant = %s AND bucket = %s AND (start, id) > (%s, %s) AND start < %s AND id < %s AND value = ANY(%s::bigint[])
ORDER BY start, id LIMIT %s
"""
_USED: Final = """
SELECT DISTINCT value FROM event
WHERE tenant = %s AND bucket = %s AND start >= %s AND start < %s AND value = ANY(%s::bigint[])
"""


class RedactionSearch:
    """The searches in one tenant's rows. Every method is for a thread."""

    def __init__(self, readers: Readers, tenant: str) -> None:
        self._readers = readers
        self._tenant = tenant

    def planned_buckets(self, plan: int) -> list[int]:
        """Those of which something is left in a plan."""
        return self._numbers(_PLANNED, plan)

    def changed_buckets(self, redaction: int) -> list[int]:
        """Those of which something is kept to undo a redaction."""
        return self._numbers(_CHANGED, redaction)

    def moving(self, part: Part) -> list[int]:
        """Values whose events are to be moved or dropped."""
        return self._numbers(_MOVING, part.bucket, part.plan)

    def next_id(self, plan: int | None) -> int:
        """Events from this id on came after a plan."""
        return max(self._numbers(_NEXT_ID, plan), default=0)

    def changed_texts(self, part: Part) -> tuple[list[int], int]:
        """Values whose texts were changed where they are; and the id from which on all events came later."""
        found = self._read(_CHANGED_TEXTS, (self._tenant, part.bucket, part.redaction))
        return [value for value, _ in found], max((next_id for _, next_id in found), default=0)

    def moved(self, part: Part) -> set[int]:
        """Values whose events were moved or dropped."""
        return set(self._numbers(_MOVED, part.bucket, part.redaction))

    def used(self, part: Part, values: Sequence[int]) -> set[int]:
        """Which of these are still needed: by events, or to undo another redaction."""
        found = {
            value
            for (value,) in self._read(
                _NEEDED, {"tenant": self._tenant, "bucket": part.bucket, "redaction": part.redaction}
            )
        }
        found &= set(values)
        asked = as_array(values)
        for first, end in self._months(part.bucket):
            found.update(self._numbers(_USED, part.bucket, first, end, asked))
        return found

    def events(self, bucket: int, values: Sequence[int], *, below: int) -> Iterator[list[Place]]:
        """Events that have one of these values, and an id below this one, page by page."""
        asked = as_array(values)
        for first, end in self._months(bucket):
            after = (first, _BEFORE_ALL)
            while found := self._read(_EVENTS, (self._tenant, bucket, *after, end, below, asked, _EVENTS_AT_ONCE)):
                yield [(start, event_id) for start, event_id in found]
                after = found[-1][0], found[-1][1]

    def _months(self, bucket: int) -> list[tuple[Microseconds, Microseconds]]:
        months = self._numbers(_MONTHS, bucket)
        return [(start_of_month(month), start_of_month(month + 1)) for month in months]

    def _numbers(self, statement: str, *values: object) -> list[int]:
        return [number for (number,) in self._read(statement, (self._tenant, *values))]

    def _read(self, statement: str, values: Any) -> list[tuple[int, ...]]:
        with self._readers.transaction(self._tenant) as db:
            return db.execute(statement.encode(), values, prepare=False).fetchall()
