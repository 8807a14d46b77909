"""Reads events as rows, page by page: all of them, or those of a selection."""

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

import msgspec

from dayline.model.errors import StoreBusy
from dayline.model.time import Microseconds
from dayline.storage.columns.months import Span
from dayline.storage.engine.rows import SelectedRow
from dayline.storage.history.contract import EventPosition
from dayline.storage.postgres.connection import FAULTS, Connection, connect, error_text, transaction
from dayline.storage.postgres.rows.months import begin_spans
from dayline.storage.postgres.rows.tables import TenantRows
from dayline.storage.postgres.rows.undo_log import BY_ID
from dayline.storage.transfer.event_rows import ROWS_PAGE, BucketRow, EventRow

_BUCKETS: Final = """
SELECT key, id, type, hostname, (
    SELECT coalesce(sum(events), 0)::bigint FROM month WHERE month.tenant = %(tenant)s AND month.bucket = bucket.key
), downsampled, coalesce(creator LIKE 'device:%%', false)
FROM bucket WHERE tenant = %(tenant)s AND deleted IS NULL ORDER BY key
"""
_EVENTS: Final = "SELECT start, id, duration, value FROM event WHERE tenant = %s AND bucket = %s ORDER BY start, id"
_TEXT: Final = "SELECT json FROM value WHERE tenant = %s AND bucket = %s AND key = %s"


@contextmanager
def postgres_rows(address: str, tenant: str) -> Generator["PostgresEventRows"]:
    """A snapshot of the rows of one tenant. Raises StoreBusy."""
    try:
        with connect(address) as db, transaction(db, tenant, is_snapshot=True):
            db.execute("SET LOCAL enable_sort = off")  # they are stored in that order: see `pages`
            yield PostgresEventRows(db, tenant)
    except FAULTS as error:
        raise StoreBusy(f"the database cannot be read: {error_text(error)}") from error


class PostgresEventRows:
    """The rows of one tenant, in one transaction."""

    def __init__(self, db: Connection, tenant: str) -> None:
        self._db = db
        self._tenant = tenant

    def buckets(self) -> list[BucketRow]:
        return msgspec.convert(self._db.execute(_BUCKETS, {"tenant": self._tenant}).fetchall(), list[BucketRow])

    def pages(self, bucket: int) -> Iterator[list[EventRow]]:
        # With one cursor, along the index: without statistics of a table that has just grown, PostgreSQL would sort all
        # events of the bucket first, and with a query per page, again for every page.
        with self._db.cursor("rows", binary=True) as cursor:
            cursor.execute(_EVENTS, (self._tenant, bucket))
            while page := cursor.fetchmany(ROWS_PAGE):
                yield msgspec.convert(page, list[EventRow])

    def text(self, bucket: int, value: int) -> str:
        row = self._db.execute(_TEXT, (self._tenant, bucket, value)).fetchone()
        return str(row[0]) if row else ""


# The texts one by one, by key: otherwise, without statistics of a table that has just grown, PostgreSQL would read the
# whole dictionary for every page.
_ROWS: Final = """
SELECT found.start, found.id, found.duration, found.value, text.json FROM (
    SELECT start, id, duration, value FROM event WHERE tenant = %(tenant)s AND bucket = %(bucket)s
    AND start BETWEEN %(low)s AND %(high)s AND (start >= %(from)s OR start + duration > %(from)s)
    {which}
) AS found
CROSS JOIN LATERAL (
    SELECT json FROM value WHERE tenant = %(tenant)s AND bucket = %(bucket)s AND key = found.value LIMIT 1
) AS text
ORDER BY found.start {way}, found.id {way}
"""
_FORWARDS: Final = _ROWS.format(
    which="AND (start, id) > (%(start)s, %(id)s) ORDER BY start, id LIMIT %(rows)s", way="ASC"
)
_BACKWARDS: Final = _ROWS.format(
    which="AND (start, id) < (%(start)s, %(id)s) ORDER BY start DESC, id DESC LIMIT %(rows)s", way="DESC"
)
_BY_ID: Final = f"""
SELECT found.start, found.id, found.duration, found.value, text.json FROM ({BY_ID}) AS found
CROSS JOIN LATERAL (
    SELECT json FROM value WHERE tenant = %(tenant)s AND bucket = %(bucket)s AND key = found.value LIMIT 1
) AS text
WHERE found.bucket = %(bucket)s AND found.start BETWEEN %(low)s AND %(high)s
AND (found.start >= %(from)s OR found.start + found.duration > %(from)s) ORDER BY found.start, found.id
"""


class SelectionRows(TenantRows):
    """The part of a transaction that reads selected events."""

    def counted_buckets(self) -> list[BucketRow]:
        return PostgresEventRows(self.db, self.tenant).buckets()

    def begin_spans(self, bucket: int, first: Microseconds, last: Microseconds) -> list[Span]:
        return begin_spans(self.db, self.tenant, bucket, first, last)

    def selected_rows(
        self,
        bucket: int,
        span: Span,
        after: EventPosition,
        *,
        since: Microseconds,
        is_newest_first: bool,
        rows: int,
    ) -> list[SelectedRow]:
        where = {**self._bounds(bucket, span, since), "start": after.start, "id": after.id, "rows": rows}
        return self._selected(_BACKWARDS if is_newest_first else _FORWARDS, where)

    def selected_by_id(
        self, bucket: int, event_ids: Sequence[int], span: Span, *, since: Microseconds
    ) -> list[SelectedRow]:
        return self._selected(_BY_ID, {**self._bounds(bucket, span, since), "ids": list(event_ids)})

    def _bounds(self, bucket: int, span: Span, since: Microseconds) -> dict[str, Any]:
        return {"tenant": self.tenant, "bucket": bucket, "low": span[0], "high": span[1], "from": since}

    def _selected(self, statement: str, where: dict[str, Any]) -> list[SelectedRow]:
        return [SelectedRow(*row) for row in self.db.execute(statement.encode(), where).fetchall()]
