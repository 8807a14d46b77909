"""Annotations laid over recorded time.

recorded     [a        ][b       ][c    ]
exclude         [ ]
category             [Work ]
entry                           [drive    ]
result       [a][  ][a][a][b]  [b][drive    ]
                      Work
"""

from collections.abc import Sequence
from itertools import zip_longest
from typing import Final

import numpy as np
from msgspec import Struct

from dayline.insight.active.combinations import NO_BASE, Combinations
from dayline.insight.active.intervals import OUTSIDE, Spans, Stretches, gaps_of, overlaps, tiled, united
from dayline.insight.active.layers import latest_of
from dayline.model.annotation import Annotation
from dayline.model.time import Microseconds
from dayline.query.columns.distinct import stable_order
from dayline.storage.columns.source import MISSING, Codes, Flags, Ids, Times


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
    # In pairs: one after the other, the result so far would be copied once for each of a thousand devices.
    while len(strips) > 1:
        pairs = zip_longest(strips[::2], strips[1::2])
        strips = [first if second is None else _united(first, second) for first, second in pairs]
    return strips[0]


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


ENTRY_RANK: Final = 1 << 61  # entries go before whatever was recorded, on whatever device


class Annotator:
    """The annotations that touch a range, and what they make of the time of each device."""

    def __init__(
        self, annotations: Sequence[Annotation], combinations: Combinations, start: Microseconds, end: Microseconds
    ) -> None:
        self._annotations = annotations
        self._combinations = combinations
        self._start = np.maximum(np.array([each.start for each in annotations], dtype=np.int64), start)
        self._end = np.minimum(np.array([each.end for each in annotations], dtype=np.int64), end)
        self._touching: list[int] = np.flatnonzero(self._start < self._end).tolist()

    def annotated(self, strip: Strip, device: str, code: int) -> Strip:
        """The time of a device as people want it counted."""
        if not self._touching:
            return strip
        strip = strip.without(self._united(self._of(device, "exclude")))
        strip = self._recategorised(strip, self._latest(self._of(device, "category")))
        strip = self._noted(strip, self._latest(self._with_labels(device)))
        entries = self._entries([number for number in self._of(device, "entry") if self._is_of(number, device)], code)
        return merged([strip.without(entries.spans), entries]) if len(entries) else strip

    def elsewhere(self) -> Strip:
        """The entries that belong to no device."""
        numbers = [
            number
            for number in self._touching
            if self._annotations[number].kind == "entry" and self._annotations[number].device is None
        ]
        return self._entries(numbers, MISSING)

    def _of(self, device: str, *kinds: str) -> list[int]:
        return [
            number
            for number in self._touching
            if self._annotations[number].kind in kinds and self._annotations[number].device in (None, device)
        ]

    def _is_of(self, number: int, device: str) -> bool:
        return self._annotations[number].device == device

    def _with_labels(self, device: str) -> list[int]:
        return [number for number in self._of(device, "label", "category") if self._annotations[number].label]

    def _united(self, numbers: list[int]) -> Spans:
        numbers = sorted(numbers, key=lambda number: self._annotations[number].start)
        return united([Spans(self._start[numbers], self._end[numbers])])

    def _latest(self, numbers: list[int]) -> Stretches:
        """Of several annotations at once the one that begins last counts, of those the newest."""
        numbers = sorted(numbers, key=lambda number: self._annotations[number].id, reverse=True)
        which = np.array(numbers, dtype=np.int64)
        began = np.array([self._annotations[number].start for number in numbers], dtype=np.int64)
        found = latest_of(self._start[which], self._end[which], began)
        return Stretches(found.spans, which[found.row])

    def _recategorised(self, strip: Strip, said: Stretches) -> Strip:
        if not len(said.spans) or not len(strip):
            return strip
        strip, which = _cut(strip, said)
        touched = np.flatnonzero(which != MISSING)
        # As one number each: pairs would be compared as bytes, many times slower.
        count = len(self._annotations)
        pairs, places = np.unique(
            strip.combination[touched].astype(np.int64) * count + which[touched], return_inverse=True
        )
        first = self._combinations.add_extras(pairs // count, pairs % count)
        combination = strip.combination.copy()
        combination[touched] = (first + places).astype(np.int32)
        return Strip(strip.spans, strip.rank, combination, strip.device, strip.note)

    def _noted(self, strip: Strip, said: Stretches) -> Strip:
        if not len(said.spans) or not len(strip):
            return strip
        strip, which = _cut(strip, said)
        return Strip(strip.spans, strip.rank, strip.combination, strip.device, which.astype(np.int32))

    def _entries(self, numbers: list[int], device: int) -> Strip:
        said = self._latest(numbers)
        used, places = np.unique(said.row, return_inverse=True)
        combination = self._combinations.add_extras(np.full(len(used), NO_BASE), used) + places
        rows: list[int] = said.row.tolist()
        rank = np.array([self._annotations[number].start for number in rows], dtype=np.int64)
        return Strip(
            said.spans,
            rank + ENTRY_RANK,
            combination.astype(np.int32),
            np.full(len(said.row), device, dtype=np.int32),
            said.row.astype(np.int32),
        )


def _cut(strip: Strip, said: Stretches) -> tuple[Strip, Ids]:
    """A strip cut where annotations begin and end, and which one is said of each piece; MISSING where none is."""
    parts, which = tiled(said.spans)
    cut = overlaps(strip.spans, parts)
    assert OUTSIDE == -1  # the last entry
    return strip.take(cut.first, cut.spans), np.append(said.row, MISSING)[which[cut.second]]


def no_notes(size: int) -> Codes:
    """No annotation anywhere."""
    return np.full(size, MISSING, dtype=np.int32)
