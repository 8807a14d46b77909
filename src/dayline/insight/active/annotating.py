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
from dayline.insight.active.intervals import Spans, gaps_of, overlaps, tile, union
from dayline.insight.active.layers import latest_of
from dayline.model.edits.annotation import Annotation
from dayline.model.time import Microseconds
from dayline.query.columns.distinct import lookup, stable_order
from dayline.storage.columns.source import MISSING, Codes, Flags, Ids, Times


class RankedPieces(Struct, frozen=True, eq=False):
    """Active time, ascending and disjoint. `rank` decides which device counts if several are active at once."""

    spans: Spans
    rank: Times
    combination: Codes
    device: Codes
    note: Codes

    def __len__(self) -> int:
        return len(self.spans)

    def take(self, which: Ids | Flags, spans: Spans) -> "RankedPieces":
        """Parts of the selected ones."""
        return RankedPieces(spans, self.rank[which], self.combination[which], self.device[which], self.note[which])

    def without(self, spans: Spans) -> "RankedPieces":
        """The time outside these spans."""
        if not len(spans):
            return self
        left = overlaps(self.spans, gaps_of(spans))
        return self.take(left.first, left.spans)


def unite(lists: list[RankedPieces]) -> RankedPieces:
    """Combine devices: if several are active at once, the highest rank counts, and of equal ranks the first.

    laptop   [a       ]    [c    ]
    phone        [b ]    [d   ]
    result   [a ][b ][a]  [d][c  ]
    """
    # In pairs: one by one, the result so far would be copied once per device.
    while len(lists) > 1:
        pairs = zip_longest(lists[::2], lists[1::2])
        lists = [first if second is None else unite_two(first, second) for first, second in pairs]
    return lists[0]


def concatenate(lists: list[RankedPieces]) -> RankedPieces:
    """The pieces of all lists, one list after the other."""
    if len(lists) == 1:
        return lists[0]
    return RankedPieces(
        Spans(
            np.concatenate([pieces.spans.start for pieces in lists]),
            np.concatenate([pieces.spans.end for pieces in lists]),
        ),
        np.concatenate([pieces.rank for pieces in lists]),
        np.concatenate([pieces.combination for pieces in lists]),
        np.concatenate([pieces.device for pieces in lists]),
        np.concatenate([pieces.note for pieces in lists]),
    )


def merge_disjoint(lists: list[RankedPieces]) -> RankedPieces:
    """Combine pieces that have no time in common."""
    together = concatenate(lists)
    order = stable_order(together.spans.start)
    return together.take(order, together.spans.take(order))


def unite_two(first: RankedPieces, second: RankedPieces) -> RankedPieces:
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

    def annotate(self, pieces: RankedPieces, device: str, code: int) -> RankedPieces:
        """The time of a device with its annotations applied."""
        if not self._touching:
            return pieces
        pieces = pieces.without(self._union(self._of(device, "exclude")))
        pieces = self._set_categories(pieces, self._of(device, "category"))
        pieces = self._set_notes(pieces, self._with_labels(device))
        entries = self._entries([number for number in self._of(device, "entry") if self._is_of(number, device)], code)
        return merge_disjoint([pieces.without(entries.spans), entries]) if len(entries) else pieces

    def elsewhere(self) -> RankedPieces:
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

    def _latest(self, numbers: list[int]) -> tuple[Spans, Ids]:
        """When annotations count, and which. If they overlap, the one that starts last counts; of those, the newest."""
        numbers = sorted(numbers, key=lambda number: self._annotations[number].id, reverse=True)
        which = np.array(numbers, dtype=np.int64)
        began = np.array([self._annotations[number].start for number in numbers], dtype=np.int64)
        spans, rows = latest_of(self._start[which], self._end[which], began)
        return spans, which[rows]

    def _set_categories(self, pieces: RankedPieces, numbers: list[int]) -> RankedPieces:
        spans, numbers_of = self._latest(numbers)
        if not len(spans) or not len(pieces):
            return pieces
        pieces, which = _cut(pieces, spans, numbers_of)
        touched = np.flatnonzero(which != MISSING)
        # One number for each pair: numpy compares pairs as bytes, which is many times slower.
        count = len(self._annotations)
        pairs, position = np.unique(
            pieces.combination[touched].astype(np.int64) * count + which[touched], return_inverse=True
        )
        first = self._combinations.add_extras(pairs // count, pairs % count)
        combination = pieces.combination.copy()
        combination[touched] = (first + position).astype(np.int32)
        return RankedPieces(pieces.spans, pieces.rank, combination, pieces.device, pieces.note)

    def _set_notes(self, pieces: RankedPieces, numbers: list[int]) -> RankedPieces:
        spans, numbers_of = self._latest(numbers)
        if not len(spans) or not len(pieces):
            return pieces
        pieces, which = _cut(pieces, spans, numbers_of)
        return RankedPieces(pieces.spans, pieces.rank, pieces.combination, pieces.device, which.astype(np.int32))

    def _entries(self, numbers: list[int], device: int) -> RankedPieces:
        spans, which = self._latest(numbers)
        used, position = np.unique(which, return_inverse=True)
        combination = self._combinations.add_extras(np.full(len(used), NO_BASE), used) + position
        listed: list[int] = which.tolist()
        rank = np.array([self._annotations[number].start for number in listed], dtype=np.int64)
        return RankedPieces(
            spans,
            rank + ENTRY_RANK,
            combination.astype(np.int32),
            np.full(len(which), device, dtype=np.int32),
            which.astype(np.int32),
        )


def _cut(pieces: RankedPieces, spans: Spans, numbers: Ids) -> tuple[RankedPieces, Ids]:
    """Cut pieces at the edges of annotations. Also returns the annotation of each piece, MISSING if there is none."""
    tiles, which = tile(spans)
    cut = overlaps(pieces.spans, tiles)
    return pieces.take(cut.first, cut.spans), lookup(numbers, which[cut.second], MISSING)


def no_notes(size: int) -> Codes:
    """No annotation for any of them."""
    return np.full(size, MISSING, dtype=np.int32)
