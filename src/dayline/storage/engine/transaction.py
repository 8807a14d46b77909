"""The seam between the rules of the store and its engines: what a transaction of an engine can do.

   history/ redaction/ retention/      rules, state machines and error texts, written once
   ───────── this folder ─────────     transactions; the small tables, written once over `Tables.run`
   sqlite/ postgres/                   SQL, locks, commits, file formats

Above the seam, times are microseconds since 1970 and no code depends on the engine. A change checks everything before
it changes anything: on SQLite, a change that raises an error is not rolled back on its own.
"""

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from itertools import count
from typing import Any, Final

from msgspec import structs

from dayline.model.bucket import Bucket
from dayline.model.data import CanonicalJson
from dayline.model.errors import BucketNotFound
from dayline.model.event import Event, StoredEvent
from dayline.model.time import EARLIEST, LATEST, Microseconds
from dayline.model.upkeep.undo import OperationKind
from dayline.storage.columns.months import Span
from dayline.storage.engine.access import AccessReads, AccessWrites
from dayline.storage.engine.aliases import AliasReads, AliasWrites
from dayline.storage.engine.rows import BucketRow, EventChange, EventRow, SelectedRow, ValueText
from dayline.storage.engine.tables import Table
from dayline.storage.engine.undo_log import UndoReads, UndoWrites
from dayline.storage.history.contract import BucketChangeKind, EventPosition, Inserted
from dayline.storage.transfer import event_rows
from dayline.storage.writing.notices import BucketNotice

_EVENTS: Final = Table("event", ("id",))
_MONTHS: Final = Table("month", ("month",))
_REDACTED: Final = Table("redacted_value", ("value",))


class ReadTransaction(AccessReads, AliasReads, UndoReads):
    """A consistent view of a tenant's data."""

    @abstractmethod
    def bucket(self, bucket_id: str) -> Bucket:
        """The bucket with this id, or else with this alias. Raises BucketNotFound."""

    def stored_event(self, bucket: int, event_id: int) -> StoredEvent | None:
        rows = self.selected_by_id(bucket, [event_id], (EARLIEST, LATEST), since=EARLIEST)
        return StoredEvent(event=rows[0].event, is_last=self.last_event_id(bucket) == event_id) if rows else None

    def last_event_id(self, bucket: int) -> int | None:
        """The event that heartbeats extend: the lowest id among the events with the latest start."""
        rows = self.select(_EVENTS, {"bucket": bucket}, order="start DESC, id", limit=1)
        return int(rows[0][0]) if rows else None

    @abstractmethod
    def counted_buckets(self) -> list[event_rows.BucketRow]:
        """All visible buckets with the number of their events, in order of creation."""

    def months(self, bucket: int) -> list[int]:
        """The number of each month with events, in order."""
        return [month for (month,) in self.select(_MONTHS, {"bucket": bucket, "events >": 0}, order="month")]

    def redacted_values(self) -> set[int]:
        """The values that a redaction has changed that can be undone: it has to find its events again."""
        return {value for (value,) in self.select(_REDACTED, {})}

    @abstractmethod
    def begin_spans(self, bucket: int, first: Microseconds, last: Microseconds) -> list[Span]:
        """The spans in which events that overlap first..last can start, newest first."""

    def selected_page(
        self,
        bucket: int,
        span: Span,
        after: EventPosition,
        *,
        since: Microseconds,
        is_newest_first: bool,
        rows: int,
    ) -> list[SelectedRow]:
        """The next events that start in a span and do not end before `since`, after a position in this order."""
        low, high = span
        # An index finds the first row by the span alone; the position only decides among events of equal start.
        left = (low, min(high, after.start)) if is_newest_first else (max(low, after.start), high)
        return self.selected_rows(bucket, left, after, since=since, is_newest_first=is_newest_first, rows=rows)

    @abstractmethod
    def selected_rows(
        self,
        bucket: int,
        span: Span,
        after: EventPosition,
        *,
        since: Microseconds,
        is_newest_first: bool,
        rows: int,
    ) -> list[SelectedRow]:
        """See `selected_page`."""

    @abstractmethod
    def selected_by_id(
        self, bucket: int, event_ids: Sequence[int], span: Span, *, since: Microseconds
    ) -> list[SelectedRow]:
        """Like `selected_page`, of the events with these ids, oldest first."""


class WriteTransaction(AccessWrites, AliasWrites, UndoWrites, ReadTransaction):
    """Changes of one tenant's data that are committed together or not at all."""

    # Buckets. The methods that find a bucket lock it until the commit.

    def find(self, bucket_id: str) -> BucketRow:
        """The bucket with this id, or else with this alias. Raises BucketNotFound."""
        bucket = self.find_all([bucket_id]).get(bucket_id)
        if bucket is None:
            raise BucketNotFound(bucket_id)
        return bucket

    @abstractmethod
    def find_all(self, bucket_ids: Iterable[str]) -> Mapping[str, BucketRow]:
        """The buckets that exist, by the requested id."""

    @abstractmethod
    def bucket_by_key(self, key: int) -> BucketRow | None:
        """The bucket, or None if it is hidden."""

    def lock_buckets(self, *keys: int, bucket_id: str | None = None) -> None:
        """Lock buckets by key, including hidden ones, and the one with this id; without arguments all of them.

        Call it before any other lock. There is nothing to do in an engine with one writer.
        """

    @abstractmethod
    def create_bucket(self, bucket: Bucket) -> None:
        """Raises BucketExists, also if the id is an alias, and Invalid."""

    @abstractmethod
    def event_count(self, bucket: int) -> int: ...

    @abstractmethod
    def set_bucket_id(self, row: BucketRow, bucket_id: str) -> None:
        """Raises BucketExists if another bucket has this id."""

    @abstractmethod
    def set_bucket_fields(self, row: BucketRow, fields: Mapping[str, Any]) -> None: ...

    @abstractmethod
    def hide_bucket(self, row: BucketRow, *, now: Microseconds) -> None:
        """Hide a bucket and its events from everything but the trash."""

    @abstractmethod
    def restore_bucket(self, key: int) -> BucketRow:
        """Make a hidden bucket visible again. Raises BucketExists if its id is taken."""

    @abstractmethod
    def touch_bucket(self, key: int) -> None:
        """Publish a bucket after the commit although none of its rows has changed."""

    @abstractmethod
    def lock_any(self, key: int) -> BucketRow | None:
        """A bucket, hidden or not, whose events and texts can be changed; None if it was purged."""

    @abstractmethod
    def change_texts(self, row: BucketRow, texts: Sequence[ValueText]) -> None:
        """Give values of a bucket, hidden or not, other hashes and texts. All its derived data becomes invalid."""

    @abstractmethod
    def set_downsampled(self, bucket: int, cutoff: Microseconds) -> None:
        """Store until when a bucket is downsampled: the order of its events within a quarter means nothing."""

    @abstractmethod
    def copy_downsampled(self, source: int, target: int) -> None:
        """Store that a bucket has events of another one, as far as that is downsampled."""

    def notify(self, bucket_id: str, change: BucketChangeKind) -> None:
        """Notify listeners after the commit."""
        self.notices[BucketNotice(bucket_id, change)] = None

    # Events.

    def insert(
        self,
        bucket_id: str,
        events: Sequence[Event],
        *,
        now: Microseconds,
        kind: OperationKind = "replace_events",
        is_logged: bool = False,
    ) -> Inserted:
        """Append events, or replace those with the same id; a replacement is logged as one operation.

        `is_logged`: log an operation even if all events are new. Raises BucketNotFound, EventElsewhere or
        EventIdReserved.
        """
        row = self.find(bucket_id)
        old = self.replaced_events(row, [event.id for event in events if event.id])
        # An event whose data stays keeps its value, also if no lookup finds that; and so do both halves of a split.
        known = {event.id: event.json.encode() for event in self._with_data(row, old)}
        halves = {text: old[event_id].value for event_id, text in known.items()} if kind == "split_event" else {}
        unknown = [event.data for event in events if known.get(event.id) != event.data and event.data not in halves]
        values = self.value_keys(row, dict.fromkeys(unknown)) | halves
        next_ids = count(self.new_event_ids(sum(not event.id for event in events)))
        stored = [structs.replace(event, id=event.id or next(next_ids)) for event in events]
        # Of several with one id, the last one stays.
        new = {
            event.id: EventRow(
                row.key,
                event.start,
                event.id,
                event.duration,
                old[event.id].value if known.get(event.id) == event.data else values[event.data],
            )
            for event in stored
        }
        operation: int | None = None
        if old or is_logged:
            kind = kind if old else "insert_events"
            self.notify(row.bucket.id, "changed")
            operation = self.add_operation(kind, now=now, bucket=row.bucket.id, bucket_key=row.key, events=len(new))
            self.log_events(operation, [EventChange(old.get(event_id), event) for event_id, event in new.items()])
        if old:
            self.remove_events(row, list(old.values()))
        self.put_events(row, list(new.values()))
        self.touch_bucket(row.key)
        return Inserted(events=stored, undo=operation)

    def _with_data(self, row: BucketRow, events: Mapping[int, EventRow]) -> list[SelectedRow]:
        return self.selected_by_id(row.key, list(events), (EARLIEST, LATEST), since=EARLIEST) if events else []

    @abstractmethod
    def replaced_events(self, row: BucketRow, event_ids: Sequence[int]) -> dict[int, EventRow]:
        """The stored events with these ids, which clients chose. Raises EventElsewhere or EventIdReserved."""

    def new_event_ids(self, count: int) -> int:
        """The first of consecutive ids for events that are added in this transaction. Call it late."""
        return self.take_event_ids(count)

    @abstractmethod
    def events_by_id(self, bucket: int | None, event_ids: Iterable[int]) -> dict[int, EventRow]:
        """The events of a bucket with these ids, by id; of all buckets if it is None."""

    @abstractmethod
    def events_at(self, bucket: int, starts: Sequence[Microseconds]) -> list[SelectedRow]:
        """The bucket's events that start at these times."""

    @abstractmethod
    def value_keys(self, row: BucketRow, texts: Iterable[CanonicalJson]) -> dict[CanonicalJson, int]:
        """The keys of data objects in the dictionary of a bucket; new ones are added."""

    @abstractmethod
    def put_events(self, row: BucketRow, events: Sequence[EventRow]) -> None:
        """Add events with unused ids."""

    @abstractmethod
    def remove_events(self, row: BucketRow, events: Sequence[EventRow]) -> None: ...

    @abstractmethod
    def take_event_ids(self, count: int) -> int:
        """Reserve consecutive ids for ever, in this transaction, and return the first.

        Call it last: it blocks other transactions until the commit.
        """

    @abstractmethod
    def later_operation(self, first: int, last: int, operation: int) -> int | None:
        """The newest operation after this one that logged an event with an id in this range."""
