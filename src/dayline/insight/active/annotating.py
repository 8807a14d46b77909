"""Applies annotations to recorded time.

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
from dayline.insight.active.intervals import Spans, Stretches, gaps_of, overlaps, tile, union
from dayline.insight.active.layers import latest_of
from dayline.model.edits.annotation import Annotation
from dayline.model.time import Microseconds
from dayline.query.columns.distinct import lookup, stable_order
from dayline.storage.columns.source import MISSING, Codes, Flags, Ids, Times


class Strip(Struct, frozen=True, eq=False):
    """Active time, ascending and disjoint. `rank` decides which device counts if several are active at once."""

    spans: Spans
    rank: Times
    combination: Codes
    device: Codes
    note: Codes

    def __len__(self) -> int:
        return len(self.spans)

    def take(self, which: Ids | Flags, spans: Spans) -> "Strip":
        """Parts of the selected ones."""
        return Strip(spans, self.rank[which], self.combination[which], self.device[which], self.note[which])

    def without(self, spans: Spans) -> "Strip":
        """The time outside these spans."""
        if not len(spans):
            return self
        left = overlaps(self.spans, gaps_of(spans))
        return self.take(left.first, left.spans)


def united_strips(strips: list[Strip]) -> Strip:
    """Combine devices: if several are active at once, the highest rank counts, and of equal ranks the first.

    laptop   [a       ]    [c    ]
    phone        [b ]    [d   ]
    result   [a ][b ][a]  [d][c  ]
    """
    # In pairs: one by one, the result so far would be copied once per device.
    while len(strips) > 1:
        pairs = zip_longest(strips[::2], strips[1::2])
        strips = [first if second is None else unite_two(first, second) for first, second in pairs]
    return strips[0]


def concatenate(strips: list[Strip]) -> Strip:
    """Concatenate strips."""
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


def merge_disjoint(strips: list[Strip]) -> Strip:
    """Combine strips that have no time in common."""
    together = concatenate(strips)
    order = stable_order(together.spans.start)
    return together.take(order, together.spans.take(order))


def unite_two(first: Strip, second: Strip) -> Strip:
    """The time of both; where they overlap, the one that began last counts."""
    if not len(first) or not len(second):
        return first if len(first) else second
    shared = overlaps(first.spans, second.spans)
    is_first = first.rank[shared.first] >= second.rank[shared.second]
    return merge_disjoint([first.without(shared.spans.take(~is_first)), second.without(shared.spans.take(is_first))])


ENTRY_RANK: Final = 1 << 61  # entries override recorded time on all devices


class Annotator:
    """The annotations that overlap a range, and how they change the time of each device."""

    def __init__(
        self, annotations: Sequence[Annotation], combinations: Combinations, start: Microseconds, end: Microseconds
    ) -> None:
        self._annotations = annotations
        self._combinations = combinations
        self._start = np.maximum(np.array([each.start for each in annotations], dtype=np.int64), start)
        self._end = np.minimum(np.array([each.end for each in annotations], dtype=np.int64), end)
        self._touching: list[int] = np.flatnonzero(self._start < self._end).tolist()

    def annotate(self, strip: Strip, device: str, code: int) -> Strip:
        """The time of a device with its annotations applied."""
        if not self._touching:
            return strip
        strip = strip.without(self._union(self._of(device, "exclude")))
        strip = self._set_categories(strip, self._latest(self._of(device, "category")))
        strip = self._set_notes(strip, self._latest(self._with_labels(device)))
        entries = self._entries([number for number in self._of(device, "entry") if self._is_of(number, device)], code)
        return merge_disjoint([strip.without(entries.spans), entries]) if len(entries) else strip

    def elsewhere(self) -> Strip:
        """The entries without a device."""
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

    def _union(self, numbers: list[int]) -> Spans:
        numbers = sorted(numbers, key=lambda number: self._annotations[number].start)
        return union([Spans(self._start[numbers], self._end[numbers])])

    def _latest(self, numbers: list[int]) -> Stretches:
        """If annotations overlap, the one that starts last counts; of those, the newest."""
        numbers = sorted(numbers, key=lambda number: self._annotations[number].id, reverse=True)
        which = np.array(numbers, dtype=np.int64)
        began = np.array([self._annotations[number].start for number in numbers], dtype=np.int64)
        found = latest_of(self._start[which], self._end[which], began)
        return Stretches(found.spans, which[found.row])

    def _set_categories(self, strip: Strip, said: Stretches) -> Strip:
        if not len(said.spans) or not len(strip):
            return strip
        strip, which = _cut(strip, said)
        touched = np.flatnonzero(which != MISSING)
        # One number for each pair: numpy compares pairs as bytes, which is many times slower.
        count = len(self._annotations)
        pairs, places = np.unique(
            strip.combination[touched].astype(np.int64) * count + which[touched], return_inverse=True
        )
        first = self._combinations.add_extras(pairs // count, pairs % count)
        combination = strip.combination.copy()
        combination[touched] = (first + places).astype(np.int32)
        return Strip(strip.spans, strip.rank, combination, strip.device, strip.note)

    def _set_notes(self, strip: Strip, said: Stretches) -> Strip:
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
    """Cut a strip at the edges of annotations. Also returns the annotation of each part, MISSING if there is none."""
    parts, which = tile(said.spans)
    cut = overlaps(strip.spans, parts)
    return strip.take(cut.first, cut.spans), lookup(said.row, which[cut.second], MISSING)


def no_notes(size: int) -> Codes:
    """No annotation for any of them."""
    return np.full(size, MISSING, dtype=np.int32)
