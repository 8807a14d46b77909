"""Nesting: 100 levels are accepted, 200 refused, and no depth harms the process (decision 4)."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dayline.model.data import MAX_DEPTH, canonical_data, check_depth, decode_json
from dayline.model.errors import DaylineError, Invalid
from tests.support.hostile import hostile_texts, linear_time


def nested_objects(levels: int) -> bytes:
    return b'{"a":' * (levels - 1) + b"{}" + b"}" * (levels - 1)


def nested_lists(levels: int) -> bytes:
    return b'{"a":' + b"[" * (levels - 1) + b"]" * (levels - 1) + b"}"


@pytest.mark.parametrize("nested", [nested_objects, nested_lists])
def test_100_levels_are_kept_unchanged(nested: Callable[[int], bytes]) -> None:
    text = nested(100)

    assert canonical_data(text) == text


@pytest.mark.parametrize("levels", [200, 1_000, 1_000_000])
@pytest.mark.parametrize("nested", [nested_objects, nested_lists])
def test_200_levels_and_more_are_rejected(nested: Callable[[int], bytes], levels: int) -> None:
    with pytest.raises(Invalid, match="nested deeper than 128 levels"):
        canonical_data(nested(levels))


def test_many_brackets_side_by_side_are_not_deep() -> None:
    text = b'{"a":[' + b",".join([b"[]"] * 1000) + b"]}"

    assert canonical_data(text) == text


@pytest.mark.parametrize("string", [b'"' + b"[" * 500 + b'"', b'"\\"' + b"{" * 500 + b'"', b'"\\\\"'])
def test_brackets_inside_strings_are_not_levels(string: bytes) -> None:
    check_depth(b'{"a":' + string + b"}")


def test_escaped_quote_does_not_hide_levels() -> None:
    with pytest.raises(Invalid):
        check_depth(b'["\\\\",' + b"[" * 200 + b"]" * 200 + b"]")


def test_unclosed_brackets_are_rejected_for_their_depth_before_anything_else() -> None:
    with pytest.raises(Invalid, match="nested deeper"):
        decode_json(b"[" * 100_000)


@given(
    st.recursive(
        st.text(st.sampled_from('"\\[]{}a'), max_size=8),
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(st.text(st.sampled_from('"\\]'), max_size=3), inner)
        ),
    ),
    st.integers(0, 2 * MAX_DEPTH),
)
def test_the_depth_of_any_value_is_that_of_its_decoded_form(value: Any, more: int) -> None:
    text = b"[" * more + msgspec.json.encode(value) + b"]" * more
    # Enough brackets in a string to be counted one by one.
    text = b'["' + b"{" * MAX_DEPTH + b'",' + text + b"]"

    if 1 + more + _depth(value) > MAX_DEPTH:
        with pytest.raises(Invalid):
            check_depth(text)
    else:
        check_depth(text)


def _depth(value: Any) -> int:
    if isinstance(value, str):
        return 0
    inner: list[Any] = [*value.values()] if hasattr(value, "values") else value
    return 1 + max(map(_depth, inner), default=0)


# An escaped quote outside a string used to be searched for its end again and again: 40 kB took ten seconds.
@hostile_texts
def test_the_depth_of_a_hostile_text_takes_linear_time(text: str) -> None:
    many_brackets = b"[]" * MAX_DEPTH

    with linear_time(), suppress(DaylineError):
        check_depth(many_brackets + text.encode())
    with linear_time(), suppress(DaylineError):
        decode_json(b'["' + many_brackets + text.encode())
