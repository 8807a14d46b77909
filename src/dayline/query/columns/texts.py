"""Numbers and times of columns as texts, many at once."""

from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt

from dayline.storage.columns.source import Times

Characters = npt.NDArray[np.uint8]  # one text per row, padded with zero bytes, which are removed at the end

_SECONDS_A_DAY: Final = 86_400
SECOND: Final = 1_000_000
_WHOLE: Final = len("2026-02-03T08:15:31")
_MILLISECONDS: Final = len("2026-02-03T08:15:31.250")
_MICROSECONDS: Final = len("2026-02-03T08:15:31.250125")


def integer_texts(numbers: Times) -> list[bytes]:
    """The numbers in decimal."""
    # Formatting the whole list at once is a quarter of the work.
    return repr(numbers.tolist())[1:-1].encode().split(b", ") if len(numbers) else []


def fraction_texts(millionths: Times) -> list[bytes]:
    """`.5` for half a million: a dot and as many digits as are needed, at least one."""
    characters = np.empty((len(millionths), 7), dtype=np.uint8)
    characters[:, 0] = ord(".")
    characters[:, 1:] = _six_digits(millionths)
    is_trailing = np.logical_and.accumulate(characters[:, :1:-1] == ord("0"), axis=1)
    characters[:, :1:-1][is_trailing] = 0
    return _texts(characters)


def timestamp_texts(moments: Times, *, before: bytes, after: bytes) -> list[bytes]:
    """Times in UTC with `Z` and the shortest exact fraction of 0, 3 or 6 digits, between two texts."""
    suffix = np.frombuffer(b"Z" + after, dtype=np.uint8)
    characters = np.zeros((len(moments), len(before) + _MICROSECONDS + len(suffix)), dtype=np.uint8)
    characters[:, : len(before)] = np.frombuffer(before, dtype=np.uint8)
    text = characters[:, len(before) :]
    seconds = moments // SECOND
    fraction = moments - seconds * SECOND
    days, seconds_of_day = np.divmod(seconds, _SECONDS_A_DAY)
    text[:, :10] = _dates(days)
    text[:, 10] = ord("T")
    text[:, 11:_WHOLE] = _times_of_day()[seconds_of_day]
    text[:, _WHOLE] = ord(".")
    text[:, _WHOLE + 1 : _MICROSECONDS] = _six_digits(fraction)
    length = np.where(fraction % 1000 != 0, _MICROSECONDS, np.where(fraction != 0, _MILLISECONDS, _WHOLE))
    for possible in (_WHOLE, _MILLISECONDS, _MICROSECONDS):
        which = np.flatnonzero(length == possible)
        text[which, possible : possible + len(suffix)] = suffix
        text[which, possible + len(suffix) :] = 0
    return _texts(characters)


def _texts(characters: Characters) -> list[bytes]:
    texts: list[bytes] = np.ascontiguousarray(characters).view(f"S{characters.shape[1]}").ravel().tolist()
    return texts


def _dates(days: Times) -> Characters:
    """`2026-02-03` for days since 1970. Neighbors are mostly equal."""
    distinct, which = np.unique(days, return_inverse=True)
    dates = np.datetime_as_string(distinct.astype("datetime64[D]")).astype("S10")
    return dates.view(np.uint8).reshape(-1, 10)[which]


def _six_digits(numbers: Times) -> Characters:
    thousands, rest = np.divmod(numbers, 1000)
    return np.concatenate([_three_digits()[thousands], _three_digits()[rest]], axis=1)


@lru_cache(maxsize=1)
def _three_digits() -> Characters:
    return _table([f"{number:03}" for number in range(1000)])


@lru_cache(maxsize=1)
def _times_of_day() -> Characters:
    """`08:15:31`, for each second of a day."""
    sixties = [f"{number:02}" for number in range(60)]
    return _table([f"{hour}:{minute}:{second}" for hour in sixties[:24] for minute in sixties for second in sixties])


def _table(texts: list[str]) -> Characters:
    return np.frombuffer("".join(texts).encode(), dtype=np.uint8).reshape(len(texts), -1)
