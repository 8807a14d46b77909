"""Plain models of a store and of one bucket: what they must hold, every rule written out."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from msgspec import Struct

from dayline.model.time import Microseconds

Data = dict[str, Any]


@dataclass
class ModelEvent:
    """All times in microseconds."""

    start: int
    duration: int
    data: Data
    id: int = 0

    @property
    def end(self) -> int:
        return self.start + self.duration


@dataclass
class ModelBucket:
    events: list[ModelEvent] = field(default_factory=list[ModelEvent])
    last: ModelEvent | None = None  # what the latest heartbeat made, until anything else writes here

    def newest_first(self) -> list[ModelEvent]:
        return sorted(self.events, key=lambda event: (-event.start, event.id))


class ForeignId(Exception):
    """An id that belongs to another bucket, or that was never assigned."""


class ModelStore:
    """What the real store must agree with. Buckets that do not exist are a KeyError."""

    def __init__(self) -> None:
        self.buckets: dict[str, ModelBucket] = {}
        self.next_id = 1

    def restart(self) -> None:
        """Only what is stored survives."""
        for bucket in self.buckets.values():
            bucket.last = None

    def heartbeat(self, bucket_id: str, beat: ModelEvent, pulsetime: int) -> ModelEvent:
        bucket = self.buckets[bucket_id]
        last = bucket.last
        if last is None and bucket.events:
            last = bucket.newest_first()[0]
        if (
            last is not None
            and equal(last.data, beat.data)
            and last.start <= beat.start <= last.end + pulsetime
            and max(last.end, beat.end) >= last.start
        ):
            last.duration = max(last.end, beat.end) - last.start
        else:
            last = ModelEvent(beat.start, beat.duration, beat.data, self._new_id())
            bucket.events.append(last)
        bucket.last = last
        return last

    def insert(self, bucket_id: str, events: list[ModelEvent]) -> list[ModelEvent]:
        bucket = self.buckets[bucket_id]
        for event in events:
            for other_id, other in self.buckets.items():
                if event.id and other_id != bucket_id and event.id in [stored.id for stored in other.events]:
                    raise ForeignId
            if event.id >= self.next_id:
                raise ForeignId
        stored: list[ModelEvent] = []
        for event in events:
            event_id = event.id or self._new_id()
            bucket.events = [old for old in bucket.events if old.id != event_id]
            stored.append(ModelEvent(event.start, event.duration, event.data, event_id))
            bucket.events.append(stored[-1])
        bucket.last = None
        return stored

    def delete_event(self, bucket_id: str, event_id: int) -> bool:
        bucket = self.buckets[bucket_id]
        left = [event for event in bucket.events if event.id != event_id]
        existed = len(left) < len(bucket.events)
        if existed:
            bucket.events, bucket.last = left, None
        return existed

    def events(self, bucket_id: str, start: int | None, end: int | None, limit: int | None) -> list[ModelEvent]:
        """Those that touch the closed range, newest first, clipped to it."""
        found: list[ModelEvent] = []
        for event in self.buckets[bucket_id].newest_first():
            if (start is None or event.end >= start) and (end is None or event.start <= end):
                found.append(event if event.duration < 0 else clipped(event, start, end))
        if start is not None and end is not None and start > end:
            found = []
        return found if limit is None else found[:limit]

    def extent(self, bucket_id: str) -> tuple[int | None, int | None]:
        events = self.buckets[bucket_id].events
        return min((event.start for event in events), default=None), max((event.end for event in events), default=None)

    def _new_id(self) -> int:
        self.next_id += 1
        return self.next_id - 1


def clipped(event: ModelEvent, start: int | None, end: int | None) -> ModelEvent:
    begin = event.start if start is None else max(event.start, start)
    until = event.end if end is None else min(event.end, end)
    return ModelEvent(begin, until - begin, event.data, event.id)


def equal(one: Any, other: Any) -> bool:
    """Numbers by value, booleans apart from them; enough for the flat data that the test draws."""
    return one.keys() == other.keys() and all(
        isinstance(one[key], bool) == isinstance(other[key], bool) and one[key] == other[key] for key in one
    )


class Entry(Struct, frozen=True):
    """An event, without its id."""

    start: Microseconds
    duration: Microseconds
    data: Data

    @property
    def end(self) -> Microseconds:
        return self.start + self.duration

    def lasting(self, duration: Microseconds) -> "Entry":
        return Entry(self.start, duration, self.data)


class Act(Struct, frozen=True):
    """Something that can be undone: for each event what it was before (None: not there) and what it became."""

    number: int
    before: dict[int, Entry | None]
    after: dict[int, Entry | None]


class Diary:
    """The events of one bucket by id. Times of heartbeats only ever go forward."""

    def __init__(self) -> None:
        self.events: dict[int, Entry] = {}
        self.acts: list[Act] = []

    def merged(self, beat: Entry, pulsetime: Microseconds) -> int | None:
        """Let a heartbeat extend the newest event; its id, or None where it begins a new one."""
        if not self.events:
            return None
        event_id, newest = min(self.events.items(), key=lambda item: (-item[1].start, item[0]))
        if newest.data != beat.data or not newest.start <= beat.start <= newest.end + pulsetime:
            return None
        self.events[event_id] = newest.lasting(max(newest.end, beat.end) - newest.start)
        return event_id

    def change(self, number: int, after: dict[int, Entry | None]) -> None:
        """Something was deleted or replaced, and can be undone."""
        self.acts.append(Act(number, {event_id: self.events.get(event_id) for event_id in after}, after))
        self._put(after)

    def can_undo(self, act: Act) -> bool:
        """Whether everything is as the act has left it, but for events that heartbeats made longer."""
        return all(_is_as_left(self.events.get(event_id), left) for event_id, left in act.after.items())

    def undo(self, act: Act) -> None:
        self.acts.remove(act)
        restored: dict[int, Entry | None] = {}
        for event_id, before in act.before.items():
            left, now = act.after[event_id], self.events.get(event_id)
            growth = now.duration - left.duration if now is not None and left is not None else 0
            restored[event_id] = before and before.lasting(before.duration + growth)
        self._put(restored)

    def total(self, chosen: Callable[[Entry], bool] = lambda entry: True) -> Microseconds:
        return sum(entry.duration for entry in self.events.values() if chosen(entry))

    def _put(self, entries: dict[int, Entry | None]) -> None:
        for event_id, entry in entries.items():
            if entry is None:
                self.events.pop(event_id, None)
            else:
                self.events[event_id] = entry


def _is_as_left(now: Entry | None, left: Entry | None) -> bool:
    if now is None or left is None:
        return now is left
    return (now.start, now.data) == (left.start, left.data) and now.duration >= left.duration
