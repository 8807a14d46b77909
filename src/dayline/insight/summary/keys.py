"""Active time by a field, the largest keys first. Only query processes import this."""

from collections import Counter
from collections.abc import Sequence
from heapq import nsmallest
from typing import Final

import numpy as np
from msgspec import Struct

from dayline.insight.active.bucket_values import ItemTexts
from dayline.insight.active.combinations import Key, Keys, texts_of
from dayline.insight.active.months import RangeMonth
from dayline.insight.active.pieces import Pieces
from dayline.insight.request import Field
from dayline.model.category import Path
from dayline.query.columns.dictionaries import joined_column
from dayline.query.columns.distinct import firsts, lookup, renumbered
from dayline.storage.columns.source import MISSING, Codes, Column, Items, Times

_BYTES_A_NAME: Final = 200
_WITHOUT_CATEGORY: Final[frozenset[Field]] = frozenset(("category", "device", "bucket"))


class KeyTimes(Struct, frozen=True, eq=False):
    """The time of every key within a month, also by category if keys of the field have one.

    As columns of indices into `names` and `paths`: there may be a hundred thousand titles, of which few are ever shown.
    Each pair of key and path occurs once.
    """

    names: Sequence[Key]
    paths: Sequence[Path]
    key: Codes
    path: Codes
    time: Times
    without: int  # time without a key

    @property
    def nbytes(self) -> int:
        names = 0 if isinstance(self.names, ItemTexts) else len(self.names)
        return self.key.nbytes + self.path.nbytes + self.time.nbytes + _BYTES_A_NAME * (names + len(self.paths))

    @property
    def shares(self) -> tuple[Items, ...]:
        """The items that it shares with others of its kind."""
        return (self.names.items,) if isinstance(self.names, ItemTexts) else ()


def key_times(month: RangeMonth, field: Field) -> KeyTimes:
    """The time of every key of a field within a month."""
    return month.get_or_make(("keys", field), KeyTimes, lambda which: _key_times(which.activity.pieces, field))


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
    """The keys of a field, and the time of each combination; for devices, the time of each piece per device."""
    if field != "device":
        return pieces.combinations.keys(field), _sums(pieces.combination, pieces.duration, len(pieces.combinations))
    apart = pieces.apart
    codes: Codes = np.concatenate([np.zeros(0, dtype=np.int32), *(each.device for each in apart)])
    durations = np.concatenate([np.zeros(0, dtype=np.int64), *(each.duration for each in apart)])
    return Keys(codes, pieces.devices), durations


def _categories(pieces: Pieces, field: Field) -> tuple[Codes, list[Path]]:
    """The category of each combination; empty if keys of the field have no category."""
    if field in _WITHOUT_CATEGORY:
        size = sum(map(len, pieces.apart)) if field == "device" else len(pieces.combinations)
        return np.zeros(size, dtype=np.int32), []
    categories = pieces.combinations.keys("category")
    return categories.codes, [path for path in categories.names if isinstance(path, tuple)]


def _sums(codes: Codes | Times, times: Times, size: int) -> Times:
    # As floats, which hold whole microseconds exactly for 285 years.
    return np.bincount(codes, weights=times, minlength=size).astype(np.int64)


def common_names(parts: Sequence[tuple[Sequence[Key], Codes]]) -> tuple[Sequence[Key], list[Codes]]:
    """The distinct names of all parts, and the codes of each part as indices into them."""
    texts = [Column(codes, names.items) for names, codes in parts if isinstance(names, ItemTexts)]
    if texts:
        # Cached with the items, because other months have the same ones again and again.
        joined = joined_column(texts)
        edges = np.cumsum([len(codes) for _, codes in parts])[:-1]
        return ItemTexts(joined.items), np.split(joined.codes, edges)
    numbers: dict[Key, int] = {}
    columns: list[Codes] = []
    for names, codes in parts:
        of_names = [numbers.setdefault(name, len(numbers)) for name in names]
        columns.append(lookup(np.array(of_names, dtype=np.int32), codes, MISSING))
    return list(numbers), columns


class KeyTime(Struct, frozen=True):
    """The time of one key in microseconds, and the category that most of it belongs to."""

    key: Key
    time: int
    category: Path | None = None


class TopKeys(Struct, frozen=True):
    """The largest keys of a field, the number of other keys, and the time without a key."""

    rows: list[KeyTime]
    more: int
    without: int


class KeyTotals:
    """The time of every key of a field in several months."""

    def __init__(self, parts: Sequence[KeyTimes]) -> None:
        self._parts = parts
        self._names, self._codes = common_names([(part.names, part.key) for part in parts])
        self._totals: Times = np.zeros(len(self._names), dtype=np.int64)
        for codes, part in zip(self._codes, parts, strict=True):
            # As floats, which hold whole microseconds exactly for 285 years.
            sums = np.bincount(codes, weights=part.time).astype(np.int64)
            self._totals[: len(sums)] += sums

    def top(self, limit: int) -> TopKeys:
        """The keys with the most time; equal ones by name."""
        used = np.flatnonzero(self._totals).astype(np.int32)
        largest = self._largest(used, limit)
        categories = self._categories([code for _, _, code in largest])
        rows = [
            KeyTime(key, -negative, _foremost(category))
            for (negative, key, _), category in zip(largest, categories, strict=True)
        ]
        return TopKeys(rows, len(used) - len(rows), sum(part.without for part in self._parts))

    def times_of(self, keys: Sequence[Key]) -> list[int]:
        """The time of some keys."""
        wanted = set(keys)
        used = np.flatnonzero(self._totals).astype(np.int32)
        sums: list[int] = self._totals[used].tolist()
        times = {key: time for key, time in zip(texts_of(self._names, used), sums, strict=True) if key in wanted}
        return [times.get(key, 0) for key in keys]

    def all_times(self) -> dict[Key, int]:
        """The time of every key that has some."""
        used = np.flatnonzero(self._totals).astype(np.int32)
        sums: list[int] = self._totals[used].tolist()
        return dict(zip(texts_of(self._names, used), sums, strict=True))

    def _largest(self, used: Codes, limit: int) -> list[tuple[int, Key, int]]:
        """The negative time, the key and the code of the largest keys. Decodes only their names."""
        times = self._totals[used]
        if limit < len(used):
            least = np.partition(times, len(used) - limit)[len(used) - limit]
            used, times = used[times >= least], times[times >= least]
        negatives: list[int] = (-times).tolist()
        codes: list[int] = used.tolist()
        return nsmallest(limit, zip(negatives, texts_of(self._names, used), codes, strict=True))

    def _categories(self, chosen: Sequence[int]) -> list[Counter[Path]]:
        """The time in each category, for each of some keys."""
        places = np.full(len(self._names), -1, dtype=np.int64)
        places[np.array(chosen, dtype=np.int64)] = np.arange(len(chosen))
        categories: list[Counter[Path]] = [Counter() for _ in chosen]
        for codes, part in zip(self._codes, self._parts, strict=True):
            if not part.paths:
                continue
            positions = places[codes]
            which = np.flatnonzero(positions >= 0)
            rows: list[list[int]] = np.stack([positions[which], part.path[which], part.time[which]], axis=1).tolist()
            for key, path, time in rows:
                categories[key][part.paths[path]] += time
        return categories


def _foremost(times: Counter[Path]) -> Path | None:
    """The category with the most time; of equal ones, the first by name."""
    return min(times, key=lambda path: (-times[path], path)) if times else None
