"""Where in a program something is, and how to show it."""

import re
import unicodedata
from bisect import bisect_right
from functools import cached_property
from typing import Final

from dayline.query.errors import Place

_LINE_BREAK: Final = re.compile(r"\r\n|\r|\n")
_SHOWN_BEFORE: Final = 60  # characters of a long line on either side of the place: an excerpt fits a terminal
_SHOWN_AFTER: Final = 40
_CUT: Final = "…"


class Source:
    """The text of a program, which knows its lines."""

    def __init__(self, text: str) -> None:
        self.text = text

    def line(self, offset: int) -> int:
        """The line of a character, from 1."""
        return bisect_right(self._line_starts, offset)

    def place(self, offset: int) -> Place:
        """Where a character is; the end of the text has a place too."""
        line = self.line(offset)
        start = self._line_starts[line - 1]
        found = _LINE_BREAK.search(self.text, start)
        end = found.start() if found else len(self.text)
        column = min(offset, end) - start
        return Place(line=line, column=column + 1, excerpt=_excerpt(self.text[start:end], column))

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(found.end() for found in _LINE_BREAK.finditer(self.text))]


def _excerpt(line: str, column: int) -> str:
    """The line, or the part of it around the column (from 0), with a caret below."""
    first = max(column - _SHOWN_BEFORE, 0)
    last = column + _SHOWN_AFTER
    before = (_CUT if first else "") + line[first:column]
    after = line[column:last] + (_CUT if last < len(line) else "")
    return f"{before}{after}\n{''.join(map(_blank, before))}^"


def _blank(character: str) -> str:
    """As much room as the character takes: a tab stays one, so that the caret stands below its place."""
    if character == "\t":
        return "\t"
    if unicodedata.combining(character):
        return ""
    return "  " if unicodedata.east_asian_width(character) in "WF" else " "
