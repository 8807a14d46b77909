"""Active time by some field: the largest keys first. Only query processes import this."""

from collections import Counter
from collections.abc import Sequence
from heapq import nsmallest
from typing import Final

import numpy as np
from msgspec import Struct

from dayline.insight.active.combinations import Key, Keys
from dayline.insight.active.pieces import Pieces
from dayline.insight.chunks import Chunk
from dayline.insight.common_request import Field
from dayline.model.categories import Path
from dayline.storage.columns import MISSING, Codes, Times

_BYTES_BESIDE_KEY: Final = 200


class KeyTime(Struct, frozen=True):
    """The time of one key, in microseconds, and the category that most of it belongs to."""

    key: Key
    time: int
    category: Path | None = None


class Listed(Struct, frozen=True):
    """The largest keys of a field, how many there are besides, and the time that has no key."""

    rows: list[KeyTime]
    more: int
    without: int


class KeyTimes(Struct, frozen=True, eq=False):
    """The time of every key within a chunk, by the category too where a key has several."""

    times: dict[Key, int]
    ordered: list[Key]  # those with the most time first
    category: dict[Key, Path]  # of keys that have one only
    several: dict[Key, dict[Path, int]]
    without: int
    nbytes: int


def key_times(chunk: Chunk, field: Field) -> KeyTimes:
    """The time of every key of a field within a chunk."""
    return chunk.kept(("keys", field), KeyTimes, lambda which: _key_times(which.found.pieces, field))


def listed(parts: Sequence[KeyTimes], limit: int) -> Listed:
    """The keys with the most time; of equal ones by name."""
    rows = [KeyTime(key, time, _category_of(parts, key)) for key, time in _largest(parts, limit)]
    count = len(parts[0].times) if len(parts) == 1 else len(set[Key]().union(*(part.times for part in parts)))
    return Listed(rows, count - len(rows), sum(part.without for part in parts))


def time_of(parts: Sequence[KeyTimes], key: Key) -> int:
    """The time of a key in all chunks."""
    return sum(part.times.get(key, 0) for part in parts)


def _largest(parts: Sequence[KeyTimes], limit: int) -> list[tuple[Key, int]]:
    """The keys with the most time in all chunks together, found among those with the most time in each.

    Of a key that is not looked at, each chunk has at most as much as of the last that is; there may be a hundred
    thousand titles, and adding up all of them would take longer than all else.
    """
    depth = limit
    while True:
        looked_at = dict.fromkeys(key for part in parts for key in part.ordered[:depth])
        found = nsmallest(limit, ((-time_of(parts, key), key) for key in looked_at))
        most_of_others = sum(part.times[part.ordered[depth]] for part in parts if len(part.ordered) > depth)
        if not most_of_others or (len(found) == limit and -found[-1][0] > most_of_others):
            return [(key, -negative) for negative, key in found]
        depth *= 4


def _category_of(parts: Sequence[KeyTimes], key: Key) -> Path | None:
    """The category that most of the time of a key belongs to; of equal ones by name."""
    times: Counter[Path] = Counter()
    for part in parts:
        if key in part.category:
            times[part.category[key]] += part.times[key]
        times.update(part.several.get(key, {}))
    return min(times, key=lambda path: (-times[path], path)) if times else None


def _key_times(pieces: Pieces, field: Field) -> KeyTimes:
    keys, codes, durations = _of_field(pieces, field)
    sums = _sums(codes + 1, durations, len(keys.names) + 1)  # MISSING is -1
    used: list[int] = np.flatnonzero(sums[1:]).tolist()
    names = {code: keys.names[code] for code in used}
    times = {names[code]: time for code, time in zip(used, sums[1:][used].tolist(), strict=True)}
    category: dict[Key, Path] = {}
    several: dict[Key, dict[Path, int]] = {}
    if field not in ("category", "device", "bucket"):
        category, several = _categories(pieces, codes, durations, names)
    size = sum(len(str(name)) + _BYTES_BESIDE_KEY for name in times)
    ordered = sorted(times, key=lambda key: (-times[key], key))
    return KeyTimes(times, ordered, category, several, int(sums[0]), size)


def _of_field(pieces: Pieces, field: Field) -> tuple[Keys, Codes, Times]:
    """The keys of a field, and the time of each combination; of devices that of each piece of each by itself."""
    if field != "device":
        keys = pieces.combinations.keys(field)
        return keys, keys.codes, _sums(pieces.combination, pieces.duration, len(pieces.combinations))
    apart = pieces.apart
    codes: Codes = np.concatenate([np.zeros(0, dtype=np.int32), *(each.device for each in apart)])
    durations = np.concatenate([np.zeros(0, dtype=np.int64), *(each.duration for each in apart)])
    return Keys(codes, pieces.devices), codes, durations


def _categories(
    pieces: Pieces, codes: Codes, durations: Times, names: dict[int, Key]
) -> tuple[dict[Key, Path], dict[Key, dict[Path, int]]]:
    """The category of each key, or of a key that has several the time of each."""
    found = pieces.combinations.keys("category")
    which = np.flatnonzero((codes != MISSING) & (durations > 0))
    if not len(which):
        return {}, {}
    count = len(found.names)
    pairs, place = np.unique(codes[which].astype(np.int64) * count + found.codes[which], return_inverse=True)
    times: list[int] = _sums(place, durations[which], len(pairs)).tolist()
    key_of, path_of = np.divmod(pairs, count)
    is_alone = np.append(True, key_of[1:] != key_of[:-1]) & np.append(key_of[1:] != key_of[:-1], True)
    category: dict[Key, Path] = {}
    several: dict[Key, dict[Path, int]] = {}
    rows: list[tuple[int, int]] = np.stack([key_of, path_of], axis=1).tolist()
    for (code, number), time, alone in zip(rows, times, is_alone.tolist(), strict=True):
        path = found.names[number]
        assert isinstance(path, tuple)
        if alone:
            category[names[code]] = path
        else:
            several.setdefault(names[code], {})[path] = time
    return category, several


def _sums(codes: Codes | Times, times: Times, size: int) -> Times:
    # As floats, which hold whole microseconds exactly for 285 years.
    return np.bincount(codes, weights=times, minlength=size).astype(np.int64)
