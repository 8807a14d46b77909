"""Tables of which nothing is cut off: what is too wide goes on in the next line."""

from collections.abc import Sequence
from itertools import zip_longest
from typing import Final

from dayline.cli.screens.layout import GAP
from dayline.cli.screens.screen import Screen
from dayline.cli.screens.text import Line, Span, clean, padded, width_of

_LEAST: Final = 8


def folded_table(screen: Screen, headings: Sequence[str], rows: Sequence[Sequence[str]]) -> list[Line]:
    """Rows under their headings."""
    cells = [[clean(cell) for cell in row] for row in rows]
    widths = _widths(screen, [[*headings], *cells])
    lines = _folded(headings, widths, "bold")
    for row in cells:
        lines += _folded(row, widths, "")
    return lines


def _widths(screen: Screen, rows: Sequence[Sequence[str]]) -> list[int]:
    widths = [max(width_of(cell) for cell in column) for column in zip(*rows, strict=True)]
    missing = sum(widths) + GAP * (len(widths) - 1) - screen.width if screen.cuts else 0
    while missing > 0 and max(widths) > _LEAST:
        widest = max(range(len(widths)), key=widths.__getitem__)
        second = max([_LEAST, *(width for number, width in enumerate(widths) if number != widest)])
        taken = min(missing, max(1, widths[widest] - second))
        widths[widest] -= taken
        missing -= taken
    return widths


def _folded(cells: Sequence[str], widths: Sequence[int], style: str) -> list[Line]:
    parts = [_parts(cell, width) for cell, width in zip(cells, widths, strict=True)]
    lines: list[Line] = []
    for pieces in zip_longest(*parts, fillvalue=""):
        spans: list[Span] = []
        for piece, width in zip(pieces, widths, strict=True):
            spans += (*([Span(" " * GAP)] if spans else []), *padded((Span(piece, style),), width))
        lines.append(tuple(spans))
    return lines


def _parts(text: str, width: int) -> list[str]:
    """The text in pieces of at most this width, broken at spaces where there are any."""
    pieces: list[str] = []
    while width_of(text) > width > 0:
        end, taken = 0, 0
        while end < len(text) and taken + width_of(text[end]) <= width:
            taken += width_of(text[end])
            end += 1
        end = max(end, 1)
        space = text.rfind(" ", 0, end + 1)
        place = space if space > 0 else end
        pieces.append(text[:place].rstrip())
        text = text[place:].lstrip()
    return [*pieces, text]
