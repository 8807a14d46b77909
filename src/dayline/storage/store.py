"""The public face of storage: the `Store` and `Database` protocols, and the values that cross them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal, Protocol, Self, TypeAlias

from msgspec import UNSET, Struct, UnsetType

from dayline.model.access import Once
from dayline.model.bucket import Bucket, BucketChange
from dayline.model.data import CanonicalJson
from dayline.model.errors import DaylineError
from dayline.model.event import Event
from dayline.model.health import Damage, Problem
from dayline.model.preferences import ComposePair, HistoryFilter, SettingChange
from dayline.model.time import Microseconds
from dayline.runtime.background import BackgroundWorkers
from dayline.storage.access import AccessStore
from dayline.storage.history.contract import BucketMoves, EventEdits, EventMend, MendOutcome, Trash
from dayline.storage.redaction.redactions import Redactions
from dayline.storage.retention.upkeep import Upkeep
from dayline.transform.privacy import PrivacyRules

BucketTurn: TypeAlias = Literal["created", "changed", "deleted", "restored", "renamed", "merged", "recorded"]


class BucketNews(Struct, frozen=True):
    """Something happened to a bucket, by the id that it has, or had until then."""

    id: str
    change: BucketTurn


class SettingNews(Struct, frozen=True):
    """A setting has another value; `is_own` where it is one of Dayline's own."""

    key: str
    is_own: bool


Told: TypeAlias = BucketNews | SettingNews


class Commit(Struct, frozen=True):
    """One commit. `recorded` are the ids of buckets that events arrived in, or that `told` says more about."""

    revision: int
    recorded: Sequence[str]
    told: Sequence[Told]


OnCommit: TypeAlias = Callable[[Commit], None]


# What every backend promises: the `Store` protocol and the values that cross it.
#
# Writes answer after their commit, by callback or awaitable, in order of arrival per bucket. Reads are synchronous,
# see what is committed, and are made for threads; the two that read from memory alone (`buckets`, `bucket`) may be
# called on the event loop. Errors are those of `dayline.model.errors`.


ImportProgress = Callable[[int, int, int], None]  # rows gone through, rows in all, events stored
HeartbeatDone = Callable[[Event | DaylineError], None]


LineForm: TypeAlias = Literal["csv", "ndjson"]


class ImportReport(Struct, frozen=True, kw_only=True):
    """What an import did: buckets read, events stored, skipped because they were there, left out as unusable.

    `dropped` counts the events that privacy rules kept out, and is there when there are any.
    """

    buckets: int
    imported: int
    skipped: int
    invalid: int
    dropped: int | UnsetType = UNSET


class Inserted(Struct, frozen=True, kw_only=True):
    """The events as stored, with their ids; where any of them replaced one, what undoes it."""

    events: list[Event]
    undo: int | None = None


class SurveyedBucket(Struct, frozen=True, kw_only=True):
    """What an import would do to one bucket. `conflicts` are its fields that the document has otherwise."""

    id: str
    is_new: bool
    new: int
    known: int
    invalid: int
    dropped: int
    conflicts: list[str]


class ImportSurvey(Struct, frozen=True, kw_only=True):
    """What an import would do: events that are new, there already, unusable, or dropped by privacy rules."""

    buckets: list[SurveyedBucket]


class Store(Protocol):
    """One person's buckets, events and settings."""

    def once(self, once: Once) -> Self:
        """The same store for one change, which is refused with AlreadyDone where its token was used before.

        The token is kept in the transaction of the change, and not where the change is refused for another reason.
        """
        ...

    @property
    def trash(self) -> Trash:
        """What was deleted or changed, and can be brought back."""
        ...

    @property
    def redactions(self) -> Redactions:
        """Privacy rules applied to what is stored already."""
        ...

    @property
    def moves(self) -> BucketMoves:
        """Buckets under other ids."""
        ...

    @property
    def edits(self) -> EventEdits:
        """Events that are changed by hand."""
        ...

    @property
    def revision(self) -> int:
        """A number that grows with every commit that changes anything that clients read.

        Whoever reads it before the data has data that are at least as new. It goes on from the time at every start.
        """
        ...

    def own_id(self, bucket_id: str) -> str:
        """The own id of the bucket that is found under this one, which may be an alias; the same where there is none.

        Read from memory, on any thread.
        """
        ...

    def buckets(self) -> Mapping[str, Bucket]:
        """Every bucket by id, with its exact range, in order of creation."""
        ...

    def bucket(self, bucket_id: str) -> Bucket:
        """One bucket, by its own id or an alias, as in every other call. Raises BucketNotFound."""
        ...

    def event(self, bucket_id: str, event_id: int) -> Event:
        """One event, unclipped. Raises BucketNotFound or EventNotFound."""
        ...

    def events(
        self, bucket_id: str, *, start: Microseconds | None, end: Microseconds | None, limit: int | None
    ) -> Iterator[bytes]:
        """The events that touch the closed range, newest first, clipped to it, as pages of comma-separated JSON.

        Equal starts come in order of id. `limit` keeps the newest. Nothing is held between two pages.
        """
        ...

    def whole_events(self, bucket_id: str, *, start: Microseconds | None, end: Microseconds | None) -> Iterator[bytes]:
        """The events that touch the closed range, as `events` gives them, but unclipped."""
        ...

    def exported_events(self, bucket_id: str) -> Iterator[bytes]:
        """All events, newest first, unclipped and without ids, as pages of comma-separated JSON.

        Events that are inserted after the first page was read are left out. Nothing is held between two pages.
        """
        ...

    def exported_lines(self, bucket_id: str, form: LineForm, head: str) -> Iterator[bytes]:
        """The same as lines that begin with `head`, as pages without an end of line behind the last.

        Of `csv`: start, end, seconds, app, title, url and all data, after a comma each; of `ndjson`, the members of a
        JSON object and its end.
        """
        ...

    def count(self, bucket_id: str, *, start: Microseconds | None, end: Microseconds | None) -> int:
        """How many events touch the closed range."""
        ...

    def counts(self, bucket_id: str, edges: Sequence[Microseconds]) -> list[int]:
        """How many events begin from each of these ascending moments until the next, one fewer than moments."""
        ...

    def settings(self) -> dict[str, CanonicalJson]:
        """Every setting, as JSON text by key."""
        ...

    def setting(self, key: str) -> CanonicalJson | None:
        """One setting as JSON text; None where it is not set."""
        ...

    def setting_history(self, which: HistoryFilter) -> list[SettingChange]:
        """What settings were changed to, the latest first."""
        ...

    def heartbeat(self, bucket_id: str, beat: Event, *, pulsetime: Microseconds, done: HeartbeatDone) -> None:
        """Merge `beat` into the bucket's last event or append it; `done` gets the stored event, after the commit.

        Called on the event loop, as is `done`. A heartbeat is held rather than refused while the store cannot commit.
        """
        ...

    async def create_bucket(self, bucket: Bucket) -> None:
        """Raises BucketExists and changes nothing where the id is taken."""
        ...

    async def update_bucket(self, bucket_id: str, change: BucketChange) -> int:
        """Change the fields that are set; what undoes it. Raises BucketNotFound."""
        ...

    async def delete_buckets(self, bucket_ids: Sequence[str]) -> int:
        """Delete several buckets as one operation; what undoes it. Raises BucketNotFound, with nothing deleted."""
        ...

    async def delete_bucket(self, bucket_id: str) -> int:
        """Put a bucket with all its events into the trash; what undoes it. Raises BucketNotFound."""
        ...

    async def insert(self, bucket_id: str, events: Sequence[Event]) -> Inserted:
        """Append events without an id, replace or create those with one; all or none.

        Raises BucketNotFound, or EventElsewhere when an id belongs to another bucket.
        """
        ...

    async def delete_event(self, bucket_id: str, event_id: int) -> int | None:
        """Put an event into the trash; what undoes it, None where there was none. Raises BucketNotFound."""
        ...

    async def mend_events(self, mends: Mapping[str, Iterator[EventMend]]) -> dict[str, MendOutcome]:
        """Change or remove events in short slices, one act a bucket; those that are no longer as they were found stay.

        What is cut off in the middle can be undone as far as it went. Raises BucketNotFound.
        """
        ...

    async def set_setting(self, key: str, value: CanonicalJson) -> None:
        """Store a setting; its earlier values stay in the history."""
        ...

    async def delete_setting(self, key: str) -> None:
        """Remove a setting, whether or not it was set."""
        ...

    async def change_setting_pair(self, key: str, own_key: str, compose: ComposePair) -> int:
        """Change a setting and one of Dayline's own beside it, together, by what they are at that moment.

        Returns the number of the setting's last change, in its history. What `compose` raises is raised.
        """
        ...

    async def begin(self) -> None:
        """Use up the token of `once` now, for work that goes on after its call. Raises AlreadyDone."""
        ...

    async def survey_import(self, spooled: Sequence[Path], *, rules: PrivacyRules | None = None) -> ImportSurvey:
        """What `import_files` would do, and raise, with nothing changed."""
        ...

    async def import_files(
        self, spooled: Sequence[Path], *, rules: PrivacyRules | None = None, on_progress: ImportProgress | None = None
    ) -> ImportReport:
        """Merge export documents into the store, in short slices; identical events are skipped.

        Rules are applied before that: events that they make equal are identical. Raises Malformed or Invalid, with
        nothing changed, when a document as a whole cannot be used.
        """
        ...


class Database(Protocol):
    """A place where stores live: a file, or a server."""

    def store(self, tenant: str = "") -> Store:
        """The store of one person. Raises Invalid where the backend knows only one."""
        ...

    async def open(self, tenant: str) -> Store:
        """The same at the first time, without holding up the event loop while it is read."""
        ...

    @property
    def access(self) -> AccessStore:
        """Who may call, and what is kept of the person without a name."""
        ...

    def access_of(self, tenant: str) -> AccessStore:
        """The same with what is kept of another person. Raises Invalid where the backend knows only one."""
        ...

    @property
    def damage(self) -> Damage | None:
        """What is wrong with it, while something else is used in its place."""
        ...

    @property
    def upkeep(self) -> Upkeep:
        """What keeps the data small, of the person without a name."""
        ...

    def upkeep_of(self, tenant: str) -> Upkeep:
        """The same of another person. Raises Invalid where the backend knows only one."""
        ...

    def scratch(self) -> Path:
        """A folder for files that are needed for the length of one call. Raises Unavailable."""
        ...

    @property
    def background(self) -> BackgroundWorkers:
        """The background work on it, to which the server adds its own."""
        ...

    def problems(self) -> list[Problem]:
        """What keeps it from being written at present, if anything. Called from any thread."""
        ...

    def listen(self, on_commit: OnCommit | None, *, tenant: str = "") -> None:
        """Have every commit to a person's data told from now on, on the loop and after its answers; None for none.

        What is called is to return at once: heartbeats wait for it.
        """
        ...

    def stop_holding(self) -> None:
        """Hold no write any longer: the server is stopping, and what cannot be committed now is refused."""
        ...

    async def close(self) -> None:
        """Finish what was accepted, then let go of everything."""
        ...
