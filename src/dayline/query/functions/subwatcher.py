"""Copies fields from the events of one watcher into those of another, for the time that both cover."""

from collections.abc import Sequence

import msgspec
import numpy as np
from msgspec import Struct

from dayline.model.data import EMPTY, CanonicalJson, canonical_json
from dayline.query.columns.distinct import numbered_within
from dayline.query.columns.table import Table
from dayline.query.errors import QueryFunctionError
from dayline.query.functions.covering import Covered, covered_by
from dayline.storage.columns.dictionaries import TextDictionary
from dayline.storage.columns.source import Codes, Ids, Times

BASE_WINS, SUB_WINS = "base_wins", "sub_wins"
_NO_SUB = -1  # for pieces that no event of the sub-watcher covers

_decode = msgspec.json.Decoder().decode


class _Pieces(Struct, frozen=True, eq=False):
    """Pieces of base events: which one, start, end, and the sub event that covers it."""

    event: Ids
    start: Times
    end: Times
    sub: Ids


def merge_subwatcher_fields(base: Table, sub: Table, keys: Sequence[str], conflict: str = BASE_WINS) -> Table:
    """The base events in order, cut where sub events start and end, with the keys of the sub event there.

       base     [a              ]
       sub           [x][y  ]
       result   [a  ][ax][ay][a ]

    If several sub events overlap, the one that starts latest counts, then the one that ends latest, then the last in
    the list. Equal pieces of one event are joined. They keep its id; an event of length 0 is unchanged.
    """
    if conflict not in (BASE_WINS, SUB_WINS):
        raise QueryFunctionError(f"unknown conflict mode {conflict!r}", hint=f'use "{BASE_WINS}" or "{SUB_WINS}"')
    if not keys or not len(sub) or not len(base):
        return base
    pieces = _cut(base, covered_by(sub))
    value, data = _merged_data(base, sub, pieces, keys, conflict)
    kind = data.classes()[value]
    begins = np.append(True, (pieces.event[1:] != pieces.event[:-1]) | (kind[1:] != kind[:-1]))
    first = np.flatnonzero(begins)
    last = np.append(first[1:], len(begins)) - 1
    return Table(pieces.start[first], pieces.end[last], base.id[pieces.event[first]], value[first], data)


def _cut(base: Table, covered: Covered) -> _Pieces:
    """For each event in turn the uncovered and covered spans."""
    low = np.searchsorted(covered.end, base.start, side="right")
    high = np.searchsorted(covered.start, base.end, side="left")
    stretches = np.where(base.end > base.start, np.maximum(high - low, 0), 0)
    count = 2 * stretches + 1
    event = np.repeat(np.arange(len(base)), count)
    number = numbered_within(count)
    stretch = low[event] + number // 2
    is_covered = number % 2 == 1

    # One more of each, for the uncovered time after the last span.
    starts, ends, rows = np.append(covered.start, 0), np.append(covered.end, 0), np.append(covered.row, _NO_SUB)
    free_from = np.where(number == 0, base.start[event], ends[stretch - 1])
    free_to = np.where(number == count[event] - 1, base.end[event], starts[stretch])
    start = np.where(is_covered, np.maximum(starts[stretch], base.start[event]), free_from)
    end = np.where(is_covered, np.minimum(ends[stretch], base.end[event]), free_to)
    keep = (end > start) | (count[event] == 1)
    sub = np.where(is_covered, rows[stretch], _NO_SUB)
    return _Pieces(event[keep], start[keep], end[keep], sub[keep])


def _merged_data(
    base: Table, sub: Table, pieces: _Pieces, keys: Sequence[str], conflict: str
) -> tuple[Codes, TextDictionary]:
    """The data of each piece. Each pair of a base and a sub value is merged once."""
    sub_value = np.where(pieces.sub == _NO_SUB, np.int32(_NO_SUB), sub.value[pieces.sub])
    size = len(sub.data) + 1
    pairs, pair = np.unique(base.value[pieces.event].astype(np.int64) * size + sub_value + 1, return_inverse=True)
    base_texts = base.data.texts((pairs // size).astype(np.int32))
    sub_values = (pairs % size - 1).astype(np.int32)
    has_sub = sub_values != _NO_SUB
    sub_texts = iter(sub.data.texts(sub_values[has_sub]))
    numbers: dict[CanonicalJson, int] = {}
    codes = [
        numbers.setdefault(_merged(text, next(sub_texts) if is_covered else EMPTY, keys, conflict), len(numbers))
        for text, is_covered in zip(base_texts, has_sub.tolist(), strict=True)
    ]
    return np.array(codes, dtype=np.int32)[pair], TextDictionary(list(numbers))


def _merged(base: CanonicalJson, sub: CanonicalJson, keys: Sequence[str], conflict: str) -> CanonicalJson:
    data, more = _decode(base), _decode(sub)
    for key in keys:
        if key in more and (conflict == SUB_WINS or key not in data):
            data[key] = more[key]
    return canonical_json(data)
