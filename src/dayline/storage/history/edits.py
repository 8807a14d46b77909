"""Manual edits of events: single ones in one transaction, many in slices."""

from collections.abc import Callable, Iterator
from typing import TypeVar

import msgspec

from dayline.model.bucket import Bucket
from dayline.model.edits.events import split_in_two
from dayline.model.edits.selection import DeletedEvents, Selection
from dayline.model.errors import BucketExists, EventNotFound
from dayline.model.event import Event, StoredEvent
from dayline.model.time import SECOND, Microseconds, now_us
from dayline.storage.engine.rows import BucketRow, EventChange, SelectedRow
from dayline.storage.engine.tenant import TenantReaders, TenantWriter
from dayline.storage.engine.transaction import WriteTransaction
from dayline.storage.guard import Guard
from dayline.storage.history.contract import (
    EditedEvents,
    EventCheck,
    EventEdit,
    EventPosition,
    Inserted,
    SelectedEvents,
)
from dayline.storage.history.corrections import correct_events
from dayline.storage.history.selection import EventTally, correction_of, list_page, rows_for, selected_pages

T = TypeVar("T")


class Edits:
    """Reads and edits single events. Each edit is one operation that can be undone.

    `expire` is called after every change that added an undo entry.
    """

    def __init__(self, writer: TenantWriter, readers: TenantReaders, expire: Callable[[], None], guard: Guard) -> None:
        self._writer = writer
        self._readers = readers
        self._expire = expire
        self._guard = guard

    def event(self, bucket_id: str, event_id: int) -> StoredEvent:
        """One event. Raises BucketNotFound or EventNotFound."""
        self._guard.check(bucket_id)
        with self._readers.transaction() as tx:
            stored = tx.stored_event(tx.bucket_key(bucket_id), event_id)
        if stored is None:
            raise EventNotFound(bucket_id, event_id)
        return stored

    def select(
        self, selection: Selection, *, after: EventPosition | None, limit: int, is_newest_first: bool
    ) -> SelectedEvents:
        """Up to `limit` events ordered by start and id, or the reverse. Raises BucketNotFound.

        A page can be short or even empty with more to follow: the search for matches stops after a number of rows.
        """
        self._guard.check(selection.bucket)
        rows = rows_for(selection, limit)
        pages = selected_pages(self._readers, selection, after=after, is_newest_first=is_newest_first, rows=rows)
        return list_page(pages, limit)

    def survey(self, selection: Selection) -> DeletedEvents:
        """What `delete_selected` would do. Raises BucketNotFound."""
        self._guard.check(selection.bucket)
        return EventTally(selection).surveyed(self._rows(selection))

    async def add(self, bucket: Bucket, event: Event) -> EditedEvents:
        """Append an event to a bucket, which is created if it is missing."""
        self._guard.check_recording(bucket.id)

        def add(tx: WriteTransaction) -> EditedEvents:
            if not tx.find_all([bucket.id]):
                _create(tx, bucket)  # undoing the new event does not delete the bucket
            inserted = tx.insert(bucket.id, [event], now=now_us(), is_logged=True)
            return _edited(tx, tx.find(bucket.id), inserted)

        return await self._change(add)

    async def edit(self, bucket_id: str, event_id: int, edit: EventEdit) -> EditedEvents:
        """Replace an event with the result of `edit`, or delete it, in one transaction.

        Raises what `edit` raises, with nothing changed, and BucketNotFound or EventNotFound.
        """
        self._guard.check_change(bucket_id)

        def apply(tx: WriteTransaction) -> EditedEvents:
            row, stored = _find_event(tx, bucket_id, event_id)
            after = edit(stored)
            if after is None:
                return EditedEvents(events=[stored], undo=delete_event(tx, bucket_id, event_id, now=now_us()))
            if after == stored.event:
                return EditedEvents(events=[stored], undo=None)
            return _edited(tx, row, tx.insert(bucket_id, [after], now=now_us()))

        return await self._change(apply)

    async def split(self, bucket_id: str, event_id: int, at: Microseconds, *, check: EventCheck) -> EditedEvents:
        """Split an event in two; the first keeps the id. Raises what `check` raises, Invalid, and the errors of
        `edit`.
        """
        self._guard.check_change(bucket_id)

        def split(tx: WriteTransaction) -> EditedEvents:
            row, stored = _find_event(tx, bucket_id, event_id)
            check(stored)
            parts = split_in_two(stored.event, at)
            return _edited(tx, row, tx.insert(bucket_id, parts, now=now_us(), kind="split_event"))

        return await self._change(split)

    async def delete_selected(self, selection: Selection) -> DeletedEvents:
        """Delete events in short slices, or the part of them inside the range, as one operation.

        Raises BucketNotFound.
        """
        self._guard.check_change(selection.bucket)
        tally, bucket_id = EventTally(selection), selection.bucket
        corrections = (correction_of(selection, row) for row in tally.counted(self._rows(selection)))
        outcomes = await correct_events(self._writer, {bucket_id: corrections}, now=now_us(), kind="delete_events")
        self._expire()
        outcome = outcomes[bucket_id]
        return msgspec.structs.replace(
            tally.result(dry_run=False),
            events=outcome.removed + outcome.changed,
            cut=outcome.changed,
            seconds=outcome.duration / SECOND,
            skipped=outcome.skipped,
            undo=outcome.undo,
        )

    def _rows(self, selection: Selection) -> Iterator[SelectedRow]:
        for page in selected_pages(self._readers, selection):
            yield from page.rows

    async def _change(self, change: Callable[[WriteTransaction], T]) -> T:
        result = await self._writer.change(change)
        self._expire()
        return result


def delete_event(tx: WriteTransaction, bucket_id: str, event_id: int, *, now: Microseconds) -> int | None:
    """Delete an event and return the operation; None if there is no such event. Raises BucketNotFound."""
    row = tx.find(bucket_id)
    event = tx.events_by_id(row.key, [event_id]).get(event_id)
    if event is None:
        return None
    operation = tx.add_operation("delete_events", now=now, bucket=row.bucket.id, bucket_key=row.key, events=1)
    tx.log_events(operation, [EventChange(event, None)])
    tx.remove_events(row, [event])
    tx.notify(row.bucket.id, "changed")
    return operation


def _create(tx: WriteTransaction, bucket: Bucket) -> None:
    try:
        tx.create_bucket(bucket)
    except BucketExists:
        return  # another server created it first


def _find_event(tx: WriteTransaction, bucket_id: str, event_id: int) -> tuple[BucketRow, StoredEvent]:
    """The current event and its bucket. Raises BucketNotFound or EventNotFound."""
    row = tx.find(bucket_id)
    stored = tx.stored_event(row.key, event_id)
    if stored is None:
        raise EventNotFound(bucket_id, event_id)
    return row, stored


def _edited(tx: WriteTransaction, row: BucketRow, inserted: Inserted) -> EditedEvents:
    last = tx.last_event_id(row.key)
    events = [StoredEvent(event=event, is_last=event.id == last) for event in inserted.events]
    return EditedEvents(events=events, undo=inserted.undo)
