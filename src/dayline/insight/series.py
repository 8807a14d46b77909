"""The task `series`: active time bin by bin. Only query processes import this."""

from collections.abc import Sequence
from heapq import nsmallest

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec import UNSET

from dayline.insight.active.combinations import Key
from dayline.insight.binning import Binned, Bins, binned, bins_of
from dayline.insight.calendar import Span
from dayline.insight.chunks import chunks_of
from dayline.insight.common_request import range_answer
from dayline.insight.summary_answer import Series
from dayline.insight.summary_request import Comparison, SeriesRequest
from dayline.insight.totals import chunk_totals
from dayline.model.timestamps import SECOND, Microseconds
from dayline.storage.columns.source import ColumnSource, Times

Table = npt.NDArray[np.int64]  # a row for each key, a column for each cell

_HOUR = 3600 * SECOND
_request = msgspec.json.Decoder(SeriesRequest)


def series(request: bytes, source: ColumnSource) -> bytes:
    """Do the task: a SeriesRequest as JSON in, a Series as JSON out."""
    return msgspec.json.encode(series_of(_request.decode(request), source))


def series_of(asked: SeriesRequest, source: ColumnSource) -> Series:
    """The time of each bin: of the largest keys, of all others together, and all of it."""
    common = asked.common
    calendar = common.calendar
    span = common.start, common.end
    found = _Range(asked, source, span)
    top = found.largest(asked.top)
    table = found.table(top)
    answer = Series(
        range=range_answer(calendar, *span),
        bin=asked.bin,
        by=asked.by,
        edges=[] if asked.bin == "weekhour" else [calendar.text(edge) for edge in found.bins.edges],
        keys=top,
        values=[_seconds(row) for row in table[:-1]],
        other=_seconds(table[-1]),
        total=_seconds(found.total),
        hours=_hours(found.bins, common.scope.now) if asked.bin == "weekhour" else UNSET,
    )
    return answer if asked.compare is None else _compared(asked, asked.compare, source, answer)


class _Range:
    """What is known of a range, chunk by chunk."""

    def __init__(self, asked: SeriesRequest, source: ColumnSource, span: Span) -> None:
        self.bins = bins_of(asked.common.calendar, asked.bin, span)
        now, is_typical = asked.common.scope.now, asked.compare is not None and asked.compare.kind == "typical"
        self._parts: list[Binned] = []
        self.is_recorded = False  # known only where it decides whether a range is part of what is typical
        for chunk in chunks_of(source, asked.common, span):  # one after the other, so that one is in memory at a time
            self._parts.append(binned(chunk, asked.bin, asked.by))
            self.is_recorded = self.is_recorded or (is_typical and chunk_totals(chunk, now).known > 0)
        self._cells = [self.bins.within(part.edges) for part in self._parts]
        self.total: Times = np.zeros(self.bins.count, dtype=np.int64)
        for part, cells in zip(self._parts, self._cells, strict=True):
            np.add.at(self.total, cells, part.total)

    def largest(self, count: int) -> list[Key]:
        """The keys with the most time; of equal ones by name."""
        times: dict[Key, int] = {}
        for part in self._parts:
            sums: list[int] = (
                np.bincount(part.key, weights=part.time, minlength=len(part.names)).astype(np.int64).tolist()
            )
            for key, time in zip(part.names, sums, strict=True):
                times[key] = times.get(key, 0) + time
        return [key for _, key in nsmallest(count, ((-time, key) for key, time in times.items()))]

    def table(self, keys: Sequence[Key]) -> Table:
        """The time of some keys in each cell, and behind them that of all others together."""
        rows = {key: row for row, key in enumerate(keys)}
        table = np.zeros((len(keys) + 1, self.bins.count), dtype=np.int64)
        for part, cells in zip(self._parts, self._cells, strict=True):
            row = np.array([rows.get(name, len(keys)) for name in part.names], dtype=np.int64)
            np.add.at(table, (row[part.key], cells[part.bin]), part.time)
        return table


def _compared(asked: SeriesRequest, comparison: Comparison, source: ColumnSource, answer: Series) -> Series:
    calendar, size = asked.common.calendar, len(answer.total)
    is_typical = comparison.kind == "typical"
    ranges = [_Range(asked, source, span) for span in comparison.spans]
    if is_typical:
        ranges = [each for each in ranges if each.is_recorded]
    tables = [_fitted(np.vstack([each.table(answer.keys)[:-1], each.total]), size) for each in ranges]
    *keys, total = _median(tables) if tables else np.zeros((len(answer.keys) + 1, size), dtype=np.int64)
    return msgspec.structs.replace(
        answer,
        prev=[_seconds(row) for row in keys],
        prev_total=_seconds(total),
        prev_range=range_answer(calendar, *comparison.spans[0]),
        prev_whole=UNSET if comparison.whole is None else range_answer(calendar, *comparison.whole),
        prev_periods=len(ranges) if is_typical else UNSET,
    )


def _fitted(table: Table, size: int) -> Table:
    """Bin by bin beside another: a shorter month ends with nothing, of a longer one the end is left out."""
    return np.pad(table, ((0, 0), (0, max(0, size - table.shape[1]))))[:, :size]


def _median(tables: Sequence[Table]) -> Table:
    """Cell by cell; the mean of the two in the middle of an even number, in whole microseconds."""
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
