"""Events as plain values, and what it means that their data is equal."""

from collections.abc import Iterable
from typing import Any, NamedTuple, cast


class Event(NamedTuple):
    """An event. Times are microseconds; no id is None."""

    start: int
    duration: int
    data: dict[str, Any]
    id: int | None = None

    @property
    def end(self) -> int:
        return self.start + self.duration

    def from_to(self, start: int, end: int) -> "Event":
        """The same event at another time."""
        return self._replace(start=start, duration=end - start)


def without_negative_durations(events: Iterable[Event]) -> list[Event]:
    """What query functions make of events: a negative duration is none."""
    return [event._replace(duration=max(event.duration, 0)) for event in events]


def same(one: object, other: object) -> bool:
    """Deep equality of JSON values: 1 is 1.0, but true is not 1."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, dict) and isinstance(other, dict):
        left, right = cast("dict[str, object]", one), cast("dict[str, object]", other)
        return set(left) == set(right) and all(same(left[key], right[key]) for key in left)
    if isinstance(one, list) and isinstance(other, list):
        items, others = cast("list[object]", one), cast("list[object]", other)
        return len(items) == len(others) and all(same(a, b) for a, b in zip(items, others, strict=True))
    return one == other


def by_start(events: Iterable[Event]) -> list[Event]:
    """Sorted as the protocol means it: ascending, and equal starts in the order they had."""
    return sorted(events, key=lambda event: event.start)
