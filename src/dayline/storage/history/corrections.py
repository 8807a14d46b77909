"""Events that are mended: what each has to be before, and what becomes of it."""

from typing import NamedTuple

from msgspec import Struct

from dayline.model.time import Microseconds


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
