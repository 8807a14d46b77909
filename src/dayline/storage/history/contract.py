"""What the store promises about its history: the trash, corrections and edits of events, and renamed buckets."""

from collections.abc import Callable
from typing import Final, NamedTuple, Protocol

from msgspec import Struct

from dayline.config.sections import TrashSettings
from dayline.model.bucket import Alias, Bucket, Merged, Rehosted, Renamed
from dayline.model.event import Event, StoredEvent
from dayline.model.event_changes import DeletedEvents, Selection
from dayline.model.time import Microseconds
from dayline.model.upkeep import TrashItem, Undone


class TrashPolicy(Struct, frozen=True, kw_only=True):
    """How long undo entries are kept (0 days: not at all), and how often expired ones are deleted."""

    days: int = TrashSettings().days
    interval_s: float = 3600.0


TRASH_POLICY: Final = TrashPolicy()


class Trash(Protocol):
    """Acts that destroyed or changed something, and the way back from each."""

    def all(self) -> list[TrashItem]:
        """What can be undone, the newest first. Read on a thread."""
        ...

    def item(self, act: int) -> TrashItem:
        """One of them. Raises NotFound or Gone. Read on a thread."""
        ...

    async def undo(self, act: int, *, is_merging: bool = True) -> Undone:
        """Restore ids, times, data and metadata of all that the act changed; all or nothing.

        A bucket that was made again meanwhile is merged with the restored one, unless `is_merging` is False. Raises
        NotFound, Gone when it was undone or is no longer kept, Conflict where something else was changed since.
        """
        ...

    async def empty(self, act: int | None = None) -> int:
        """Let go of one act, or of all; how many there were. Raises NotFound."""
        ...


class Neighbour(NamedTuple):
    """The event because of which another one is mended: where that is gone, so is the reason."""

    start: Microseconds
    id: int
    value: int


class EventMend(NamedTuple):
    """One event as it was found, and how long it is to last; None where it is to be removed."""

    id: int
    start: Microseconds
    duration: Microseconds
    value: int  # what the store calls its data
    new_duration: Microseconds | None
    because_of: Neighbour | None = None


class MendOutcome(Struct, frozen=True, kw_only=True):
    """What was done. `undo` is None where nothing was; `skipped` counts events that were no longer as found."""

    removed: int
    changed: int
    skipped: int
    undo: int | None


# Gets the event as it is just before a change, and raises where that is not what the caller has in mind.
EventCheck = Callable[[StoredEvent], None]
EventEdit = Callable[[StoredEvent], Event | None]  # what becomes of an event, of the same id; None: it is removed


class EventPlace(NamedTuple):
    """Where an event stands among those of its bucket."""

    start: Microseconds
    id: int


class SelectedEvents(Struct, frozen=True, kw_only=True):
    """Some events, and the place to go on from; None where there are no more."""

    events: list[Event]
    after: EventPlace | None


class EditedEvents(Struct, frozen=True, kw_only=True):
    """Events as they are after a change, or were before they were deleted. `undo` is None where nothing changed."""

    events: list[StoredEvent]
    undo: int | None


class EventEdits(Protocol):
    """Looking at single events and changing them. Each change is one act, that can be undone."""

    def event(self, bucket_id: str, event_id: int) -> StoredEvent:
        """One event. Raises BucketNotFound or EventNotFound."""
        ...

    def select(
        self, selection: Selection, *, after: EventPlace | None, limit: int, is_newest_first: bool
    ) -> SelectedEvents:
        """At most so many events in order of start and id, or against it. Raises BucketNotFound.

        There may be fewer, also none, and more to come: where a filter leaves little, it stops after a while.
        """
        ...

    def survey(self, selection: Selection) -> DeletedEvents:
        """What `delete_selected` would do. Raises BucketNotFound."""
        ...

    async def add(self, bucket: Bucket, event: Event) -> EditedEvents:
        """Append an event to a bucket, which is made where there is none."""
        ...

    async def edit(self, bucket_id: str, event_id: int, edit: EventEdit) -> EditedEvents:
        """Put what `edit` makes of an event in its place, or into the trash, with nothing in between.

        Raises what `edit` raises, with nothing changed; BucketNotFound or EventNotFound.
        """
        ...

    async def split(self, bucket_id: str, event_id: int, at: Microseconds, *, check: EventCheck) -> EditedEvents:
        """Make two events of one: the first keeps the id. Raises what `check` raises, Invalid, and as `edit` does."""
        ...

    async def delete_selected(self, selection: Selection) -> DeletedEvents:
        """Put events into the trash in short slices, as one act. Raises BucketNotFound."""
        ...


class BucketMoves(Protocol):
    """Buckets under other ids. Each change leaves an act in the trash that undoes it."""

    def aliases(self) -> list[Alias]:
        """Every alias of a bucket, by id. Read on a thread."""
        ...

    async def remove_alias(self, alias: str) -> int:
        """Let a bucket no longer be found under this id; what undoes it. Raises NotFound."""
        ...

    async def rename(self, bucket_id: str, new_id: str, *, keeps_alias: bool = True) -> Renamed:
        """Give a bucket another id. Raises BucketNotFound, Invalid, or Conflict where the new id is taken."""
        ...

    async def preview_merge(self, bucket_id: str, into: str) -> Merged:
        """What merging would do. Raises BucketNotFound, or Conflict for a bucket and itself."""
        ...

    async def merge(self, bucket_id: str, into: str, *, is_forced: bool = False) -> Merged:
        """Move all events into another bucket, in short slices, and let its id be an alias of that.

        Answers when it is done. Interrupted, it goes on by itself. Raises BucketNotFound, or Conflict: for a bucket and
        itself, for different types unless `is_forced`, and while one of them is being merged already.
        """
        ...

    async def rehost(self, bucket_id: str, hostname: str, *, renames: bool = True, merges: bool = False) -> Rehosted:
        """Give a bucket another host name, and the id that goes with it. Raises BucketNotFound or Conflict."""
        ...

    async def preview_rehost(self, bucket_id: str, hostname: str, *, renames: bool = True) -> Rehosted:
        """What rehosting would do. Raises BucketNotFound."""
        ...
