"""Charts of one line: strips, axes and their colors."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING, Final

from dayline.cli.screens.amounts import DAYS, MONTHS
from dayline.cli.screens.text import Line, Span

if TYPE_CHECKING:
    from dayline.insight.summary.model import Series

_ACROSS: Final = " ▏▎▍▌▋▊▉█"
_UP: Final = " ▁▂▃▄▅▆▇█"

_MAX_LETTERS: Final = 8  # days with a letter each
_HOURS_APART: Final = 6
_DAYS_APART: Final = 5
_GRAY: Final = "#8a8f98"  # readable on black and on white

_BIN_S: Final = 300.0
_BINS_PER_COLUMN: Final = (1, 2, 3, 4, 6, 12)  # of five minutes: what divides an hour
_STRIP_HOURS_APART: Final = (1, 2, 3, 4, 6, 12)  # of the times under the line
_LABEL_WIDTH: Final = 6  # a time and at least one space

UNCATEGORIZED: Final = ("Uncategorized",)


def bar(share: float, width: int) -> str:
    """A horizontal bar. A share above 0 is at least an eighth of a column."""
    eighths = round(max(0.0, min(share, 1.0)) * width * 8)
    if share > 0:
        eighths = max(eighths, 1)
    whole, rest = divmod(eighths, 8)
    return "█" * whole + (_ACROSS[rest] if rest else "")


def column(share: float) -> str:
    """One column of a sparkline. A share above 0 is visible."""
    height = round(max(0.0, min(share, 1.0)) * 8)
    return _UP[max(height, 1) if share > 0 else 0]


def sparkline(values: Sequence[float], *, most: float | None = None) -> str:
    """A column for each value; the largest has the full height."""
    top = max(values, default=0.0) if most is None else most
    return "".join(column(value / top if top > 0 else 0.0) for value in values)


def axis(edges: Sequence[str], size: str) -> str:
    """A letter for each day of a week or each month; a number at intervals for hours and days of a month.

    `edges` has one item more than there are columns.
    """
    starts = edges[:-1]
    days = [date.fromisoformat(edge[:10]) for edge in starts]
    if size == "month":
        return "".join(MONTHS[day.month - 1][0] for day in days)
    if size == "day" and len(days) <= _MAX_LETTERS:
        return "".join(DAYS[day.weekday()][0] for day in days)
    if size == "hour":
        return _spaced([edge[11:13] for edge in starts], _HOURS_APART)
    return _spaced([str(day.day) for day in days], _DAYS_APART)


def _spaced(labels: Sequence[str], apart: int) -> str:
    line = ""
    for index in range(0, len(labels), apart):
        if index + len(labels[index]) <= len(labels):
            line = line.ljust(index) + labels[index]
    return line


class Palette:
    """The color of every category, as the server decides it. One that it does not list has that of the one above it."""

    def __init__(self, colors: Mapping[tuple[str, ...], str] | None = None) -> None:
        self._colors = colors or {}

    def color(self, path: Sequence[str]) -> str:
        """As #rrggbb."""
        above = (tuple(path[:depth]) for depth in range(len(path), 0, -1))
        return next((self._colors[each] for each in above if each in self._colors), _GRAY)


def day_strip(
    series: "Series", palette: Palette, *, width: int, until: int | None = None, indent: int = 2
) -> list[Line]:
    """Two lines: the day in bins of five minutes, and the times under it.

    `until` is the number of bins that have passed, if the day is not over.
    """
    bins = len(series.edges) - 1
    each = next((size for size in _BINS_PER_COLUMN if -(-bins // size) <= width - indent), _BINS_PER_COLUMN[-1])
    shown = bins if until is None else min(until, bins)
    spans = [Span(" " * indent)]
    for first in range(0, bins, each):
        spans.append(_column(series, palette, first, min(first + each, bins)) if first < shown else Span("·", "dim"))
    return [tuple(spans), (Span(" " * indent + _times(series.edges, each, width - indent), "dim"),)]


def _column(series: "Series", palette: Palette, first: int, last: int) -> Span:
    total = sum(series.total[first:last])
    if total <= 0:
        return Span(" ")
    by_key = [sum(values[first:last]) for values in series.values]
    best = max(range(len(by_key)), key=by_key.__getitem__, default=None)
    key = series.keys[best] if best is not None and by_key[best] >= sum(series.other[first:last]) else ()
    color = palette.color(key if isinstance(key, tuple) else (key,))
    return Span(column(total / (_BIN_S * (last - first))), color)


def _times(edges: Sequence[str], each: int, width: int) -> str:
    """The hours under the line, spaced to fit."""
    columns_an_hour = 12 / each
    apart = next(
        (hours for hours in _STRIP_HOURS_APART if hours * columns_an_hour >= _LABEL_WIDTH), _STRIP_HOURS_APART[-1]
    )
    line = ""
    for first in range(0, len(edges), each):
        hour, minute = edges[first][11:13], edges[first][14:16]
        index = first // each
        is_whole = minute == "00" and int(hour) % apart == 0
        if is_whole and len(line) <= index and index + len("00:00") <= width:
            line = line.ljust(index) + f"{hour}:00"
    return line
