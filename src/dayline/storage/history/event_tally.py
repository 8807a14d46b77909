"""Counts events that are deleted, or would be, on their way."""

import heapq
from collections.abc import Iterator
from typing import Final

import msgspec

from dayline.model.event import EventView
from dayline.model.event_selection import DeletedEvents
from dayline.model.timestamps import SECOND, Microseconds, format_timestamp
from dayline.storage.history.mending import EventMend
from dayline.storage.history.selected_events import SelectedRow

SAMPLES: Final = 5


class EventTally:
    """Counts events on their way, and keeps the longest."""

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
        """What deleting all of these would do."""
        for _ in self.counted(rows):
            pass
        return self.told(bucket_id, dry_run=True)

    def told(self, bucket_id: str, *, dry_run: bool) -> DeletedEvents:
        return DeletedEvents(
            bucket=bucket_id,
            dry_run=dry_run,
            events=self.events,
            seconds=self.duration / SECOND,
            samples=[_view(row) for *_, row in sorted(self._longest, reverse=True)],
            skipped=0,
            undo=None,
        )


def removal_of(row: SelectedRow) -> EventMend:
    return EventMend(id=row.id, start=row.start, duration=row.duration, value=row.value, new_duration=None)


def _view(row: SelectedRow) -> EventView:
    return EventView(
        id=row.id,
        timestamp=format_timestamp(row.start),
        duration=row.duration / SECOND,
        data=msgspec.json.decode(row.json),
    )
