"""Active time by some field: the largest keys first. Only query processes import this."""

from collections import Counter
from collections.abc import Sequence
from heapq import nsmallest

import numpy as np
from msgspec import Struct

from dayline.insight.active.combinations import Key, texts_of
from dayline.insight.common_names import common_names
from dayline.insight.key_times import KeyTimes
from dayline.model.categories import Path
from dayline.storage.columns.source import Codes, Times


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


class KeyTotals:
    """The time of every key of a field in several chunks together."""

    def __init__(self, parts: Sequence[KeyTimes]) -> None:
        self._parts = parts
        self._names, self._codes = common_names([(part.names, part.key) for part in parts])
        self._totals: Times = np.zeros(len(self._names), dtype=np.int64)
        for codes, part in zip(self._codes, parts, strict=True):
            # As floats, which hold whole microseconds exactly for 285 years.
            sums = np.bincount(codes, weights=part.time).astype(np.int64)
            self._totals[: len(sums)] += sums

    def listed(self, limit: int) -> Listed:
        """The keys with the most time; of equal ones by name."""
        used = np.flatnonzero(self._totals).astype(np.int32)
        largest = self._largest(used, limit)
        categories = self._categories([code for _, _, code in largest])
        rows = [
            KeyTime(key, -negative, _foremost(category))
            for (negative, key, _), category in zip(largest, categories, strict=True)
        ]
        return Listed(rows, len(used) - len(rows), sum(part.without for part in self._parts))

    def times_of(self, keys: Sequence[Key]) -> list[int]:
        """The time of some keys."""
        wanted = set(keys)
        used = np.flatnonzero(self._totals).astype(np.int32)
        sums: list[int] = self._totals[used].tolist()
        found = {key: time for key, time in zip(texts_of(self._names, used), sums, strict=True) if key in wanted}
        return [found.get(key, 0) for key in keys]

    def _largest(self, used: Codes, limit: int) -> list[tuple[int, Key, int]]:
        """The negative time, the key and the code of the largest keys. Only their names are looked at."""
        times = self._totals[used]
        if limit < len(used):
            least = np.partition(times, len(used) - limit)[len(used) - limit]
            used, times = used[times >= least], times[times >= least]
        negatives: list[int] = (-times).tolist()
        codes: list[int] = used.tolist()
        return nsmallest(limit, zip(negatives, texts_of(self._names, used), codes, strict=True))

    def _categories(self, chosen: Sequence[int]) -> list[Counter[Path]]:
        """For each of some keys its time in each category."""
        places = np.full(len(self._names), -1, dtype=np.int64)
        places[np.array(chosen, dtype=np.int64)] = np.arange(len(chosen))
        found: list[Counter[Path]] = [Counter() for _ in chosen]
        for codes, part in zip(self._codes, self._parts, strict=True):
            if not part.paths:
                continue
            place = places[codes]
            which = np.flatnonzero(place >= 0)
            rows: list[list[int]] = np.stack([place[which], part.path[which], part.time[which]], axis=1).tolist()
            for key, path, time in rows:
                found[key][part.paths[path]] += time
        return found


def _foremost(times: Counter[Path]) -> Path | None:
    """The category with the most time; of equal ones by name."""
    return min(times, key=lambda path: (-times[path], path)) if times else None
