"""A program as a tree. `offset` is where a node begins in the text; `end` is where it ends.

Parentheses leave no node. What is written in a row (operators, `elif`, items) is kept in a row, so that only what is
nested in the text is nested in the tree.
"""

from typing import Literal, TypeAlias

from msgspec import Struct

from dayline.query.source import Source

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
    """Where a key occurs twice, the later entry counts."""

    offset: int
    entries: tuple[Entry, ...]


class Operation(Struct, frozen=True):
    """An operator and what follows it. `offset` is that of the operator."""

    offset: int
    operator: Operator
    operand: "Expression"


class Chain(Struct, frozen=True):
    """Operations one after the other, from left to right, on what the first operand is."""

    offset: int
    first: "Expression"
    operations: tuple[Operation, ...]


Expression: TypeAlias = Constant | Variable | Call | ListLiteral | DictLiteral | Chain


class Simple(Struct, frozen=True):
    """An expression, with or without a variable that it is assigned to and `return` before it."""

    offset: int
    end: int
    target: str | None
    value: Expression
    is_return: bool


class Branch(Struct, frozen=True):
    """`if` or `elif` with its condition, and what to do where that is true. `end` is that of the condition."""

    offset: int
    end: int
    condition: Expression
    body: "tuple[Statement, ...]"


class If(Struct, frozen=True):
    """Of several branches the first whose condition is true, else `otherwise`. `end` is that of the first condition."""

    offset: int
    end: int
    branches: tuple[Branch, ...]
    otherwise: "tuple[Statement, ...]"


Statement: TypeAlias = Simple | If


class Program(Struct, frozen=True, eq=False):
    """What is done from top to bottom, and the text it was read from.

    `last_named` has an entry for each statement: the variables that none after it names.
    """

    source: Source
    statements: tuple[Statement, ...]
    last_named: tuple[tuple[str, ...], ...]
