"""Times in which one watcher of a device recorded nothing, while others did. Pure.

    bucket          [a ][b    ]                    [c   ]
    its host        [d     ][e  ]      [f] [g ]  [h     ]
    gap                        ·        ───────────

Breaks that are not longer than a gap has to be count as no break at all, in the bucket and in the others.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from dayline.model.timestamps import Microseconds


class Span(NamedTuple):
    """A time with something recorded in it, or with nothing."""

    start: Microseconds
    end: Microseconds

    @property
    def length(self) -> Microseconds:
        return self.end - self.start


class Coverage:
    """The times that events cover, joined where the break between them is short. Events are added in order of start."""

    def __init__(self, *, longest_break: Microseconds) -> None:
        self._longest_break = longest_break
        self._closed: list[Span] = []
        self._start: Microseconds | None = None  # of the last span, which may grow
        self._end: Microseconds = 0

    @property
    def spans(self) -> list[Span]:
        return self._closed if self._start is None else [*self._closed, Span(self._start, self._end)]

    def add(self, start: Microseconds, end: Microseconds) -> None:
        """Take an event into account; one that ends before it begins is a moment."""
        if self._start is None:
            self._start, self._end = start, max(start, end)
        elif start > self._end + self._longest_break:
            self._closed.append(Span(self._start, self._end))
            self._start, self._end = start, max(start, end)
        elif end > self._end:
            self._end = end


def gaps(own: Sequence[Span], others: Iterable[Sequence[Span]], *, longer_than: Microseconds) -> list[Span]:
    """Where a bucket has nothing between two of its events, and others of its host have something, for long enough."""
    active = Coverage(longest_break=longer_than)
    for span in sorted(span for spans in others for span in spans):
        active.add(*span)
    return [gap for gap in _common(list(_breaks(own)), active.spans) if gap.length > longer_than]


def _breaks(spans: Sequence[Span]) -> Iterator[Span]:
    for one, next_ in pairwise(spans):
        yield Span(one.end, next_.start)


def _common(some: Sequence[Span], others: Sequence[Span]) -> Iterator[Span]:
    """What two lists of spans, each in order and without overlap, have in common."""
    first = second = 0
    while first < len(some) and second < len(others):
        one, other = some[first], others[second]
        common = Span(max(one.start, other.start), min(one.end, other.end))
        if common.length > 0:
            yield common
        if one.end < other.end:
            first += 1
        else:
            second += 1
