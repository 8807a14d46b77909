"""The history of a store: protocols for the trash, corrections and edits of events, and renamed buckets."""

from collections.abc import Callable
from typing import Final, Literal, NamedTuple, Protocol, TypeAlias

from msgspec import Struct

from dayline.config.sections import TrashSettings
from dayline.model.bucket import Alias, Bucket, Merged, Rehosted, Renamed
from dayline.model.edits.selection import DeletedEvents, Selection
from dayline.model.errors import DaylineError
from dayline.model.event import Event, StoredEvent
from dayline.model.time import Microseconds
from dayline.model.upkeep.undo import TrashItem, Undone

BucketChangeKind: TypeAlias = Literal["created", "changed", "deleted", "restored", "renamed", "merged", "recorded"]
HeartbeatDone = Callable[[Event | DaylineError], None]


class TrashPolicy(Struct, frozen=True, kw_only=True):
    """How long undo entries are kept (0 days: not at all), and how often expired ones are deleted."""

    days: int = TrashSettings().days
    interval_s: float = 3600.0


TRASH_POLICY: Final = TrashPolicy()


class Trash(Protocol):
    """Undo entries: operations that deleted or changed something, and can be reverted."""

    def all(self) -> list[TrashItem]:
        """All undo entries, newest first. Call it on a thread."""
        ...

    def item(self, undo_id: int) -> TrashItem:
        """One undo entry. Raises NotFound or Gone. Call it on a thread."""
        ...

    async def undo(self, undo_id: int, *, is_merging: bool = True) -> Undone:
        """Restore ids, times, data and metadata of everything that the operation changed; all or nothing.

        If a deleted bucket was created again since, the two are merged, unless `is_merging` is False. Raises NotFound,
        Gone if it was already undone or has expired, and Conflict if something was changed again since.
        """
        ...

    async def empty(self, undo_id: int | None = None) -> int:
        """Delete one undo entry, or all; returns how many. Raises NotFound."""
        ...


class Neighbor(NamedTuple):
    """The event that is the reason for correcting another one. If it is gone, the correction is skipped."""

    start: Microseconds
    id: int
    value: int


class EventCorrection(NamedTuple):
    """An event as it was when checked, and its new duration; None deletes it.

    `new_start` moves its start. `before` is the duration of a new event with its old start and its data: the event that
    a heartbeat may extend keeps the id, so that undoing also restores what was recorded since.
    """

    id: int
    start: Microseconds
    duration: Microseconds
    value: int  # key of its data
    new_duration: Microseconds | None
    because_of: Neighbor | None = None
    new_start: Microseconds | None = None
    before: Microseconds = 0


class CorrectionResult(Struct, frozen=True, kw_only=True):
    """Result of a correction. `undo` is None if nothing changed; `skipped` counts events changed since the check.

    `duration` is how much time the events lost.
    """

    removed: int
    changed: int
    skipped: int
    undo: int | None
    duration: Microseconds = 0


# Gets the event just before it is changed, and raises if it is not what the caller expects.
EventCheck = Callable[[StoredEvent], None]
EventEdit = Callable[[StoredEvent], Event | None]  # returns the changed event with the same id, or None to delete it


class EventPosition(NamedTuple):
    """Position of an event in its bucket, for paging."""

    start: Microseconds
    id: int


class Inserted(Struct, frozen=True, kw_only=True):
    """The stored events with their ids, and the undo number if any of them replaced an event."""

    events: list[Event]
    undo: int | None = None


class SelectedEvents(Struct, frozen=True, kw_only=True):
    """A page of events, and where the next page starts; None if there are no more."""

    events: list[Event]
    after: EventPosition | None


class EditedEvents(Struct, frozen=True, kw_only=True):
    """Events as they are after a change, or were before they were deleted. `undo` is None if nothing changed."""

    events: list[StoredEvent]
    undo: int | None


class EventEdits(Protocol):
    """Reads and edits single events. Each edit is one operation that can be undone."""

    def event(self, bucket_id: str, event_id: int) -> StoredEvent:
        """One event. Raises BucketNotFound or EventNotFound."""
        ...

    def select(
        self, selection: Selection, *, after: EventPosition | None, limit: int, is_newest_first: bool
    ) -> SelectedEvents:
        """Up to `limit` events ordered by start and id, or the reverse. Raises BucketNotFound.

        A page can be short or even empty with more to follow: the search for matches stops after a number of rows.
        """
        ...

    def survey(self, selection: Selection) -> DeletedEvents:
        """What `delete_selected` would do. Raises BucketNotFound."""
        ...

    async def add(self, bucket: Bucket, event: Event) -> EditedEvents:
        """Append an event to a bucket, which is created if it is missing."""
        ...

    async def edit(self, bucket_id: str, event_id: int, edit: EventEdit) -> EditedEvents:
        """Replace an event with the result of `edit`, or delete it, in one transaction.

        Raises what `edit` raises, with nothing changed, and BucketNotFound or EventNotFound.
        """
        ...

    async def split(self, bucket_id: str, event_id: int, at: Microseconds, *, check: EventCheck) -> EditedEvents:
        """Split an event in two; the first keeps the id. Raises what `check` raises, Invalid, and the errors of
        `edit`.
        """
        ...

    async def delete_selected(self, selection: Selection) -> DeletedEvents:
        """Delete events in short slices, or the part of them inside the range, as one operation.

        Raises BucketNotFound.
        """
        ...


class BucketMoves(Protocol):
    """Renames and merges buckets. Each change is an operation that can be undone."""

    def aliases(self) -> list[Alias]:
        """All aliases, ordered by id. Call it on a thread."""
        ...

    async def remove_alias(self, alias: str) -> int:
        """Delete an alias and return the undo number. Raises NotFound."""
        ...

    async def rename(self, bucket_id: str, new_id: str, *, keeps_alias: bool = True) -> Renamed:
        """Change a bucket's id. Raises BucketNotFound, Invalid, or Conflict if the new id is taken."""
        ...

    async def preview_merge(self, bucket_id: str, into: str) -> Merged:
        """What merging would do. Raises BucketNotFound, or Conflict if both are the same bucket."""
        ...

    async def merge(self, bucket_id: str, into: str, *, is_forced: bool = False) -> Merged:
        """Move all events to another bucket in short slices; the id becomes an alias of that bucket.

        Returns when it is done. An interrupted merge resumes automatically. Raises BucketNotFound, or Conflict: if both
        are the same bucket, if their types differ (unless `is_forced`), or if one of them is already being merged.
        """
        ...

    async def rehost(self, bucket_id: str, hostname: str, *, renames: bool = True, merges: bool = False) -> Rehosted:
        """Change a bucket's host name, and its id accordingly. Raises BucketNotFound or Conflict."""
        ...

    async def preview_rehost(self, bucket_id: str, hostname: str, *, renames: bool = True) -> Rehosted:
        """What changing the host would do. Raises BucketNotFound."""
        ...
