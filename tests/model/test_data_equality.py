"""Equality of data: by value, as a slow, obvious comparison sees it (protocol 1.6)."""

import json
from fractions import Fraction
from typing import Any, cast

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dayline.model.data import canonical_json, same_data

# Few distinct leaves, so that equal and nearly equal values come up often.
LEAVES: st.SearchStrategy[Any] = st.sampled_from(
    [None, True, False, 0, 1, 2, 0.0, 1.0, 2.5, -0.0, "", "1", "é", "e\u0301", 2**53, 2**53 + 1, float(2**53)]
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
    max_leaves=4,
)
OBJECTS = st.dictionaries(st.sampled_from("abc"), VALUES, max_size=2)


def plain(value: Any) -> Any:
    """The value with JSON's kind of everything written out, and numbers exact: for Python's own comparison."""
    match value:
        case bool():
            return "boolean", value
        case int() | float():
            return "number", Fraction(value)
        case list():
            items = cast("list[Any]", value)  # type: ignore[redundant-cast]  # not for pyright
            return "array", [plain(item) for item in items]
        case dict():
            return "object", {key: plain(item) for key, item in cast("dict[str, Any]", value).items()}
        case _:
            return "text or null", value


@given(OBJECTS, OBJECTS)
@example({"a": True}, {"a": 1})
@example({"a": 2**53}, {"a": float(2**53)})
@example({"a": 2**53 + 1}, {"a": float(2**53)})
@example({"a": [0, {"b": False}]}, {"a": [0.0, {"b": 0}]})
def test_comparison_agrees_with_the_slow_one(one: dict[str, Any], other: dict[str, Any]) -> None:
    assert same_data(canonical_json(one), canonical_json(other)) == (plain(one) == plain(other))


@given(OBJECTS)
def test_value_equals_itself_in_any_order_of_keys(value: dict[str, Any]) -> None:
    backwards = json.dumps(dict(reversed(value.items()))).encode()

    assert same_data(canonical_json(value), backwards)


@given(OBJECTS, OBJECTS)
def test_comparison_is_symmetric(one: dict[str, Any], other: dict[str, Any]) -> None:
    left, right = canonical_json(one), canonical_json(other)

    assert same_data(left, right) == same_data(right, left)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (b'{"a":99}', b'{"a":99.0}'),
        (b'{"a":0}', b'{"a":-0.0}'),
        (b'{"a":{"b":[1,2.0]}}', b'{"a":{"b":[1.0,2]}}'),
        (b"{}", b"{}"),
    ],
)
def test_equal_values_are_equal_however_written(one: bytes, other: bytes) -> None:
    assert same_data(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (b'{"a":true}', b'{"a":1}'),
        (b'{"a":false}', b'{"a":0}'),
        (b'{"a":false}', b'{"a":0.0}'),
        (b'{"a":[true]}', b'{"a":[1]}'),
        (b'{"a":{"b":false}}', b'{"a":{"b":0}}'),
        (b'{"a":null}', b"{}"),
        (b'{"a":""}', b'{"a":null}'),
        (b'{"a":"1"}', b'{"a":1}'),
        (b'{"a":[1,2]}', b'{"a":[2,1]}'),
        (b'{"a":9007199254740993}', b'{"a":9007199254740992.0}'),
        ('{"a":"é"}'.encode(), '{"a":"e\u0301"}'.encode()),
        ('{"a":"straße"}'.encode(), b'{"a":"STRASSE"}'),
    ],
)
def test_different_values_are_not_equal(one: bytes, other: bytes) -> None:
    assert not same_data(one, other)
