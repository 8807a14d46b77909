"""The seam between the rules of the store and its engines.

   history/ redaction/ retention/      rules, state machines and error texts, written once
   ───────── this module ─────────
   sqlite/ postgres/                   SQL, locks, commits, file formats

Above the seam, times are microseconds since 1970 and no code depends on the engine. A change checks everything before
it changes anything: on SQLite, a change that raises an error is not rolled back on its own.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from typing import Any, Final, Literal, NamedTuple, Protocol, TypeAlias, TypeVar

import msgspec
from msgspec import Struct

from dayline.model.access import AccessKey, Once, Session, SessionUse
from dayline.model.audit import AuditEntry, AuditFilter, AuditTally, KeyUse
from dayline.model.bucket import Alias, Bucket
from dayline.model.data import CanonicalJson
from dayline.model.event import Event, StoredEvent
from dayline.model.settings.history import HistoryFilter, SettingChange
from dayline.model.time import Microseconds
from dayline.model.upkeep.undo import OperationKind, OperationState
from dayline.storage.columns.months import Span
from dayline.storage.history.contract import BucketChangeKind, EventPosition, HeartbeatDone, Inserted, LineForm
from dayline.storage.history.undo_log import Operation
from dayline.storage.operations.background import SlicePace
from dayline.storage.transfer import event_rows

T = TypeVar("T")


ValueText: TypeAlias = tuple[int, str, int]  # hash, text and key of a value


class BucketRow(Protocol):
    """A bucket inside a transaction, as it is after the changes made so far."""

    @property
    def key(self) -> int:
        """The key of the bucket in the rows of events, months and aliases."""
        ...

    @property
    def bucket(self) -> Bucket: ...


class EventRow(Struct, frozen=True):
    """A stored event. `bucket` and `value` are keys."""

    bucket: int
    start: Microseconds
    id: int
    duration: Microseconds
    value: int


class EventChange(Struct, frozen=True):
    """What an operation did to one event. `before` is None if it was added, `after` is None if it was removed."""

    before: EventRow | None
    after: EventRow | None

    @property
    def row(self) -> EventRow:
        row = self.before or self.after
        assert row is not None
        return row


class LoggedEvent(Struct, frozen=True):
    """An event in the undo log: before the operation, after it, and now. None means that there was none."""

    id: int
    before: EventRow | None
    after: EventRow | None
    current: EventRow | None

    @property
    def growth(self) -> Microseconds:
        """How much heartbeats have extended the event since the operation."""
        if self.current is None or self.after is None:
            return 0
        return self.current.duration - self.after.duration

    @property
    def restored(self) -> EventRow | None:
        """The event that undoing restores: its former state plus what heartbeats have added since."""
        return None if self.before is None else longer(self.before, self.growth)

    @property
    def is_unchanged(self) -> bool:
        """Whether the event is as the operation left it; heartbeats may have extended it."""
        if self.current is None or self.after is None:
            return self.current is self.after
        return longer(self.after, self.growth) == self.current and self.growth >= 0


def longer(row: EventRow, growth: Microseconds) -> EventRow:
    return EventRow(row.bucket, row.start, row.id, row.duration + growth, row.value)


SettingKind: TypeAlias = Literal[
    "setting", "own_setting"
]  # settings of clients, and internal ones; also the name of the table
AliasTarget: TypeAlias = tuple[int, Microseconds]  # the key of the bucket, and since when
AliasTargets: TypeAlias = dict[str, AliasTarget | None]  # by alias; None: there is no such alias


class AliasHolder(NamedTuple):
    """The bucket that an alias leads to, and since when."""

    key: int
    id: str
    since: Microseconds


_BEFORE_ALL: Final = -(2**62)


class Merge(Struct, frozen=True, kw_only=True):
    """The detail of a merge: the target, the ids reserved for copies, and the progress of merging or undoing.

    `is_restoring`: the merge restores a deleted target that had the same id as the source.
    """

    target: int
    other: str
    first: int
    count: int
    aliases: AliasTargets
    is_restoring: bool = False
    moved: int = 0
    done: int = 0
    start: Microseconds = _BEFORE_ALL
    id: int = 0

    @property
    def last(self) -> int:
        return self.first + self.count - 1

    @property
    def next(self) -> int:
        """The id of the next copy."""
        return self.first + self.done

    @property
    def beginning(self) -> "Merge":
        """The merge with its progress reset."""
        return msgspec.structs.replace(self, done=0, moved=0, start=_BEFORE_ALL, id=0)

    def after(self, page: "Sequence[MergePair]", *, moved: int) -> "Merge":
        """The merge after a page of source events, of which `moved` were copied."""
        last = page[-1].original
        return msgspec.structs.replace(
            self, done=self.done + len(page), moved=self.moved + moved, start=last.start, id=last.id
        )


class MergePair(Struct, frozen=True):
    """An event of the source, and the target's event with the id reserved for its copy.

    `is_same`: the copy is unchanged, except that heartbeats may have extended it.
    """

    original: EventRow
    copy: EventRow | None
    is_same: bool


class SelectedRow(Struct, frozen=True, array_like=True):
    """A stored event with its data."""

    start: Microseconds
    id: int
    duration: Microseconds
    value: int
    json: str

    @property
    def event(self) -> Event:
        return Event(id=self.id, start=self.start, duration=self.duration, data=self.json.encode())

    @property
    def position(self) -> EventPosition:
        return EventPosition(self.start, self.id)


class ReadTransaction(Protocol):
    """A consistent view of a tenant's data."""

    def bucket(self, bucket_id: str) -> Bucket:
        """The bucket with this id, or else with this alias. Raises BucketNotFound."""
        ...

    def bucket_key(self, bucket_id: str) -> int:
        """The key of the bucket with this id or alias. Raises BucketNotFound."""
        ...

    def all_aliases(self) -> list[Alias]:
        """All aliases of visible buckets, ordered by id."""
        ...

    def operation(self, key: int) -> Operation | None:
        """An operation in any state; a write transaction locks it. None if there is none."""
        ...

    def newest_operation(self) -> int:
        """The highest operation number assigned so far."""
        ...

    def operations(
        self, states: Sequence[OperationState], *, before: Microseconds | None = None, part_of: int | None = None
    ) -> list[Operation]:
        """The operations in these states, oldest first: made before a time, or the parts of another operation."""
        ...

    def logged_events(self, operation: Operation, *, after: int = 0, rows: int) -> list[LoggedEvent]:
        """Up to `rows` events of an operation with ids above `after`, ordered by id."""
        ...

    def is_own_id(self, bucket_id: str) -> bool:
        """Whether a bucket has exactly this id, not counting aliases."""
        ...

    def stored_event(self, bucket: int, event_id: int) -> StoredEvent | None: ...

    def counted_buckets(self) -> list[event_rows.BucketRow]:
        """All visible buckets with the number of their events, in order of creation."""
        ...

    def months(self, bucket: int) -> list[int]:
        """The number of each month with events, in order."""
        ...

    def redacted_values(self) -> set[int]:
        """The values that a redaction has changed that can be undone: it has to find its events again."""
        ...

    def begin_spans(self, bucket: int, first: Microseconds, last: Microseconds) -> list[Span]:
        """The spans in which events that overlap first..last can start, newest first."""
        ...

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
        ...

    def selected_by_id(
        self, bucket: int, event_ids: Sequence[int], span: Span, *, since: Microseconds
    ) -> list[SelectedRow]:
        """Like `selected_page`, of the events with these ids, oldest first."""
        ...

    def setting_values(self, kind: SettingKind, keys: Sequence[str] | None = None) -> dict[str, CanonicalJson]:
        """The values of these settings, or of all, by key. Unset keys are left out."""
        ...

    def setting_history(self, kind: SettingKind, which: HistoryFilter) -> list[SettingChange]:
        """Changes of settings, newest first."""
        ...

    def all_keys(self) -> list[AccessKey]:
        """Keys of all tenants in order of creation."""
        ...

    def sessions(self) -> list[Session]:
        """Sessions of all tenants in order of creation."""
        ...

    def audit(self, which: AuditFilter) -> list[AuditEntry]:
        """Entries of the audit log, newest first."""
        ...

    def merge_pairs(self, operation: Operation, merge: Merge, *, rows: int) -> list[MergePair]:
        """The next events of the source, up to `rows`, each with its copy."""
        ...


class WriteTransaction(ReadTransaction, Protocol):
    """Changes of one tenant's data that are committed together or not at all."""

    # Buckets. The methods that find a bucket lock it until the commit.

    def find(self, bucket_id: str) -> BucketRow:
        """The bucket with this id, or else with this alias. Raises BucketNotFound."""
        ...

    def find_all(self, bucket_ids: Iterable[str]) -> Mapping[str, BucketRow]:
        """The buckets that exist, by the requested id."""
        ...

    def bucket_by_key(self, key: int) -> BucketRow | None:
        """The bucket, or None if it is hidden."""
        ...

    def lock_buckets(self, *keys: int, bucket_id: str | None = None) -> None:
        """Lock buckets by key, including hidden ones, and the one with this id; without arguments all of them.

        Call it before any other lock.
        """
        ...

    def create_bucket(self, bucket: Bucket) -> None:
        """Raises BucketExists, also if the id is an alias, and Invalid."""
        ...

    def event_count(self, bucket: int) -> int: ...

    def set_bucket_id(self, row: BucketRow, bucket_id: str) -> None:
        """Raises BucketExists if another bucket has this id."""
        ...

    def set_bucket_fields(self, row: BucketRow, fields: Mapping[str, Any]) -> None: ...

    def hide_bucket(self, row: BucketRow, *, now: Microseconds) -> None:
        """Hide a bucket and its events from everything but the trash."""
        ...

    def restore_bucket(self, key: int) -> BucketRow:
        """Make a hidden bucket visible again. Raises BucketExists if its id is taken."""
        ...

    def touch_bucket(self, key: int) -> None:
        """Publish a bucket after the commit although none of its rows has changed."""
        ...

    def lock_any(self, key: int) -> BucketRow | None:
        """A bucket, hidden or not, whose events and texts can be changed; None if it was purged."""
        ...

    def change_texts(self, row: BucketRow, texts: Sequence[ValueText]) -> None:
        """Give values of a bucket, hidden or not, other hashes and texts. All its derived data becomes invalid."""
        ...

    def set_downsampled(self, bucket: int, cutoff: Microseconds) -> None:
        """Store until when a bucket is downsampled: the order of its events within a quarter means nothing."""
        ...

    def copy_downsampled(self, source: int, target: int) -> None:
        """Store that a bucket has events of another one, as far as that is downsampled."""
        ...

    def notify(self, bucket_id: str, change: BucketChangeKind) -> None:
        """Notify listeners after the commit."""
        ...

    # Aliases.

    def aliases_of(self, bucket: int) -> list[str]: ...

    def alias_holder(self, alias: str) -> AliasHolder | None:
        """The bucket that an alias leads to; None if it is hidden."""
        ...

    def alias_targets(self, aliases: Iterable[str]) -> AliasTargets:
        """The targets of aliases, including hidden buckets."""
        ...

    def set_alias_targets(self, targets: Mapping[str, AliasTarget | None]) -> None:
        """Point aliases to other buckets; None deletes one. Purged buckets are skipped."""
        ...

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
        ...

    def events_by_id(self, bucket: int, event_ids: Iterable[int]) -> dict[int, EventRow]:
        """The bucket's events with these ids, by id."""
        ...

    def put_events(self, row: BucketRow, events: Sequence[EventRow]) -> None:
        """Add events with unused ids."""
        ...

    def remove_events(self, row: BucketRow, events: Sequence[EventRow]) -> None: ...

    def extend_hidden_event(self, event: EventRow, duration: Microseconds) -> None:
        """Extend an event of a hidden bucket."""
        ...

    def last_event_id(self, bucket: int) -> int | None:
        """The event that heartbeats extend: the lowest id among the events with the latest start."""
        ...

    def take_event_ids(self, count: int) -> int:
        """Reserve consecutive ids for ever, in this transaction, and return the first.

        Call it last: it blocks other transactions until the commit.
        """
        ...

    # Settings and access.

    def lock_settings(self) -> None:
        """Block other changes of settings until the commit."""
        ...

    def change_settings(
        self, kind: SettingKind, values: Mapping[str, CanonicalJson | None], *, now: Microseconds
    ) -> None:
        """Store or delete values, add each change to the history and notify listeners. Raises Invalid.

        Deleting an unset value is no change.
        """
        ...

    def put_key(self, key: AccessKey) -> None:
        """Store a key or its changed fields; a revoked key stays revoked. Raises Invalid."""
        ...

    def put_session(self, session: Session) -> None: ...

    def confirm_session(self, digest: bytes, when: Microseconds) -> None: ...

    def note_session_uses(self, uses: Sequence[SessionUse]) -> None:
        """Store when sessions were last used, without raising the revision."""
        ...

    def end_sessions(self, digests: Sequence[bytes]) -> None: ...

    def note_audit(self, tallies: Sequence[AuditTally], uses: Sequence[KeyUse], *, forget_before: Microseconds) -> None:
        """Add to the audit log and to the usage of keys; delete some entries that ended before `forget_before`.

        Does not raise the revision.
        """
        ...

    def check_tokens(self, tokens: Sequence[Once]) -> None:
        """Raise AlreadyDone if a change with one of these idempotency tokens was made before."""
        ...

    def keep_tokens(self, tokens: Sequence[Once]) -> None:
        """Store the tokens of a change, and delete some expired ones. Raises AlreadyDone."""
        ...

    # The undo log.

    def add_operation(
        self,
        kind: OperationKind,
        *,
        now: Microseconds,
        bucket: str = "",
        bucket_key: int | None = None,
        events: int = 0,
        detail: object = None,
        state: OperationState = "done",
    ) -> int:
        """Log an operation and return its number. `detail` is an object with everything that undoing needs."""
        ...

    def set_operation_state(self, key: int, state: OperationState) -> None: ...

    def set_operation_detail(self, key: int, detail: object) -> None: ...

    def log_events(self, operation: int, changes: Sequence[EventChange]) -> None:
        """Log changes of events, each event once: an event that is already logged keeps its first `before`."""
        ...

    def log_slice(self, operation: int, *, events: int) -> None:
        """Add the events of a slice to the operation's count and renew this server's claim on it."""
        ...

    def end_operation(self, key: int) -> None:
        """Mark an operation made in slices as done; delete it if it changed nothing."""
        ...

    def end_undoing(self, key: int) -> None:
        """Mark an operation as undone and delete its logged events."""
        ...

    def count_logged_events(self, operation: int) -> None:
        """Store the number of logged events with the operation."""
        ...

    def forget_logged_events(self, operation: int, event_ids: Sequence[int]) -> None:
        """Delete these events of an operation from the log."""
        ...

    def forget_operation(self, key: int) -> None:
        """Delete an operation and its parts. They can no longer be undone."""
        ...

    def forget_operations(
        self, *, before: Microseconds, states: Sequence[OperationState], rows: int
    ) -> list[Operation]:
        """Delete up to `rows` operations made before this time in these states, and return them.

        Redactions are deleted only once they are undone. Operations locked by another transaction are skipped.
        """
        ...

    def is_under_way(self, operation: Operation) -> bool:
        """Whether a server is currently working on the operation."""
        ...

    # Merges. Each engine has its own statements because the query plans differ.

    def redacted_buckets(self, *, since: Microseconds) -> list[set[str]]:
        """The bucket ids of each effective redaction since this time; an empty set means all buckets."""
        ...

    def later_operation(self, first: int, last: int, operation: int) -> int | None:
        """The newest operation after this one that logged an event with an id in this range."""
        ...

    def copy_events(self, operation: Operation, merge: Merge, *, rows: int) -> Merge | None:
        """Copy the next events of the source that the target does not have; None if there are no more."""
        ...


Fence: TypeAlias = Callable[[WriteTransaction], None]  # raises StoreBusy if another server has taken over


class TenantWriter(Protocol):
    """Makes changes of one tenant's data, one transaction at a time.

    For a client's call it may carry idempotency tokens, which the first change uses.
    """

    def once(self, once: Once) -> "TenantWriter":
        """The writer for one call with an idempotency token."""
        ...

    @property
    def plain(self) -> "TenantWriter":
        """The writer without tokens, for work in many changes that can be repeated as a whole."""
        ...

    def heartbeat(self, bucket_id: str, beat: Event, pulsetime: Microseconds, done: HeartbeatDone) -> None:
        """Extend or append an event; `done` is called after the commit."""
        ...

    async def change(self, change: Callable[[WriteTransaction], T], *, rows: int = 1) -> T:
        """Run a change in a transaction; it may run more than once. If it raises, nothing is changed."""
        ...

    async def note(self, change: Callable[[WriteTransaction], None], *, rows: int) -> None:
        """Like `change`, for one that depends on no stored row: a damaged database writes it to its recovery file."""
        ...

    async def check_tokens(self) -> None:
        """Raise AlreadyDone if a token was used before."""
        ...

    async def use_tokens(self) -> None:
        """Mark the tokens as used, without any other change."""
        ...

    def new_pace(self) -> SlicePace:
        """A new pace for slices of long work."""
        ...

    def release(self, operation: int) -> None:
        """Give up this server's claim on an operation."""
        ...

    def lease(self) -> AbstractAsyncContextManager[Fence]:
        """Keep other servers from changing old events; waits for the one that does.

        Call the fence in every transaction, after locking buckets.
        """
        ...


class EventReader(Protocol):
    """Reads events, and counts them."""

    def event(self, bucket_id: str, event_id: int) -> Event:
        """One event, not clipped. Raises BucketNotFound or EventNotFound."""
        ...

    def events(
        self, bucket_id: str, *, start: Microseconds | None, end: Microseconds | None, limit: int | None
    ) -> Iterator[bytes]:
        """The events that overlap the closed range, newest first and clipped to it, as pages of comma-separated JSON.

        Events with equal start are ordered by id. `limit` keeps the newest. No transaction stays open between pages.
        """
        ...

    def whole_events(self, bucket_id: str, *, start: Microseconds | None, end: Microseconds | None) -> Iterator[bytes]:
        """Like `events`, but not clipped."""
        ...

    def exported_events(self, bucket_id: str) -> Iterator[bytes]:
        """All events, newest first, not clipped and without ids, as pages of comma-separated JSON.

        Events inserted after the first page are left out. No transaction stays open between pages.
        """
        ...

    def exported_lines(self, bucket_id: str, form: LineForm, head: str) -> Iterator[bytes]:
        """Like `exported_events`, as lines that start with `head`; a page does not end with a newline.

        `csv`: start, end, seconds, app, title, url and all data, each after a comma. `ndjson`: the members of a JSON
        object and its closing brace.
        """
        ...

    def count(self, bucket_id: str, *, start: Microseconds | None, end: Microseconds | None) -> int:
        """The number of events that overlap the closed range."""
        ...

    def counts(self, bucket_id: str, edges: Sequence[Microseconds]) -> list[int]:
        """The number of events that start between each pair of consecutive ascending `edges`."""
        ...


class TenantReaders(Protocol):
    def transaction(self) -> AbstractContextManager[ReadTransaction]: ...


class Exclusive(Protocol):
    """Admits one task per tenant at a time that relies on stored data objects."""

    def __call__(self) -> AbstractAsyncContextManager[None]: ...
