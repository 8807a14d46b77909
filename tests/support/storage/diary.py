"""The plain model of one bucket: what it must hold after everything that was acknowledged."""

from collections.abc import Callable
from typing import Any

from msgspec import Struct

from dayline.model.time import Microseconds

Data = dict[str, Any]


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
