"""Reads of what a redaction changes: its rows, and the events to drop, a page at a time."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from dayline.model.data import EMPTY
from dayline.model.time import Microseconds, start_of_month
from dayline.storage.postgres.connection import Readers
from dayline.storage.postgres.redaction.tables import CHANGED_BUCKETS, read_records
from dayline.storage.postgres.rows.arrays import as_array
from dayline.storage.postgres.rows.undo_log import NOW
from dayline.storage.postgres.writing.lease import is_leased
from dayline.storage.redaction.records import Part, PlannedEvent, PlannedText, RedactionRecord

ABANDONED_S: Final = 3600.0  # a plan without a redaction for this long was left by a server that ended

_EVENTS_PER_PAGE: Final = 10_000
_TEXTS_PER_PAGE: Final = 1000
_BEFORE_ALL: Final = -(2**62)

_ABANDONED_PLANS: Final = f"""
SELECT number FROM redaction_plan WHERE tenant = %s AND made < {NOW} - %s
AND NOT EXISTS (SELECT 1 FROM redaction WHERE redaction.tenant = redaction_plan.tenant AND redaction.plan = number)
"""
_PLANNED_BUCKETS: Final = """
SELECT key FROM bucket WHERE tenant = %s AND EXISTS (
    SELECT 1 FROM redaction_change AS new WHERE new.tenant = bucket.tenant AND new.bucket = bucket.key AND plan = %s
) ORDER BY key
"""
_TEXTS: Final = f"""
SELECT bucket, value, coalesce(json, '{EMPTY.decode()}'), CASE WHEN json IS NULL THEN 0 ELSE events END
FROM redaction_change WHERE tenant = %s AND bucket = %s AND plan = %s AND value > %s ORDER BY value LIMIT %s
"""
_DROPPED: Final = "SELECT value FROM redaction_change WHERE tenant = %s AND bucket = %s AND plan = %s AND json IS NULL"
_MONTHS: Final = "SELECT month FROM month WHERE tenant = %s AND bucket = %s AND events > 0 ORDER BY month"
# Planned with the values: PostgreSQL builds a hash table of them, in which it looks up each event.
_EVENTS: Final = """
SELECT bucket, start, id, value FROM event
WHERE tenant = %s AND bucket = %s AND (start, id) > (%s, %s) AND start < %s AND value = ANY(%s::bigint[])
ORDER BY start, id LIMIT %s
"""


class PostgresRedactionReads:
    """See RedactionReads. A part is one bucket."""

    def __init__(self, readers: Readers, tenant: str) -> None:
        self._readers = readers
        self._tenant = tenant

    def records(self) -> list[RedactionRecord]:
        with self._readers.transaction(self._tenant) as db:
            return read_records(db, self._tenant)

    def abandoned_plans(self) -> list[str]:
        return [str(number) for number in self._numbers(_ABANDONED_PLANS, int(ABANDONED_S * 1_000_000))]

    def is_leased(self) -> bool:
        with self._readers.transaction(self._tenant) as db:
            return is_leased(db, self._tenant)

    def planned_parts(self, key: int, plan: str) -> list[Part] | None:
        if not plan:
            return None
        buckets = self._numbers(_PLANNED_BUCKETS, int(plan))
        return [Part(redaction=key, plan=plan, bucket=bucket) for bucket in buckets]

    def changed_parts(self, key: int) -> list[Part]:
        return [Part(redaction=key, bucket=bucket) for bucket in self._numbers(CHANGED_BUCKETS, key)]

    def planned_texts(self, part: Part) -> Iterator[list[PlannedText]]:
        after = 0
        while page := self._read(_TEXTS, (self._tenant, part.bucket, int(part.plan), after, _TEXTS_PER_PAGE)):
            yield [PlannedText(*row) for row in page]
            after = page[-1][1]

    def longer_texts(self, part: Part) -> Iterator[list[PlannedText]]:
        """None: a row that grows leaves no copies of others."""
        return iter(())

    def planned_events(self, part: Part) -> Iterator[list[PlannedEvent]]:
        values = self._numbers(_DROPPED, part.bucket, int(part.plan))
        if values:
            yield from self._events(part, values)

    def _events(self, part: Part, values: Sequence[int]) -> Iterator[list[PlannedEvent]]:
        """Events with one of these values, page by page."""
        wanted = as_array(values)
        for start, end in self._months(part):
            after = (start, _BEFORE_ALL)
            while page := self._read(_EVENTS, (self._tenant, part.bucket, *after, end, wanted, _EVENTS_PER_PAGE)):
                yield [PlannedEvent(*row) for row in page]
                after = page[-1][1], page[-1][2]

    def _months(self, part: Part) -> list[tuple[Microseconds, Microseconds]]:
        months = self._numbers(_MONTHS, part.bucket)
        return [(start_of_month(month), start_of_month(month + 1)) for month in months]

    def _numbers(self, statement: str, *terms: object) -> list[int]:
        return [number for (number,) in self._read(statement, (self._tenant, *terms))]

    def _read(self, statement: str, terms: Any) -> list[tuple[Any, ...]]:
        with self._readers.transaction(self._tenant) as db:
            return db.execute(statement.encode(), terms, prepare=False).fetchall()
