"""The screen: its width and colors, columns, wrapped text and tables.

Rich could do much of this, but takes 40 ms to import: as long as everything else in a command.
"""

import os
import sys
from collections.abc import Callable, Iterable, Sequence
from itertools import zip_longest
from typing import Final, Literal, TypeAlias

import click
import msgspec
from msgspec import Struct

from dayline.cli.screens.amounts import DurationStyle
from dayline.cli.screens.text import Align, Line, Span, clean, cut_line, padded, width_of, width_of_line

Colors: TypeAlias = Literal["none", "few", "256", "all"]

DEFAULT_WIDTH: Final = 80  # if the width is unknown
MIN_WIDTH: Final = 40
_RESET: Final = "\x1b[0m"
_CODES: Final = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "magenta": "35", "cyan": "36"}
_LEVELS: Final = (0, 95, 135, 175, 215, 255)  # of the cube of 256 colors


class Screen(Struct, frozen=True, kw_only=True):
    """`cuts`: whether long text is truncated. Not in a file or a pipe, which a program may search."""

    width: int = DEFAULT_WIDTH
    colors: Colors = "none"
    cuts: bool = True
    durations: DurationStyle = "hours"

    def text(self, lines: Iterable[Line]) -> str:
        """Lines as text: without trailing spaces, and none wider than the terminal."""
        bare = map(_without_end, lines)
        fitting = (cut_line(line, self.width) for line in bare) if self.cuts else bare
        return "".join(f"{''.join(map(self._painted, line))}\n" for line in fitting)

    def show(self, lines: Iterable[Line]) -> None:
        """Write lines to standard output."""
        reconfigure = getattr(sys.stdout, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")  # a console without block characters gets question marks, not a traceback
        click.echo(self.text(lines), nl=False, color=self.colors != "none")

    def _painted(self, span: Span) -> str:
        if self.colors == "none" or not span.style or not span.text.strip():
            return span.text
        codes = ";".join(_code(word, self.colors) for word in span.style.split())
        return f"\x1b[{codes}m{span.text}{_RESET}"


def screen_of_output(durations: DurationStyle = "hours") -> Screen:
    """The terminal of standard output, or plain text if it is not a terminal."""
    is_terminal = sys.stdout.isatty()
    return Screen(
        width=max(_screen_width(is_terminal=is_terminal), MIN_WIDTH),
        colors=_colors(is_terminal=is_terminal),
        cuts=is_terminal,
        durations=durations,
    )


def _without_end(line: Line) -> Line:
    """A line without trailing spaces."""
    spans = [*line]
    while spans and not spans[-1].text.rstrip(" "):
        spans.pop()
    if spans:
        spans[-1] = Span(spans[-1].text.rstrip(" "), spans[-1].style)
    return tuple(spans)


def _screen_width(*, is_terminal: bool) -> int:
    columns = os.environ.get("COLUMNS", "")
    if columns.isascii() and columns.isdigit() and int(columns) > 0:
        return int(columns)
    if not is_terminal:
        return DEFAULT_WIDTH
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns or DEFAULT_WIDTH
    except (OSError, ValueError):
        return DEFAULT_WIDTH


def _colors(*, is_terminal: bool) -> Colors:
    """As https://no-color.org has it: any value of NO_COLOR but an empty one means none."""
    term = os.environ.get("TERM", "")
    if os.environ.get("NO_COLOR") or not is_terminal or term == "dumb":
        return "none"
    if os.environ.get("COLORTERM", "").lower() in ("truecolor", "24bit") or "WT_SESSION" in os.environ:
        return "all"
    return "256" if "256" in term else "few"


def _code(word: str, colors: Colors) -> str:
    if word in _CODES:
        return _CODES[word]
    red, green, blue = (int(word[place : place + 2], 16) for place in (1, 3, 5))
    if colors == "all":
        return f"38;2;{red};{green};{blue}"
    if colors == "256":
        return f"38;5;{16 + 36 * _level(red) + 6 * _level(green) + _level(blue)}"
    # The nearest of eight colors; blue is hard to read on black, so it is bright.
    middle = (min(red, green, blue) + max(red, green, blue)) / 2
    number = (red > middle) + 2 * (green > middle) + 4 * (blue > middle)
    return {0: "37", 4: "94", 7: "37"}.get(number, str(30 + number))


def _level(value: int) -> int:
    return min(range(6), key=lambda number: abs(_LEVELS[number] - value))


# Tables and panels: the widths of columns, truncation, and panels side by side.


Cell: TypeAlias = Line | Callable[[int], Line]  # a function draws the cell in the given width
Fit: TypeAlias = Literal["own", "cut", "rest"]

GAP: Final = 2


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


# Tables in which long cells wrap instead of being truncated.


_MIN_WIDTH: Final = 8


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
    while missing > 0 and max(widths) > _MIN_WIDTH:
        widest = max(range(len(widths)), key=widths.__getitem__)
        second = max([_MIN_WIDTH, *(width for number, width in enumerate(widths) if number != widest)])
        taken = min(missing, max(1, widths[widest] - second))
        widths[widest] -= taken
        missing -= taken
    return widths


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
    """The text in pieces of at most this width, broken at spaces if possible."""
    pieces: list[str] = []
    while width_of(text) > width > 0:
        end, taken = 0, 0
        while end < len(text) and taken + width_of(text[end]) <= width:
            taken += width_of(text[end])
            end += 1
        end = max(end, 1)
        space = text.rfind(" ", 0, end + 1)
        end = space if space > 0 else end
        pieces.append(text[:end].rstrip())
        text = text[end:].lstrip()
    return [*pieces, text]


# Output of commands: tables, or JSON.


def print_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print rows under their headings; as plain text if the output is not a terminal."""
    screen = screen_of_output()
    screen.show(wrapped_table(screen, columns, [*rows]))


def print_list(
    answer: object, columns: Sequence[str], rows: Sequence[Sequence[str]], *, empty: str, is_json: bool
) -> bool:
    """Print an answer as JSON, or its rows as a table. Returns whether it printed a table.

    If there are no rows, `empty` goes to standard error.
    """
    if is_json:
        print_json(answer)
    elif not rows:
        click.echo(empty, err=True)
    else:
        print_table(columns, rows)
    return bool(rows) and not is_json


def print_json(value: object) -> None:
    """Print a value as JSON."""
    click.echo(msgspec.json.format(msgspec.json.encode(value)).decode())
