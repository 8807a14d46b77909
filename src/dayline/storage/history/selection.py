"""Reads a selection of events page by page, and reports what deleting it would do."""

import heapq
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, TypeAlias

import msgspec
from msgspec import Struct

from dayline.model.event import Event, EventView
from dayline.model.event_changes import DeletedEvents, Selection
from dayline.model.time import EARLIEST, LATEST, SECOND, Microseconds, format_timestamp
from dayline.storage.history.contract import EventCorrection, EventPosition, SelectedEvents

# An engine returns where the selected events can start, newest first, and reads one page at a time. No transaction
# stays open between pages.


PAGE: Final = 2000  # events: a read of a few milliseconds
LOOKED_THROUGH: Final = 50_000  # rows read for one page of a list: a filter may match none of them

Span: TypeAlias = tuple[Microseconds, Microseconds]  # range of starts, both ends included


class SelectedRow(Struct, frozen=True, array_like=True):
    """A stored event."""

    start: int
    id: int
    duration: int
    value: int
    json: str

    @property
    def event(self) -> Event:
        return Event(id=self.id, start=self.start, duration=self.duration, data=self.json.encode())

    @property
    def place(self) -> EventPosition:
        return EventPosition(self.start, self.id)


class MatchedRows(Struct, frozen=True):
    """The matching rows of a page, and the position up to which it was searched."""

    rows: list[SelectedRow]
    looked: int
    last: EventPosition


# Reads the rows that start in a span, after a position in the requested order.
ReadRows: TypeAlias = Callable[[Span, EventPosition], list[SelectedRow]]


def since(selection: Selection) -> Microseconds:
    return EARLIEST if selection.start is None else selection.start


def spans_of(selection: Selection, begin_spans: Callable[[Microseconds, Microseconds], list[Span]]) -> list[Span]:
    """The spans in which the events can start, newest first. `begin_spans` returns them for a range of time."""
    first, last = since(selection), LATEST if selection.end is None else selection.end - 1
    if selection.start is not None and selection.is_touching and first <= last:
        return begin_spans(first, last)
    return [(first, last)]


def pages_of(
    spans: Sequence[Span], read: ReadRows, *, after: EventPosition | None, is_newest_first: bool, rows: int
) -> Iterator[list[SelectedRow]]:
    """All rows of the spans in pages of `rows`; no page is empty."""
    place = after or (EventPosition(LATEST + 1, 0) if is_newest_first else EventPosition(EARLIEST - 1, 0))
    for low, high in spans if is_newest_first else reversed(spans):
        page: list[SelectedRow] | None = None
        while page is None or len(page) == rows:
            # The span alone finds the first row; the position only decides among events of equal start.
            span = (low, min(high, place.start)) if is_newest_first else (max(low, place.start), high)
            page = read(span, place)
            if page:
                place = page[-1].place
                yield page


def matched_rows(selection: Selection, pages: Iterable[list[SelectedRow]]) -> Iterator[MatchedRows]:
    """Apply the filters to pages; each distinct value is checked once."""
    known: dict[int, bool] = {}

    def fits(row: SelectedRow) -> bool:
        found = known.get(row.value)
        if found is None:
            found = known[row.value] = selection.fits(row.json)
        return found

    for page in pages:
        yield MatchedRows([row for row in page if fits(row)], len(page), page[-1].place)


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
    """Counts events and keeps the longest ones."""

    def __init__(self) -> None:
        self.events = 0
        self.duration: Microseconds = 0
        self._longest: list[tuple[Microseconds, int, SelectedRow]] = []

    def counted(self, rows: Iterator[SelectedRow]) -> Iterator[SelectedRow]:
        for row in rows:
            self.events += 1
            self.duration += row.duration
            entry = (row.duration, -row.id, row)
            if len(self._longest) < SAMPLES:
                heapq.heappush(self._longest, entry)
            elif entry > self._longest[0]:
                heapq.heapreplace(self._longest, entry)
            yield row

    def surveyed(self, bucket_id: str, rows: Iterator[SelectedRow]) -> DeletedEvents:
        """What deleting all of these events would do."""
        for _ in self.counted(rows):
            pass
        return self.result(bucket_id, dry_run=True)

    def result(self, bucket_id: str, *, dry_run: bool) -> DeletedEvents:
        return DeletedEvents(
            bucket=bucket_id,
            dry_run=dry_run,
            events=self.events,
            seconds=self.duration / SECOND,
            samples=[_view(row) for *_, row in sorted(self._longest, reverse=True)],
            skipped=0,
            undo=None,
        )


def removal_of(row: SelectedRow) -> EventCorrection:
    return EventCorrection(id=row.id, start=row.start, duration=row.duration, value=row.value, new_duration=None)


def _view(row: SelectedRow) -> EventView:
    return EventView(
        id=row.id,
        timestamp=format_timestamp(row.start),
        duration=row.duration / SECOND,
        data=msgspec.json.decode(row.json),
    )
