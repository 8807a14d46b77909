"""Tables and panels: how wide each column is, where something is cut, and what stands beside what."""

from collections.abc import Callable, Sequence
from typing import Final, Literal, TypeAlias

from msgspec import Struct

from dayline.cli.screens.screen import Screen
from dayline.cli.screens.text import Align, Line, Span, cut_line, padded, width_of, width_of_line

Cell: TypeAlias = Line | Callable[[int], Line]  # one that is drawn when it is known how wide it may be
Room: TypeAlias = Literal["own", "cut", "rest"]

GAP: Final = 2


class Column(Struct, frozen=True, kw_only=True):
    """`own`: as wide as it is; `cut`: shortened where there is no room; `rest`: what is left, from least to most."""

    heading: str = ""
    align: Align = "left"
    room: Room = "own"
    least: int = 8
    most: int = 40


def table(screen: Screen, columns: Sequence[Column], rows: Sequence[Sequence[Cell]], *, indent: int = 2) -> list[Line]:
    """Rows under their headings, if there are any. A column of the rest is left out where there is no room for it."""
    widths = _widths(screen, columns, rows, indent)
    lines: list[Line] = []
    if any(column.heading for column in columns):
        headings: list[Cell] = [(Span(column.heading, "dim"),) for column in columns]
        lines.append(_row(columns, headings, widths, indent))
    lines += [_row(columns, row, widths, indent) for row in rows]
    return lines


def beside(panels: Sequence[Sequence[Line]], widths: Sequence[int], *, gap: int = 4) -> list[Line]:
    """Panels side by side, each as wide as said."""
    height = max((len(panel) for panel in panels), default=0)
    lines: list[Line] = []
    for number in range(height):
        spans: list[Span] = []
        for panel, width in zip(panels, widths, strict=True):
            part = panel[number] if number < len(panel) else ()
            spans += (*padded(part, width), Span(" " * gap))
        lines.append(tuple(spans))
    return lines


def _widths(screen: Screen, columns: Sequence[Column], rows: Sequence[Sequence[Cell]], indent: int) -> list[int]:
    widths = [
        max([width_of(column.heading), *(0 if callable(row[number]) else _width(row[number]) for row in rows)])
        for number, column in enumerate(columns)
    ]
    rest = next((number for number, column in enumerate(columns) if column.room == "rest"), None)
    shown = [number for number, width in enumerate(widths) if width or number == rest]
    left = screen.width - indent - GAP * (len(shown) - 1)
    if screen.cuts:
        wanted = sum(widths[number] for number in shown if number != rest)
        missing = wanted + (columns[rest].least if rest is not None else 0) - left
        for number, column in sorted(enumerate(columns), key=lambda each: -widths[each[0]]):
            if column.room == "cut" and missing > 0:
                taken = min(missing, max(0, widths[number] - column.least))
                widths[number] -= taken
                missing -= taken
    if rest is not None:
        free = left - sum(width for number, width in enumerate(widths) if number != rest)
        least, most = columns[rest].least, columns[rest].most
        widths[rest] = min(free, most) if free >= least else 0 if screen.cuts else least
    return widths


def _width(cell: Cell) -> int:
    return 0 if callable(cell) else width_of_line(cell)


def _row(columns: Sequence[Column], cells: Sequence[Cell], widths: Sequence[int], indent: int) -> Line:
    spans: list[Span] = []
    for column, cell, width in zip(columns, cells, widths, strict=True):
        if width:
            content = cell(width) if callable(cell) else cell
            spans += (Span(" " * (GAP if spans else indent)), *padded(cut_line(content, width), width, column.align))
    return tuple(spans)
