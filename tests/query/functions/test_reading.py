"""Reading buckets: what is selected, in which order, clipped how, and how often the store is asked."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dayline.model.time import Period
from dayline.query.errors import QueryFunctionError
from dayline.query.functions.reading import find_bucket, query_bucket, query_bucket_eventcount, query_bucket_names
from dayline.query.language.environment import Context
from dayline.storage.columns.source import SourceBucket
from tests.query.functions.strategies import single_events
from tests.query.reference import selection
from tests.query.reference.events import Event, without_negative_durations
from tests.support.profile import examples
from tests.support.query.tables import SECOND, MemorySource, at, context_of, events_of, plain


def seconds(start: float, end: float) -> Period:
    return Period(round(start * SECOND), round(end * SECOND))


_moments = st.integers(0, 45 * 2).map(lambda halves: halves * SECOND // 2)


@given(st.lists(single_events, max_size=15), st.lists(st.tuples(_moments, _moments), min_size=1, max_size=4))
@settings(max_examples=examples(300))
def test_every_period_gets_what_the_reference_finds(events: list[Event], bounds: list[tuple[int, int]]) -> None:
    stored = [event._replace(id=number) for number, event in enumerate(reversed(events), start=1)]
    periods = [Period(start, end) for start, end in bounds]
    context = context_of({"b": stored}, periods=periods)

    for period in periods:
        context.period = period
        expected = selection.query_bucket(without_negative_durations(stored), period.start, period.end)
        assert plain(query_bucket(context, "b")) == plain(expected)
        assert query_bucket_eventcount(context, "b") == len(expected)


def test_events_that_touch_an_edge_are_there_without_length() -> None:
    context = context_of({"b": [at(0, 2, "a", id=1), at(5, 2, "b", id=2)]}, period=seconds(2, 5))

    assert events_of(query_bucket(context, "b")) == [at(5, 0, "b", id=2), at(2, 0, "a", id=1)]


def test_equal_starts_are_in_order_of_id_even_where_clipping_makes_them_so() -> None:
    stored = [at(1, 9, "c", id=7), at(0, 9, "d", id=8), at(1, 9, "a", id=3), at(1, 9, "b", id=5)]
    context = context_of({"b": stored}, period=seconds(2, 3))

    assert [event.id for event in events_of(query_bucket(context, "b"))] == [3, 5, 7, 8]


def test_a_negative_duration_counts_as_none() -> None:
    context = context_of({"b": [at(4, -3, "a", id=1)]}, period=seconds(0, 9))

    assert events_of(query_bucket(context, "b")) == [at(4, 0, "a", id=1)]


def test_a_period_that_ends_before_it_begins_holds_nothing() -> None:
    context = context_of({"b": [at(0, 9, "a", id=1)]}, period=seconds(5, 4))

    assert events_of(query_bucket(context, "b")) == []
    assert query_bucket_eventcount(context, "b") == 0.0


def test_adjoining_periods_are_read_once() -> None:
    days = [seconds(10, 20), seconds(0, 10), seconds(20, 30), seconds(40, 50)]
    context = context_of({"b": [at(second, 1, "a", id=second) for second in range(1, 50)]}, periods=days)

    found: list[int] = []
    for context.period in days:
        found.append(len(query_bucket(context, "b")))

    assert found == [12, 10, 12, 11]
    assert [(bucket, report.row_events) for bucket, report in context.trace.reads] == [("b", 30), ("b", 11)]


def test_a_period_that_the_program_chose_is_read_separately() -> None:
    context = context_of({"b": [at(5, 1, "a", id=1)]}, periods=[seconds(0, 10), seconds(10, 20)])
    context.period = seconds(3, 4)

    assert len(query_bucket(context, "b")) == 0
    assert [report.row_events for _, report in context.trace.reads] == [0]


@pytest.mark.parametrize("read", [query_bucket, query_bucket_eventcount])
def test_an_unknown_bucket_is_named_with_one_that_may_be_meant(read: object) -> None:
    context = context_of({"aw-watcher-window_laptop": []})
    assert callable(read)

    with pytest.raises(QueryFunctionError, match="there is no bucket 'aw-watcher-window_latpop'") as caught:
        read(context, "aw-watcher-window_latpop")

    assert caught.value.hint is not None
    assert "aw-watcher-window_laptop" in caught.value.hint


def test_names_come_in_order_of_creation() -> None:
    assert query_bucket_names(context_of({"z": [], "a": [], "m": []})) == ["z", "a", "m"]


@pytest.fixture
def buckets() -> Context:
    return context_of(
        {"my-window_x": [], "window_two": [], "window_one": [], "window_": []},
        hostnames={"window_one": "one", "window_two": "two", "window_": "two", "my-window_x": "one"},
    )


@pytest.mark.parametrize(
    ("text", "hostname", "found"),
    [
        ("window_", None, "window_"),  # exactly
        ("window_o", None, "window_one"),  # the beginning
        ("window", None, "window_two"),  # the first of several
        ("dow_x", None, "my-window_x"),  # within
        ("window_", "one", "window_one"),  # the exact one is of another host
        ("window_x", "one", "my-window_x"),
        ("", None, "my-window_x"),
    ],
)
def test_finding_a_bucket(buckets: Context, text: str, hostname: str | None, found: str) -> None:
    assert find_bucket(buckets, text, hostname) == found


def test_an_alias_is_found_before_an_id_that_only_starts_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    buckets = [
        SourceBucket(id="former_later", hostname="one"),
        SourceBucket(id="window_one", hostname="one", aliases=("former",)),
    ]

    def listed(_: MemorySource) -> list[SourceBucket]:
        return buckets

    monkeypatch.setattr(MemorySource, "buckets", listed)

    assert find_bucket(context_of({}), "former") == "window_one"


def test_a_bucket_that_is_not_found_is_an_error_that_names_the_host(buckets: Context) -> None:
    with pytest.raises(QueryFunctionError, match="of the host 'three' has 'window_' in its id"):
        find_bucket(buckets, "window_", "three")
