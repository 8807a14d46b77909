"""Tables and panels: the widths of columns, truncation, wrapped cells, and panels side by side.

Rich could do much of this, but takes 40 ms to import: as long as everything else in a command.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import zip_longest
from typing import Final, Literal, TypeAlias, TypeVar

import click
import msgspec
from msgspec import Struct

from dayline.cli.screens.screen import Screen, screen_of_output
from dayline.cli.screens.text import Align, Line, Span, clean, cut_line, padded, width_of, width_of_line

Cell: TypeAlias = Line | Callable[[int], Line]  # a function draws the cell in the given width
Fit: TypeAlias = Literal["own", "cut", "rest"]

T = TypeVar("T")

GAP: Final = 2

_MIN_WIDTH: Final = 8
# A word, with the mark or the space after which a line may end: `aw-`, `watcher-`, `laptop `, `2026-11-19 `.
_WORD: Final = re.compile(r"\S+?(?:(?<=[^\W\d_])[\-_/.@]+(?=\w)|\s+|$)")


class Column(Struct, frozen=True, kw_only=True):
    """`own`: as wide as its content; `cut`: truncated if needed; `rest`: the remaining width."""

    heading: str = ""
    align: Align = "left"
    fit: Fit = "own"
    min_width: int = 8
    max_width: int = 40


def table(screen: Screen, columns: Sequence[Column], rows: Sequence[Sequence[Cell]], *, indent: int = 2) -> list[Line]:
    """Rows under their headings, if any. A `rest` column is left out if the screen is too narrow."""
    widths = _widths(screen, columns, rows, indent)
    lines: list[Line] = []
    if any(column.heading for column in columns):
        headings: list[Cell] = [(Span(column.heading, "dim"),) for column in columns]
        lines.append(_row(columns, headings, widths, indent))
    lines += [_row(columns, row, widths, indent) for row in rows]
    return lines


def side_by_side(panels: Sequence[Sequence[Line]], widths: Sequence[int], *, gap: int = 4) -> list[Line]:
    """Panels next to each other, in the given widths."""
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
    rest = next((number for number, column in enumerate(columns) if column.fit == "rest"), None)
    shown = [number for number, width in enumerate(widths) if width or number == rest]
    left = screen.width - indent - GAP * (len(shown) - 1)
    if screen.cuts:
        wanted = sum(widths[number] for number in shown if number != rest)
        missing = wanted + (columns[rest].min_width if rest is not None else 0) - left
        for number, column in sorted(enumerate(columns), key=lambda each: -widths[each[0]]):
            if column.fit == "cut" and missing > 0:
                taken = min(missing, max(0, widths[number] - column.min_width))
                widths[number] -= taken
                missing -= taken
    if rest is not None:
        free = left - sum(width for number, width in enumerate(widths) if number != rest)
        narrowest, widest = columns[rest].min_width, columns[rest].max_width
        widths[rest] = min(free, widest) if free >= narrowest else 0 if screen.cuts else narrowest
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


def wrapped_table(screen: Screen, headings: Sequence[str], rows: Sequence[Sequence[str]]) -> list[Line]:
    """Rows under their headings."""
    cells = [[clean(cell) for cell in row] for row in rows]
    widths = _wrapped_widths(screen, [[*headings], *cells])
    lines = _wrapped(headings, widths, "bold")
    for row in cells:
        lines += _wrapped(row, widths, "")
    return lines


def _wrapped_widths(screen: Screen, rows: Sequence[Sequence[str]]) -> list[int]:
    widths = [max(width_of(cell) for cell in column) for column in zip(*rows, strict=True)]
    missing = sum(widths) + GAP * (len(widths) - 1) - screen.width if screen.cuts else 0
    words = [max(map(_longest_word, column)) for column in zip(*rows, strict=True)]
    # First down to the longest word of each column, and further only if even that is too wide.
    for floors in (words, [min(_MIN_WIDTH, word) for word in words]):
        while missing > 0 and any(width > floor for width, floor in zip(widths, floors, strict=True)):
            free = [number for number, width in enumerate(widths) if width > floors[number]]
            widest = max(free, key=widths.__getitem__)
            second = max([floors[widest], *(widths[number] for number in free if number != widest)])
            taken = min(missing, max(1, widths[widest] - second))
            widths[widest] -= taken
            missing -= taken
    return widths


def _longest_word(text: str) -> int:
    return max((width_of(word.strip()) for word in _WORD.findall(text)), default=0)


def _wrapped(cells: Sequence[str], widths: Sequence[int], style: str) -> list[Line]:
    parts = [_parts(cell, width) for cell, width in zip(cells, widths, strict=True)]
    lines: list[Line] = []
    for pieces in zip_longest(*parts, fillvalue=""):
        spans: list[Span] = []
        for piece, width in zip(pieces, widths, strict=True):
            spans += (*([Span(" " * GAP)] if spans else []), *padded((Span(piece, style),), width))
        lines.append(tuple(spans))
    return lines


def _parts(text: str, width: int) -> list[str]:
    """The text in pieces of at most this width, broken between words if possible."""
    pieces: list[str] = []
    while width_of(text) > width > 0:
        end, taken = 0, 0
        while end < len(text) and taken + width_of(text[end]) <= width:
            taken += width_of(text[end])
            end += 1
        end = max(end, 1)
        ends = [word.end() for word in _WORD.finditer(text) if word.end() <= end + 1]
        between = next((at for at in reversed(ends) if len(text[:at].rstrip()) <= end), 0)
        end = between or end
        pieces.append(text[:end].rstrip())
        text = text[end:].lstrip()
    return [*pieces, text]


def print_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print rows under their headings; as plain text if the output is not a terminal."""
    screen = screen_of_output()
    screen.show(wrapped_table(screen, columns, [*rows]))


def print_list(
    answer: object, columns: Sequence[str], rows: Sequence[Sequence[str]], *, empty: str, is_json: bool
) -> bool:
    """Print a response as JSON, or its rows as a table. Returns whether it printed a table."""
    if is_json:
        print_json(answer)
        return False
    return print_rows(columns, rows, empty=empty)


def print_rows(columns: Sequence[str], rows: Sequence[Sequence[str]], *, empty: str) -> bool:
    """Print rows as a table; if there are none, `empty` to standard error. Returns whether there are any."""
    if rows:
        print_table(columns, rows)
    else:
        click.echo(empty, err=True)
    return bool(rows)


def print_answer(answer: T, print_text: Callable[[T], None], *, is_json: bool) -> None:
    """Print a response as JSON or as text."""
    if is_json:
        print_json(answer)
    else:
        print_text(answer)


def print_change(answer: object, sentence: str, *, is_json: bool) -> None:
    """Print what a command changed: as JSON, or as a sentence to standard error."""
    if is_json:
        print_json(answer)
    else:
        click.echo(sentence, err=True)


def print_json(value: object) -> None:
    """Print a value as JSON."""
    click.echo(msgspec.json.format(msgspec.json.encode(value)).decode())
