"""Packed data objects are read as columns, and are the objects that were packed."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dayline.model.data import canonical_json, same_data
from dayline.storage.columns import value_packs
from dayline.storage.columns.dictionaries import ExtendedDictionary, PackedDictionary, TextDictionary
from dayline.storage.columns.segments import Damaged
from dayline.storage.columns.source import MISSING, Dictionary
from dayline.storage.columns.value_packs import PackWriter, TooManyFields, ValuePack
from tests.support.profile import examples
from tests.support.storage.columns_read import objects_of

BUCKET = 5
TEXT = st.text(st.characters(codec="utf-8"), max_size=6) | st.sampled_from(
    ["", "1", "1.0", "null", 'a"b\\c\n', "ß", "日本"]
)
NUMBERS = (
    st.sampled_from([0, 1, -1, 1.0, 1.5, -0.0, 1e22, 1e300, 2**63, -(2**63), 10**30])
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
)
SCALARS = st.none() | st.booleans() | NUMBERS | TEXT
JSON = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3), max_leaves=6
)
KEYS = st.sampled_from(["app", "title", "", "a.b", "äöü", "\uffff", "\U00010000", '"']) | TEXT
OBJECTS = st.lists(st.dictionaries(KEYS, JSON, max_size=4).map(canonical_json), max_size=12, unique=True)
# Few distinct values, so that items come again in later packs, and 1 meets 1.0.
PLAIN_OBJECTS = st.lists(
    st.dictionaries(st.sampled_from("ab"), st.sampled_from([1, 1.0, "1", True, [1], [1.0], "x"]), max_size=2).map(
        canonical_json
    ),
    max_size=12,
    unique=True,
)


def packed(texts: list[bytes], *, size: int) -> PackedDictionary:
    """Packs of this many values each."""
    writer = PackWriter(BUCKET)
    packs: list[ValuePack] = []
    for number, text in enumerate(texts):
        writer.add(key_of(number), text)
        if writer.count == size or number == len(texts) - 1:
            packs.append(ValuePack(writer.packed(), bucket=BUCKET, first=writer.first))
            writer.next()
    return PackedDictionary(packs)


def key_of(number: int) -> int:
    """Keys are neither dense nor in order."""
    return 1000 + number * 37 % 101 * 7


def classes_are_right(dictionary: Dictionary, texts: list[bytes]) -> bool:
    expected = [next(first for first, other in enumerate(texts) if same_data(other, text)) for text in texts]
    return bool(dictionary.classes().tolist() == expected)


def distinct(dictionary: Dictionary) -> bool:
    """Whether each item of each field is there once, as far as its text goes."""
    for field in dictionary.fields():
        items = dictionary.column(field).items
        texts = [items.json(index) for index in range(len(items))]
        if len(set(texts)) != len(texts):
            return False
    return True


@settings(max_examples=examples(300, daily=40))
@given(OBJECTS | PLAIN_OBJECTS, st.integers(1, 5))
def test_any_objects_come_back_from_their_fields(texts: list[bytes], size: int) -> None:
    dictionary = packed(texts, size=size)

    assert objects_of(dictionary) == [text.decode() for text in texts]
    assert distinct(dictionary)


@given(OBJECTS | PLAIN_OBJECTS, st.integers(0, 12), st.integers(1, 5))
def test_values_that_are_not_packed_yet_follow_those_that_are(texts: list[bytes], packed_ones: int, size: int) -> None:
    dictionary = ExtendedDictionary(packed(texts[:packed_ones], size=size), texts[packed_ones:])

    assert objects_of(dictionary) == [text.decode() for text in texts]
    assert distinct(dictionary)


@given(PLAIN_OBJECTS | OBJECTS, st.integers(0, 12), st.integers(1, 5))
def test_what_is_equal_by_value_is_of_one_class(texts: list[bytes], packed_ones: int, size: int) -> None:
    assert classes_are_right(packed(texts, size=size), texts)
    assert classes_are_right(ExtendedDictionary(packed(texts[:packed_ones], size=size), texts[packed_ones:]), texts)


@given(PLAIN_OBJECTS, st.integers(1, 5))
def test_values_are_found_by_their_keys(texts: list[bytes], size: int) -> None:
    dictionary = packed(texts, size=size)
    keys = np.array([*(key_of(number) for number in range(len(texts))), 1, 10**6], dtype=np.int64)

    assert dictionary.find(keys).tolist() == [*range(len(texts)), MISSING, MISSING]


@given(PLAIN_OBJECTS, st.integers(1, 5))
def test_a_field_that_no_object_has_is_missing_everywhere(texts: list[bytes], size: int) -> None:
    column = packed(texts, size=size).column("no such field")

    assert column.codes.tolist() == [MISSING] * len(texts)


def test_an_item_that_an_earlier_pack_holds_is_not_packed_again() -> None:
    texts = [canonical_json({"app": "x" * 10_000, "number": number}) for number in range(4)]

    column = packed(texts, size=1).column("app")

    assert len(column.items) == 1
    assert column.codes.tolist() == [0, 0, 0, 0]


def test_a_string_is_not_taken_for_a_number_that_looks_like_it() -> None:
    dictionary = ExtendedDictionary(packed([b'{"a":1}'], size=1), [b'{"a":"1"}'])

    assert dictionary.column("a").codes.tolist() == [0, 1]


def test_texts_of_the_same_checksum_are_distinguished() -> None:
    one, other = b"plumless", b"buckeroo"  # they have one CRC-32
    dictionary = ExtendedDictionary(
        packed([b'{"a":"%b"}' % one], size=1), [b'{"a":"%b"}' % other, b'{"a":"%b","b":1}' % one]
    )

    assert dictionary.column("a").codes.tolist() == [0, 1, 0]


def test_a_pack_is_full_at_its_limit_of_values_or_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(value_packs, "MAX_VALUES", 3)
    monkeypatch.setattr(value_packs, "MAX_BYTES", 100)
    by_count, by_bytes = PackWriter(BUCKET), PackWriter(BUCKET)

    by_bytes.add(1, canonical_json({"title": "x" * 100}))
    for number in range(2):
        by_count.add(number, canonical_json({"title": str(number)}))
    was_full = by_count.is_full
    by_count.add(2, b"{}")

    assert (by_bytes.is_full, was_full, by_count.is_full) == (True, False, True)


def test_data_with_ever_new_keys_are_rejected() -> None:
    writer = PackWriter(BUCKET)

    for number in range(value_packs.MAX_FIELDS):
        writer.add(number, canonical_json({f"key {number}": number}))

    with pytest.raises(TooManyFields):
        writer.add(1000, b'{"another":1}')


@pytest.mark.parametrize("place", [{"bucket": BUCKET + 1, "first": 0}, {"bucket": BUCKET, "first": 1}])
def test_a_pack_in_the_place_of_another_is_noticed(place: dict[str, Any]) -> None:
    writer = PackWriter(BUCKET)
    writer.add(1, b"{}")

    with pytest.raises(Damaged):
        ValuePack(writer.packed(), **place)


def test_objects_read_from_rows_have_the_same_columns() -> None:
    texts = [b'{"app":"Code","title":"a"}', b'{"app":"Code"}', b'{"title":"b"}']

    from_packs, from_texts = packed(texts, size=2), TextDictionary(texts)

    for field in ("app", "title"):
        assert from_packs.column(field).codes.tolist() == from_texts.column(field).codes.tolist()
        assert list(from_packs.column(field).items.raws()) == list(from_texts.column(field).items.raws())
