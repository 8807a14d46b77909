"""Reads a selection of events page by page, and reports what deleting it would do."""

import heapq
from collections.abc import Iterable, Iterator
from typing import Final

import msgspec
from msgspec import Struct

from dayline.model.edits.selection import DeletedEvents, Selection
from dayline.model.event import Event, EventView
from dayline.model.time import EARLIEST, LATEST, SECOND, Microseconds, format_timestamp
from dayline.storage.columns.months import Span
from dayline.storage.engine.rows import SelectedRow
from dayline.storage.engine.tenant import TenantReaders
from dayline.storage.engine.transaction import ReadTransaction
from dayline.storage.history.contract import EventCorrection, EventPosition, SelectedEvents

PAGE: Final = 2000  # events: a read of a few milliseconds
LOOKED_THROUGH: Final = 50_000  # rows read for one page of a list: a filter may match none of them


class MatchedRows(Struct, frozen=True):
    """The matching rows of a page, and the position up to which it was searched."""

    rows: list[SelectedRow]
    looked: int
    last: EventPosition


def selected_pages(
    readers: TenantReaders,
    selection: Selection,
    *,
    after: EventPosition | None = None,
    is_newest_first: bool = False,
    rows: int = PAGE,
) -> Iterator[MatchedRows]:
    """The matching rows, one page per read transaction; a page may be empty. Raises BucketNotFound."""
    pages = _pages(readers, selection, after, is_newest_first=is_newest_first, rows=rows)
    return _matched_rows(selection, pages)


def _pages(
    readers: TenantReaders, selection: Selection, after: EventPosition | None, *, is_newest_first: bool, rows: int
) -> Iterator[list[SelectedRow]]:
    """All rows of the selection before its filters are applied; no page is empty."""
    since = EARLIEST if selection.start is None else selection.start
    with readers.transaction() as tx:
        bucket = tx.bucket_key(selection.bucket)
        spans = _spans(tx, bucket, selection, since)
        whole = min(low for low, _ in spans), max(high for _, high in spans)
        named = None if selection.ids is None else tx.selected_by_id(bucket, selection.ids, whole, since=since)
    if named is not None:
        if named:
            yield named[::-1] if is_newest_first else named
        return
    position = after or (EventPosition(LATEST + 1, 0) if is_newest_first else EventPosition(EARLIEST - 1, 0))
    for span in spans if is_newest_first else reversed(spans):
        page: list[SelectedRow] | None = None
        while page is None or len(page) == rows:
            with readers.transaction() as tx:
                page = tx.selected_page(bucket, span, position, since=since, is_newest_first=is_newest_first, rows=rows)
            if page:
                position = page[-1].position
                yield page


def _spans(tx: ReadTransaction, bucket: int, selection: Selection, since: Microseconds) -> list[Span]:
    """The spans in which the events can start, newest first."""
    last = LATEST if selection.end is None else selection.end - 1
    if selection.start is not None and selection.is_touching and since <= last:
        return tx.begin_spans(bucket, since, last)
    return [(since, last)]


def _matched_rows(selection: Selection, pages: Iterable[list[SelectedRow]]) -> Iterator[MatchedRows]:
    """Apply the filters to pages; each distinct value is checked once."""
    known: dict[int, bool] = {}

    def fits(row: SelectedRow) -> bool:
        is_selected = known.get(row.value)
        if is_selected is None:
            is_selected = known[row.value] = selection.fits(row.json)
        return is_selected

    for page in pages:
        yield MatchedRows([row for row in page if fits(row)], len(page), page[-1].position)


def rows_for(selection: Selection, limit: int) -> int:
    """The number of rows to read at once for a list of `limit` events."""
    return PAGE if selection.filters else limit + 1  # one more shows whether there are more


def list_page(pages: Iterable[MatchedRows], limit: int) -> SelectedEvents:
    """Up to `limit` events of these pages and the next position; stops early if few rows match."""
    events: list[Event] = []
    looked = 0
    for page in pages:
        looked += page.looked
        events += [row.event for row in page.rows]
        if len(events) > limit:
            last = events[limit - 1]
            return SelectedEvents(events=events[:limit], after=EventPosition(last.start, last.id))
        if looked >= LOOKED_THROUGH:
            return SelectedEvents(events=events, after=page.last)
    return SelectedEvents(events=events, after=None)


SAMPLES: Final = 5


class EventTally:
    """Counts the events of a selection and the time that is deleted, and keeps the longest events."""

    def __init__(self, selection: Selection) -> None:
        self.events = 0
        self.cut = 0
        self.duration: Microseconds = 0
        self._selection = selection
        self._longest: list[tuple[Microseconds, int, SelectedRow]] = []

    def counted(self, rows: Iterator[SelectedRow]) -> Iterator[SelectedRow]:
        for row in rows:
            self.events += 1
            kept = sum(self._selection.kept_parts(row.start, row.duration))
            self.duration += row.duration - kept
            self.cut += kept > 0
            entry = (row.duration, -row.id, row)
            if len(self._longest) < SAMPLES:
                heapq.heappush(self._longest, entry)
            elif entry > self._longest[0]:
                heapq.heapreplace(self._longest, entry)
            yield row

    def surveyed(self, rows: Iterator[SelectedRow]) -> DeletedEvents:
        """What deleting all of these events would do."""
        for _ in self.counted(rows):
            pass
        return self.result(dry_run=True)

    def result(self, *, dry_run: bool) -> DeletedEvents:
        return DeletedEvents(
            bucket=self._selection.bucket,
            dry_run=dry_run,
            events=self.events,
            seconds=self.duration / SECOND,
            samples=[_view(row) for *_, row in sorted(self._longest, reverse=True)],
            skipped=0,
            undo=None,
            cut=self.cut,
        )


def correction_of(selection: Selection, row: SelectedRow) -> EventCorrection:
    """The correction that deletes an event, or the part of it that is inside the range."""
    before, after = selection.kept_parts(row.start, row.duration)
    removal = EventCorrection(id=row.id, start=row.start, duration=row.duration, value=row.value, new_duration=None)
    if after:
        return removal._replace(new_start=row.start + row.duration - after, new_duration=after, before=before)
    return removal._replace(new_duration=before) if before else removal


def _view(row: SelectedRow) -> EventView:
    return EventView(
        id=row.id,
        timestamp=format_timestamp(row.start),
        duration=row.duration / SECOND,
        data=msgspec.json.decode(row.json),
    )
