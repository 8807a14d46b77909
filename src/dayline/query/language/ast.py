"""A program as a tree; `offset` and `end` are positions in its source.

Parentheses have no node. Sequences (operators, `elif`, items) are flat, so that only what is nested in the text is
nested in the tree.
"""

import re
import unicodedata
from bisect import bisect_right
from functools import cached_property
from typing import Final, Literal, TypeAlias

from msgspec import Struct

from dayline.query.errors import SourcePosition

_LINE_BREAK: Final = re.compile(r"\r\n|\r|\n")
_SHOWN_BEFORE: Final = 60  # characters of a long line on either side of the position: an excerpt fits a terminal
_SHOWN_AFTER: Final = 40
_CUT: Final = "…"


class SourceText:
    """The text of a program with its lines."""

    def __init__(self, text: str) -> None:
        self.text = text

    def line(self, offset: int) -> int:
        """The line of a character, from 1."""
        return bisect_right(self._line_starts, offset)

    def place(self, offset: int) -> SourcePosition:
        """The position of a character, or of the end of the text."""
        line = self.line(offset)
        start = self._line_starts[line - 1]
        line_break = _LINE_BREAK.search(self.text, start)
        end = line_break.start() if line_break else len(self.text)
        column = min(offset, end) - start
        return SourcePosition(line=line, column=column + 1, excerpt=_excerpt(self.text[start:end], column))

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(line_break.end() for line_break in _LINE_BREAK.finditer(self.text))]


def _excerpt(line: str, column: int) -> str:
    """The line, or the part of it around the column (from 0), with a caret below."""
    first = max(column - _SHOWN_BEFORE, 0)
    last = column + _SHOWN_AFTER
    before = (_CUT if first else "") + line[first:column]
    after = line[column:last] + (_CUT if last < len(line) else "")
    return f"{before}{after}\n{''.join(map(_blank, before))}^"


def _blank(character: str) -> str:
    """A blank as wide as the character: a tab stays one, so that the caret is below its position."""
    if character == "\t":
        return "\t"
    if unicodedata.combining(character):
        return ""
    return "  " if unicodedata.east_asian_width(character) in "WF" else " "


Operator = Literal["+", "-", "*", "/", "%", "=="]


class Constant(Struct, frozen=True, gc=False):
    """A number, a string or a boolean."""

    offset: int
    value: float | str | bool


class Variable(Struct, frozen=True, gc=False):
    offset: int
    name: str


class Call(Struct, frozen=True):
    offset: int
    name: str
    arguments: "tuple[Expression, ...]"


class ListLiteral(Struct, frozen=True):
    offset: int
    items: "tuple[Expression, ...]"


class Entry(Struct, frozen=True):
    """One key of a dict, which is a string, and its value."""

    offset: int
    key: str
    value: "Expression"


class DictLiteral(Struct, frozen=True):
    """If a key occurs twice, the later entry counts."""

    offset: int
    entries: tuple[Entry, ...]


class BinaryOperation(Struct, frozen=True):
    """An operator and what follows it. `offset` is that of the operator."""

    offset: int
    operator: Operator
    operand: "Expression"


class Chain(Struct, frozen=True):
    """Operations from left to right on the first operand."""

    offset: int
    first: "Expression"
    operations: tuple[BinaryOperation, ...]


Expression: TypeAlias = Constant | Variable | Call | ListLiteral | DictLiteral | Chain


class Simple(Struct, frozen=True):
    """An expression, optionally with an assigned variable and `return` before it."""

    offset: int
    end: int
    target: str | None
    value: Expression
    is_return: bool


class Branch(Struct, frozen=True):
    """`if` or `elif` with its condition and body. `end` is that of the condition."""

    offset: int
    end: int
    condition: Expression
    body: "tuple[Statement, ...]"


class If(Struct, frozen=True):
    """The first branch whose condition is true, else `otherwise`. `end` is that of the first condition."""

    offset: int
    end: int
    branches: tuple[Branch, ...]
    otherwise: "tuple[Statement, ...]"


Statement: TypeAlias = Simple | If


class Program(Struct, frozen=True, eq=False):
    """The statements of a program, and its source.

    `last_named` has an entry for each statement: the variables that no later one names.
    """

    source: SourceText
    statements: tuple[Statement, ...]
    last_named: tuple[tuple[str, ...], ...]
