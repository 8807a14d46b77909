"""Where events are around a time that has none. Only query processes import this."""

from collections.abc import Iterator, Sequence
from typing import Final

from dayline.model.timestamps import DAY, EARLIEST, LATEST, Microseconds
from dayline.storage.columns.source import ColumnSource, ReadReport

# Looked at in steps, each so many times as far as the one before: mostly the first has something, and is small.
_WIDER: Final = 8


def nearest_before(source: ColumnSource, buckets: Sequence[str], moment: Microseconds) -> Microseconds | None:
    """The latest end of an event that ends at a moment or before, where none goes on beyond it."""
    buckets = [bucket for bucket in buckets if (extent := source.extent(bucket)) is not None and extent[0] <= moment]
    for low, high in _steps(moment - EARLIEST) if buckets else ():
        found = [
            int(events.end.max())
            for bucket in buckets
            if len((events := source.events(bucket, moment - high, moment - low, ReadReport())).end)
        ]
        if found:
            return max(found)
    return None


def nearest_after(source: ColumnSource, buckets: Sequence[str], moment: Microseconds) -> Microseconds | None:
    """The first start of an event that starts at a moment or after, where none goes on from before it."""
    buckets = [bucket for bucket in buckets if (extent := source.extent(bucket)) is not None and extent[1] >= moment]
    for low, high in _steps(LATEST - moment) if buckets else ():
        found = [
            int(events.start[0])
            for bucket in buckets
            if len((events := source.events(bucket, moment + low, moment + high, ReadReport())).start)
        ]
        if found:
            return min(found)
    return None


def _steps(reach: Microseconds) -> Iterator[tuple[Microseconds, Microseconds]]:
    """How far from a moment to look, from and to, up to the end of all time."""
    low, high = 0, DAY
    while low < reach:
        yield low, min(high, reach)
        low, high = high, high * _WIDER
