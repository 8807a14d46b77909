"""Active time by some field: the largest keys first. Only query processes import this."""

import numpy as np
from msgspec import Struct

from dayline.insight.active.combinations import Key, Keys
from dayline.insight.active.pieces import Pieces
from dayline.insight.common_request import Field
from dayline.model.categories import Path
from dayline.storage.columns import Codes, Times


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


class Grouping:
    """The time of some pieces, combination by combination; each list is made from that."""

    def __init__(self, pieces: Pieces) -> None:
        self._pieces = pieces
        self._time = _sums(pieces.combination, pieces.duration, len(pieces.combinations))

    def listed(self, field: Field, limit: int) -> Listed:
        """The keys with the most time; of equal ones by name. Those without any are left out."""
        keys, times = self._of_field(field)
        sums = _sums(keys.codes + 1, times, len(keys.names) + 1)  # MISSING is -1
        codes = np.flatnonzero(sums[1:] > 0)
        shown = _largest(codes, sums[1:], limit)
        named = sorted(
            ((int(sums[code + 1]), keys.names[code], code) for code in shown), key=lambda each: (-each[0], each[1])
        )[:limit]
        categories = self._categories(keys, times, [code for _, _, code in named]) if _has_category(field) else {}
        rows = [KeyTime(key, time, categories.get(code)) for time, key, code in named]
        return Listed(rows, len(codes) - len(rows), int(sums[0]))

    def times(self, field: Field) -> dict[Key, int]:
        """The time of every key that has any."""
        keys, times = self._of_field(field)
        sums = _sums(keys.codes + 1, times, len(keys.names) + 1)[1:]
        return {keys.names[code]: int(sums[code]) for code in np.flatnonzero(sums).tolist()}

    def of_keys(self, field: Field, wanted: list[Key]) -> dict[Key, int]:
        """The time of some keys."""
        known = self.times(field)
        return {key: known.get(key, 0) for key in wanted}

    def _of_field(self, field: Field) -> tuple[Keys, Times]:
        if field != "device":
            return self._pieces.combinations.keys(field), self._time
        # Each device by itself: an hour on two of them is an hour of both.
        apart = self._pieces.apart
        codes: Codes = np.concatenate([np.zeros(0, dtype=np.int32), *(each.device for each in apart)])
        return Keys(codes, self._pieces.devices), np.concatenate(
            [np.zeros(0, dtype=np.int64), *(each.duration for each in apart)]
        )

    def _categories(self, keys: Keys, times: Times, shown: list[int]) -> dict[int, Path]:
        """For each of some keys the category that most of its time belongs to."""
        categories = self._pieces.combinations.keys("category")
        place = np.full(len(keys.names) + 1, -1, dtype=np.int64)
        place[shown] = np.arange(len(shown))
        which = np.flatnonzero(place[keys.codes] >= 0)
        count = len(categories.names)
        table = _sums(place[keys.codes[which]] * count + categories.codes[which], times[which], len(shown) * count)
        best: list[int] = table.reshape(len(shown), count).argmax(axis=1).tolist() if shown else []
        names = [categories.names[number] for number in best]
        return {code: name for code, name in zip(shown, names, strict=True) if isinstance(name, tuple)}


def _has_category(field: Field) -> bool:
    return field not in ("category", "device", "bucket")


def _sums(codes: Codes | Times, times: Times, size: int) -> Times:
    # As floats, which hold whole microseconds exactly for 285 years.
    return np.bincount(codes, weights=times, minlength=size).astype(np.int64)


def _largest(codes: Times, sums: Times, limit: int) -> list[int]:
    """The codes with the largest sums, and all that are equal to the last of them."""
    if len(codes) > limit:
        least = np.partition(sums[codes], len(codes) - limit)[len(codes) - limit]
        codes = codes[sums[codes] >= least]
    listed: list[int] = codes.tolist()
    return listed
