"""Parses the times of many events at once, in columns of numpy. Only the staging process imports this.

It accepts what every known client sends. Anything else is left to `extent_of` of model/event.py, which parses one event
and names the error; an event that is accepted here has exactly the same start and duration there.
"""

from collections.abc import Sequence
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dayline.model.event import MAX_DURATION_S
from dayline.model.time import EARLIEST, LATEST

Integers: TypeAlias = NDArray[np.int64]
_Flags: TypeAlias = NDArray[np.bool_]

_FIRST_YEAR: Final = 1970
_LAST_YEAR: Final = 2261
# The day on which each month begins, counted from 1970, and the month after the last one.
_MONTHS: Final[Integers] = (
    np.arange(f"{_FIRST_YEAR}-01", f"{_LAST_YEAR + 1}-02", dtype="datetime64[M]")
    .astype("datetime64[D]")
    .astype(np.int64)
)

# 2026-02-03T08:15:31[.f…](Z|+01:00)
_DATE_AND_TIME: Final = 19  # characters
_DIGITS: Final = (0, 1, 2, 3, 5, 6, 8, 9, 11, 12, 14, 15, 17, 18)  # places in them
_POINT_AND_FRACTION: Final = (0, *range(2, 11))  # characters: up to nine digits, of which six count
_UTC: Final = 1
_OFFSET: Final = 6
_LONGEST: Final = _DATE_AND_TIME + max(_POINT_AND_FRACTION) + _OFFSET


def extents_of(timestamps: Sequence[str], seconds: NDArray[np.float64]) -> tuple[Integers, Integers, _Flags]:
    """Starts and durations, and which of them are valid; the others have to be parsed one by one."""
    starts, is_usual = _parse_all(timestamps)
    is_usual &= np.abs(seconds) <= MAX_DURATION_S
    durations = np.rint(np.where(is_usual, seconds, 0) * 1_000_000).astype(np.int64)
    ends = starts + durations
    is_usual &= (starts >= EARLIEST) & (starts <= LATEST) & (ends >= EARLIEST) & (ends <= LATEST)
    return starts, durations, is_usual


def _parse_all(texts: Sequence[str]) -> tuple[Integers, _Flags]:
    starts, is_usual = np.zeros(len(texts), np.int64), np.zeros(len(texts), np.bool_)
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    for length in np.unique(lengths[(lengths > _DATE_AND_TIME) & (lengths <= _LONGEST)]).tolist():
        places = np.flatnonzero(lengths == length)
        joined = "".join(texts if len(places) == len(texts) else [texts[place] for place in places.tolist()])
        if not joined.isascii():
            continue
        characters = np.frombuffer(joined.encode(), np.uint8).reshape(-1, length)
        is_utc = characters[:, -1] == ord("Z")
        for zone, chosen in ((_UTC, is_utc), (_OFFSET, ~is_utc)):
            if chosen.any() and length - zone - _DATE_AND_TIME in _POINT_AND_FRACTION:
                found = places[chosen]
                starts[found], is_usual[found] = _parse(np.ascontiguousarray(characters[chosen].T), zone)
    return starts, is_usual


def _parse(characters: NDArray[np.uint8], zone: int) -> tuple[Integers, _Flags]:
    """Timestamps of one form, each a column of characters. `zone` is the length of their time zone."""
    digits = characters - ord("0")  # anything but a digit is above 9
    end = len(characters)
    fraction, after_fraction = _DATE_AND_TIME + 1, end - zone
    zone_digits = (end - 5, end - 4, end - 2, end - 1) if zone == _OFFSET else ()
    digit_places = [*_DIGITS, *range(fraction, after_fraction), *zone_digits]

    def number(first: int, after: int) -> Integers:
        value = np.zeros(characters.shape[1], np.int64)
        for row in digits[first:after]:
            value = value * 10 + row
        return value

    is_valid: _Flags = np.logical_and.reduce(digits[digit_places] <= 9)
    is_valid &= (characters[10] == ord("T")) | (characters[10] == ord(" "))
    for place, mark in ((4, "-"), (7, "-"), (13, ":"), (16, ":")):
        is_valid &= characters[place] == ord(mark)
    year, month, day = number(0, 4), number(5, 7), number(8, 10)
    hour, minute, second = number(11, 13), number(14, 16), number(17, 19)
    is_valid &= (year >= _FIRST_YEAR) & (year <= _LAST_YEAR) & (month >= 1) & (month <= 12)
    months = np.where(is_valid, (year - _FIRST_YEAR) * 12 + month - 1, 0)
    is_valid &= (day >= 1) & (day <= _MONTHS[months + 1] - _MONTHS[months])
    is_valid &= (hour <= 23) & (minute <= 59) & (second <= 59)
    seconds = (_MONTHS[months] + day - 1) * 86_400 + hour * 3600 + minute * 60 + second
    if zone == _OFFSET:
        sign = characters[end - 6]
        zone_hour, zone_minute = number(end - 5, end - 3), number(end - 2, end)
        is_valid &= ((sign == ord("+")) | (sign == ord("-"))) & (characters[end - 3] == ord(":"))
        is_valid &= (zone_hour <= 23) & (zone_minute <= 59)
        seconds -= np.where(sign == ord("-"), -1, 1) * (zone_hour * 3600 + zone_minute * 60)
    starts = seconds * 1_000_000
    if fraction < after_fraction:
        is_valid &= characters[fraction - 1] == ord(".")
        counted = min(after_fraction, fraction + 6)  # the rest is cut off
        starts += number(fraction, counted) * 10 ** (fraction + 6 - counted)
    return starts, is_valid
