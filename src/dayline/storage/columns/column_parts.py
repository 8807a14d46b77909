"""Events of one month after the other, from segments and from rows, put together as columns."""

from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from dayline.model.timestamps import Microseconds
from dayline.storage.columns.columns import Codes, Dictionary, EventColumns, Flags, Ids, Times
from dayline.storage.segments.month_span import MonthSpan
from dayline.storage.segments.packing import Integers
from dayline.storage.segments.segments import Segment


class Part(Struct, frozen=True, eq=False):
    """Events of one span. Of `value` and `key` there is one: numbers of packed values, or what the store calls them."""

    start: Times
    duration: Integers
    id: Integers
    value: Codes | None = None
    key: Ids | None = None

    def taken(self, flags: Flags) -> "Part":
        """Some of them."""
        which = np.flatnonzero(flags)
        return Part(
            self.start[which],
            self.duration[which],
            self.id[which],
            value=None if self.value is None else self.value[which],
            key=None if self.key is None else self.key[which],
        )

    def having(self, packed: Flags | None) -> "Part":
        """Those of packed values that are flagged."""
        return self if packed is None or self.value is None else self.taken(packed.take(self.value))


def row_part(start: Times, duration: Times, ids: Ids, keys: Ids) -> Part:
    """Events as they are stored. A negative duration counts as none."""
    return Part(start, np.maximum(duration, 0), ids, key=keys)


def cut(segment: Segment, span: MonthSpan, first: Microseconds) -> Part:
    """The events of a segment that start in a span and end at `first` or later."""
    low = int(np.searchsorted(segment.start, span.low, side="left"))
    high = int(np.searchsorted(segment.start, span.high, side="right"))
    which: slice | Ids = slice(low, high)
    if span.low < first:
        early = min(high, int(np.searchsorted(segment.start, first, side="left")))
        reaching = segment.start[low:early] + segment.duration[low:early] >= first
        which = np.concatenate([np.flatnonzero(reaching) + low, np.arange(early, high)])
    return Part(segment.start[which], segment.duration[which], segment.id[which], value=segment.value[which])


def joined(parts: Sequence[Part], codes: Sequence[Codes], dictionary: Dictionary) -> EventColumns:
    """All parts as one, the row parts with the codes that their keys have in the dictionary."""
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
