"""The task `series`: active time bin by bin. Only query processes import this."""

from collections.abc import Sequence

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec import UNSET, Struct

from dayline.insight.active.combinations import Key
from dayline.insight.active.intervals import Spans, overlaps
from dayline.insight.active.pieces import Pieces, active_pieces
from dayline.insight.calendar import Calendar, Span
from dayline.insight.common_request import range_answer
from dayline.insight.comparing import compared_spans
from dayline.insight.edges import HOURS_A_WEEK, edges_of, week_hours
from dayline.insight.filters import filtered
from dayline.insight.summary_answer import Series
from dayline.insight.summary_request import SeriesRequest
from dayline.model.errors import Invalid
from dayline.model.timestamps import SECOND
from dayline.storage.columns import MISSING, Codes, ColumnSource, Ids, Times

Table = npt.NDArray[np.int64]  # a row for each key, a column for each bin

_HOUR = 3600 * SECOND
_request = msgspec.json.Decoder(SeriesRequest)


class Bins(Struct, frozen=True, eq=False):
    """The bins of a range: their edges, and which cell of the answer each belongs to."""

    edges: list[int]
    cells: Ids
    count: int


class Binned(Struct, frozen=True, eq=False):
    """Parts of pieces: the key, the cell and the length of each; and the time of each cell, whatever the key."""

    names: Sequence[Key]
    code: Codes
    cell: Ids
    duration: Times
    total: Times

    def largest(self, count: int) -> list[int]:
        """The keys with the most time; of equal ones by name."""
        sums = np.bincount(self.code, weights=self.duration, minlength=len(self.names))
        codes = np.flatnonzero(sums)
        if len(codes) > count:
            codes = codes[sums[codes] >= np.partition(sums[codes], len(codes) - count)[len(codes) - count]]
        listed: list[int] = codes.tolist()
        return sorted(listed, key=lambda code: (-sums[code], self.names[code]))[:count]

    def rows(self, codes: Sequence[int]) -> Table:
        """The time of some keys in each cell, and behind them that of all others together."""
        row = np.full(len(self.names), len(codes), dtype=np.int64)
        row[list(codes)] = np.arange(len(codes))
        count = len(self.total)
        sums = np.bincount(
            row[self.code] * count + self.cell, weights=self.duration, minlength=(len(codes) + 1) * count
        )
        return sums.astype(np.int64).reshape(-1, count)

    def rows_of(self, keys: Sequence[Key]) -> Table:
        """The time of some keys by their names in each cell."""
        numbers: list[int] = np.unique(self.code).tolist()
        codes = {self.names[number]: number for number in numbers}
        table = self.rows([codes[key] for key in keys if key in codes])
        places = {key: place for place, key in enumerate(key for key in keys if key in codes)}
        nothing = np.zeros(len(self.total), dtype=np.int64)
        return np.array([table[places[key]] if key in places else nothing for key in keys], dtype=np.int64)


def series(request: bytes, source: ColumnSource) -> bytes:
    """Do the task: a SeriesRequest as JSON in, a Series as JSON out."""
    return msgspec.json.encode(series_of(_request.decode(request), source))


def series_of(asked: SeriesRequest, source: ColumnSource) -> Series:
    """The time of each bin: of the largest keys, of all others together, and all of it."""
    common = asked.common
    calendar = common.calendar
    span = common.start, common.end
    bins = bins_of(calendar, asked, span)
    found = _binned(asked, source, span, bins)
    top = found.largest(asked.top)
    table = found.rows(top)
    answer = Series(
        range=range_answer(calendar, *span),
        bin=asked.bin,
        by=asked.by,
        edges=[] if asked.bin == "weekhour" else [calendar.text(edge) for edge in bins.edges],
        keys=[found.names[code] for code in top],
        values=[_seconds(row) for row in table[:-1]],
        other=_seconds(table[-1]),
        total=_seconds(found.total),
        hours=_hours(bins, common.scope.now) if asked.bin == "weekhour" else UNSET,
    )
    return answer if asked.compare is None else _compared(asked, source, answer, calendar)


def bins_of(calendar: Calendar, asked: SeriesRequest, span: Span) -> Bins:
    """The bins of a range."""
    edges = edges_of(calendar, asked.bin, *span)
    if asked.bin == "weekhour":
        return Bins(edges, np.array(week_hours(calendar, edges), dtype=np.int64), HOURS_A_WEEK)
    return Bins(edges, np.arange(len(edges) - 1), len(edges) - 1)


def cells_of(pieces: Pieces, bins: Bins) -> tuple[Ids, Ids, Times]:
    """The pieces cut at the edges of bins: of which piece each part is, in which cell, and how long it is."""
    edges = np.array(bins.edges)
    # Few edges are looked for among many pieces; only what lies across one is cut.
    first = np.searchsorted(pieces.start, edges)
    within = np.repeat(np.arange(len(edges) - 1), np.diff(first))
    is_across = pieces.end > edges[1:][within]
    across = np.flatnonzero(is_across)
    piece, duration = np.arange(len(pieces)), pieces.duration
    if not len(across):
        return piece, bins.cells[within], duration
    whole = np.flatnonzero(~is_across)
    cut = overlaps(pieces.spans.take(across), Spans(edges[:-1], edges[1:]))
    return (
        np.concatenate([whole, across[cut.first]]),
        bins.cells[np.concatenate([within[whole], cut.second])],
        np.concatenate([duration[whole], cut.end - cut.start]),
    )


def _binned(asked: SeriesRequest, source: ColumnSource, span: Span, bins: Bins) -> Binned:
    common = asked.common
    pieces = filtered(common, active_pieces(source, common.scope, *span, common))
    piece, cell, duration = cells_of(pieces, bins)
    total = np.bincount(cell, weights=duration, minlength=bins.count).astype(np.int64)
    if asked.by == "device":
        return _by_device(pieces, bins, total)
    keys = pieces.keys(asked.by)
    return _with_keys(keys.names, keys.codes[piece], cell, duration, total)


def _by_device(pieces: Pieces, bins: Bins, total: Times) -> Binned:
    """Each device by itself: their sum may exceed the total."""
    parts = [cells_of(each, bins) for each in pieces.apart]
    return _with_keys(
        pieces.devices,
        np.concatenate([each.device[piece] for each, (piece, _, _) in zip(pieces.apart, parts, strict=True)]),
        np.concatenate([cell for _, cell, _ in parts]),
        np.concatenate([duration for _, _, duration in parts]),
        total,
    )


def _with_keys(names: Sequence[Key], code: Codes, cell: Ids, duration: Times, total: Times) -> Binned:
    has_key = code != MISSING
    if has_key.all():
        return Binned(names, code, cell, duration, total)
    return Binned(names, code[has_key], cell[has_key], duration[has_key], total)


def _compared(asked: SeriesRequest, source: ColumnSource, answer: Series, calendar: Calendar) -> Series:
    common = asked.common
    assert asked.compare is not None
    if asked.compare.kind == "typical":
        raise Invalid("compare: a series has nothing typical", hint="compare with previous or year", field="compare")
    [other] = compared_spans(calendar, asked.compare, (common.start, common.end), common.scope.now)
    found = _binned(asked, source, other, bins_of(calendar, asked, other))
    size = len(answer.total)
    return msgspec.structs.replace(
        answer,
        prev=[_seconds(_fitted(row, size)) for row in found.rows_of(answer.keys)],
        prev_total=_seconds(_fitted(found.total, size)),
        prev_range=range_answer(calendar, *other),
    )


def _fitted(row: Times, size: int) -> Times:
    """Bin by bin beside another: a shorter month ends with nothing, of a longer one the end is left out."""
    return np.append(row, np.zeros(max(0, size - len(row)), dtype=np.int64))[:size]


def _hours(bins: Bins, now: int) -> list[float]:
    edges = np.minimum(np.array(bins.edges), now)
    hours = np.bincount(bins.cells, weights=np.diff(edges), minlength=bins.count) / _HOUR
    listed: list[float] = hours.tolist()
    return listed


def _seconds(row: Times) -> list[float]:
    listed: list[float] = (row / SECOND).tolist()
    return listed
