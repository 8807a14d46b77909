"""Changes events by hand: one at a time in a transaction, many in slices."""

import asyncio
from collections.abc import Callable, Iterator
from typing import Final, TypeVar

import msgspec

from dayline.model.bucket import Bucket
from dayline.model.errors import BucketExists, EventNotFound
from dayline.model.event import Event, StoredEvent
from dayline.model.event_changes import DeletedEvents, Selection, split_in_two
from dayline.model.time import Microseconds, now_us
from dayline.storage.history.contract import EditedEvents, EventCheck, EventEdit, EventPlace, SelectedEvents
from dayline.storage.history.selection import EventTally, SelectedRow, listed, removal_of, rows_for
from dayline.storage.postgres.connection import Connection, Readers
from dayline.storage.postgres.history.corrections import mend_events
from dayline.storage.postgres.history.trash import PostgresTrash
from dayline.storage.postgres.rows.reader import bucket_key
from dayline.storage.postgres.rows.scan import chosen_pages
from dayline.storage.postgres.writing.changes import create_bucket, delete_event, insert
from dayline.storage.postgres.writing.transaction import Found, Turn
from dayline.storage.postgres.writing.writer import Scribe
from dayline.storage.store import Inserted

T = TypeVar("T")

_EVENT: Final = """
SELECT start, duration, json FROM event
JOIN value ON value.tenant = event.tenant AND value.bucket = event.bucket AND value.key = event.value
WHERE event.tenant = %s AND event.id = %s AND event.bucket = %s
"""
# The one that heartbeats extend: of several that begin last, the first.
_LAST: Final = "SELECT id FROM event WHERE tenant = %s AND bucket = %s ORDER BY start DESC, id LIMIT 1"
_DURATION: Final = "SELECT coalesce(sum(duration), 0)::bigint FROM act_event WHERE tenant = %s AND act = %s"


class PostgresEdits:
    """The EventEdits of one tenant."""

    def __init__(self, scribe: Scribe, readers: Readers, trash: PostgresTrash) -> None:
        self._scribe = scribe
        self._readers = readers
        self._trash = trash

    def event(self, bucket_id: str, event_id: int) -> StoredEvent:
        tenant = self._scribe.tenant
        with self._readers.transaction(tenant) as db:
            found = _stored(db, tenant, bucket_key(db, tenant, bucket_id), event_id)
        if found is None:
            raise EventNotFound(bucket_id, event_id)
        return found

    def select(
        self, selection: Selection, *, after: EventPlace | None, limit: int, is_newest_first: bool
    ) -> SelectedEvents:
        rows = rows_for(selection, limit)
        tenant = self._scribe.tenant
        pages = chosen_pages(self._readers, tenant, selection, after=after, is_newest_first=is_newest_first, rows=rows)
        return listed(pages, limit)

    def survey(self, selection: Selection) -> DeletedEvents:
        return EventTally().surveyed(selection.bucket, self._rows(selection))

    async def add(self, bucket: Bucket, event: Event) -> EditedEvents:
        def apply(turn: Turn) -> EditedEvents:
            if not turn.find_all([bucket.id]):
                _make(turn, bucket)  # it stays when the event is undone
            inserted = insert(turn, bucket.id, [event], now=now_us(), is_kept=True)
            return _edited(turn, turn.find(bucket.id), inserted)

        return await self._act(apply)

    async def edit(self, bucket_id: str, event_id: int, edit: EventEdit) -> EditedEvents:
        def apply(turn: Turn) -> EditedEvents:
            state, stored = _found(turn, bucket_id, event_id)
            after = edit(stored)
            if after is None:
                return EditedEvents(events=[stored], undo=delete_event(turn, bucket_id, event_id, now=now_us()))
            if after == stored.event:
                return EditedEvents(events=[stored], undo=None)
            return _edited(turn, state, insert(turn, bucket_id, [after], now=now_us()))

        return await self._act(apply)

    async def split(self, bucket_id: str, event_id: int, at: Microseconds, *, check: EventCheck) -> EditedEvents:
        def apply(turn: Turn) -> EditedEvents:
            state, stored = _found(turn, bucket_id, event_id)
            check(stored)
            parts = split_in_two(stored.event, at)
            return _edited(turn, state, insert(turn, bucket_id, parts, now=now_us(), kind="split_event"))

        return await self._act(apply)

    async def delete_selected(self, selection: Selection) -> DeletedEvents:
        tally, bucket_id = EventTally(), selection.bucket
        mends = map(removal_of, tally.counted(self._rows(selection)))
        outcomes = await mend_events(self._scribe, {bucket_id: mends}, now=now_us(), kind="delete_events")
        self._trash.look()
        outcome = outcomes[bucket_id]
        if outcome.skipped:
            tally.duration = await asyncio.to_thread(self._duration_of, outcome.undo)
        deleted = tally.told(bucket_id, dry_run=False)
        return msgspec.structs.replace(deleted, events=outcome.removed, skipped=outcome.skipped, undo=outcome.undo)

    def _rows(self, selection: Selection) -> Iterator[SelectedRow]:
        for page in chosen_pages(self._readers, self._scribe.tenant, selection):
            yield from page.rows

    def _duration_of(self, act: int | None) -> Microseconds:
        with self._readers.transaction(self._scribe.tenant) as db:
            row = db.execute(_DURATION, (self._scribe.tenant, act)).fetchone()
        return 0 if row is None else int(row[0])

    async def _act(self, apply: Callable[[Turn], T]) -> T:
        result = await self._scribe.change(apply)
        self._trash.look()
        return result


def _make(turn: Turn, bucket: Bucket) -> None:
    try:
        create_bucket(turn, bucket)
    except BucketExists:
        return  # another server was quicker


def _found(turn: Turn, bucket_id: str, event_id: int) -> tuple[Found, StoredEvent]:
    """The event as it is now, in a bucket that is locked. Raises BucketNotFound or EventNotFound."""
    state = turn.find(bucket_id)
    stored = _stored(turn.db, turn.tenant, state.key, event_id)
    if stored is None:
        raise EventNotFound(bucket_id, event_id)
    return state, stored


def _edited(turn: Turn, state: Found, inserted: Inserted) -> EditedEvents:
    turn.write_rows()
    last = _last(turn.db, turn.tenant, state.key)
    events = [StoredEvent(event=event, is_last=event.id == last) for event in inserted.events]
    return EditedEvents(events=events, undo=inserted.undo)


def _stored(db: Connection, tenant: str, bucket: int, event_id: int) -> StoredEvent | None:
    row = db.execute(_EVENT, (tenant, event_id, bucket)).fetchone()
    if row is None:
        return None
    start, duration, json = row
    event = Event(id=event_id, start=start, duration=duration, data=json.encode())
    return StoredEvent(event=event, is_last=_last(db, tenant, bucket) == event_id)


def _last(db: Connection, tenant: str, bucket: int) -> int | None:
    row = db.execute(_LAST, (tenant, bucket)).fetchone()
    return None if row is None else int(row[0])
