"""The task `series`: active time per bin. Only query processes import this."""

from collections.abc import Hashable, Sequence
from heapq import nsmallest
from typing import Final

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec import UNSET, Struct
from msgspec.structs import replace

from dayline.insight.active.combinations import Key
from dayline.insight.active.intervals import Spans, overlaps
from dayline.insight.active.months import RangeMonth, months_of
from dayline.insight.active.pieces import Pieces
from dayline.insight.calendar import HOURS_A_WEEK, Bin, Calendar, Span, edges_of, week_hours
from dayline.insight.request import Field, range_answer
from dayline.insight.summary.model import Comparison, Series, SeriesRequest
from dayline.insight.summary.summary import month_totals
from dayline.insight.summary.tree import parents_among
from dayline.model.time import SECOND, Microseconds
from dayline.query.columns.distinct import combined, firsts
from dayline.storage.columns.source import MISSING, Codes, ColumnSource, Ids, Times

_BYTES_A_NAME: Final = 200


class Bins(Struct, frozen=True, eq=False):
    """The edges of the bins of a range, and the cell of the response that each bin belongs to."""

    edges: list[Microseconds]
    cells: Ids
    count: int

    def within(self, edges: list[Microseconds]) -> Ids:
        """The cell of each of some smaller bins."""
        return self.cells[np.searchsorted(np.array(self.edges), np.array(edges[:-1]), side="right") - 1]


class BinTimes(Struct, frozen=True, eq=False):
    """The time of each key in each bin of a month, without zeros, and the total of each bin."""

    edges: list[Microseconds]
    names: list[Key]
    key: Codes
    bin: Codes
    time: Times
    total: Times

    @property
    def nbytes(self) -> int:
        columns = self.key.nbytes + self.bin.nbytes + self.time.nbytes + self.total.nbytes
        return columns + 8 * len(self.edges) + _BYTES_A_NAME * len(self.names)


def bins_of(calendar: Calendar, bin_: Bin, span: Span) -> Bins:
    """The bins of a range."""
    edges = edges_of(calendar, bin_, *span)
    if bin_ == "weekhour":
        return Bins(edges, np.array(week_hours(calendar, edges), dtype=np.int64), HOURS_A_WEEK)
    return Bins(edges, np.arange(len(edges) - 1), len(edges) - 1)


def bin_times(month: RangeMonth, bin_: Bin, field: Field) -> BinTimes:
    """The time of a month by bin and key."""
    calendar = month.common.calendar
    what: Hashable = ("bins", bin_, field, calendar.zone, calendar.day_start, calendar.week_start)
    return month.get_or_make(what, BinTimes, lambda which: _bin_times(which, bin_, field))


def _bin_times(month: RangeMonth, bin_: Bin, field: Field) -> BinTimes:
    edges = edges_of(month.common.calendar, bin_, *month.span)
    pieces = month.activity.pieces
    piece, bins, duration = cut_at(pieces, edges)
    total = np.bincount(bins, weights=duration, minlength=len(edges) - 1).astype(np.int64)
    if field == "device":
        # Per device: their sum may exceed the total.
        parts = [cut_at(each, edges) for each in pieces.apart]
        codes = np.concatenate([each.device[part[0]] for each, part in zip(pieces.apart, parts, strict=True)])
        bins = np.concatenate([part[1] for part in parts])
        duration = np.concatenate([part[2] for part in parts])
        return _sparse(edges, pieces.devices, codes, bins, duration, total)
    keys = pieces.keys(field)
    return _sparse(edges, keys.names, keys.codes[piece], bins, duration, total)


def cut_bins(part: BinTimes, depth: int) -> BinTimes:
    """The time of categories up to a depth: what is below them counts for them."""
    return replace(part, names=[name[:depth] for name in part.names])


def cut_at(pieces: Pieces, edges: Sequence[Microseconds]) -> tuple[Ids, Ids, Times]:
    """Cut the pieces at edges: returns the piece, the bin and the duration of each part."""
    bounds = np.array(edges)
    # Few edges are searched in many pieces; only pieces that contain an edge are cut.
    first = np.searchsorted(pieces.start, bounds)
    within = np.repeat(np.arange(len(bounds) - 1), np.diff(first))
    is_across = pieces.end > bounds[1:][within]
    across = np.flatnonzero(is_across)
    duration = pieces.duration
    if not len(across):
        return np.arange(len(pieces)), within, duration
    whole = np.flatnonzero(~is_across)
    cut = overlaps(pieces.spans.take(across), Spans(bounds[:-1], bounds[1:]))
    return (
        np.concatenate([whole, across[cut.first]]),
        np.concatenate([within[whole], cut.second]),
        np.concatenate([duration[whole], cut.end - cut.start]),
    )


def _sparse(
    edges: list[Microseconds], names: Sequence[Key], codes: Codes, bins: Ids, duration: Times, total: Times
) -> BinTimes:
    has_key = codes != MISSING
    if not has_key.all():
        codes, bins, duration = codes[has_key], bins[has_key], duration[has_key]
    used, key = np.unique(codes, return_inverse=True)
    numbers, count = combined([key.astype(np.int32), bins.astype(np.int32)], [len(used) + 1, len(total) + 1])
    first = firsts(numbers, count)
    listed: list[int] = used.tolist()
    return BinTimes(
        edges,
        [names[code] for code in listed],
        key[first].astype(np.int32),
        bins[first].astype(np.int32),
        np.bincount(numbers, weights=duration, minlength=count).astype(np.int64),
        total,
    )


Table = npt.NDArray[np.int64]  # a row for each key, a column for each cell

_HOUR = 3600 * SECOND


def series_of(asked: SeriesRequest, source: ColumnSource) -> Series:
    """The task: the time of each bin: of the largest keys, of all others together, and in total."""
    common = asked.common
    calendar = common.calendar
    span = common.start, common.end
    measured = _Range(asked, source, span)
    top = measured.largest(asked.top)
    table = measured.table(top)
    answer = Series(
        range=range_answer(calendar, *span),
        bin=asked.bin,
        by=asked.by,
        edges=[] if asked.bin == "weekhour" else [calendar.text(edge) for edge in measured.bins.edges],
        keys=top,
        values=[_seconds(row) for row in table[:-1]],
        other=_seconds(table[-1]),
        total=_seconds(measured.total),
        parents=parents_among(top, list(measured.names)) if asked.by == "category" and asked.depth is None else UNSET,
        hours=_hours(measured.bins, common.scope.now) if asked.bin == "weekhour" else UNSET,
    )
    return answer if asked.compare is None else _add_comparison(asked, asked.compare, source, answer)


class _Range:
    """The results for a range, month by month."""

    def __init__(self, asked: SeriesRequest, source: ColumnSource, span: Span, *, is_moving: bool = False) -> None:
        self.bins = bins_of(asked.common.calendar, asked.bin, span)
        now, is_typical = asked.common.scope.now, asked.compare is not None and asked.compare.kind == "typical"
        self._parts: list[BinTimes] = []
        self.names: set[Key] = set()
        self.is_recorded = False  # only set if it decides whether a range counts as typical
        # One after the other, so that only one is in memory.
        for month in months_of(source, asked.common, span, is_summed=True, is_moving=is_moving):
            part = bin_times(month, asked.bin, asked.by)
            self.names.update(part.names)
            self._parts.append(part if asked.depth is None else cut_bins(part, asked.depth))
            self.is_recorded = self.is_recorded or (is_typical and month_totals(month, now).known > 0)
        self._cells = [self.bins.within(part.edges) for part in self._parts]
        self.total: Times = np.zeros(self.bins.count, dtype=np.int64)
        for part, cells in zip(self._parts, self._cells, strict=True):
            np.add.at(self.total, cells, part.total)

    def largest(self, count: int) -> list[Key]:
        """The keys with the most time; equal ones by name."""
        times: dict[Key, int] = {}
        for part in self._parts:
            sums: list[int] = (
                np.bincount(part.key, weights=part.time, minlength=len(part.names)).astype(np.int64).tolist()
            )
            for key, time in zip(part.names, sums, strict=True):
                times[key] = times.get(key, 0) + time
        return [key for _, key in nsmallest(count, ((-time, key) for key, time in times.items()))]

    def table(self, keys: Sequence[Key]) -> Table:
        """The time of some keys in each cell, and in the last row that of all other keys."""
        rows = {key: row for row, key in enumerate(keys)}
        table = np.zeros((len(keys) + 1, self.bins.count), dtype=np.int64)
        for part, cells in zip(self._parts, self._cells, strict=True):
            row = np.array([rows.get(name, len(keys)) for name in part.names], dtype=np.int64)
            np.add.at(table, (row[part.key], cells[part.bin]), part.time)
        return table


def _add_comparison(asked: SeriesRequest, comparison: Comparison, source: ColumnSource, answer: Series) -> Series:
    calendar, size = asked.common.calendar, len(answer.total)
    is_typical = comparison.kind == "typical"
    is_moving = comparison.whole is not None
    ranges = [_Range(asked, source, span, is_moving=is_moving) for span in comparison.spans]
    if is_typical:
        ranges = [each for each in ranges if each.is_recorded]
    tables = [_fit(np.vstack([each.table(answer.keys)[:-1], each.total]), size) for each in ranges]
    *keys, total = _median(tables) if tables else np.zeros((len(answer.keys) + 1, size), dtype=np.int64)
    return msgspec.structs.replace(
        answer,
        prev=[_seconds(row) for row in keys],
        prev_total=_seconds(total),
        prev_range=range_answer(calendar, *comparison.spans[0]),
        prev_whole=UNSET if comparison.whole is None else range_answer(calendar, *comparison.whole),
        prev_periods=len(ranges) if is_typical else UNSET,
    )


def _fit(table: Table, size: int) -> Table:
    """Align with the bins of another range: pad a shorter month with zeros, cut a longer one."""
    return np.pad(table, ((0, 0), (0, max(0, size - table.shape[1]))))[:, :size]


def _median(tables: Sequence[Table]) -> Table:
    """The median of each cell. For an even number the mean of the middle two, in whole microseconds."""
    ordered = np.sort(np.stack(tables), axis=0)
    half = len(ordered) // 2
    middle: Table = ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) // 2
    return middle


def _hours(bins: Bins, now: Microseconds) -> list[float]:
    edges = np.minimum(np.array(bins.edges), now)
    hours = np.bincount(bins.cells, weights=np.diff(edges), minlength=bins.count) / _HOUR
    listed: list[float] = hours.tolist()
    return listed


def _seconds(row: Times) -> list[float]:
    listed: list[float] = (row / SECOND).tolist()
    return listed
