"""Nesting: 100 levels are accepted, 200 refused, and no depth harms the process (decision 4)."""

from collections.abc import Callable

import pytest

from dayline.model.data import canonical_data, check_depth, decode_json
from dayline.model.errors import Invalid


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
def test_200_levels_and_more_are_refused(nested: Callable[[int], bytes], levels: int) -> None:
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


def test_unclosed_brackets_are_refused_for_their_depth_before_anything_else() -> None:
    with pytest.raises(Invalid, match="nested deeper"):
        decode_json(b"[" * 100_000)
