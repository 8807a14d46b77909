"""A day as one line: how much of each stretch was active, in the colour of what it was mostly."""

from collections.abc import Sequence
from typing import Final

from dayline.cli.screens.answers import Series
from dayline.cli.screens.charts import column
from dayline.cli.screens.palette import Palette
from dayline.cli.screens.text import Line, Span

_BIN_S: Final = 300.0
_BINS_A_COLUMN: Final = (1, 2, 3, 4, 6, 12)  # of five minutes: what divides an hour
_HOURS_APART: Final = (1, 2, 3, 4, 6, 12)  # of the times under the line
_LABEL_WIDTH: Final = 6  # a time, and a space at least


def day_strip(series: Series, palette: Palette, *, width: int, until: int | None = None, indent: int = 2) -> list[Line]:
    """Two lines: the day in bins of five minutes, and the times under it.

    `until` is how many bins have passed, where the day is not over.
    """
    bins = len(series.edges) - 1
    each = next((size for size in _BINS_A_COLUMN if -(-bins // size) <= width - indent), _BINS_A_COLUMN[-1])
    shown = bins if until is None else min(until, bins)
    spans = [Span(" " * indent)]
    for first in range(0, bins, each):
        spans.append(_column(series, palette, first, min(first + each, bins)) if first < shown else Span("·", "dim"))
    return [tuple(spans), (Span(" " * indent + _times(series.edges, each, width - indent), "dim"),)]


def _column(series: Series, palette: Palette, first: int, last: int) -> Span:
    total = sum(series.total[first:last])
    if total <= 0:
        return Span(" ")
    by_key = [sum(values[first:last]) for values in series.values]
    best = max(range(len(by_key)), key=by_key.__getitem__, default=None)
    key = series.keys[best] if best is not None and by_key[best] >= sum(series.other[first:last]) else ()
    color = palette.color(key if isinstance(key, tuple) else (key,))
    return Span(column(total / (_BIN_S * (last - first))), color)


def _times(edges: Sequence[str], each: int, width: int) -> str:
    """The hours under the line, as far apart as there is room for."""
    columns_an_hour = 12 / each
    apart = next((hours for hours in _HOURS_APART if hours * columns_an_hour >= _LABEL_WIDTH), _HOURS_APART[-1])
    line = ""
    for first in range(0, len(edges), each):
        hour, minute = edges[first][11:13], edges[first][14:16]
        place = first // each
        is_whole = minute == "00" and int(hour) % apart == 0
        if is_whole and len(line) <= place and place + len("00:00") <= width:
            line = line.ljust(place) + f"{hour}:00"
    return line
