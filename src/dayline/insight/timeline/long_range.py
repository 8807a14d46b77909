"""The lanes of devices over many years, from cached months. Only query processes import this.

Columns are whole hours then, as wide as a pixel or a little wider: what was found of a month serves every range.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
from msgspec import Struct

from dayline.insight.active.chunks import MAX_MONTHS_KEPT, Chunk, chunks_of
from dayline.insight.active.combinations import Key, Keys
from dayline.insight.active.pieces import Pieces
from dayline.insight.active.values import ItemTexts
from dayline.insight.request import CommonRequest, Field
from dayline.insight.summary.keys import common_names
from dayline.insight.timeline.pieces import Grid, Shares, TimelinePieces, columns_of
from dayline.model.time import DAY, SECOND, Microseconds
from dayline.query.columns.distinct import firsts, numbered_within, renumbered
from dayline.query.columns.table import NO_ID
from dayline.storage.columns.source import MISSING, Codes, ColumnSource, Ids, Items, Times

# The active time of each device hour by hour, kept for each month: what timelines of many years are drawn from.
#
# A piece belongs as a whole to the hour in which it begins. Only query processes import this.


HOUR: Final[Microseconds] = 3600 * SECOND
_BYTES_A_NAME: Final = 200


class Shown(Struct, frozen=True, eq=False):
    """How much of each hour shows what: a row for each code in each hour, and when that was first seen in it."""

    names: Sequence[Key]
    hour: Ids
    code: Codes
    time: Times
    count: Ids
    first: Times


class DeviceHours(Struct, frozen=True, eq=False):
    """The pieces of one device, those that begin in one hour together; and how much of each hour they cover."""

    hour: Ids
    start: Times
    end: Times
    time: Times
    count: Ids
    keys: Shown
    categories: Shown
    covered_hour: Ids
    covered: Times
    longest: Microseconds


class Hours(Struct, frozen=True, eq=False):
    """All devices of a chunk, in their order, and behind them what was entered for none."""

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
        """What it holds together with others of its kind."""
        return tuple(device.keys.names.items for device in self.devices if isinstance(device.keys.names, ItemTexts))


def hours_of(chunk: Chunk, field: Field) -> Hours:
    """The hours of a chunk, by what a field of the pieces shows."""
    return chunk.get_or_make(("hours", field), Hours, lambda which: _hours(which.activity.pieces, field))


def _hours(pieces: Pieces, field: Field) -> Hours:
    return Hours(tuple(_device_hours(each, each.keys(field), each.keys("category")) for each in pieces.apart))


def _device_hours(pieces: Pieces, keys: Keys, categories: Keys) -> DeviceHours:
    hour = pieces.start // HOUR
    begins = _begins(hour)
    covered_hour, covered = _covered(pieces)
    return DeviceHours(
        hour[begins],
        pieces.start[begins],
        np.maximum.reduceat(pieces.end, begins) if len(begins) else pieces.end,
        np.add.reduceat(pieces.duration, begins) if len(begins) else pieces.duration,
        np.diff(begins, append=len(pieces)),
        _shown(pieces, hour, keys),
        _shown(pieces, hour, categories),
        covered_hour,
        covered,
        int(pieces.duration.max(initial=0)),
    )


def _shown(pieces: Pieces, hour: Ids, keys: Keys) -> Shown:
    size, lowest = len(keys.names) + 1, int(hour.min(initial=0))
    highest = int(hour.max(initial=lowest))
    # MISSING is -1
    numbers, count = renumbered((hour - lowest) * size + keys.codes + 1, (highest - lowest + 1) * size)
    first = firsts(numbers, count)
    return Shown(
        keys.names,
        hour[first],
        keys.codes[first],
        np.bincount(numbers, weights=pieces.duration, minlength=count).astype(np.int64),
        np.bincount(numbers, minlength=count),
        pieces.start[first],
    )


def _covered(pieces: Pieces) -> tuple[Ids, Times]:
    """How much of each hour is covered, where anything is: pieces cut where an hour begins."""
    low, high = pieces.start // HOUR, (pieces.end - 1) // HOUR
    counts = high - low + 1
    which = np.repeat(np.arange(len(pieces)), counts)
    hour = low[which] + numbered_within(counts)
    time = np.minimum(pieces.end[which], (hour + 1) * HOUR) - np.maximum(pieces.start[which], hour * HOUR)
    begins = _begins(hour)
    return hour[begins], np.add.reduceat(time, begins) if len(begins) else time


def _begins(hour: Ids) -> Ids:
    """Where a new hour begins."""
    return np.flatnonzero(np.append(True, hour[1:] != hour[:-1])[: len(hour)])


# The pieces of a longer range are not kept in memory, so that reading them again takes seconds.
_LONG: Final[Microseconds] = MAX_MONTHS_KEPT * 31 * DAY


class LongLane(Struct, frozen=True, eq=False):
    """What is drawn of one device, and what its codes mean."""

    pieces: TimelinePieces
    keys: Sequence[Key]
    categories: Sequence[Key]
    density: Shares


class _Columns(Struct, frozen=True):
    """Columns of this many hours each, from the hour `first` on."""

    first: int
    width: int
    count: int

    def of(self, hours: Ids) -> Ids:
        return (hours - self.first) // self.width


def long_lanes(source: ColumnSource, common: CommonRequest, grid: Grid, field: Field) -> list[LongLane] | None:
    """A lane for each device, and one for what was entered for none; None where pieces have to be looked at.

    That is so in short ranges, and where pieces are so few, or one so long, that they may stay themselves.
    """
    if grid.end - grid.start <= _LONG or grid.widest(grid.px) < HOUR:
        return None
    columns = _columns(grid)
    months = [hours_of(chunk, field).devices for chunk in chunks_of(source, common, (grid.start, grid.end))]
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
    # Titles are not kept for each hour: there are too many of them.
    titles = np.full(len(start), MISSING, dtype=np.int32)
    pieces = TimelinePieces(start, end, ids, key, most / time, category, count, time / (end - start), titles)
    return LongLane(pieces, keys, categories, _density(parts, grid))


def _no_lane(grid: Grid) -> LongLane:
    times, codes, shares = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int32), np.zeros(0)
    pieces = TimelinePieces(times, times, times, codes, shares, codes, times, shares, codes)
    return LongLane(pieces, [], [], np.zeros(columns_of(grid)))


def _dominant(parts: Sequence[Shown], columns: _Columns) -> tuple[Sequence[Key], Codes, Times]:
    """For each column that has anything the code with most time, and that time.

    Of equal ones the one of more events, and then the one that comes first.
    """
    names, codes = common_names([(part.names, part.code) for part in parts])
    code, size = np.concatenate(codes), len(names) + 1
    column = columns.of(np.concatenate([part.hour for part in parts]))
    numbers, pairs = renumbered(column * size + code + 1, columns.count * size)  # MISSING is -1
    first = firsts(numbers, pairs)  # the rows of an hour do not come in the order of time, those of columns do
    time = np.bincount(numbers, weights=np.concatenate([part.time for part in parts]), minlength=pairs)
    count = np.bincount(numbers, weights=np.concatenate([part.count for part in parts]), minlength=pairs)
    seen = np.full(pairs, np.iinfo(np.int64).max)
    np.minimum.at(seen, numbers, np.concatenate([part.first for part in parts]))
    of_column = column[first]
    order = np.lexsort((seen, -count, -time, of_column))
    winners = order[np.flatnonzero(np.append(True, np.diff(of_column[order]) != 0))]
    return names, code[first][winners].astype(np.int32), time[winners].astype(np.int64)


def _density(parts: Sequence[DeviceHours], grid: Grid) -> Shares:
    """For each column of the overview the share of it in which there is a piece; within an hour it is spread evenly."""
    hour = np.concatenate([part.covered_hour for part in parts])
    covered = np.concatenate([[0], np.cumsum(np.concatenate([part.covered for part in parts]))])
    edges = grid.edges(columns_of(grid))
    place = np.searchsorted(hour, edges // HOUR)
    is_within = np.append(hour, np.iinfo(np.int64).max)[place] == edges // HOUR
    within = np.where(is_within, np.diff(covered, append=covered[-1])[place] * ((edges % HOUR) / HOUR), 0.0)
    shares: Shares = np.diff(covered[place] + within) / np.diff(edges)
    return np.minimum(shares, 1.0)
