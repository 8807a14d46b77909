"""Dictionaries made from others keep to what a dictionary promises, checked against the plain data objects."""

from collections.abc import Sequence
from typing import Any
from weakref import ref

import msgspec
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from dayline.model.data import canonical_json
from dayline.query.columns.dictionaries import (
    Joined,
    Subset,
    WithFields,
    compact,
    join,
    joined_column,
    subset,
    with_fields,
)
from dayline.query.functions.categories import categorize
from dayline.query.functions.urls import split_url_events
from dayline.storage.columns.dictionaries import TextDictionary
from dayline.storage.columns.source import MISSING, Codes, Column, Dictionary, Items
from tests.query.functions.strategies import KEYS, VALUES
from tests.query.reference.events import same
from tests.support.profile import examples
from tests.support.query.tables import at, context_of, events_of, table_of

Object = dict[str, Any]

# Nothing says that the texts of a dictionary must differ, but those of the store do.
objects = st.lists(
    st.dictionaries(st.sampled_from(KEYS), st.sampled_from(VALUES), max_size=3), max_size=6, unique_by=canonical_json
)
new_values = st.sampled_from([None, None, "a", "b", 1, ["Work"]])


def dictionary_of(values: Sequence[Object]) -> TextDictionary:
    return TextDictionary([canonical_json(value) for value in values])


def everything(dictionary: Dictionary) -> Codes:
    return np.arange(len(dictionary), dtype=np.int32)


def column_of(values: Sequence[Any]) -> Column:
    """A column; None means a missing value."""
    distinct = list({canonical_json(value): value for value in values if value is not None}.values())
    codes = [MISSING if value is None else distinct.index(value) for value in values]
    return Column(np.array(codes, dtype=np.int32), Items.of_values(distinct))


def check(dictionary: Dictionary, expected: Sequence[Object]) -> None:
    """Everything that a dictionary can be asked for fits to the objects that should be in it."""
    assert len(dictionary) == len(expected)
    texts = dictionary.texts(everything(dictionary))
    assert [canonical_json(msgspec.json.decode(text)) for text in texts] == [canonical_json(each) for each in expected]
    assert set(dictionary.fields()) >= {key for each in expected for key in each}
    for field in [*KEYS, "$new", "nowhere"]:
        check_column(dictionary.column(field), field, expected)
    firsts = [next(n for n, other in enumerate(expected) if same(each, other)) for each in expected]
    classes = dictionary.classes().tolist()
    assert [classes.index(number) for number in classes] == firsts


def check_column(column: Column, field: str, expected: Sequence[Object]) -> None:
    for code, each in zip(column.codes.tolist(), expected, strict=True):
        if code == MISSING:
            assert field not in each
        else:
            assert canonical_json(column.items.value(code)) == canonical_json(each[field])
    used = [(column.items.raw(code), bool(column.items.is_string[code])) for code in set(column.codes.tolist()) - {-1}]
    assert len(set(used)) == len(used)


@given(objects, st.data())
@settings(max_examples=examples(300))
def test_a_subset(values: list[Object], data: st.DataObject) -> None:
    chosen = data.draw(st.lists(st.integers(0, len(values) - 1), unique=True) if values else st.just([]))
    codes = np.array(chosen, dtype=np.int32)

    part = subset(dictionary_of(values), codes)

    check(part, [values[number] for number in chosen])
    check(subset(part, everything(part)[::-1]), [values[number] for number in reversed(chosen)])


@given(objects, objects)
@settings(max_examples=examples(300))
def test_joined_dictionaries(one: list[Object], other: list[Object]) -> None:
    first, second = dictionary_of(one), dictionary_of(other)

    joined, codes = join([first, second, first])

    check(joined, one + other)
    assert [each.tolist() for each in codes] == [
        list(range(len(one))), list(range(len(one), len(one) + len(other))), list(range(len(one))),
    ]  # fmt: skip
    check(subset(joined, everything(joined)[::-1]), (one + other)[::-1])


@given(objects, st.sampled_from(["app", "$category", "$new"]), st.data())
@settings(max_examples=examples(300))
def test_fields_added_and_replaced(values: list[Object], field: str, data: st.DataObject) -> None:
    # What is equal gets what is equal: it is decided by the first object that is equal.
    firsts = [next(n for n, other in enumerate(values) if same(each, other)) for each in values]
    drawn = data.draw(st.lists(new_values, min_size=len(values), max_size=len(values)))
    new = [drawn[first] for first in firsts]
    expected = [each if value is None else {**each, field: value} for each, value in zip(values, new, strict=True)]

    changed = WithFields(dictionary_of(values), {field: column_of(new)})

    check(changed, expected)
    check(subset(changed, everything(changed)[::-1]), expected[::-1])


def test_joined_dictionaries_are_taken_apart_when_they_are_joined_again() -> None:
    one, two, three = ({"n": number} for number in range(3))
    first, second, third = dictionary_of([one]), dictionary_of([two]), dictionary_of([three])

    again, codes = join([join([first, second])[0], third, join([second, third])[0], second])

    check(again, [one, two, three])
    assert isinstance(again, Joined)
    assert again.parts == [first, second, third]
    assert [each.tolist() for each in codes] == [[0, 1], [2], [1, 2], [1]]


def test_joining_a_dictionary_with_itself_changes_nothing() -> None:
    only = dictionary_of([{"n": 1}])

    assert join([only, only])[0] is only


def test_more_fields_than_are_compared_one_by_one_are_compared_all_the_same() -> None:
    keys = [f"k{number}" for number in range(40)]
    values: list[Object] = [dict.fromkeys(keys, 1), dict.fromkeys(keys, 1.0), {"k0": 1}]

    joined, _ = join([dictionary_of(values[:1]), dictionary_of(values[1:])])

    assert joined.classes().tolist() == [0, 0, 2]


def test_events_that_use_few_values_get_a_dictionary_of_those() -> None:
    events = table_of([at(number, 1, {"n": number}) for number in range(40)])

    few, many = compact(events.take(slice(7, 9))), compact(events.take(slice(7, 19)))

    assert isinstance(few.data, Subset)
    assert len(few.data) == 2
    assert [event.data for event in events_of(few)] == [{"n": 7}, {"n": 8}]
    assert many.data is events.data


def test_parts_of_urls_are_computed_for_the_values_asked_about_only() -> None:
    events = table_of([at(number, 1, {"url": f"http://x{number}.org/"}) for number in range(9)])
    split = split_url_events(events)
    assert isinstance(split.data, WithFields)

    assert b'"$domain":"x3.org"' in split.data.texts(np.array([3], dtype=np.int32))[0]

    domain = split.data.new["$domain"]
    assert not isinstance(domain, Column)
    # Domains are numbered as they are found: before this one, none was.
    assert domain.of(np.array([3], dtype=np.int32)).codes.tolist() == [0]


def test_urls_are_split_once() -> None:
    events = split_url_events(table_of([at(0, 1, {"url": "http://x.org/"})]))
    categorized = categorize(context_of({}), events, [])

    assert split_url_events(events) is events
    assert split_url_events(categorized) is categorized


def test_urls_that_were_changed_are_split_again() -> None:
    events = split_url_events(table_of([at(0, 1, {"url": "http://x.org/"})]))
    changed = with_fields(events, {"url": column_of(["http://y.org/"])})

    assert [event.data["$domain"] for event in events_of(split_url_events(changed))] == ["y.org"]


def test_items_that_were_joined_before_are_found_again() -> None:
    one, other = dictionary_of([{"app": "a"}, {"app": 1}]), dictionary_of([{"app": "b"}, {"app": "a"}])
    columns = [one.column("app"), other.column("app")]

    first, again, turned = joined_column(columns), joined_column(columns), joined_column(columns[::-1])

    assert again.items is first.items
    assert turned.items is not first.items
    assert [first.items.value(code) for code in first.codes] == ["a", 1, "b", "a"]
    assert [turned.items.value(code) for code in turned.codes] == ["b", "a", "a", 1]


def test_items_are_not_kept_by_what_they_were_joined_with() -> None:
    kept = dictionary_of([{"app": "a"}]).column("app")
    forgotten = dictionary_of([{"app": "b"}]).column("app")
    watched = ref(forgotten.items)

    joined_column([kept, forgotten])
    del forgotten

    assert watched() is None
