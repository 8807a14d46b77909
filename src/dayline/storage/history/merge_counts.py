"""Counts in advance what a merge would do: both buckets are read page by page, in order of time."""

from collections.abc import Iterator
from itertools import tee
from typing import Final

from dayline.model.time import EARLIEST, LATEST, Microseconds
from dayline.storage.engine.rows import SelectedRow
from dayline.storage.engine.tenant import TenantReaders
from dayline.storage.history.contract import EventPosition

PAGE: Final = 2000


def count_merge(readers: TenantReaders, source: str, target: str) -> tuple[int, int, int]:
    """The number of events in the source, of those already in the target, and of others that would overlap."""
    with readers.transaction() as tx:
        source_key, target_key = tx.bucket_key(source), tx.bucket_key(target)
    events = skipped = overlapping = 0
    there: _Target | None = None
    for event in _rows(readers, source_key, EARLIEST):
        there = there or _Target(_rows(readers, target_key, event.start))
        there.advance(event.start)
        events += 1
        if there.has(event):
            skipped += 1
        elif there.overlaps(event):
            overlapping += 1
    return events, skipped, overlapping


class _Target:
    """The events of the target up to a start, which only rises. One of length 0 overlaps nothing."""

    def __init__(self, rows: Iterator[SelectedRow]) -> None:
        self._rows, lasting = tee(rows)
        self._lasting = (row for row in lasting if row.duration > 0)
        self._next, self._following = next(self._rows, None), next(self._lasting, None)
        self._same: set[tuple[Microseconds, Microseconds, str]] = set()  # events with the latest start
        self._start = self._reach = EARLIEST - 1

    def advance(self, start: Microseconds) -> None:
        while self._next is not None and self._next.start <= start:
            if self._next.start != self._start:
                self._start = self._next.start
                self._same.clear()
            self._same.add((self._start, self._next.duration, self._next.json))
            self._next = next(self._rows, None)
        while self._following is not None and self._following.start <= start:
            self._reach = max(self._reach, self._following.start + self._following.duration)
            self._following = next(self._lasting, None)

    def has(self, event: SelectedRow) -> bool:
        return (event.start, event.duration, event.json) in self._same

    def overlaps(self, event: SelectedRow) -> bool:
        end = event.start + event.duration
        is_reached = self._reach > event.start or (self._following is not None and self._following.start < end)
        return event.duration > 0 and is_reached


def _rows(readers: TenantReaders, bucket: int, since: Microseconds) -> Iterator[SelectedRow]:
    """The events that do not end before a time. One transaction per page: none may last long."""
    with readers.transaction() as tx:
        spans = tx.begin_spans(bucket, since, LATEST)
    for span in reversed(spans):
        position = EventPosition(span[0] - 1, 0)
        page: list[SelectedRow] | None = None
        while page is None or len(page) == PAGE:
            with readers.transaction() as tx:
                page = tx.selected_page(bucket, span, position, since=since, is_newest_first=False, rows=PAGE)
            yield from page
            if page:
                position = page[-1].position
