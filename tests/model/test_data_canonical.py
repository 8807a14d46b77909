"""Canonical data: one text for each value, and every value unharmed."""

import json
from contextlib import suppress
from typing import Any, cast

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dayline.model.data import canonical_data, canonical_json, decode_json
from dayline.model.errors import Invalid, Malformed

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=10)  # all of Unicode but lone surrogates
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3), max_leaves=6
)
OBJECTS = st.dictionaries(TEXTS, VALUES, max_size=4)


def shape(value: Any) -> Any:
    """A value with its types distinguished, so that 1, 1.0 and true differ."""
    match value:
        case dict():
            return {key: shape(inner) for key, inner in cast("dict[str, Any]", value).items()}
        case list():
            items = cast("list[Any]", value)  # type: ignore[redundant-cast]  # not for pyright
            return [shape(inner) for inner in items]
        case _:
            return type(value).__name__, repr(value)


@given(OBJECTS)
def test_value_comes_back_exactly_as_it_was_sent(value: dict[str, Any]) -> None:
    text = canonical_data(json.dumps(value).encode())

    assert shape(json.loads(text)) == shape(value)


@given(OBJECTS)
def test_text_does_not_depend_on_order_blanks_or_escapes(value: dict[str, Any]) -> None:
    backwards = dict(reversed(value.items()))

    texts = {
        canonical_data(json.dumps(value).encode()),
        canonical_data(json.dumps(backwards, indent=3).encode()),
        canonical_data(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()),
    }

    assert len(texts) == 1


@given(OBJECTS)
def test_canonical_text_is_its_own_canonical_text(value: dict[str, Any]) -> None:
    text = canonical_data(json.dumps(value).encode())

    assert canonical_data(text) == text
    assert canonical_json(decode_json(text)) == text


def test_keys_are_sorted_at_every_level() -> None:
    assert (
        canonical_data(b'{"b": {"d": 1, "c": [{"z": 1, "y": 2}]}, "a": 0}')
        == b'{"a":0,"b":{"c":[{"y":2,"z":1}],"d":1}}'
    )


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        (b'{"n": 1}', b'{"n":1}'),
        (b'{"n": 1.0}', b'{"n":1.0}'),
        (b'{"n": -0.0}', b'{"n":-0.0}'),
        (b'{"n": 123456789012345678901234567890}', b'{"n":123456789012345678901234567890}'),
        (b'{"n": 9007199254740993}', b'{"n":9007199254740993}'),
    ],
)
def test_number_keeps_its_kind_and_every_digit(sent: bytes, kept: bytes) -> None:
    assert canonical_data(sent) == kept


def test_last_of_two_equal_keys_wins() -> None:
    assert canonical_data(b'{"a": 1, "a": 2}') == b'{"a":2}'


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (b"null", "null"),
        (b"true", "a boolean"),
        (b"1", "a number"),
        (b"1.5", "a number"),
        (b'"x"', "a string"),
        (b"[]", "an array"),
        (b'[{"a": 1}]', "an array"),
    ],
)
def test_data_that_is_no_object_is_rejected_by_its_kind(text: bytes, kind: str) -> None:
    with pytest.raises(Invalid, match=f"data must be an object, not {kind}") as caught:
        canonical_data(text)

    assert caught.value.field == "data"


@pytest.mark.parametrize(
    "text",
    [
        b'{"a": "\\ud800"}',
        b'{"a": "\\udc00 and more text behind it"}',
        b'{"a": "\\ud800\\u0041"}',
        b'{"\\ud83d": 1}',
        b'{"a": "\xff"}',
        b'{"a": "\xed\xa0\x80"}',
        b'{"a": "\xc0\xaf"}',
        b'{"a": NaN}',
        b'{"a": Infinity}',
        b'{"a": -Infinity}',
        b'{"a": 1',
        b'{"a": }',
        b"{a: 1}",
        b"{'a': 1}",
        b'{"a": 01}',
        b'{"a": 1,}',
        b'{"a": "\x01"}',
        b"",
    ],
)
def test_text_that_is_not_json_is_malformed(text: bytes) -> None:
    with pytest.raises(Malformed):
        canonical_data(text)


def test_number_that_no_double_holds_is_invalid() -> None:
    with pytest.raises(Invalid, match="number out of range"):
        canonical_data(b'{"a": 1e999}')


def test_pair_of_surrogates_is_one_character() -> None:
    assert canonical_data(b'{"a": "\\ud83d\\ude00"}') == '{"a":"\U0001f600"}'.encode()


@given(st.binary(max_size=60))
def test_no_bytes_raise_anything_but_our_own_errors(text: bytes) -> None:
    with suppress(Malformed, Invalid):
        assert isinstance(msgspec.json.decode(canonical_data(text)), dict)
