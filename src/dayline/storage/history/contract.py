"""The values that cross the public face of the store: edits and corrections of events, and undo entries."""

from collections.abc import Callable
from typing import Final, Literal, NamedTuple, TypeAlias

from msgspec import Struct

from dayline.config.sections import TrashSettings
from dayline.model.errors import DaylineError
from dayline.model.event import Event, StoredEvent
from dayline.model.time import Microseconds

BucketChangeKind: TypeAlias = Literal["created", "changed", "deleted", "restored", "renamed", "merged", "recorded"]
LineForm: TypeAlias = Literal["csv", "ndjson"]
HeartbeatDone = Callable[[Event | DaylineError], None]


class TrashPolicy(Struct, frozen=True, kw_only=True):
    """How long undo entries are kept (0 days: not at all), and how often expired ones are deleted."""

    days: int = TrashSettings().days
    interval_s: float = 3600.0


TRASH_POLICY: Final = TrashPolicy()


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
