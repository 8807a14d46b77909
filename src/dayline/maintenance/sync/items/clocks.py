"""The clock that orders edits of one item: a hybrid logical clock."""

from typing import Annotated

from msgspec import Meta, Struct

from dayline.model.time import Microseconds

MAX_MS = 2**53 - 1
MAX_COUNTER = 2**31 - 1


class Stamp(Struct, frozen=True, order=True, array_like=True):
    """When an item was edited, and on which device: the later one of two wins, on all devices.

    An edit of an item is later than the one that it replaces, whatever the clock of the computer says: then the counter
    orders them. Without an edit, `ms` is 0.
    """

    ms: Annotated[int, Meta(ge=0, le=MAX_MS)] = 0
    counter: Annotated[int, Meta(ge=0, le=MAX_COUNTER)] = 0
    device: Annotated[str, Meta(pattern="^[a-z2-7]{8}$")] = "aaaaaaaa"

    def next(self, when: Microseconds, device: str) -> "Stamp":
        """The stamp of an edit of an item that had this one."""
        ms = when // 1000
        return Stamp(ms, 0, device) if ms > self.ms else Stamp(self.ms, self.counter + 1, device)
