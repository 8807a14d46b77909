"""The operators of the language. They raise errors without a position, which only the interpreter knows."""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Final

import numpy as np

from dayline.model.data import same_data
from dayline.query.columns.distinct import distinct
from dayline.query.columns.table import Table
from dayline.query.errors import QueryInterpretError
from dayline.query.functions.ordering import concatenate
from dayline.query.language.ast import Operator
from dayline.query.language.values import (
    MAX_EVENTS,
    MAX_ITEMS,
    MAX_STRING_CHARACTERS,
    SingleEvent,
    Value,
    is_list,
    kind_of,
    single_events,
)

_ARITHMETIC: Final[dict[str, Callable[[float, float], float]]] = {
    "+": float.__add__,
    "-": float.__sub__,
    "*": float.__mul__,
    "/": float.__truediv__,
    "%": math.fmod,  # with the sign of the dividend
}


def same_events(one: Table, other: Table) -> bool:
    """Equal starts, durations and data, in the same order. Ids do not count."""
    if len(one) != len(other):
        return False
    if not (np.array_equal(one.start, other.start) and np.array_equal(one.end, other.end)):
        return False
    size = len(other.data)
    pairs = distinct(one.value.astype(np.int64) * size + other.value)
    if one.data is other.data:
        pairs = pairs[pairs // size != pairs % size]
    texts = one.data.texts((pairs // size).astype(np.int32))
    other_texts = other.data.texts((pairs % size).astype(np.int32))
    return all(map(same_data, texts, other_texts))


def applied(sign: Operator, left: Value, right: Value) -> Value:
    """The value of `left sign right`. Raises QueryInterpretError."""
    if isinstance(left, float) and isinstance(right, float) and sign != "==":
        return _calculated(sign, left, right)
    if sign == "==":
        if not _are_of_one_type(left, right):
            raise QueryInterpretError(f"`==` compares values of one type, not {kind_of(left)} with {kind_of(right)}")
        return equal(left, right)
    if sign != "+":
        raise QueryInterpretError(f"`{sign}` takes two numbers, not {kind_of(left)} and {kind_of(right)}")
    if isinstance(left, str) and isinstance(right, str):
        return _joined(left, right)
    if is_list(left) and is_list(right):
        return concatenated((left, right))
    raise QueryInterpretError(
        f"`+` takes two numbers, two strings or two lists, not {kind_of(left)} and {kind_of(right)}"
    )


def equal(left: Value, right: Value) -> bool:
    """Deep equality. Values of different types are not equal; lists of any kind are lists."""
    waiting: list[tuple[Value, Value]] = [(left, right)]
    compared: set[tuple[int, int]] = set()  # lists may share parts, which need not be compared again
    while waiting:
        one, other = waiting.pop()
        if not _are_of_one_type(one, other):
            return False
        if isinstance(one, list | dict | Table):
            if (id(one), id(other)) in compared:
                continue
            compared.add((id(one), id(other)))
            pairs = _pairs(one, other)
            if pairs is None:
                return False
            waiting.extend(pairs)
        elif not _same_alone(one, other):
            return False
    return True


def concatenated(parts: Sequence[list[Value] | Table]) -> list[Value] | Table:
    """Concatenate lists: a list of events if all items are events, otherwise a plain list."""
    size = sum(map(len, parts))
    filled = [part for part in parts if len(part)] or list(parts[:1])
    if len(filled) <= 1:
        return filled[0] if filled else []
    tables = [part for part in filled if isinstance(part, Table)]
    if len(tables) == len(filled):
        if size > MAX_EVENTS:
            raise QueryInterpretError(f"a list of {size:,} events is too long; it may have {MAX_EVENTS:,}")
        return concatenate(tables)
    if size > MAX_ITEMS:
        raise QueryInterpretError(f"a list of {size:,} items is too long; it may have {MAX_ITEMS:,}")
    return [item for part in filled for item in (single_events(part) if isinstance(part, Table) else part)]


def _calculated(sign: Operator, left: float, right: float) -> float:
    if right == 0 and sign in "/%":
        raise QueryInterpretError("division by zero" if sign == "/" else "the remainder of a division by zero")
    result = _ARITHMETIC[sign](left, right)
    if not math.isfinite(result):
        raise QueryInterpretError("the result is too large for a number")
    return result


def _joined(left: str, right: str) -> str:
    size = len(left) + len(right)
    if size > MAX_STRING_CHARACTERS:
        raise QueryInterpretError(f"a string of {size:,} characters is too long; it may have {MAX_STRING_CHARACTERS:,}")
    return left + right


def _are_of_one_type(one: Value, other: Value) -> bool:
    if isinstance(one, float):
        return isinstance(other, float)
    return type(one) is type(other) or (is_list(one) and is_list(other))


def _pairs(one: Value, other: Value) -> Iterable[tuple[Value, Value]] | None:
    """What must be equal for two lists or two dicts to be equal; None: they are not."""
    if isinstance(one, Table) and isinstance(other, Table):
        return () if same_events(one, other) else None
    if isinstance(one, dict) and isinstance(other, dict):
        return [(value, other[key]) for key, value in one.items()] if one.keys() == other.keys() else None
    if is_list(one) and is_list(other) and len(one) == len(other):
        return zip(_listed(one), _listed(other), strict=True)
    return None


def _listed(value: list[Value] | Table) -> list[Value]:
    return single_events(value) if isinstance(value, Table) else value


def _same_alone(one: Value, other: Value) -> bool:
    if isinstance(one, SingleEvent) and isinstance(other, SingleEvent):
        return same_events(one.table, other.table)
    return one == other
