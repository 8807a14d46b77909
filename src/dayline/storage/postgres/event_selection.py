"""Reads the events that a selection means, page by page, in order of start and id or against it."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from msgspec import Struct

from dayline.model.event import Event
from dayline.model.event_selection import Selection
from dayline.model.timestamps import EARLIEST, LATEST
from dayline.storage.edits import EventPlace
from dayline.storage.postgres.connection import Connection, Readers
from dayline.storage.postgres.reader import bucket_key
from dayline.storage.postgres.spans import Span, begin_spans

PAGE: Final = 2000  # events: a read of a few milliseconds

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


class SelectedRow(Struct, frozen=True):
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
    readers: Readers,
    tenant: str,
    selection: Selection,
    *,
    after: EventPlace | None = None,
    is_newest_first: bool = False,
    rows: int = PAGE,
) -> Iterator[Chosen]:
    """The rows, a page for each read; a page may be empty. Raises BucketNotFound. Nothing is held between two."""
    fits = _Fits(selection)
    for page in _pages(readers, tenant, selection, after, is_newest_first=is_newest_first, rows=rows):
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
    readers: Readers, tenant: str, selection: Selection, after: EventPlace | None, *, is_newest_first: bool, rows: int
) -> Iterator[list[SelectedRow]]:
    with readers.transaction(tenant) as db:
        key = bucket_key(db, tenant, selection.bucket)
        spans = _spans(db, tenant, key, selection)
        bounds = {"tenant": tenant, "bucket": key, "from": _since(selection)}
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
            where = {"low": low, "high": high, "start": place.start, "id": place.id, "rows": rows}
            with readers.transaction(tenant) as db:
                page = _selected(db.execute(statement.encode(), {**bounds, **where}).fetchall())
            if page:
                place = page[-1].place
                yield page
            if len(page) < rows:
                break


def _by_id(db: Connection, ids: tuple[int, ...], spans: list[Span], bounds: dict[str, Any]) -> list[SelectedRow]:
    low, high = min(low for low, _ in spans), max(high for _, high in spans)
    where = {"ids": list(ids), "low": low, "high": high}
    return _selected(db.execute(_BY_ID.encode(), {**bounds, **where}).fetchall())


def _selected(rows: Sequence[Sequence[Any]]) -> list[SelectedRow]:
    return [SelectedRow(*row) for row in rows]


def _since(selection: Selection) -> int:
    return EARLIEST if selection.start is None else selection.start


def _spans(db: Connection, tenant: str, key: int, selection: Selection) -> list[Span]:
    """Where the events can begin, newest first."""
    first, last = _since(selection), LATEST if selection.end is None else selection.end - 1
    if selection.start is not None and selection.is_touching and first <= last:
        return begin_spans(db, tenant, key, first, last)
    return [(first, last)]
