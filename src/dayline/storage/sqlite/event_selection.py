"""Reads the events that a selection means, page by page, in order of start and id or against it."""

from collections.abc import Iterator
from typing import Final

import apsw
import msgspec
from msgspec import Struct

from dayline.model.event import Event
from dayline.model.event_selection import Selection
from dayline.model.timestamps import EARLIEST, LATEST
from dayline.storage.edits import EventPlace
from dayline.storage.sqlite.connection import ReaderPool
from dayline.storage.sqlite.reader import Span, begin_spans, bucket_key
from dayline.storage.sqlite.schema import ORIGIN

PAGE: Final = 2000  # events: a read of a few milliseconds

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


class SelectedRow(Struct, frozen=True, array_like=True):
    """An event as it is stored."""

    start: int
    id: int
    duration: int
    value: int
    json: str

    @property
    def event(self) -> Event:
        return Event(id=self.id, start=self.start, duration=self.duration, data=self.json.encode())

    @property
    def place(self) -> EventPlace:
        return EventPlace(self.start, self.id)


class Chosen(Struct, frozen=True):
    """Rows that a selection means, and the place that it was looked through to."""

    rows: list[SelectedRow]
    looked: int
    last: EventPlace


def chosen_pages(
    readers: ReaderPool,
    selection: Selection,
    *,
    after: EventPlace | None = None,
    is_newest_first: bool = False,
    rows: int = PAGE,
) -> Iterator[Chosen]:
    """The rows, a page for each read; a page may be empty. Raises BucketNotFound. Nothing is held between two."""
    fits = _Fits(selection)
    for page in _pages(readers, selection, after, is_newest_first=is_newest_first, rows=rows):
        yield Chosen([row for row in page if fits(row)], len(page), page[-1].place)


class _Fits:
    """Whether a row is what the filters ask for: found out once for each value."""

    def __init__(self, selection: Selection) -> None:
        self._selection = selection
        self._known: dict[int, bool] = {}

    def __call__(self, row: SelectedRow) -> bool:
        known = self._known.get(row.value)
        if known is None:
            known = self._known[row.value] = self._selection.fits(row.json)
        return known


def _pages(
    readers: ReaderPool, selection: Selection, after: EventPlace | None, *, is_newest_first: bool, rows: int
) -> Iterator[list[SelectedRow]]:
    with readers.connection() as db:
        key = bucket_key(db, selection.bucket)
        spans = _spans(db, key, selection)
        bounds = {"origin": ORIGIN, "bucket": key, "from": _since(selection) - ORIGIN}
        named = None if selection.ids is None else _by_id(db, selection.ids, spans, bounds)
    if named is not None:
        if named:
            yield named[::-1] if is_newest_first else named
        return
    statement = _BACKWARDS if is_newest_first else _FORWARDS
    place = after or (EventPlace(LATEST + 1, 0) if is_newest_first else EventPlace(EARLIEST - 1, 0))
    for span in spans if is_newest_first else reversed(spans):
        low, high = span
        while True:
            # The range by itself finds where to begin; the place only decides between events of equal start.
            if is_newest_first:
                high = min(high, place.start)
            else:
                low = max(low, place.start)
            where = {"low": low - ORIGIN, "high": high - ORIGIN, "start": place.start - ORIGIN, "id": place.id}
            with readers.connection() as db:
                found = db.execute(statement, {**bounds, **where, "rows": rows}).fetchall()
            page = msgspec.convert(found, list[SelectedRow])
            if page:
                place = page[-1].place
                yield page
            if len(page) < rows:
                break


def _by_id(db: apsw.Connection, ids: tuple[int, ...], spans: list[Span], bounds: dict[str, int]) -> list[SelectedRow]:
    low, high = min(low for low, _ in spans), max(high for _, high in spans)
    where = {"ids": msgspec.json.encode(ids).decode(), "low": low - ORIGIN, "high": high - ORIGIN}
    return msgspec.convert(db.execute(_BY_ID, {**bounds, **where}).fetchall(), list[SelectedRow])


def _since(selection: Selection) -> int:
    return EARLIEST if selection.start is None else selection.start


def _spans(db: apsw.Connection, key: int, selection: Selection) -> list[Span]:
    """Where the events can begin, newest first."""
    first, last = _since(selection), LATEST if selection.end is None else selection.end - 1
    if selection.start is not None and selection.is_touching and first <= last:
        return begin_spans(db, key, first, last)
    return [(first, last)]
