"""Events of several months as one set of columns, from segments and rows. Only query processes import this."""

from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from dayline.model.time import Microseconds
from dayline.storage.columns.dictionaries import PackedDictionary
from dayline.storage.columns.months import MonthSpan
from dayline.storage.columns.segments import Integers, Segment
from dayline.storage.columns.source import MISSING, Codes, Dictionary, EventColumns, Flags, Ids, Times


class SpanColumns(Struct, frozen=True, eq=False):
    """The events of one span. Has either `value`, the numbers of packed values, or `key`, the store's keys."""

    start: Times
    duration: Integers
    id: Integers
    value: Codes | None = None
    key: Ids | None = None

    def taken(self, flags: Flags) -> "SpanColumns":
        """The flagged events."""
        which = np.flatnonzero(flags)
        return SpanColumns(
            self.start[which],
            self.duration[which],
            self.id[which],
            value=None if self.value is None else self.value[which],
            key=None if self.key is None else self.key[which],
        )

    def having(self, packed: Flags | None) -> "SpanColumns":
        """The events with flagged packed values."""
        return self if packed is None or self.value is None else self.taken(packed.take(self.value))


def row_columns(start: Times, duration: Times, ids: Ids, keys: Ids) -> SpanColumns:
    """Events from rows. Negative durations are replaced by 0."""
    return SpanColumns(start, np.maximum(duration, 0), ids, key=keys)


def cut(segment: Segment, span: MonthSpan, first: Microseconds) -> SpanColumns:
    """The events of a segment that start in a span and end at `first` or later."""
    low = int(np.searchsorted(segment.start, span.low, side="left"))
    high = int(np.searchsorted(segment.start, span.high, side="right"))
    which: slice | Ids = slice(low, high)
    if span.low < first:
        early = min(high, int(np.searchsorted(segment.start, first, side="left")))
        reaching = segment.start[low:early] + segment.duration[low:early] >= first
        which = np.concatenate([np.flatnonzero(reaching) + low, np.arange(early, high)])
    return SpanColumns(segment.start[which], segment.duration[which], segment.id[which], value=segment.value[which])


def joined(parts: Sequence[SpanColumns], codes: Sequence[Codes], dictionary: Dictionary) -> EventColumns:
    """All parts as one; row parts use the codes that their keys have in the dictionary."""
    size = sum(len(part.start) for part in parts)
    start, end, ids = (np.empty(size, dtype=np.int64) for _ in range(3))
    value = np.empty(size, dtype=np.int32)
    low, of_rows = 0, iter(codes)
    for part in parts:
        high = low + len(part.start)
        start[low:high], ids[low:high] = part.start, part.id
        np.add(part.start, part.duration, out=end[low:high])
        value[low:high] = part.value if part.value is not None else next(of_rows)
        low = high
    return EventColumns(start, end, ids, value, dictionary)


# The values of a bucket that match a search.


class MatchedValues(Struct, frozen=True, eq=False, kw_only=True):
    """Keys of matching values, ascending; `is_rest` inverts it: all values of the bucket but these."""

    keys: Ids
    is_rest: bool
    looked_through: int  # values that were not in the index

    @property
    def is_nothing(self) -> bool:
        return not self.is_rest and not len(self.keys)

    def among(self, keys: Ids) -> Flags:
        """Which of these values match."""
        if not len(self.keys):
            return np.full(len(keys), self.is_rest)
        places = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        is_named: Flags = self.keys[places] == keys
        return ~is_named if self.is_rest else is_named

    def among_packed(self, values: PackedDictionary) -> Flags:
        """Which packed values match, by their numbers."""
        flags = np.full(len(values), self.is_rest)
        codes: Codes = values.find(self.keys)
        flags[codes[codes != MISSING]] = not self.is_rest
        return flags
