"""Changes events of one file by hand: one at a time in a transaction, many in slices."""

import asyncio
from collections.abc import Callable, Iterator
from copy import copy
from typing import TypeVar

import apsw
import msgspec

from dayline.model.bucket import Bucket
from dayline.model.errors import EventNotFound
from dayline.model.event import Event, StoredEvent
from dayline.model.event_changes import DeletedEvents, Selection, split_in_two
from dayline.model.time import Microseconds, now_us
from dayline.storage.history.contract import EditedEvents, EventCheck, EventEdit, EventPlace, SelectedEvents
from dayline.storage.history.selection import EventTally, SelectedRow, listed, removal_of, rows_for
from dayline.storage.sqlite.file.connection import ReaderPool
from dayline.storage.sqlite.file.schema import ORIGIN
from dayline.storage.sqlite.history.corrections import mend_events
from dayline.storage.sqlite.history.trash import SqliteTrash
from dayline.storage.sqlite.rows.reader import bucket_key
from dayline.storage.sqlite.rows.scan import chosen_pages
from dayline.storage.sqlite.writing.catalogue import BucketState
from dayline.storage.sqlite.writing.transaction import Changes
from dayline.storage.sqlite.writing.writer import OnceWriter, Writer
from dayline.storage.store import Inserted

T = TypeVar("T")

_EVENT = """
SELECT start, duration, json FROM event JOIN value ON value.key = event.value WHERE event.id = ? AND event.bucket = ?
"""
# The one that heartbeats extend: of several that begin last, the first.
_LAST = "SELECT id FROM event WHERE bucket = ? ORDER BY start DESC, id LIMIT 1"


class SqliteEdits:
    """The EventEdits of one file."""

    def __init__(self, writer: Writer, readers: ReaderPool, trash: SqliteTrash) -> None:
        self._writer: Writer | OnceWriter = writer
        self._readers = readers
        self._trash = trash

    def through(self, writer: Writer | OnceWriter) -> "SqliteEdits":
        """The same for one call, whose first change brings a token."""
        edits = copy(self)
        edits._writer = writer
        return edits

    def event(self, bucket_id: str, event_id: int) -> StoredEvent:
        with self._readers.transaction() as db:
            found = _stored(db, bucket_key(db, bucket_id), event_id)
        if found is None:
            raise EventNotFound(bucket_id, event_id)
        return found

    def select(
        self, selection: Selection, *, after: EventPlace | None, limit: int, is_newest_first: bool
    ) -> SelectedEvents:
        rows = rows_for(selection, limit)
        pages = chosen_pages(self._readers, selection, after=after, is_newest_first=is_newest_first, rows=rows)
        return listed(pages, limit)

    def survey(self, selection: Selection) -> DeletedEvents:
        return EventTally().surveyed(selection.bucket, self._rows(selection))

    async def add(self, bucket: Bucket, event: Event) -> EditedEvents:
        def apply(changes: Changes) -> EditedEvents:
            if not changes.has_bucket(bucket.id):
                changes.create_bucket(bucket)  # it stays when the event is undone
            inserted = changes.insert(bucket.id, [event], now=now_us(), is_kept=True)
            return _edited(changes, changes.catalogue.find(bucket.id), inserted)

        return await self._act(apply)

    async def edit(self, bucket_id: str, event_id: int, edit: EventEdit) -> EditedEvents:
        def apply(changes: Changes) -> EditedEvents:
            state, stored = _found(changes, bucket_id, event_id)
            after = edit(stored)
            if after is None:
                return EditedEvents(events=[stored], undo=changes.delete_event(bucket_id, event_id, now=now_us()))
            if after == stored.event:
                return EditedEvents(events=[stored], undo=None)
            return _edited(changes, state, changes.insert(bucket_id, [after], now=now_us()))

        return await self._act(apply)

    async def split(self, bucket_id: str, event_id: int, at: Microseconds, *, check: EventCheck) -> EditedEvents:
        def apply(changes: Changes) -> EditedEvents:
            state, stored = _found(changes, bucket_id, event_id)
            check(stored)
            parts = split_in_two(stored.event, at)
            return _edited(changes, state, changes.insert(bucket_id, parts, now=now_us(), kind="split_event"))

        return await self._act(apply)

    async def delete_selected(self, selection: Selection) -> DeletedEvents:
        tally, bucket_id = EventTally(), selection.bucket
        mends = map(removal_of, tally.counted(self._rows(selection)))
        outcomes = await mend_events(
            self._writer, {bucket_id: mends}, under_way=self._trash.under_way, now=now_us(), kind="delete_events"
        )
        self._trash.look()
        outcome = outcomes[bucket_id]
        if outcome.skipped:
            tally.duration = await asyncio.to_thread(self._duration_of, outcome.undo)
        deleted = tally.told(bucket_id, dry_run=False)
        return msgspec.structs.replace(deleted, events=outcome.removed, skipped=outcome.skipped, undo=outcome.undo)

    def _rows(self, selection: Selection) -> Iterator[SelectedRow]:
        for page in chosen_pages(self._readers, selection):
            yield from page.rows

    def _duration_of(self, act: int | None) -> Microseconds:
        with self._readers.connection() as db:
            return int(db.execute("SELECT coalesce(sum(duration), 0) FROM act_event WHERE act = ?", (act,)).get)

    async def _act(self, apply: Callable[[Changes], T]) -> T:
        result = await self._writer.change(apply)
        self._trash.look()
        return result


def _found(changes: Changes, bucket_id: str, event_id: int) -> tuple[BucketState, StoredEvent]:
    """The event as it is now. Raises BucketNotFound or EventNotFound."""
    state = changes.catalogue.find(bucket_id)
    stored = _stored(changes.db, state.key, event_id)
    if stored is None:
        raise EventNotFound(bucket_id, event_id)
    return state, stored


def _edited(changes: Changes, state: BucketState, inserted: Inserted) -> EditedEvents:
    last = changes.db.execute(_LAST, (state.key,)).get
    events = [StoredEvent(event=event, is_last=event.id == last) for event in inserted.events]
    return EditedEvents(events=events, undo=inserted.undo)


def _stored(db: apsw.Connection, bucket: int, event_id: int) -> StoredEvent | None:
    row = db.execute(_EVENT, (event_id, bucket)).fetchone()
    if row is None:
        return None
    start, duration, json = msgspec.convert(row, tuple[int, int, str])
    event = Event(id=event_id, start=start + ORIGIN, duration=duration, data=json.encode())
    return StoredEvent(event=event, is_last=db.execute(_LAST, (bucket,)).get == event_id)
