"""What someone types is understood, and written out again."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dayline.insight.calendar import Calendar
from dayline.insight.search.query import CategoryClause, PlaceClause, SearchQuery, format_query, parse_search
from dayline.model.errors import Malformed
from dayline.model.time import SECOND, parse_timestamp
from dayline.transform.text import Clause, TextQuery

CALENDAR = Calendar("Europe/Berlin", day_start="04:00")
NOW = parse_timestamp("2026-03-05T12:00:00Z")


def parsed(text: str) -> SearchQuery:
    return parse_search(text, CALENDAR, NOW)


def clauses(*wanted: Clause) -> SearchQuery:
    return SearchQuery(texts=TextQuery(wanted))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Rust", clauses(Clause(words=("rust",), is_prefix=True))),
        ("rust-lang.org", clauses(Clause(words=("rust", "lang", "org"), is_prefix=True))),
        ('"borrow checker"', clauses(Clause(words=("borrow", "checker")))),
        ('"borrow chec', clauses(Clause(words=("borrow", "chec"), is_prefix=True))),
        ("-youtube", clauses(Clause(words=("youtube",), is_prefix=True, is_negated=True))),
        ('-"a b"', clauses(Clause(words=("a", "b"), is_negated=True))),
        ("app:Code", clauses(Clause(words=("code",), is_prefix=True, field="app"))),
        ('-Title:"In Box"', clauses(Clause(words=("in", "box"), field="title", is_negated=True))),
        ("std::vector", clauses(Clause(words=("std", "vector"), is_prefix=True))),
        ("東京", clauses(Clause(words=("東京",)))),
        ("京", clauses(Clause(words=("京",), is_prefix=True))),
        ("dur>2m", SearchQuery(shortest=120 * SECOND + 1)),
        ("dur>=1h30m dur<2h", SearchQuery(shortest=5400 * SECOND, longest=7200 * SECOND - 1)),
        ("dur<=1.5", SearchQuery(longest=3 * SECOND // 2)),
        ("category:Work/Code", SearchQuery(categories=(CategoryClause(path=("Work", "Code")),))),
        (
            "-device:laptop",
            SearchQuery(
                places=(PlaceClause(field="device", clause=Clause(words=("laptop",), is_prefix=True, is_negated=True)),)
            ),
        ),
        ('- app: !? "" -', SearchQuery()),
        ("", SearchQuery()),
    ],
)
def test_a_text_is_understood(text: str, expected: SearchQuery) -> None:
    assert parsed(text) == expected


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("on:2026-03-05", "2026-03-05T03:00:00Z", "2026-03-06T03:00:00Z"),
        ("on:2026-03", "2026-03-01T03:00:00Z", "2026-04-01T02:00:00Z"),
        ("on:2025", "2025-01-01T03:00:00Z", "2026-01-01T03:00:00Z"),
        ("on:today", "2026-03-05T03:00:00Z", "2026-03-06T03:00:00Z"),
        ("after:yesterday before:today", "2026-03-04T03:00:00Z", "2026-03-05T03:00:00Z"),
        ("after:2026-01-01T00:00:00Z before:2026-02", "2026-01-01T00:00:00Z", "2026-02-01T03:00:00Z"),
    ],
)
def test_times_are_those_of_the_calendar(text: str, start: str, end: str) -> None:
    query = parsed(text)
    assert (query.start, query.end) == (parse_timestamp(start), parse_timestamp(end))


@pytest.mark.parametrize(
    "text", ["after:soon", "on:2026-13", "before:1812", "dur>long", "dur<", "-after:2026", "-dur>2m"]
)
def test_ambiguous_input_is_reported(text: str) -> None:
    if text == "dur<":
        assert parsed(text).is_empty  # still being typed
        return
    with pytest.raises(Malformed) as refused:
        parsed(text)
    assert refused.value.field == "q"
    assert refused.value.hint


ITEMS = st.lists(
    st.one_of(
        st.text(max_size=12),
        st.sampled_from(
            [
                "app:",
                "-",
                '"',
                "title:",
                "domain:",
                "device:",
                "after:2026-03",
                "on:2025",
                "dur>2m",
                "dur<1.25s",
                "東京都",
            ]
        ),
    ),
    max_size=8,
)


@given(ITEMS, st.sampled_from(["", " "]))
def test_a_query_that_is_written_out_is_read_as_the_same(items: list[str], between: str) -> None:
    try:
        query = parsed(between.join(items))
    except Malformed:
        return
    assert parsed(format_query(query, CALENDAR)) == query
