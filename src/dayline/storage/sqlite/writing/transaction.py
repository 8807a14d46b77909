"""The write transaction: all changes of a batch, and idempotency tokens.

Heartbeats are merged in memory and written once, at the end or before another change reads the rows. A change that
raises a DaylineError must raise it before it has changed anything: the rest of the batch is committed.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import apsw
import msgspec

from dayline.model.access import Once
from dayline.model.bucket import Bucket
from dayline.model.data import CanonicalJson, canonical_json
from dayline.model.errors import AlreadyDone, BucketExists, EventElsewhere, EventIdReserved
from dayline.model.event import Event
from dayline.model.time import Microseconds, now_us
from dayline.storage.columns.segment_plan import SegmentKey
from dayline.storage.engine.aliases import AliasTarget
from dayline.storage.engine.rows import BucketRow, EventRow, SelectedRow, ValueText
from dayline.storage.engine.transaction import WriteTransaction
from dayline.storage.history.undo_log import Operation
from dayline.storage.sqlite.file.schema import ORIGIN
from dayline.storage.sqlite.rows.audit import AuditRows
from dayline.storage.sqlite.rows.scan import SelectionRows
from dayline.storage.sqlite.rows.undo_log import UndoLog
from dayline.storage.sqlite.writing.catalogue import INSERT_BUCKET, BucketState, Catalogue, Month, Tail, bucket_row
from dayline.storage.sqlite.writing.values import ValueDictionary
from dayline.storage.writing.notices import ChangeNotice
from dayline.transform.heartbeat import merge_heartbeat

_KEEP_EVENT = (
    "INSERT INTO event(bucket, start, id, duration, value) VALUES(?, ?, ?, ?, ?) "
    "ON CONFLICT(bucket, start, id) DO UPDATE SET duration = excluded.duration"
)
_KEEP_MONTH = (
    "INSERT INTO month(bucket, month, events, longest, reach, is_sealed, changes) VALUES(?, ?, ?, ?, ?, ?, ?) "
    "ON CONFLICT(bucket, month) DO UPDATE SET events = excluded.events, longest = excluded.longest, "
    "reach = excluded.reach, is_sealed = excluded.is_sealed, changes = excluded.changes"
)

_CHANGE_TEXT = "UPDATE value SET hash = ?, json = ? WHERE key = ? AND bucket = ?"
_COUNT_TEXTS = "UPDATE bucket SET dictionary = dictionary + 1 WHERE key = ?"
_UNSEAL = "UPDATE month SET is_sealed = 0, changes = changes + 1 WHERE bucket = ? AND is_sealed"
_HIDE = "UPDATE bucket SET deleted = ? WHERE key = ?"
_RESTORE = "UPDATE bucket SET deleted = NULL WHERE key = ?"
_SET_DOWNSAMPLED = (
    "INSERT INTO meta(key, value) VALUES('downsampled:' || ?, ?) "
    "ON CONFLICT DO UPDATE SET value = max(value, excluded.value)"
)
_COPY_DOWNSAMPLED = (
    "INSERT INTO meta(key, value) SELECT 'downsampled:' || :target, value FROM meta "
    "WHERE key = 'downsampled:' || :source ON CONFLICT DO UPDATE SET value = max(value, excluded.value)"
)
_LATER = """
SELECT operation.key FROM operation_event JOIN operation ON operation.key = operation_event.operation
WHERE operation_event.id BETWEEN ? AND ? AND operation.key > ? AND operation.state <> 'undone'
ORDER BY operation.key DESC LIMIT 1
"""
# By a merge for its copies, or by a recovery for the rows that it has not copied yet.
_RESERVED = """
SELECT 1 FROM operation WHERE kind = 'merge_buckets' AND state IN ('doing', 'undoing')
AND :id - json_extract(detail, '$.first') BETWEEN 0 AND json_extract(detail, '$.count') - 1
UNION ALL
SELECT 1 FROM meta WHERE key = 'recovery' AND :id < json_extract(value, '$.first_event')
AND json_extract(value, '$.phase') <> 'done'
"""
_BY_ID = "SELECT bucket, start, id, duration, value FROM event WHERE id = ?"
_AT = """
SELECT event.start + :origin, event.id, event.duration, event.value, value.json FROM json_each(:starts) AS wanted
CROSS JOIN event ON event.bucket = :bucket AND event.start = wanted.value JOIN value ON value.key = event.value
"""
# More than are added with a change, so that expired ones do not accumulate.
_FORGET_TOKENS = "DELETE FROM once WHERE token IN (SELECT token FROM once WHERE until < ? ORDER BY until LIMIT 4)"
_REMOVE = "DELETE FROM event WHERE bucket = ? AND start = ? AND id = ?"

_Row: TypeAlias = tuple[int, int, int, int, int]  # of the table of events, with the start relative to ORIGIN


class SqliteTransaction(UndoLog, SelectionRows, AuditRows, WriteTransaction):
    """One batch of changes. Call `finish` before the commit; `touched` are the buckets to publish after it."""

    def __init__(self, cursor: apsw.Cursor, catalogue: Catalogue, values: ValueDictionary) -> None:
        self._cursor = cursor  # for what every heartbeat writes: each call of the connection makes a new one
        self._db = cursor.connection
        self._catalogue = catalogue
        self._values = values
        self._rows: dict[int, _Row] = {}  # of events that heartbeats created or extended, by id
        self._months: dict[Month, int] = {}  # changed months, and the keys of their buckets
        self._shrunk: set[BucketState] = set()  # buckets that lost an event, possibly the first or the last
        self.touched: set[BucketState] = set()
        self.is_access = False  # unused: nothing else writes keys and sessions of a file
        self.unseen = 0  # changes of this batch that are not visible to clients
        self.begun: list[int] = []
        self.notices: dict[ChangeNotice, None] = {}  # changes other than recording, each once, in order

    @property
    def db(self) -> apsw.Connection:
        """The connection, for special changes such as an import's slices; pending rows are written first."""
        self._write_rows()
        return self._db

    def heartbeat(self, bucket_id: str, beat: Event, pulsetime: Microseconds) -> Event:
        """Extend the bucket's last event or append a new one, and return it."""
        state = self._catalogue.find(bucket_id)
        tail = state.tail or self._newest(state)
        if tail is not None:
            merged = merge_heartbeat(tail.event, beat, pulsetime=pulsetime)
            if merged is not None:
                state.tail = tail
                if merged.duration != tail.event.duration:  # otherwise it is inside the last event: nothing to write
                    tail.event = merged
                    self._extend(state, tail)
                return merged
        return self._begin(state, beat)

    def create_bucket(self, bucket: Bucket, *, key: int | None = None) -> None:
        """Create a bucket; `key` restores a former key that rows still use."""
        if self.has_bucket(bucket.id):
            raise BucketExists(bucket.id)
        self._db.execute(INSERT_BUCKET, bucket_row(bucket, key))
        state = BucketState(key=self._db.last_insert_rowid(), bucket=bucket)
        self._catalogue.add(state)
        self.touched.add(state)
        self.notify(bucket.id, "created")

    def find_all(self, bucket_ids: Iterable[str]) -> dict[str, BucketState]:
        found = ((bucket_id, self._catalogue.get(bucket_id)) for bucket_id in bucket_ids)
        return {bucket_id: state for bucket_id, state in found if state is not None}

    def bucket_by_key(self, key: int) -> BucketState | None:
        return self._catalogue.by_key(key)

    def bucket(self, bucket_id: str) -> Bucket:
        return self._catalogue.find(bucket_id).bucket

    def event_count(self, bucket: int) -> int:
        return self._state(bucket).events

    def set_bucket_id(self, row: BucketRow, bucket_id: str) -> None:
        if self._catalogue.has(bucket_id):
            raise BucketExists(bucket_id)
        state = self._state(row.key)
        self.db.execute("UPDATE bucket SET id = ? WHERE key = ?", (bucket_id, state.key))
        self._catalogue.rename(state, bucket_id)
        self.touched.add(state)

    def set_bucket_fields(self, row: BucketRow, fields: Mapping[str, Any]) -> None:
        state = self._state(row.key)
        bucket = state.bucket = msgspec.structs.replace(state.bucket, **fields)
        self.db.execute(
            "UPDATE bucket SET type = ?, client = ?, hostname = ?, data = ? WHERE key = ?",
            (bucket.type, bucket.client, bucket.hostname, canonical_json(bucket.data).decode(), state.key),
        )
        self.touched.add(state)

    def hide_bucket(self, row: BucketRow, *, now: Microseconds) -> None:
        state = self._state(row.key)
        self.db.execute(_HIDE, (now, state.key))
        self.keep_next_event_id()
        self._catalogue.remove(state)
        self.touched.add(state)

    def restore_bucket(self, key: int) -> BucketState:
        self.write_months()
        state = self._catalogue.read_bucket(key)
        if self._catalogue.has(state.bucket.id):
            raise BucketExists(state.bucket.id)
        self.db.execute(_RESTORE, (key,))
        self._catalogue.add(state)
        self.touched.add(state)
        return state

    def touch_bucket(self, key: int) -> None:
        state = self._catalogue.by_key(key)
        if state is not None:
            self.touched.add(state)

    def set_downsampled(self, bucket: int, cutoff: Microseconds) -> None:
        self.db.execute(_SET_DOWNSAMPLED, (bucket, cutoff - ORIGIN))

    def copy_downsampled(self, source: int, target: int) -> None:
        self.db.execute(_COPY_DOWNSAMPLED, {"source": source, "target": target})

    def set_alias_targets(self, targets: Mapping[str, AliasTarget | None]) -> None:
        super().set_alias_targets(targets)
        for alias, target in self.alias_targets(targets).items():
            self._catalogue.set_alias(alias, None if target is None else target[0])

    def replaced_events(self, row: BucketRow, event_ids: Sequence[int]) -> dict[int, EventRow]:
        for event_id in event_ids:
            owner = self.db.execute("SELECT bucket FROM event WHERE id = ?", (event_id,)).get
            if owner not in (None, row.key):
                raise EventElsewhere(event_id, row.bucket.id)
            is_new = owner is None and event_id >= self._catalogue.next_event_id
            if is_new or (owner is None and self._db.execute(_RESERVED, {"id": event_id}).get):
                raise EventIdReserved(event_id, row.bucket.id)
        return self.events_by_id(row.key, event_ids)

    def new_event_ids(self, count: int) -> int:
        self._catalogue.next_event_id += count
        return self._catalogue.next_event_id - count

    def events_by_id(self, bucket: int | None, event_ids: Iterable[int]) -> dict[int, EventRow]:
        found = self.db.executemany(_BY_ID, [(event_id,) for event_id in event_ids]).fetchall()
        rows = (_event_row(row) for row in found)
        return {row.id: row for row in rows if bucket in (None, row.bucket)}

    def events_at(self, bucket: int, starts: Sequence[Microseconds]) -> list[SelectedRow]:
        wanted = msgspec.json.encode([start - ORIGIN for start in starts]).decode()
        found = self.db.execute(_AT, {"origin": ORIGIN, "bucket": bucket, "starts": wanted}).fetchall()
        return msgspec.convert(found, list[SelectedRow])

    def value_keys(self, row: BucketRow, texts: Iterable[CanonicalJson]) -> dict[CanonicalJson, int]:
        return self._values.numbers(row.key, texts)

    def put_events(self, row: BucketRow, events: Sequence[EventRow]) -> None:
        state = _state_of(row)
        self._put(state, events)
        self.touch_bucket(state.key)

    def remove_events(self, row: BucketRow, events: Sequence[EventRow]) -> None:
        state = _state_of(row)
        self._write_rows()
        state.tail = None
        self.keep_next_event_id()
        self._remove(state, events)
        self.touch_bucket(state.key)

    def log_slice(self, operation: int, *, events: int) -> None:
        self.db.execute("UPDATE operation SET events = events + ? WHERE key = ?", (events, operation))
        self._catalogue.in_progress.add(operation)

    def end_operation(self, key: int) -> None:
        super().end_operation(key)
        self._catalogue.in_progress.discard(key)

    def is_under_way(self, operation: Operation) -> bool:
        return operation.key in self._catalogue.in_progress

    def later_operation(self, first: int, last: int, operation: int) -> int | None:
        found = self.db.execute(_LATER, (first, last, operation)).get
        return found if isinstance(found, int) else None

    def add_month_events(
        self,
        bucket_id: str,
        *,
        events: int,
        start: Microseconds,
        max_duration: Microseconds,
        max_end: Microseconds,
    ) -> None:
        """Account for events of one month that were written with other statements."""
        state = self._catalogue.find(bucket_id)
        state.tail = None
        month = state.month_at(start)
        month.events += events
        month.cover(max_duration, max_end)
        state.cover(start, max_end - start)
        self._months[month] = state.key
        self.touched.add(state)

    def mark_month_changed(self, bucket_id: str, *, start: Microseconds) -> None:
        """Account for events of one month that were changed with other statements."""
        state = self._catalogue.find(bucket_id)
        state.tail = None
        month = state.month_at(start)
        month.cover(0, 0)
        self._months[month] = state.key
        self.touched.add(state)
        self.notify(state.bucket.id, "changed")

    def change_texts(self, row: BucketRow, texts: Sequence[ValueText]) -> None:
        self.write_months()
        self.db.executemany(_CHANGE_TEXT, [(*text, row.key) for text in texts])
        self._db.execute(_COUNT_TEXTS, (row.key,))
        self._db.execute(_UNSEAL, (row.key,))
        self._values.forget()
        state = self._catalogue.by_key(row.key)
        if state is not None:
            state.tail = None
            for month in state.months.values():
                month.cover(0, 0)
            self.touched.add(state)
            self.notify(state.bucket.id, "changed")

    def lock_any(self, key: int) -> BucketState | None:
        self.write_months()
        exists = self._db.execute("SELECT 1 FROM bucket WHERE key = ?", (key,)).get is not None
        return self._catalogue.by_key(key) or (self._catalogue.read_bucket(key) if exists else None)

    @property
    def values(self) -> ValueDictionary:
        """The dictionary of values."""
        return self._values

    def seal(self, bucket_id: str, key: int, months: Sequence[int]) -> list[SegmentKey]:
        """Seal months for derived data, so that their next change is counted; returns their current state.

        Nothing is sealed if the bucket was deleted and another one has its id.
        """
        state = self._catalogue.find(bucket_id) if self._catalogue.has(bucket_id) else None
        if state is None or state.key != key:
            return []
        found = [month for number in months if (month := state.months.get(number)) is not None and month.events]
        for month in found:
            if not month.is_sealed:
                month.is_sealed = True
                self._months[month] = state.key
        return [SegmentKey(key, month.number, month.changes) for month in found]

    def has_bucket(self, bucket_id: str) -> bool:
        """Whether there is a bucket with this id or alias."""
        return self._catalogue.has(bucket_id) or self._catalogue.by_alias(bucket_id) is not None

    def take_event_ids(self, count: int) -> int:
        first = self.new_event_ids(count)
        self.keep_next_event_id()
        return first

    def finish(self) -> None:
        """Write everything that is still in memory."""
        self._write_rows()
        for state in self._shrunk:
            state.start, state.end = self._catalogue.first_start(state), self._catalogue.last_end(state)
        self.write_months()

    def write_months(self) -> None:
        """Write the statistics of months now, before they are read from the file."""
        if self._months:
            self._db.executemany(_KEEP_MONTH, [_month_row(month, key) for month, key in self._months.items()])
            self._months = {}

    def _write_rows(self) -> None:
        if self._rows:
            self._cursor.executemany(_KEEP_EVENT, self._rows.values())
            self._rows = {}

    def _newest(self, state: BucketState) -> Tail | None:
        self._write_rows()
        row = self._db.execute(
            "SELECT start, id, duration, value, json FROM event JOIN value ON value.key = event.value "
            "WHERE event.bucket = ? ORDER BY start DESC, id LIMIT 1",
            (state.key,),
        ).fetchone()
        if row is None:
            return None
        start, event_id, duration, value, json = msgspec.convert(row, tuple[int, int, int, int, str])
        event = Event(id=event_id, start=start + ORIGIN, duration=duration, data=json.encode())
        return Tail(event, value, state.month_at(event.start))

    def _begin(self, state: BucketState, beat: Event) -> Event:
        event = Event(id=self.new_event_ids(1), start=beat.start, duration=beat.duration, data=beat.data)
        value = self._values.number(state.key, event.data)
        state.tail = Tail(event, value, self._count(state, event.start, event.duration))
        self._rows[event.id] = (state.key, event.start - ORIGIN, event.id, event.duration, value)
        self.touched.add(state)
        return event

    def _extend(self, state: BucketState, tail: Tail) -> None:
        event, month = tail.event, tail.month
        self._rows[event.id] = (state.key, event.start - ORIGIN, event.id, event.duration, tail.value)
        if not month.covers(event.start, event.duration):
            month.cover(event.duration, event.end)
            self._months[month] = state.key
        if state.end is None or event.end > state.end:
            state.end = event.end
        self.touched.add(state)

    def _count(self, state: BucketState, start: Microseconds, duration: Microseconds) -> Month:
        """Account for a new event; returns its month."""
        month = state.month_at(start)
        month.events += 1
        month.cover(duration, start + duration)
        state.cover(start, duration)
        self._months[month] = state.key
        return month

    def _put(self, state: BucketState, events: Sequence[EventRow]) -> None:
        self.db.executemany(
            _KEEP_EVENT, [(state.key, each.start - ORIGIN, each.id, each.duration, each.value) for each in events]
        )
        for each in events:
            self._count(state, each.start, each.duration)
        state.tail = None

    def _remove(self, state: BucketState, events: Sequence[EventRow]) -> None:
        self._db.executemany(_REMOVE, [(state.key, each.start - ORIGIN, each.id) for each in events])
        for each in events:
            month = state.month_at(each.start)
            month.events -= 1
            month.cover(0, 0)  # the bounds are still valid for fewer events, but derived data is stale
            self._months[month] = state.key
        self._shrunk.add(state)

    def _state(self, key: int) -> BucketState:
        state = self._catalogue.by_key(key)
        assert state is not None, "a bucket that was found in this transaction"
        return state

    def check_tokens(self, tokens: Sequence[Once]) -> None:
        for once in tokens:
            if self.db.execute("SELECT 1 FROM once WHERE token = ?", (once.token,)).get is not None:
                raise AlreadyDone

    def keep_tokens(self, tokens: Sequence[Once]) -> None:
        rows = [(once.token, once.until) for once in tokens]
        self.db.executemany("INSERT INTO once(token, until) VALUES(?, ?)", rows)
        self.db.execute(_FORGET_TOKENS, (now_us(),))

    def keep_next_event_id(self) -> None:
        """Prevent the reuse of ids that have no rows: reserved ones, and those whose rows are about to be deleted."""
        self._db.execute(
            "INSERT INTO meta(key, value) VALUES('next_event_id', ?) ON CONFLICT DO UPDATE SET value = excluded.value",
            (self._catalogue.next_event_id,),
        )


def _state_of(row: BucketRow) -> BucketState:
    assert isinstance(row, BucketState), "buckets come from this transaction"
    return row


def _event_row(row: object) -> EventRow:
    bucket, start, event_id, duration, value = msgspec.convert(row, _Row)
    return EventRow(bucket, start + ORIGIN, event_id, duration, value)


def _month_row(month: Month, key: int) -> tuple[int, int, int, int, int, int, int]:
    reach = month.reach - ORIGIN
    return key, month.number, month.events, month.longest, reach, int(month.is_sealed), month.changes
