"""Every function agrees with the slow one, whatever the events are."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dayline.query.columns.table import Table
from dayline.query.functions.categories import categorize, tag
from dayline.query.functions.flood import flood
from dayline.query.functions.grouping import chunk_events_by_key, merge_events_by_keys, sum_durations
from dayline.query.functions.ordering import concatenate, limit_events, sort_by_duration, sort_by_timestamp
from dayline.query.functions.overlap import filter_period_intersect
from dayline.query.functions.selecting import exclude_keyvals, filter_keyvals, filter_keyvals_regex
from dayline.query.functions.subwatcher import merge_subwatcher_fields
from dayline.query.functions.titles import simplify_window_titles
from dayline.query.functions.union import period_union, union_no_overlap
from dayline.query.functions.urls import split_url_events
from tests.query.functions.strategies import (
    ascending_lists,
    category_classes,
    event_parts,
    keys,
    patterns,
    pulsetimes,
    single_events,
    tag_classes,
    values,
)  # fmt: skip
from tests.query.reference import fields, intervals, selection
from tests.query.reference.events import Event, by_start, without_negative_durations
from tests.support.profile import examples
from tests.support.query.tables import context_of, plain, table_of, table_of_parts

Parts = list[list[Event]]


def listed(parts: Parts) -> list[Event]:
    return without_negative_durations(event for part in parts for event in part)


@given(event_parts(), pulsetimes)
@settings(max_examples=examples(500))
def test_flood(parts: Parts, pulsetime: float) -> None:
    expected = intervals.flood(listed(parts), pulsetime)

    assert plain(flood(table_of_parts(parts), pulsetime)) == plain(expected)


@given(event_parts(), event_parts())
@settings(max_examples=examples(500))
def test_filter_period_intersect(parts: Parts, filters: Parts) -> None:
    expected = intervals.filter_period_intersect(listed(parts), listed(filters))

    assert plain(filter_period_intersect(table_of_parts(parts), table_of_parts(filters))) == plain(expected)


@given(event_parts(), event_parts())
@settings(max_examples=examples(300))
def test_period_union(one: Parts, other: Parts) -> None:
    expected = intervals.period_union(listed(one), listed(other))

    assert plain(period_union(table_of_parts(one), table_of_parts(other))) == plain(expected)


@given(event_parts(), event_parts())
@settings(max_examples=examples(300))
def test_union_no_overlap(one: Parts, other: Parts) -> None:
    expected = intervals.union_no_overlap(listed(one), listed(other))

    assert plain(union_no_overlap(table_of_parts(one), table_of_parts(other))) == plain(expected)


@given(ascending_lists, ascending_lists)
@settings(max_examples=examples(500))
def test_union_no_overlap_of_lists_by_start(one: list[Event], other: list[Event]) -> None:
    expected = intervals.union_no_overlap(without_negative_durations(one), without_negative_durations(other))

    assert plain(union_no_overlap(table_of(one), table_of(other))) == plain(expected)


@given(st.lists(single_events, max_size=3), st.lists(single_events, min_size=16, max_size=60))
@settings(max_examples=examples(500))
def test_union_no_overlap_of_few_events_in_any_order_with_many(few: list[Event], many: list[Event]) -> None:
    many = by_start(many)
    expected = intervals.union_no_overlap(without_negative_durations(few), without_negative_durations(many))

    assert plain(union_no_overlap(table_of(few), table_of(many))) == plain(expected)


@given(event_parts(max_size=6), event_parts(max_size=6), st.lists(keys, max_size=3), st.booleans())
@settings(max_examples=examples(300))
def test_merge_subwatcher_fields(base: Parts, sub: Parts, chosen: list[str], sub_wins: bool) -> None:
    conflict = "sub_wins" if sub_wins else "base_wins"
    expected = intervals.merge_subwatcher_fields(listed(base), listed(sub), chosen, conflict)

    result = merge_subwatcher_fields(table_of_parts(base), table_of_parts(sub), chosen, conflict)

    assert plain(result) == plain(expected)
    assert sum_durations(result) == selection.sum_durations(listed(base))


@given(event_parts(), keys, st.lists(values, max_size=4))
@settings(max_examples=examples(300))
def test_filter_keyvals_and_exclude_keyvals(parts: Parts, key: str, wanted: list[Any]) -> None:
    table = table_of_parts(parts)

    assert plain(filter_keyvals(table, key, wanted)) == plain(selection.filter_keyvals(listed(parts), key, wanted))
    assert plain(exclude_keyvals(table, key, wanted)) == plain(selection.exclude_keyvals(listed(parts), key, wanted))


@given(event_parts(), keys, patterns)
@settings(max_examples=examples(300))
def test_filter_keyvals_regex(parts: Parts, key: str, pattern: str) -> None:
    result = filter_keyvals_regex(context_of({}), table_of_parts(parts), key, pattern)

    assert plain(result) == plain(selection.filter_keyvals_regex(listed(parts), key, pattern))


@given(event_parts(), event_parts())
@settings(max_examples=examples(300))
def test_concatenate(one: Parts, other: Parts) -> None:
    first, second = table_of_parts(one), table_of_parts(other)

    result = concatenate([first, second, first])

    assert plain(result) == plain(listed(one) + listed(other) + listed(one))


@pytest.mark.parametrize(
    ("fast", "slow"),
    [(sort_by_timestamp, selection.sort_by_timestamp), (sort_by_duration, selection.sort_by_duration)],
)
@given(parts=event_parts())
@settings(max_examples=examples(300))
def test_sorting(fast: Callable[[Table], Table], slow: Callable[[list[Event]], list[Event]], parts: Parts) -> None:
    assert plain(fast(table_of_parts(parts))) == plain(slow(listed(parts)))


@given(event_parts(), st.one_of(st.integers(-3, 40).map(float), st.sampled_from([0.9, 1.5, -0.5, 1e300, -1e300])))
@settings(max_examples=examples(300))
def test_limit_events(parts: Parts, count: float) -> None:
    assert plain(limit_events(table_of_parts(parts), count)) == plain(selection.limit_events(listed(parts), count))


@given(event_parts())
@settings(max_examples=examples(300))
def test_sum_durations(parts: Parts) -> None:
    assert sum_durations(table_of_parts(parts)) == selection.sum_durations(listed(parts))


@given(event_parts(), st.lists(keys, max_size=3))
@settings(max_examples=examples(300))
def test_merge_events_by_keys(parts: Parts, chosen: list[str]) -> None:
    expected = selection.merge_events_by_keys(listed(parts), chosen)

    assert plain(merge_events_by_keys(table_of_parts(parts), chosen)) == plain(expected)


@given(event_parts(), keys)
@settings(max_examples=examples(300))
def test_chunk_events_by_key(parts: Parts, key: str) -> None:
    expected = selection.chunk_events_by_key(listed(parts), key)

    assert plain(chunk_events_by_key(table_of_parts(parts), key)) == plain(expected)


@given(event_parts())
@settings(max_examples=examples(300))
def test_split_url_events(parts: Parts) -> None:
    result = split_url_events(table_of_parts(parts))

    assert plain(result) == plain(fields.split_url_events(listed(parts)))
    assert plain(split_url_events(result)) == plain(result)


@given(event_parts(), keys)
@settings(max_examples=examples(300))
def test_simplify_window_titles(parts: Parts, key: str) -> None:
    expected = fields.simplify_window_titles(listed(parts), key)

    assert plain(simplify_window_titles(table_of_parts(parts), key)) == plain(expected)


@given(event_parts(), category_classes)
@settings(max_examples=examples(300))
def test_categorize(parts: Parts, classes: fields.Classes) -> None:
    result = categorize(context_of({}), table_of_parts(parts), classes)

    assert plain(result) == plain(fields.categorize(listed(parts), classes))


@given(event_parts(), tag_classes)
@settings(max_examples=examples(300))
def test_tag(parts: Parts, classes: fields.Classes) -> None:
    result = tag(context_of({}), table_of_parts(parts), classes)

    assert plain(result) == plain(fields.tag(listed(parts), classes))
