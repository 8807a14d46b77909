"""Events that are changed by hand, one or many: what every backend promises about it."""

from collections.abc import Callable
from typing import NamedTuple, Protocol

from msgspec import Struct

from dayline.model.event import Event
from dayline.model.event_edits import EventChange
from dayline.model.event_selection import DeletedEvents, Selection
from dayline.model.event_tag import StoredEvent
from dayline.model.timestamps import Microseconds

# Gets the event as it is just before a change, and raises where that is not what the caller has in mind.
EventCheck = Callable[[StoredEvent], None]


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

    async def change(self, bucket_id: str, event_id: int, change: EventChange, *, check: EventCheck) -> EditedEvents:
        """Change what is given. Raises what `check` raises, BucketNotFound, EventNotFound, or Invalid."""
        ...

    async def split(self, bucket_id: str, event_id: int, at: Microseconds, *, check: EventCheck) -> EditedEvents:
        """Make two events of one: the first keeps the id. Raises as `change` does."""
        ...

    async def delete(self, bucket_id: str, event_id: int, *, check: EventCheck) -> EditedEvents:
        """Put an event into the trash. Raises as `change` does."""
        ...

    async def delete_selected(self, selection: Selection) -> DeletedEvents:
        """Put events into the trash in short slices, as one act. Raises BucketNotFound."""
        ...
