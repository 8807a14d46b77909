"""Rows of buckets and events, as transactions return and store them."""

from typing import Protocol, TypeAlias

from msgspec import Struct

from dayline.model.bucket import Bucket
from dayline.model.event import Event
from dayline.model.time import Microseconds
from dayline.storage.history.contract import EventPosition

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
