"""The lanes of devices over many years, from what is kept of each month. Only query processes import this.

Columns are whole hours then, as wide as a pixel or a little wider: what was found of a month serves every range.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
from msgspec import Struct

from dayline.insight.active.combinations import Key
from dayline.insight.chunks import MOST_MONTHS_KEPT, chunks_of
from dayline.insight.common_names import common_names
from dayline.insight.common_request import CommonRequest, Field
from dayline.insight.timeline.density import columns_of
from dayline.insight.timeline.dominance import Shares
from dayline.insight.timeline.grid import Grid
from dayline.insight.timeline.hours import HOUR, DeviceHours, Shown, hours_of
from dayline.insight.timeline.pieces import Pieces
from dayline.model.timestamps import DAY, Microseconds
from dayline.query.distinct import firsts, renumbered
from dayline.query.table import NO_ID
from dayline.storage.columns.source import Codes, ColumnSource, Ids, Times

# The pieces of a longer range are not kept in memory, so that reading them again takes seconds.
_LONG: Final[Microseconds] = MOST_MONTHS_KEPT * 31 * DAY


class LongLane(Struct, frozen=True, eq=False):
    """What is drawn of one device, and what its codes mean."""

    pieces: Pieces
    keys: Sequence[Key]
    categories: Sequence[Key]
    density: Shares


class _Columns(Struct, frozen=True):
    """Columns of so many hours each, from the hour `first` on."""

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
    pieces = Pieces(start, end, ids, key, most / time, category, count, time / (end - start))
    return LongLane(pieces, keys, categories, _density(parts, grid))


def _no_lane(grid: Grid) -> LongLane:
    times, codes, shares = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int32), np.zeros(0)
    pieces = Pieces(times, times, times, codes, shares, codes, times, shares)
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
