"""Search over a few events in memory: what counts, in which order, and by category."""

from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from dayline.insight.active import months
from dayline.insight.calendar import Calendar
from dayline.insight.request import Scope
from dayline.insight.search.hits import HALF_LIFE
from dayline.insight.search.model import Group, SearchRequest, SearchResponse, Sort
from dayline.insight.search.query import parse_search
from dayline.insight.search.search import search
from dayline.model.category import Category, ClassicRule
from dayline.model.data import canonical_json
from dayline.model.time import DAY, SECOND, parse_timestamp
from dayline.transform.text import document_of, matches
from tests.insight.worlds import Drawn, worlds
from tests.support.profile import examples
from tests.support.query.tables import MemorySource, StoredEvent

NOW = parse_timestamp("2026-03-05T12:00:00Z")
WORK = Category(id=1, name=("Work", "Code"), rule=ClassicRule(regex="rust"))


def found(source: MemorySource, q: str, **asked: Any) -> SearchResponse:
    request = SearchRequest(scope=Scope(now=NOW, categories=(WORK,)), q=q, **asked)
    return search(request, source)


def window(*events: tuple[int, float, str]) -> MemorySource:
    """Events this many days ago, this many seconds long, with these titles."""
    stored: list[StoredEvent] = [
        (NOW - days * DAY, round(seconds * SECOND), {"title": title}, number)
        for number, (days, seconds, title) in enumerate(events, start=1)
    ]
    return MemorySource({"window": stored}, {"window": "laptop"}, {"window": "currentwindow"})


@pytest.mark.parametrize(
    ("sort", "titles"),
    [
        ("rank", ["b new", "b middle", "b old"]),
        ("recent", ["b new", "b middle", "b old"]),
        ("oldest", ["b old", "b middle", "b new"]),
        ("time", ["b old", "b middle", "b new"]),
        ("count", ["b middle", "b new", "b old"]),
    ],
)
def test_hits_come_in_the_order_asked_for(sort: Sort, titles: list[str]) -> None:
    source = window((400, 500, "b old"), (100, 60, "b middle"), (101, 60, "b middle"), (1, 100, "b new"))
    assert [hit.data["title"] for hit in found(source, "b", sort=sort).hits] == titles


def test_time_counts_half_for_every_ninety_days() -> None:
    days = HALF_LIFE // DAY
    older, newer = (days + 10, 199, "b older"), (10, 100, "b newer")
    assert [hit.data["title"] for hit in found(window(older, newer), "b").hits] == ["b newer", "b older"]
    longer = (days + 10, 201, "b older")
    assert [hit.data["title"] for hit in found(window(longer, newer), "b").hits] == ["b older", "b newer"]


def test_of_events_that_end_together_a_hit_shows_the_one_stored_last() -> None:
    stored_last_and_begun_first = (2, 86_500, "b")
    assert found(window((1, 100, "b"), stored_last_and_begun_first), "b").hits[0].event.id == 2


def test_a_category_narrows_a_search_and_is_reported() -> None:
    source = window((1, 10, "rust book"), (2, 10, "other book"))
    [hit] = found(source, "book category:work").hits
    assert (hit.data["title"], hit.category) == ("rust book", ["Work", "Code"])
    [other] = found(source, "book -category:work/code").hits
    assert (other.data["title"], other.category) == ("other book", ["Uncategorized"])


def test_where_nothing_is_found_a_word_that_there_is_is_proposed() -> None:
    source = window((1, 10, "rust lifetimes"), (2, 10, "lifeboat"))
    assert found(source, "lifetiems app:x").suggestion == "lifetimes app:x"
    assert found(source, "rsut -book lifetimes").suggestion == "rust -book lifetimes"
    assert found(source, "lifetimes").suggestion is None
    assert found(source, "zebra").suggestion is None


WORDS = st.sampled_from(["rust", "Rusty", "café", "cafe", "東京都", "b"])
EVENTS = st.lists(
    st.tuples(
        st.integers(0, 400), st.sampled_from([0.0, 0.5, 60.0, 90_000.0]), st.lists(WORDS, max_size=3).map(" ".join)
    ),
    max_size=15,
)
QUERIES = st.sampled_from(
    ["rust", "-rust", "caf", "京都", "b dur>1s", "cafe on:2026-03", '"rust b"', "dur>=0", "b -café"]
)


@given(EVENTS, QUERIES, st.sampled_from(["value", "title", "none"]), st.integers(1, 4))
def test_pages_have_every_hit_once_and_figures_add_up(
    events: list[tuple[int, float, str]], q: str, group: Group, limit: int
) -> None:
    source = window(*events)
    query = parse_search(q, Calendar("UTC", day_start="04:00"), NOW)
    if query.is_empty:
        return
    seen: list[int] = []
    cursor = None
    while True:
        answer = found(source, q, group=group, limit=limit, cursor=cursor)
        seen += [hit.event.id for hit in answer.hits]
        cursor = answer.cursor
        if cursor is None:
            break
    whole = found(source, q, group=group, limit=500)
    assert [hit.event.id for hit in whole.hits] == seen
    assert len(set(seen)) == len(seen) == whole.total
    expected = [
        (days, seconds, title)
        for days, seconds, title in events
        if matches(query.texts, document_of(canonical_json({"title": title})))
        and seconds * SECOND >= query.shortest
        and NOW - days * DAY < query.end
        and NOW - days * DAY + seconds * SECOND > query.start - (seconds == 0)
    ]
    assert whole.events == len(expected) == sum(hit.count for hit in whole.hits) == sum(whole.histogram.count)
    assert whole.seconds == pytest.approx(sum(hit.seconds for hit in whole.hits))
    assert sum(whole.histogram.seconds) == pytest.approx(whole.seconds)
    assert sum(facet.seconds for facet in whole.facets.device) == pytest.approx(whole.seconds)


@settings(max_examples=examples(40), deadline=None)
@given(worlds(), st.lists(st.sampled_from(["docs", "game", "a", "category:Work", "o dur>1m"]), min_size=2, max_size=3))
def test_a_search_over_months_that_another_has_read_finds_the_same(drawn: Drawn, queries: list[str]) -> None:
    scope = replace(drawn.scope, now=drawn.base + 60 * DAY)
    for q in queries:
        request = SearchRequest(scope=scope, q=q, group="thing")
        again, first = search(request, drawn.source), search(request, drawn.without().source)
        assert replace(again, took=0.0) == replace(first, took=0.0)


def test_a_month_that_is_over_is_read_once_for_all_searches() -> None:
    source = window((60, 600.0, "boats"), (61, 60.0, "trains"))
    found(source, "boats", group="thing")
    with patch.object(months, "active_pieces", side_effect=AssertionError):
        assert found(source, "trains", group="thing").seconds == 60.0
