"""The lanes of devices over many years, from cached months. Only query processes import this.

Columns are whole hours, about as wide as a pixel, so that the cached hours of a month serve every range.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
from msgspec import Struct

from dayline.insight.active.bucket_values import ItemTexts
from dayline.insight.active.combinations import Key, Keys
from dayline.insight.active.months import MAX_MONTHS_KEPT, RangeMonth, months_of
from dayline.insight.active.pieces import Pieces
from dayline.insight.request import CommonRequest, Field
from dayline.insight.summary.keys import common_names
from dayline.insight.timeline.dominance import Shares
from dayline.insight.timeline.pieces import Grid, TimelinePieces, columns_of
from dayline.model.time import DAY, SECOND, Microseconds
from dayline.query.columns.distinct import firsts, numbered_within, renumbered
from dayline.query.columns.table import NO_ID
from dayline.storage.columns.source import MISSING, Codes, ColumnSource, Ids, Items, Times

# The active time of each device per hour, cached per month. A piece belongs as a whole to the hour in which it starts.


HOUR: Final[Microseconds] = 3600 * SECOND
_BYTES_A_NAME: Final = 200


class CodeTimes(Struct, frozen=True, eq=False):
    """The time of each code in each hour, and when it first occurs there."""

    names: Sequence[Key]
    hour: Ids
    code: Codes
    time: Times
    count: Ids
    first: Times


class DeviceHours(Struct, frozen=True, eq=False):
    """The pieces of one device, grouped by the hour in which they start, and the covered time of each hour."""

    hour: Ids
    start: Times
    end: Times
    time: Times
    count: Ids
    keys: CodeTimes
    categories: CodeTimes
    covered_hour: Ids
    covered: Times
    longest: Microseconds


class Hours(Struct, frozen=True, eq=False):
    """All devices of a month, in order, and then entries without a device."""

    devices: tuple[DeviceHours, ...]

    @property
    def nbytes(self) -> int:
        shown = [each for device in self.devices for each in (device.keys, device.categories)]
        names = sum(0 if isinstance(each.names, ItemTexts) else len(each.names) for each in shown)
        rows = sum(len(each.hour) for each in shown)
        hours = sum(len(device.hour) + len(device.covered) for device in self.devices)
        return 36 * rows + 40 * hours + _BYTES_A_NAME * names

    @property
    def shares(self) -> tuple[Items, ...]:
        """The items that it shares with others of its kind."""
        return tuple(device.keys.names.items for device in self.devices if isinstance(device.keys.names, ItemTexts))


def hours_of(month: RangeMonth, field: Field) -> Hours:
    """The hours of a month, by the labels of a field."""
    return month.get_or_make(("hours", field), Hours, lambda which: _hours(which.activity.pieces, field))


def _hours(pieces: Pieces, field: Field) -> Hours:
    return Hours(tuple(_device_hours(each, each.keys(field), each.keys("category")) for each in pieces.apart))


def _device_hours(pieces: Pieces, keys: Keys, categories: Keys) -> DeviceHours:
    hour = pieces.start // HOUR
    begins = _begins(hour)
    covered_hour, covered = _coverage(pieces)
    return DeviceHours(
        hour[begins],
        pieces.start[begins],
        np.maximum.reduceat(pieces.end, begins) if len(begins) else pieces.end,
        np.add.reduceat(pieces.duration, begins) if len(begins) else pieces.duration,
        np.diff(begins, append=len(pieces)),
        _code_times(pieces, hour, keys),
        _code_times(pieces, hour, categories),
        covered_hour,
        covered,
        int(pieces.duration.max(initial=0)),
    )


def _code_times(pieces: Pieces, hour: Ids, keys: Keys) -> CodeTimes:
    size, lowest = len(keys.names) + 1, int(hour.min(initial=0))
    highest = int(hour.max(initial=lowest))
    # MISSING is -1
    numbers, count = renumbered((hour - lowest) * size + keys.codes + 1, (highest - lowest + 1) * size)
    first = firsts(numbers, count)
    return CodeTimes(
        keys.names,
        hour[first],
        keys.codes[first],
        np.bincount(numbers, weights=pieces.duration, minlength=count).astype(np.int64),
        np.bincount(numbers, minlength=count),
        pieces.start[first],
    )


def _coverage(pieces: Pieces) -> tuple[Ids, Times]:
    """The covered time of each hour that has any. Cuts pieces at full hours."""
    low, high = pieces.start // HOUR, (pieces.end - 1) // HOUR
    counts = high - low + 1
    which = np.repeat(np.arange(len(pieces)), counts)
    hour = low[which] + numbered_within(counts)
    time = np.minimum(pieces.end[which], (hour + 1) * HOUR) - np.maximum(pieces.start[which], hour * HOUR)
    begins = _begins(hour)
    return hour[begins], np.add.reduceat(time, begins) if len(begins) else time


def _begins(hour: Ids) -> Ids:
    """The rows at which a new hour starts."""
    return np.flatnonzero(np.append(True, hour[1:] != hour[:-1])[: len(hour)])


# Pieces of a longer range are not cached, so reading them again takes seconds.
_LONG: Final[Microseconds] = MAX_MONTHS_KEPT * 31 * DAY


class LongLane(Struct, frozen=True, eq=False):
    """What is drawn for one device, and what its codes refer to."""

    pieces: TimelinePieces
    keys: Sequence[Key]
    categories: Sequence[Key]
    density: Shares


class _Columns(Struct, frozen=True):
    """Columns of some hours each, starting at the hour `first`."""

    first: int
    width: int
    count: int

    def of(self, hours: Ids) -> Ids:
        return (hours - self.first) // self.width


def long_lanes(source: ColumnSource, common: CommonRequest, grid: Grid, field: Field) -> list[LongLane] | None:
    """A lane for each device, and one for entries without a device; None if single pieces are needed.

    They are needed for short ranges, and if pieces are so few, or one so long, that they can be drawn one by one.
    """
    if grid.end - grid.start <= _LONG or grid.widest(grid.px) < HOUR:
        return None
    columns = _columns(grid)
    months = [hours_of(month, field).devices for month in months_of(source, common, (grid.start, grid.end))]
    devices = [part for month in months for part in month]
    count = sum(int(part.count.sum()) for part in devices)
    if count <= grid.px or max(part.longest for part in devices) >= columns.width * HOUR:
        return None
    return [_lane(parts, columns, grid) for parts in zip(*months, strict=True)]


def _columns(grid: Grid) -> _Columns:
    first = grid.start // HOUR
    hours = (grid.end - 1) // HOUR - first + 1
    width = -(-hours // grid.px)
    return _Columns(first, width, -(-hours // width))


def _lane(parts: Sequence[DeviceHours], columns: _Columns, grid: Grid) -> LongLane:
    parts = [part for part in parts if len(part.hour)]
    if not parts:
        return _no_lane(grid)
    column = columns.of(np.concatenate([part.hour for part in parts]))
    begins = np.flatnonzero(np.append(True, column[1:] != column[:-1]))
    start = np.concatenate([part.start for part in parts])[begins]
    end = np.maximum.reduceat(np.concatenate([part.end for part in parts]), begins)
    time = np.add.reduceat(np.concatenate([part.time for part in parts]), begins)
    count = np.add.reduceat(np.concatenate([part.count for part in parts]), begins)
    keys, key, most = _dominant([part.keys for part in parts], columns)
    categories, category, _ = _dominant([part.categories for part in parts], columns)
    ids = np.full(len(start), NO_ID, dtype=np.int64)
    # Titles are not cached per hour: there are too many of them.
    titles = np.full(len(start), MISSING, dtype=np.int32)
    pieces = TimelinePieces(start, end, ids, key, most / time, category, count, time / (end - start), titles)
    return LongLane(pieces, keys, categories, _density(parts, grid))


def _no_lane(grid: Grid) -> LongLane:
    times, codes, shares = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int32), np.zeros(0)
    pieces = TimelinePieces(times, times, times, codes, shares, codes, times, shares, codes)
    return LongLane(pieces, [], [], np.zeros(columns_of(grid)))


def _dominant(parts: Sequence[CodeTimes], columns: _Columns) -> tuple[Sequence[Key], Codes, Times]:
    """The code with the most time in each column that has any, and that time.

    Of equal ones, the one with more events, and then the first.
    """
    names, codes = common_names([(part.names, part.code) for part in parts])
    code, size = np.concatenate(codes), len(names) + 1
    column = columns.of(np.concatenate([part.hour for part in parts]))
    numbers, pairs = renumbered(column * size + code + 1, columns.count * size)  # MISSING is -1
    first = firsts(numbers, pairs)  # the rows of an hour are not in order of time, those of columns are
    time = np.bincount(numbers, weights=np.concatenate([part.time for part in parts]), minlength=pairs)
    count = np.bincount(numbers, weights=np.concatenate([part.count for part in parts]), minlength=pairs)
    seen = np.full(pairs, np.iinfo(np.int64).max)
    np.minimum.at(seen, numbers, np.concatenate([part.first for part in parts]))
    of_column = column[first]
    order = np.lexsort((seen, -count, -time, of_column))
    winners = order[np.flatnonzero(np.append(True, np.diff(of_column[order]) != 0))]
    return names, code[first][winners].astype(np.int32), time[winners].astype(np.int64)


def _density(parts: Sequence[DeviceHours], grid: Grid) -> Shares:
    """The covered share of each column of the overview. Within an hour the time is spread evenly."""
    hour = np.concatenate([part.covered_hour for part in parts])
    covered = np.concatenate([[0], np.cumsum(np.concatenate([part.covered for part in parts]))])
    edges = grid.edges(columns_of(grid))
    hours = np.searchsorted(hour, edges // HOUR)
    is_within = np.append(hour, np.iinfo(np.int64).max)[hours] == edges // HOUR
    within = np.where(is_within, np.diff(covered, append=covered[-1])[hours] * ((edges % HOUR) / HOUR), 0.0)
    shares: Shares = np.diff(covered[hours] + within) / np.diff(edges)
    return np.minimum(shares, 1.0)
