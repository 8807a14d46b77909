"""Reads the events that a selection means, page by page, in order of start and id or against it."""

from collections.abc import Iterator

import apsw
import msgspec

from dayline.model.event_selection import Selection
from dayline.storage.history.edits import EventPlace
from dayline.storage.history.selected_events import (
    PAGE,
    Chosen,
    SelectedRow,
    Span,
    chosen_of,
    pages_of,
    since,
    spans_of,
)
from dayline.storage.sqlite.file.connection import ReaderPool
from dayline.storage.sqlite.file.schema import ORIGIN
from dayline.storage.sqlite.rows.reader import begin_spans, bucket_key

_COLUMNS = "event.start + :origin, event.id, event.duration, event.value, value.json"
_PAGE = f"""
SELECT {_COLUMNS} FROM event JOIN value ON value.key = event.value
WHERE event.bucket = :bucket AND start BETWEEN :low AND :high AND (start, event.id) {{beyond}} (:start, :id)
AND (start >= :from OR start + duration > :from) ORDER BY start {{way}}, event.id {{way}} LIMIT :rows
"""
_FORWARDS = _PAGE.format(beyond=">", way="ASC")
_BACKWARDS = _PAGE.format(beyond="<", way="DESC")
_BY_ID = f"""
SELECT {_COLUMNS} FROM json_each(:ids) AS wanted CROSS JOIN event ON event.id = wanted.value
JOIN value ON value.key = event.value WHERE event.bucket = :bucket AND start BETWEEN :low AND :high
AND (start >= :from OR start + duration > :from) ORDER BY start, event.id
"""


def chosen_pages(
    readers: ReaderPool,
    selection: Selection,
    *,
    after: EventPlace | None = None,
    is_newest_first: bool = False,
    rows: int = PAGE,
) -> Iterator[Chosen]:
    """The rows, a page for each read; a page may be empty. Raises BucketNotFound. Nothing is held between two."""
    return chosen_of(selection, _pages(readers, selection, after, is_newest_first=is_newest_first, rows=rows))


def _pages(
    readers: ReaderPool, selection: Selection, after: EventPlace | None, *, is_newest_first: bool, rows: int
) -> Iterator[list[SelectedRow]]:
    with readers.connection() as db:
        key = bucket_key(db, selection.bucket)
        spans = spans_of(selection, lambda first, last: begin_spans(db, key, first, last))
        bounds = {"origin": ORIGIN, "bucket": key, "from": since(selection) - ORIGIN}
        named = None if selection.ids is None else _by_id(db, selection.ids, spans, bounds)
    if named is not None:
        if named:
            yield named[::-1] if is_newest_first else named
        return
    statement = _BACKWARDS if is_newest_first else _FORWARDS

    def read(span: Span, place: EventPlace) -> list[SelectedRow]:
        where = {"low": span[0] - ORIGIN, "high": span[1] - ORIGIN, "start": place.start - ORIGIN, "id": place.id}
        with readers.connection() as db:
            found = db.execute(statement, {**bounds, **where, "rows": rows}).fetchall()
        return msgspec.convert(found, list[SelectedRow])

    yield from pages_of(spans, read, after=after, is_newest_first=is_newest_first, rows=rows)


def _by_id(db: apsw.Connection, ids: tuple[int, ...], spans: list[Span], bounds: dict[str, int]) -> list[SelectedRow]:
    low, high = min(low for low, _ in spans), max(high for _, high in spans)
    where = {"ids": msgspec.json.encode(ids).decode(), "low": low - ORIGIN, "high": high - ORIGIN}
    return msgspec.convert(db.execute(_BY_ID, {**bounds, **where}).fetchall(), list[SelectedRow])
