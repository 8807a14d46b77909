"""The public face of storage: the `Store` and `Database` protocols, and the values that cross them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal, Protocol, Self, TypeAlias

from msgspec import UNSET, Struct, UnsetType

from dayline.model.access import Once
from dayline.model.bucket import Bucket, BucketChange
from dayline.model.data import UNLIMITED, CanonicalJson
from dayline.model.event import Event
from dayline.model.health import Damage, Problem
from dayline.model.settings.history import ComposePair, HistoryFilter, SettingChange
from dayline.model.time import Microseconds
from dayline.runtime.background import BackgroundWorkers
from dayline.storage.access import AccessStore
from dayline.storage.history.contract import (
    BucketChangeKind,
    BucketMoves,
    CorrectionResult,
    EventCorrection,
    EventEdits,
    HeartbeatDone,
    Inserted,
    Trash,
)
from dayline.storage.redaction.redactions import Redactions
from dayline.storage.retention.upkeep import Upkeep
from dayline.transform.privacy import PrivacyRules


class BucketNotice(Struct, frozen=True):
    """A change of a bucket, with the id it has, or had until then."""

    id: str
    change: BucketChangeKind


class SettingNotice(Struct, frozen=True):
    """A changed setting; `is_own` is true for internal settings."""

    key: str
    is_own: bool


ChangeNotice: TypeAlias = BucketNotice | SettingNotice


class Commit(Struct, frozen=True):
    """One commit. `recorded` has the ids of buckets that received events or are mentioned in `notices`."""

    revision: int
    recorded: Sequence[str]
    notices: Sequence[ChangeNotice]


OnCommit: TypeAlias = Callable[[Commit], None]


# Writes complete after their commit, by callback or awaitable, in order of arrival per bucket. Reads are synchronous,
# see committed data, and belong on threads; `buckets` and `bucket` read memory only and may be called on the event
# loop. Errors are those of `dayline.model.errors`.


ImportProgress = Callable[[int, int, int], None]  # rows processed, rows in total, events stored


LineForm: TypeAlias = Literal["csv", "ndjson"]


class ImportReport(Struct, frozen=True, kw_only=True):
    """Result of an import: buckets read, events stored, skipped as duplicates, and left out as invalid.

    `dropped` counts the events dropped by privacy rules; unset if there are none.
    """

    buckets: int
    imported: int
    skipped: int
    invalid: int
    dropped: int | UnsetType = UNSET


class SurveyedBucket(Struct, frozen=True, kw_only=True):
    """What an import would do to one bucket. `conflicts` lists the fields whose value differs in the document."""

    id: str
    is_new: bool
    new: int
    known: int
    invalid: int
    dropped: int
    conflicts: list[str]


class ImportSurvey(Struct, frozen=True, kw_only=True):
    """What an import would do: events that are new, already stored, invalid, or dropped by privacy rules."""

    buckets: list[SurveyedBucket]


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


class Store(EventReader, Protocol):
    """The buckets, events and settings of one tenant."""

    def once(self, once: Once) -> Self:
        """The same store for one change, which raises AlreadyDone if its idempotency token was used before.

        The token is stored in the transaction of the change, so a change that fails does not use it up.
        """
        ...

    @property
    def trash(self) -> Trash:
        """Undo entries of this tenant."""
        ...

    @property
    def redactions(self) -> Redactions:
        """Redactions: privacy rules applied to stored events."""
        ...

    @property
    def moves(self) -> BucketMoves:
        """Renaming and merging of buckets, and aliases."""
        ...

    @property
    def edits(self) -> EventEdits:
        """Reading and editing single events."""
        ...

    @property
    def revision(self) -> int:
        """A number that grows with every commit that changes data visible to clients.

        Data read after the revision is at least as new as the revision. Every start continues from the current time.
        """
        ...

    def own_id(self, bucket_id: str) -> str:
        """Resolve an alias to the bucket's own id; an unknown id is returned unchanged. Reads memory, on any thread."""
        ...

    def buckets(self) -> Mapping[str, Bucket]:
        """All buckets by id, with their exact range, in order of creation."""
        ...

    def bucket(self, bucket_id: str) -> Bucket:
        """A bucket by its id or alias, as in all other calls. Raises BucketNotFound."""
        ...

    def settings(self) -> dict[str, CanonicalJson]:
        """All settings, as JSON text by key."""
        ...

    def setting(self, key: str) -> CanonicalJson | None:
        """A setting as JSON text; None if it is not set."""
        ...

    def setting_history(self, which: HistoryFilter) -> list[SettingChange]:
        """Changes of settings, newest first."""
        ...

    def heartbeat(self, bucket_id: str, beat: Event, *, pulsetime: Microseconds, done: HeartbeatDone) -> None:
        """Merge a heartbeat into the bucket's last event or append it; `done` gets the stored event after the commit.

        Call it on the event loop, where `done` is called too. Heartbeats are queued while the store cannot commit.
        """
        ...

    async def create_bucket(self, bucket: Bucket) -> None:
        """Raises BucketExists, with nothing changed, if the id is taken."""
        ...

    async def update_bucket(self, bucket_id: str, change: BucketChange) -> int:
        """Change the fields that are set and return the undo number. Raises BucketNotFound."""
        ...

    async def delete_buckets(self, bucket_ids: Sequence[str]) -> int:
        """Delete several buckets as one operation and return the undo number. Raises BucketNotFound, with nothing
        deleted.
        """
        ...

    async def delete_bucket(self, bucket_id: str) -> int:
        """Move a bucket and its events to the trash and return the undo number. Raises BucketNotFound."""
        ...

    async def insert(self, bucket_id: str, events: Sequence[Event]) -> Inserted:
        """Append events without an id, replace or create those with one; all or nothing.

        Raises BucketNotFound, EventElsewhere if an id belongs to another bucket, or EventIdReserved if an id is unused
        and not assigned yet.
        """
        ...

    async def delete_event(self, bucket_id: str, event_id: int) -> int | None:
        """Delete an event and return the undo number; None if there is none. Raises BucketNotFound."""
        ...

    async def correct_events(self, corrections: Mapping[str, Iterator[EventCorrection]]) -> dict[str, CorrectionResult]:
        """Change or delete events in short slices, as one operation per bucket. Events changed since the check are
        skipped.

        If interrupted, the part that was done can be undone. Raises BucketNotFound.
        """
        ...

    async def set_setting(self, key: str, value: CanonicalJson) -> None:
        """Store a setting; its former values stay in the history."""
        ...

    async def delete_setting(self, key: str) -> None:
        """Delete a setting, if it is set."""
        ...

    async def change_setting_pair(self, key: str, own_key: str, compose: ComposePair) -> int:
        """Change a setting together with an internal one, based on their current values.

        Returns the number of the setting's last change in its history. Raises what `compose` raises.
        """
        ...

    async def begin(self) -> None:
        """Use the token of `once` now, for work that continues after the call returns. Raises AlreadyDone."""
        ...

    async def survey_import(
        self, spooled: Sequence[Path], *, rules: PrivacyRules | None = None, max_data_bytes: int = UNLIMITED
    ) -> ImportSurvey:
        """What `import_files` would do, with the same errors, without changing anything."""
        ...

    async def import_files(
        self,
        spooled: Sequence[Path],
        *,
        rules: PrivacyRules | None = None,
        max_data_bytes: int = UNLIMITED,
        on_progress: ImportProgress | None = None,
    ) -> ImportReport:
        """Merge export documents into the store in short slices; identical events are skipped.

        Privacy rules are applied first, so events that they make equal count as identical. An event whose data is
        larger than the maximum counts as invalid. Raises Malformed or Invalid,
        with nothing changed, if a document as a whole is unusable.
        """
        ...


class Database(Protocol):
    """A SQLite file or a PostgreSQL database with the stores of its tenants."""

    def store(self, tenant: str = "") -> Store:
        """The store of one tenant. Raises Invalid if the backend has a single tenant."""
        ...

    async def open(self, tenant: str) -> Store:
        """Like `store`, loading the tenant off the event loop on first use."""
        ...

    @property
    def access(self) -> AccessStore:
        """Keys and sessions, and the audit log and settings of the unnamed tenant."""
        ...

    def access_of(self, tenant: str) -> AccessStore:
        """Like `access`, for another tenant. Raises Invalid if the backend has a single tenant."""
        ...

    @property
    def damage(self) -> Damage | None:
        """The damage of the database, while a recovery file is used instead."""
        ...

    @property
    def upkeep(self) -> Upkeep:
        """Disk space and downsampling of the unnamed tenant."""
        ...

    def upkeep_of(self, tenant: str) -> Upkeep:
        """Like `upkeep`, for another tenant. Raises Invalid if the backend has a single tenant."""
        ...

    def scratch(self) -> Path:
        """A folder for temporary files of one call. Raises Unavailable."""
        ...

    @property
    def background(self) -> BackgroundWorkers:
        """The background workers of this database; the server adds its own."""
        ...

    def problems(self) -> list[Problem]:
        """Problems that currently prevent writes. Call it from any thread."""
        ...

    def listen(self, on_commit: OnCommit | None, *, tenant: str = "") -> None:
        """Call `on_commit` for every commit of a tenant from now on, on the loop, after its responses; None stops that.

        It must return quickly: heartbeats wait for it.
        """
        ...

    def stop_holding(self) -> None:
        """Stop queuing writes: the server is shutting down, and writes that cannot be committed now fail."""
        ...

    async def close(self) -> None:
        """Finish accepted work, then close everything."""
        ...


class ReadOnly(Database, Protocol):
    """A database that was opened for reading."""

    def check_unchanged(self) -> None:
        """Raise StoreBusy if what was read since it was opened may be of two states."""
        ...
