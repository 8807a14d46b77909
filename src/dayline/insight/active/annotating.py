"""What people say about their time, laid over what was recorded.

recorded     [a        ][b       ][c    ]
exclude         [ ]
category             [Work ]
entry                           [drive    ]
result       [a][  ][a][a][b]  [b][drive    ]
                      Work
"""

from collections.abc import Sequence
from typing import Final

import numpy as np

from dayline.insight.active.combinations import NO_BASE, Combinations
from dayline.insight.active.flooding import Stretches
from dayline.insight.active.intervals import OUTSIDE, Spans, overlaps, tiled, united
from dayline.insight.active.layers import latest_of
from dayline.insight.active.strips import Strip, merged
from dayline.model.annotations import Annotation
from dayline.model.timestamps import Microseconds
from dayline.storage.columns.source import MISSING, Codes, Ids

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
