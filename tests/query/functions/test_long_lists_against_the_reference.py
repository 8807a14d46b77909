"""The functions about time agree with the slow ones on lists that are long enough for everything to happen at once."""

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from dayline.query.functions.flood import flood
from dayline.query.functions.overlap import filter_period_intersect
from dayline.query.functions.union import period_union, union_no_overlap
from tests.query.functions.random_events import random_events
from tests.query.reference import intervals
from tests.query.reference.events import Event
from tests.support.profile import examples
from tests.support.query.tables import plain, table_of

seeds = st.integers(0, 2**32)


@given(seeds, st.booleans(), st.sampled_from([5.0, 0.0, 1.000001, 12.0]))
@settings(max_examples=examples(300))
def test_flood(seed: int, is_ascending: bool, pulsetime: float) -> None:
    events = random_events(seed, count=80, is_ascending=is_ascending)

    expected = intervals.flood(events, pulsetime)

    assert plain(flood(table_of(events), pulsetime)) == plain(expected)


@given(seeds, st.booleans(), st.sampled_from([5, 60]))
@settings(max_examples=examples(300))
def test_filter_period_intersect(seed: int, is_ascending: bool, filters: int) -> None:
    events = random_events(seed, count=80, is_ascending=is_ascending)
    covering = random_events(seed + 1, count=filters, is_ascending=is_ascending)

    expected = intervals.filter_period_intersect(events, covering)

    assert plain(filter_period_intersect(table_of(events), table_of(covering))) == plain(expected)


@given(seeds, st.booleans())
@settings(max_examples=examples(300))
def test_period_union(seed: int, is_ascending: bool) -> None:
    one = random_events(seed, count=40, is_ascending=is_ascending)
    other = random_events(seed + 1, count=40, is_ascending=is_ascending)

    assert plain(period_union(table_of(one), table_of(other))) == plain(intervals.period_union(one, other))


@given(seeds, st.booleans(), st.sampled_from([2, 50]))
@settings(max_examples=examples(300))
def test_union_no_overlap(seed: int, is_ascending: bool, firsts: int) -> None:
    one = random_events(seed, count=firsts, is_ascending=is_ascending)
    other = random_events(seed + 1, count=60, is_ascending=is_ascending)

    assert plain(union_no_overlap(table_of(one), table_of(other))) == plain(intervals.union_no_overlap(one, other))


@given(seeds)
@settings(max_examples=examples(300))
def test_union_of_lists_that_do_not_overlap_themselves(seed: int) -> None:
    one, other = (apart(random_events(number, count=60, is_ascending=True), seed=number) for number in (seed, seed + 1))

    assert plain(union_no_overlap(table_of(one), table_of(other))) == plain(intervals.union_no_overlap(one, other))


def apart(events: list[Event], *, seed: int) -> list[Event]:
    """Those of some ascending events that have a length and start when the one before has ended, without a few."""
    dice, kept = random.Random(seed), list[Event]()
    for event in events:
        if event.duration and (not kept or event.start >= kept[-1].start + kept[-1].duration) and dice.random() < 0.9:
            kept.append(event)
    return kept
