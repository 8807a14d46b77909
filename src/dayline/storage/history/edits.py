"""Events that are changed by hand, one or many: what every backend promises about it."""

from collections.abc import Callable
from typing import NamedTuple, Protocol

from msgspec import Struct

from dayline.model.bucket import Bucket
from dayline.model.event import Event
from dayline.model.event_selection import DeletedEvents, Selection
from dayline.model.event_tag import StoredEvent
from dayline.model.timestamps import Microseconds

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
