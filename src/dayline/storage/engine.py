"""The seam between the rules of the store and its engines.

    history/ redaction/ retention/      rules, state machines and error texts, written once
    ───────── this module ─────────
    sqlite/ postgres/                   SQL, locks, commits, file formats

Above the seam times are microseconds since 1970, and nothing knows which engine it works with. A change checks
everything before it changes anything: on SQLite one that raises an error leaves the rest of its batch in place.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from typing import Any, Final, Literal, NamedTuple, Protocol, TypeAlias, TypeVar

import msgspec
from msgspec import Struct

from dayline.model.access import AccessKey, AuditEntry, AuditFilter, AuditTally, KeyUse, Once, Session, SessionUse
from dayline.model.bucket import Alias, Bucket
from dayline.model.data import CanonicalJson
from dayline.model.event import Event, StoredEvent
from dayline.model.preferences import HistoryFilter, SettingChange
from dayline.model.time import Microseconds
from dayline.model.upkeep import ActKind, ActState
from dayline.storage.background import SlicePace
from dayline.storage.history.undo_log import Act
from dayline.storage.store import BucketTurn, HeartbeatDone, Inserted

T = TypeVar("T")


class BucketRow(Protocol):
    """A bucket inside a transaction, as it is after the changes made so far."""

    @property
    def key(self) -> int:
        """What rows of events, months and aliases call it."""
        ...

    @property
    def bucket(self) -> Bucket: ...


class EventRow(Struct, frozen=True):
    """An event as it is stored: `bucket` and `value` are keys."""

    bucket: int
    start: Microseconds
    id: int
    duration: Microseconds
    value: int


class EventChange(Struct, frozen=True):
    """What an operation did to one event. `before` is None if it was added, `after` if it was removed."""

    before: EventRow | None
    after: EventRow | None

    @property
    def row(self) -> EventRow:
        row = self.before or self.after
        assert row is not None
        return row


class LoggedEvent(Struct, frozen=True):
    """An event in the undo log: before the operation, after it, and now; None if there was none.

    `is_lost`: its former data cannot be read any more.
    """

    id: int
    before: EventRow | None
    after: EventRow | None
    current: EventRow | None
    is_lost: bool

    @property
    def growth(self) -> Microseconds:
        """How much longer heartbeats have made it since."""
        if self.current is None or self.after is None:
            return 0
        return self.current.duration - self.after.duration

    @property
    def restored(self) -> EventRow | None:
        """What undoing the operation makes of it: what it was, and what heartbeats have added since."""
        return None if self.before is None else longer(self.before, self.growth)

    @property
    def is_unchanged(self) -> bool:
        """Whether it is as the operation left it, except that heartbeats may have made it longer."""
        if self.current is None or self.after is None:
            return self.current is self.after
        return longer(self.after, self.growth) == self.current and self.growth >= 0


def longer(row: EventRow, growth: Microseconds) -> EventRow:
    return EventRow(row.bucket, row.start, row.id, row.duration + growth, row.value)


SettingKind: TypeAlias = Literal["setting", "own_setting"]  # of clients, and Dayline's own: also the table
AliasTarget: TypeAlias = tuple[int, Microseconds]  # the key of the bucket, and since when
AliasTargets: TypeAlias = dict[str, AliasTarget | None]  # by alias; None: there is no such alias


class AliasHolder(NamedTuple):
    """The bucket that an alias leads to, and since when."""

    key: int
    id: str
    since: Microseconds


_BEFORE_ALL: Final = -(2**62)


class Merge(Struct, frozen=True, kw_only=True):
    """The detail of a merge: the target, the ids reserved for copies, and how far it is, or undoing it.

    `is_restoring`: the target came back from the trash with it, and had the same id.
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
        """The same with nothing done yet."""
        return msgspec.structs.replace(self, done=0, moved=0, start=_BEFORE_ALL, id=0)

    def after(self, page: "Sequence[MergePair]", *, moved: int) -> "Merge":
        """The same after these events of the source, of which so many were moved."""
        last = page[-1].original
        return msgspec.structs.replace(
            self, done=self.done + len(page), moved=self.moved + moved, start=last.start, id=last.id
        )


class MergePair(Struct, frozen=True):
    """An event of the source, and the one of the target with the id reserved for its copy.

    `is_same`: the copy is as it was copied, or heartbeats have made it longer since.
    """

    original: EventRow
    copy: EventRow | None
    is_same: bool


class ReadTransaction(Protocol):
    """One state of a tenant's data."""

    def bucket(self, bucket_id: str) -> Bucket:
        """The bucket with this id, or else with this alias. Raises BucketNotFound."""
        ...

    def bucket_key(self, bucket_id: str) -> int:
        """What rows call it. Raises BucketNotFound."""
        ...

    def all_aliases(self) -> list[Alias]:
        """Every alias under which a bucket is found now, by id."""
        ...

    def operation(self, key: int) -> Act | None:
        """An operation in whatever state; a write transaction locks it."""
        ...

    def newest_operation(self) -> int:
        """The highest number that an operation was ever given."""
        ...

    def operation_parts(self, key: int) -> list[Act]:
        """The operations that one consists of, the oldest first."""
        ...

    def undoable_operations(self) -> list[Act]:
        """Those that can be undone, the newest first."""
        ...

    def unfinished_operations(self) -> list[Act]:
        """Those that are being made or undone, or were interrupted, the oldest first."""
        ...

    def finished_operations(self, before: Microseconds) -> list[Act]:
        """Those made before this time that are done or undone, the oldest first."""
        ...

    def logged_events(self, operation: Act, *, after: int = 0, rows: int) -> list[LoggedEvent]:
        """At most this many events of an operation with ids above `after`, in order of their ids."""
        ...

    def logged_duration(self, operation: int) -> Microseconds:
        """The sum of what its events lasted before it."""
        ...

    def is_own_id(self, bucket_id: str) -> bool:
        """Whether a bucket has this very id, not as an alias."""
        ...

    def stored_event(self, bucket: int, event_id: int) -> StoredEvent | None: ...

    def setting_values(self, kind: SettingKind, keys: Sequence[str] | None = None) -> dict[str, CanonicalJson]:
        """Settings that are set, by key: these, or all."""
        ...

    def setting_history(self, kind: SettingKind, which: HistoryFilter) -> list[SettingChange]:
        """Changes of settings, the latest first."""
        ...

    def all_keys(self) -> list[AccessKey]:
        """Keys of all tenants, in order of creation."""
        ...

    def sessions(self) -> list[Session]:
        """Sessions of all tenants, in order of creation."""
        ...

    def audit(self, which: AuditFilter) -> list[AuditEntry]:
        """Lines of the audit log, the latest first."""
        ...

    def merge_pairs(self, operation: Act, merge: Merge, *, rows: int) -> list[MergePair]:
        """The next events of the source from where the merge is, at most this many, with their copies."""
        ...


class WriteTransaction(ReadTransaction, Protocol):
    """Changes of one tenant's data that are committed together, or not at all."""

    # Buckets. One that is found is locked until the commit.

    def find(self, bucket_id: str) -> BucketRow:
        """The bucket with this id, or else with this alias. Raises BucketNotFound."""
        ...

    def find_all(self, bucket_ids: Iterable[str]) -> Mapping[str, BucketRow]:
        """Those that exist, by the id that was asked for."""
        ...

    def bucket_by_key(self, key: int) -> BucketRow | None:
        """The bucket, unless it is hidden."""
        ...

    def lock_buckets(self, *keys: int, bucket_id: str | None = None) -> None:
        """Lock buckets, also hidden ones, and the one with this id, before anything else is locked."""
        ...

    def create_bucket(self, bucket: Bucket) -> None:
        """Raises BucketExists, also for an alias, and Invalid."""
        ...

    def event_count(self, bucket: int) -> int: ...

    def set_bucket_id(self, row: BucketRow, bucket_id: str) -> None:
        """Raises BucketExists if another bucket has this id."""
        ...

    def set_bucket_fields(self, row: BucketRow, fields: Mapping[str, Any]) -> None: ...

    def hide_bucket(self, row: BucketRow, *, now: Microseconds) -> None:
        """Hide a bucket with all its events from everything but the trash."""
        ...

    def restore_bucket(self, key: int) -> BucketRow:
        """Make a hidden bucket visible again. Raises BucketExists if its id is taken."""
        ...

    def touch_bucket(self, key: int) -> None:
        """Publish a bucket after the commit, although none of its rows has changed."""
        ...

    def merging_bucket(self, keys: Sequence[int], *, besides: int = 0) -> str | None:
        """The source of a merge, or unmerge, of one of these buckets, other than the operation `besides`."""
        ...

    def notify(self, bucket_id: str, change: BucketTurn) -> None:
        """Notify listeners after the commit."""
        ...

    # Aliases.

    def aliases_of(self, bucket: int) -> list[str]: ...

    def alias_holder(self, alias: str) -> AliasHolder | None:
        """The bucket that an alias leads to, unless it is hidden."""
        ...

    def alias_targets(self, aliases: Iterable[str]) -> AliasTargets:
        """What aliases lead to, also if that is hidden."""
        ...

    def set_alias_targets(self, targets: Mapping[str, AliasTarget | None]) -> None:
        """Let aliases lead somewhere else, or nowhere. Buckets that were purged are left out."""
        ...

    # Events.

    def insert(
        self,
        bucket_id: str,
        events: Sequence[Event],
        *,
        now: Microseconds,
        kind: ActKind = "replace_events",
        is_logged: bool = False,
    ) -> Inserted:
        """Append events, or replace those with the same id, and log it as one operation if any is replaced.

        `is_logged`: also if all of them are new. Raises BucketNotFound or EventElsewhere.
        """
        ...

    def events_by_id(self, bucket: int, event_ids: Iterable[int]) -> dict[int, EventRow]:
        """Those of these events that the bucket has."""
        ...

    def put_events(self, row: BucketRow, events: Sequence[EventRow]) -> None:
        """Add events whose ids no event has."""
        ...

    def remove_events(self, row: BucketRow, events: Sequence[EventRow]) -> None: ...

    def extend_hidden_event(self, event: EventRow, duration: Microseconds) -> None:
        """Make an event of a hidden bucket longer."""
        ...

    def last_event_id(self, bucket: int) -> int | None:
        """The event that heartbeats extend: of several with the latest start, the one with the lowest id."""
        ...

    def take_event_ids(self, count: int) -> int:
        """Reserve consecutive ids and return the first. Take them last: others wait for them until the commit."""
        ...

    # Settings and access.

    def lock_settings(self) -> None:
        """Nobody else changes settings until the commit."""
        ...

    def change_settings(
        self, kind: SettingKind, values: Mapping[str, CanonicalJson | None], *, now: Microseconds
    ) -> None:
        """Store values, or remove them, add each to the history, and notify listeners. Raises Invalid.

        Removing one that is not set is no change.
        """
        ...

    def put_key(self, key: AccessKey) -> None:
        """Store a key, or what has changed about it: it stays revoked. Raises Invalid."""
        ...

    def put_session(self, session: Session) -> None: ...

    def confirm_session(self, digest: bytes, when: Microseconds) -> None: ...

    def note_session_uses(self, uses: Sequence[SessionUse]) -> None:
        """Note when sessions were last used. Not a change of the data: the revision stays."""
        ...

    def end_sessions(self, digests: Sequence[bytes]) -> None: ...

    def note_audit(self, tallies: Sequence[AuditTally], uses: Sequence[KeyUse], *, forget_before: Microseconds) -> None:
        """Add to the audit log and the last uses of keys, and delete some of its lines that ended before a time.

        Not a change of the data: the revision stays.
        """
        ...

    # The undo log.

    def add_operation(
        self,
        kind: ActKind,
        *,
        now: Microseconds,
        bucket: str = "",
        bucket_key: int | None = None,
        events: int = 0,
        detail: object = None,
        state: ActState = "done",
    ) -> int:
        """The number that undoes it. `detail` is an object with whatever undoing it needs."""
        ...

    def set_operation_state(self, key: int, state: ActState) -> None: ...

    def set_operation_detail(self, key: int, detail: object) -> None: ...

    def log_events(self, operation: int, changes: Sequence[EventChange]) -> None:
        """Log what an operation did to events, each of them once. What is known from before stays."""
        ...

    def log_slice(self, operation: int, *, events: int) -> None:
        """Count the events of a slice, and note that this server continues with the operation."""
        ...

    def end_operation(self, key: int) -> None:
        """An operation made in slices is done; if it did nothing, it is deleted."""
        ...

    def end_undoing(self, key: int) -> None:
        """It is undone, and what was logged of events is deleted."""
        ...

    def forget_logged_events(self, operation: int, *, upto: int) -> None:
        """Delete the logged events with ids up to this one."""
        ...

    def forget_operation(self, key: int) -> None:
        """Delete an operation and its parts: they can no longer be undone."""
        ...

    def forget_operations(self, *, before: Microseconds, states: Sequence[ActState], rows: int) -> list[Act]:
        """Delete at most this many operations made before this time in these states, and return them.

        Not redactions, except undone ones, and none that somebody else has locked.
        """
        ...

    def is_under_way(self, operation: Act) -> bool:
        """Whether a server is still making it, slice by slice."""
        ...

    # Merges. The statements are written for each engine, because their plans differ.

    def is_redacting(self) -> bool:
        """Whether privacy rules are being applied to history, or undone."""
        ...

    def redacted_buckets(self, *, since: Microseconds) -> list[set[str]]:
        """The bucket ids of each redaction since then that changed something; an empty set stands for all."""
        ...

    def later_operation(self, first: int, last: int, operation: int) -> int | None:
        """The newest operation after this one that logged an event with an id in this range."""
        ...

    def copy_events(self, operation: Act, merge: Merge, *, rows: int) -> Merge | None:
        """Copy the next events of the source, except those that the target has; None if there are no more."""
        ...


class TenantWriter(Protocol):
    """Makes changes of one tenant's data, one transaction after the other.

    Within one call of a client it may bring idempotency tokens: the first change uses them.
    """

    def once(self, once: Once) -> "TenantWriter":
        """The same for one call with an idempotency token."""
        ...

    @property
    def plain(self) -> "TenantWriter":
        """The same without tokens, for work in many changes that may be repeated as a whole."""
        ...

    def heartbeat(self, bucket_id: str, beat: Event, pulsetime: Microseconds, done: HeartbeatDone) -> None:
        """Extend or add an event; `done` is called after the commit."""
        ...

    async def change(self, change: Callable[[WriteTransaction], T], *, rows: int = 1, is_portable: bool = False) -> T:
        """Run a change in a transaction; it may run more than once. If it raises, nothing is changed.

        `is_portable`: it depends on no row, so it may go to the recovery file of a damaged database.
        """
        ...

    async def check_tokens(self) -> None:
        """Raise AlreadyDone if a token was used before."""
        ...

    async def use_tokens(self) -> None:
        """Use the tokens now, with no other change."""
        ...

    def new_pace(self) -> SlicePace:
        """How many rows a slice of long work has."""
        ...

    def release(self, operation: int) -> None:
        """This server no longer makes slices of an operation."""
        ...


class TenantReaders(Protocol):
    def transaction(self) -> AbstractContextManager[ReadTransaction]: ...


class Exclusive(Protocol):
    """Who may do long work that relies on the data objects of a tenant: one at a time."""

    def __call__(self) -> AbstractAsyncContextManager[None]: ...
