"""Stretches of active time with what belongs to them, of one device or of several."""

import numpy as np
from msgspec import Struct

from dayline.insight.active.intervals import Spans, gaps_of, overlaps
from dayline.query.sorting import stable_order
from dayline.storage.columns.source import Codes, Flags, Ids, Times


class Strip(Struct, frozen=True, eq=False):
    """Active time, ascending and apart. `rank` says who counts where several devices are used at once."""

    spans: Spans
    rank: Times
    combination: Codes
    device: Codes
    note: Codes

    def __len__(self) -> int:
        return len(self.spans)

    def take(self, which: Ids | Flags, spans: Spans) -> "Strip":
        """Parts of some of them."""
        return Strip(spans, self.rank[which], self.combination[which], self.device[which], self.note[which])

    def without(self, spans: Spans) -> "Strip":
        """What does not lie within these spans."""
        if not len(spans):
            return self
        left = overlaps(self.spans, gaps_of(spans))
        return self.take(left.first, left.spans)


def united_strips(strips: list[Strip]) -> Strip:
    """Several devices as one: time on several at once goes to the highest rank, of equal ones to the first.

    laptop   [a       ]    [c    ]
    phone        [b ]    [d   ]
    result   [a ][b ][a]  [d][c  ]
    """
    result = strips[0]
    for strip in strips[1:]:
        result = _united(result, strip)
    return result


def chained(strips: list[Strip]) -> Strip:
    """Strips one after the other."""
    if len(strips) == 1:
        return strips[0]
    return Strip(
        Spans(
            np.concatenate([strip.spans.start for strip in strips]),
            np.concatenate([strip.spans.end for strip in strips]),
        ),
        np.concatenate([strip.rank for strip in strips]),
        np.concatenate([strip.combination for strip in strips]),
        np.concatenate([strip.device for strip in strips]),
        np.concatenate([strip.note for strip in strips]),
    )


def merged(strips: list[Strip]) -> Strip:
    """Strips that have no time in common, as one."""
    together = chained(strips)
    order = stable_order(together.spans.start)
    return together.take(order, together.spans.take(order))


def _united(first: Strip, second: Strip) -> Strip:
    if not len(first) or not len(second):
        return first if len(first) else second
    shared = overlaps(first.spans, second.spans)
    is_first = first.rank[shared.first] >= second.rank[shared.second]
    return merged([first.without(shared.spans.take(~is_first)), second.without(shared.spans.take(is_first))])
