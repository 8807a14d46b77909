"""The time of every key of a field within a chunk. Only query processes import this."""

from collections.abc import Sequence
from typing import Final

import numpy as np
from msgspec import Struct

from dayline.insight.active.combinations import Key, Keys
from dayline.insight.active.pieces import Pieces
from dayline.insight.chunks import Chunk
from dayline.insight.common_request import Field
from dayline.insight.item_texts import ItemTexts
from dayline.model.categories import Path
from dayline.query.distinct import firsts, renumbered
from dayline.storage.columns.source import MISSING, Codes, Items, Times

_BYTES_A_NAME: Final = 200
_WITHOUT_CATEGORY: Final[frozenset[Field]] = frozenset(("category", "device", "bucket"))


class KeyTimes(Struct, frozen=True, eq=False):
    """The time of every key within a chunk, by the category too, where keys of the field have any.

    As columns that number `names` and `paths`: there may be a hundred thousand titles, of which few are ever shown.
    Each pair of key and path is there once.
    """

    names: Sequence[Key]
    paths: Sequence[Path]
    key: Codes
    path: Codes
    time: Times
    without: int  # the time that has no key

    @property
    def nbytes(self) -> int:
        names = 0 if isinstance(self.names, ItemTexts) else len(self.names)
        return self.key.nbytes + self.path.nbytes + self.time.nbytes + _BYTES_A_NAME * (names + len(self.paths))

    @property
    def shares(self) -> tuple[Items, ...]:
        """What it holds together with others of its kind."""
        return (self.names.items,) if isinstance(self.names, ItemTexts) else ()


def key_times(chunk: Chunk, field: Field) -> KeyTimes:
    """The time of every key of a field within a chunk."""
    return chunk.kept(("keys", field), KeyTimes, lambda which: _key_times(which.found.pieces, field))


def _key_times(pieces: Pieces, field: Field) -> KeyTimes:
    keys, durations = _of_field(pieces, field)
    path, paths = _categories(pieces, field)
    is_there = durations > 0
    which = np.flatnonzero(is_there & (keys.codes != MISSING))
    key, path, time = keys.codes[which], path[which], durations[which]
    size = max(1, len(paths))
    numbers, count = renumbered(key.astype(np.int64) * size + path, len(keys.names) * size)
    first = firsts(numbers, count)
    return KeyTimes(
        keys.names,
        paths,
        key[first].astype(np.int32),
        path[first].astype(np.int32),
        _sums(numbers, time, count),
        int(durations[keys.codes == MISSING].sum()),
    )


def _of_field(pieces: Pieces, field: Field) -> tuple[Keys, Times]:
    """The keys of a field, and the time of each combination; of devices that of each piece of each by itself."""
    if field != "device":
        return pieces.combinations.keys(field), _sums(pieces.combination, pieces.duration, len(pieces.combinations))
    apart = pieces.apart
    codes: Codes = np.concatenate([np.zeros(0, dtype=np.int32), *(each.device for each in apart)])
    durations = np.concatenate([np.zeros(0, dtype=np.int64), *(each.duration for each in apart)])
    return Keys(codes, pieces.devices), durations


def _categories(pieces: Pieces, field: Field) -> tuple[Codes, list[Path]]:
    """For each combination the number of its category; none where the keys of a field have none."""
    if field in _WITHOUT_CATEGORY:
        size = sum(map(len, pieces.apart)) if field == "device" else len(pieces.combinations)
        return np.zeros(size, dtype=np.int32), []
    found = pieces.combinations.keys("category")
    return found.codes, [path for path in found.names if isinstance(path, tuple)]


def _sums(codes: Codes | Times, times: Times, size: int) -> Times:
    # As floats, which hold whole microseconds exactly for 285 years.
    return np.bincount(codes, weights=times, minlength=size).astype(np.int64)
