"""Random programs as trees, as text, and compared without regard to where things are."""

from typing import Any, cast, get_args

from hypothesis import strategies as st
from msgspec import Struct

from dayline.query.language.ast import (
    BinaryOperation,
    Branch,
    Call,
    Chain,
    Constant,
    DictLiteral,
    Entry,
    Expression,
    If,
    ListLiteral,
    Operator,
    Simple,
    Statement,
    Variable,
)

# Some begin like keywords, some are those of functions, some are in other scripts.
NAMES = st.sampled_from(
    ["x", "_", "a1", "events", "RETURN", "flood", "if_", "returned", "trueish", "elsé", "été", "語"]
)
# No literal ends with a backslash: it would keep the closing quote from closing.
STRINGS = st.text(st.sampled_from("ab\\\"';#{}\n\r\t é語😀"), max_size=8).filter(lambda text: not text.endswith("\\"))
NUMBERS = st.integers(0, 10**12).map(lambda thousandths: thousandths / 1000)

CONSTANTS = st.builds(Constant, st.just(0), st.one_of(NUMBERS, STRINGS, st.booleans()))
VARIABLES = st.builds(Variable, st.just(0), NAMES)


def few(items: st.SearchStrategy[Any], least: int = 0) -> st.SearchStrategy[tuple[Any, ...]]:
    return st.lists(items, min_size=least, max_size=2).map(tuple)


def larger(smaller: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    entries = st.builds(Entry, st.just(0), STRINGS, smaller)
    operations = st.builds(BinaryOperation, st.just(0), st.sampled_from(get_args(Operator)), smaller)
    return st.one_of(
        st.builds(Call, st.just(0), NAMES, few(smaller)),
        st.builds(ListLiteral, st.just(0), few(smaller)),
        st.builds(DictLiteral, st.just(0), few(entries)),
        st.builds(Chain, st.just(0), smaller, few(operations, least=1)),
    )


EXPRESSIONS: st.SearchStrategy[Expression] = st.recursive(st.one_of(CONSTANTS, VARIABLES), larger, max_leaves=8)
SIMPLES = st.builds(Simple, st.just(0), st.just(0), st.none() | NAMES, EXPRESSIONS, st.booleans())


def blocks(statements: st.SearchStrategy[Statement]) -> st.SearchStrategy[Statement]:
    branches = st.builds(Branch, st.just(0), st.just(0), EXPRESSIONS, few(statements))
    return st.builds(If, st.just(0), st.just(0), few(branches, least=1), few(statements))


STATEMENTS: st.SearchStrategy[Statement] = st.recursive(SIMPLES, blocks, max_leaves=4)
PROGRAMS = st.lists(STATEMENTS, max_size=2).map(tuple)


def bare(node: object) -> object:
    """A tree as tuples, without the places of its nodes; 1 and true are distinguished."""
    if isinstance(node, Struct):
        fields = [name for name in node.__struct_fields__ if name not in ("offset", "end")]
        return (type(node).__name__, *(bare(getattr(node, name)) for name in fields))
    if isinstance(node, tuple):
        return tuple(map(bare, cast("tuple[object, ...]", node)))
    return repr(node)
