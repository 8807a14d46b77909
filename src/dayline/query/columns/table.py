"""Events in a query: columns over a dictionary of distinct data. Immutable."""

from typing import Final

import numpy as np
from msgspec import Struct

from dayline.model.data import EMPTY
from dayline.storage.columns.dictionaries import TextDictionary
from dayline.storage.columns.source import Codes, Dictionary, Flags, Ids, Times

NO_ID: Final = 0  # of events created by a function; null in JSON

NO_DATA: Final = TextDictionary([EMPTY])  # the dictionary of events whose data is {}


class Table(Struct, frozen=True, eq=False, weakref=True):
    """A list of events in some order. `end` is never before `start`."""

    start: Times
    end: Times
    id: Ids
    value: Codes
    data: Dictionary

    def __len__(self) -> int:
        return len(self.start)

    @property
    def duration(self) -> Times:
        return self.end - self.start

    def take(self, which: Codes | Ids | Flags | slice) -> "Table":
        """Some of the events: by mask, or by position in the order given."""
        return Table(self.start[which], self.end[which], self.id[which], self.value[which], self.data)


def no_events() -> Table:
    """An empty list."""
    nothing = np.zeros(0, dtype=np.int64)
    return Table(nothing, nothing, nothing, np.zeros(0, dtype=np.int32), NO_DATA)
