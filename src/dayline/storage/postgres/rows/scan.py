"""Reads events as rows, page by page: all of them, or those of a selection."""

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

import msgspec

from dayline.model.errors import StoreBusy
from dayline.model.event_changes import Selection
from dayline.storage.history.contract import EventPosition
from dayline.storage.history.selection import (
    PAGE,
    MatchedRows,
    SelectedRow,
    Span,
    matched_rows,
    pages_of,
    since,
    spans_of,
)
from dayline.storage.postgres.connection import FAULTS, Connection, Readers, connect, error_text, transaction
from dayline.storage.postgres.rows.months import begin_spans
from dayline.storage.postgres.rows.reader import bucket_key
from dayline.storage.transfer.event_rows import ROWS_PAGE, BucketRow, EventRow

_BUCKETS: Final = """
SELECT key, id, type, hostname, (
    SELECT coalesce(sum(events), 0)::bigint FROM month WHERE month.tenant = %(tenant)s AND month.bucket = bucket.key
), downsampled FROM bucket WHERE tenant = %(tenant)s AND deleted IS NULL ORDER BY key
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


_ROWS: Final = """
SELECT found.start, found.id, found.duration, found.value, value.json FROM (
    SELECT start, id, duration, value FROM event WHERE tenant = %(tenant)s AND bucket = %(bucket)s
    AND start BETWEEN %(low)s AND %(high)s AND (start >= %(from)s OR start + duration > %(from)s)
    {which}
) AS found
JOIN value ON value.tenant = %(tenant)s AND value.bucket = %(bucket)s AND value.key = found.value
ORDER BY found.start {way}, found.id {way}
"""
_FORWARDS: Final = _ROWS.format(
    which="AND (start, id) > (%(start)s, %(id)s) ORDER BY start, id LIMIT %(rows)s", way="ASC"
)
_BACKWARDS: Final = _ROWS.format(
    which="AND (start, id) < (%(start)s, %(id)s) ORDER BY start DESC, id DESC LIMIT %(rows)s", way="DESC"
)
_BY_ID: Final = _ROWS.format(which="AND id = ANY(%(ids)s)", way="ASC")


def chosen_pages(
    readers: Readers,
    tenant: str,
    selection: Selection,
    *,
    after: EventPosition | None = None,
    is_newest_first: bool = False,
    rows: int = PAGE,
) -> Iterator[MatchedRows]:
    """The matching rows, one page per read; a page may be empty. Raises BucketNotFound."""
    return matched_rows(
        selection, _pages(readers, tenant, selection, after, is_newest_first=is_newest_first, rows=rows)
    )


def _pages(
    readers: Readers,
    tenant: str,
    selection: Selection,
    after: EventPosition | None,
    *,
    is_newest_first: bool,
    rows: int,
) -> Iterator[list[SelectedRow]]:
    with readers.transaction(tenant) as db:
        key = bucket_key(db, tenant, selection.bucket)
        spans = spans_of(selection, lambda first, last: begin_spans(db, tenant, key, first, last))
        bounds = {"tenant": tenant, "bucket": key, "from": since(selection)}
        named = None if selection.ids is None else _by_id(db, selection.ids, spans, bounds)
    if named is not None:
        if named:
            yield named[::-1] if is_newest_first else named
        return
    statement = (_BACKWARDS if is_newest_first else _FORWARDS).encode()

    def read(span: Span, place: EventPosition) -> list[SelectedRow]:
        where = {"low": span[0], "high": span[1], "start": place.start, "id": place.id, "rows": rows}
        with readers.transaction(tenant) as db:
            return _selected(db.execute(statement, {**bounds, **where}).fetchall())

    yield from pages_of(spans, read, after=after, is_newest_first=is_newest_first, rows=rows)


def _by_id(db: Connection, ids: tuple[int, ...], spans: list[Span], bounds: dict[str, Any]) -> list[SelectedRow]:
    low, high = min(low for low, _ in spans), max(high for _, high in spans)
    where = {"ids": list(ids), "low": low, "high": high}
    return _selected(db.execute(_BY_ID.encode(), {**bounds, **where}).fetchall())


def _selected(rows: Sequence[Sequence[Any]]) -> list[SelectedRow]:
    return [SelectedRow(*row) for row in rows]
