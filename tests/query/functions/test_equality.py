"""Lists of events are the same where time and data are, in the same order."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dayline.query.functions.urls import split_url_events
from dayline.query.language.operators import same_events
from tests.query.functions.strategies import event_lists, single_events
from tests.query.reference.events import Event, same, without_negative_durations
from tests.support.profile import examples
from tests.support.query.tables import at, table_of, table_of_parts


@given(event_lists, event_lists, st.booleans())
@settings(max_examples=examples(300))
def test_equality_agrees_with_comparing_one_by_one(one: list[Event], other: list[Event], is_copy: bool) -> None:
    other = one if is_copy else other
    pairs = zip(without_negative_durations(one), without_negative_durations(other), strict=False)
    is_same = len(one) == len(other) and all(
        left.start == right.start and left.duration == right.duration and same(left.data, right.data)
        for left, right in pairs
    )

    assert same_events(table_of(one), table_of_parts([other[:2], other[2:]])) == is_same


@given(st.lists(single_events, min_size=1, max_size=4), st.data())
@settings(max_examples=examples(300))
def test_another_data_in_one_event_makes_a_difference(events: list[Event], data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(events) - 1))
    changed = list(events)
    changed[place] = events[place]._replace(data={**events[place].data, "something": "else"})

    assert not same_events(table_of(events), table_of(changed))


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ({"n": 1}, {"n": 1.0}, True),
        ({"n": 1}, {"n": True}, False),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
        ({"a": "1"}, {"a": 1}, False),
    ],
)
def test_data_is_compared_by_value(one: dict[str, object], other: dict[str, object], is_same: bool) -> None:
    assert same_events(table_of([at(0, 1, one, id=1)]), table_of([at(0, 1, other, id=2)])) == is_same


def test_values_of_one_dictionary_that_are_written_differently_are_equal() -> None:
    events = table_of([at(0, 1, {"n": 1}), at(0, 1, {"n": 1.0})])

    assert same_events(events.take(slice(0, 1)), events.take(slice(1, 2)))


def test_added_fields_count() -> None:
    events = table_of([at(0, 1, {"url": "http://x.org/"})])
    spelt_out = table_of(
        [
            at(0, 1, {
                "url": "http://x.org/", "$domain": "x.org", "$protocol": "http", "$path": "/", "$params": "",
                "$options": "", "$identifier": "",
            })
        ]
    )  # fmt: skip

    assert not same_events(events, split_url_events(events))
    assert same_events(spelt_out, split_url_events(events))
