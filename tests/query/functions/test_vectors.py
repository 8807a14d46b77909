"""The vectors of the protocol, sections 12.1 to 12.5 and 12.8."""

from typing import Any

import pytest

from dayline.query.columns.table import Table
from dayline.query.functions.flood import flood
from dayline.query.functions.grouping import merge_events_by_keys
from dayline.query.functions.overlap import filter_period_intersect
from dayline.query.functions.union import period_union, union_no_overlap
from dayline.query.functions.urls import split_url_events
from tests.query.reference.events import Event
from tests.query.url_vectors import URL_VECTORS
from tests.support.query.tables import at, events_of, plain, table_of


def read(text: str) -> list[Event]:
    """Events as the protocol writes them: `0+1 A, 3+1 B`; without a letter they have no data."""
    events: list[Event] = []
    for part in text.split(", ") if text else []:
        times, _, app = part.partition(" ")
        start, duration = times.split("+")
        events.append(at(float(start), float(duration), app or None))
    return events


def written(table: Table) -> list[Event]:
    return [event._replace(id=None) for event in events_of(table)]


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        ("0+1 A, 3+1 B", "0+2 A, 2+2 B"),
        ("0+1 A, 3+1 A", "0+4 A"),
        ("0+1 A, 6+1 B", "0+1 A, 6+1 B"),
        ("0+1 A, 6+1 A", "0+1 A, 6+1 A"),
        ("0+1 A, 5.999+1 B", "0+3.4995 A, 3.4995+3.4995 B"),
        ("0+1 A, 1+1 A", "0+2 A"),
        ("0+0 A", "0+0 A"),
        ("0+1 A, 3+0 B, 5+1 A", "0+2 A, 2+2 B, 4+2 A"),
        ("0+1 A, 30+0 B", "0+1 A, 30+0 B"),
        ("0+1 A, 0.95+1 B", "0+1 A, 0.95+1 B"),
        ("0+1 A, 0.5+1 B", "0+1 A, 0.5+1 B"),
        ("0+10 A, 2+3 B", "0+10 A, 2+3 B"),
        ("0+10 A, 2+3 A", "0+10 A"),
        ("0+10 A, 5+10 A, 14+3 B", "0+15 A, 14+3 B"),
        ("0+1 A, 3+1 A, 6+1 A, 9+1 B, 12+1 B", "0+8 A, 8+5 B"),
        ("0+1 A, 3+1 B, 6+1 C, 9+1 A", "0+2 A, 2+3 B, 5+3 C, 8+2 A"),
        ("0+10 A, 12+1 B", "0+11 A, 11+2 B"),
        ("0+1 A, 2+0.5 B, 3+1 A", "0+1.5 A, 1.5+1.25 B, 2.75+1.25 A"),
    ],
)
def test_flood(events: str, expected: str) -> None:
    assert written(flood(table_of(read(events)))) == read(expected)


@pytest.mark.parametrize(
    ("events", "filters", "expected"),
    [
        ("0+10 A, 10+5 B", "2+3, 7+5", "2+3 A, 7+3 A, 10+2 B"),
        ("3+0 A, 4+1 B", "2+5", "4+1 B"),
        ("0+10 A", "3+0, 5+1", "3+0 A, 5+1 A"),
        ("0+2 A", "2+2", ""),
        ("0+10 A", "1+5, 3+4", "1+5 A, 6+1 A"),
        ("0+10 A, 2+2 B", "1+4, 6+2", "1+4 A, 6+2 A"),
    ],
)
def test_filter_period_intersect(events: str, filters: str, expected: str) -> None:
    assert written(filter_period_intersect(table_of(read(events)), table_of(read(filters)))) == read(expected)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("0+2 A, 10+2 A", "1+3 B, 4+1 B, 20+1 B", "0+5, 10+2, 20+1"),
        ("0+2 A", "2+2 B", "0+4"),
        ("0+2 A", "2.001+2 B", "0+2, 2.001+2"),
        ("0+10 A", "2+2 B, 11+1 B", "0+10, 11+1"),
        ("0+10 A, 5+10 A", "", "0+15"),
    ],
)
def test_period_union(one: str, other: str, expected: str) -> None:
    assert written(period_union(table_of(read(one)), table_of(read(other)))) == read(expected)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("0+2 A, 10+2 A", "1+3 B, 11+5 B", "0+2 A, 2+2 B, 10+2 A, 12+4 B"),
        ("2+1 A, 5+1 A", "0+10 B", "0+2 B, 2+1 A, 3+2 B, 5+1 A, 6+4 B"),
        ("0+10 A", "2+1 B, 12+1 B", "0+10 A, 12+1 B"),
        ("0+10 A", "2+1 B, 4+1 B, 9+3 B", "0+10 A, 4+1 B, 9+3 B"),
        ("0+10 A", "0+10 B", "0+10 A"),
        ("3+0 A", "0+10 B", "0+10 B, 3+0 A"),
        ("0+10 A", "3+0 B", "0+10 A, 3+0 B"),
        ("10+2 A, 0+2 A", "11+5 B, 1+3 B", "10+2 A, 0+2 A, 12+4 B, 1+3 B"),
    ],
)
def test_union_no_overlap(one: str, other: str, expected: str) -> None:
    assert written(union_no_overlap(table_of(read(one)), table_of(read(other)))) == read(expected)


def test_only_pieces_lose_their_id_in_union_no_overlap() -> None:
    first, second = [at(0, 2, "A", id=1)], [at(1, 3, "B", id=2), at(11, 5, "B", id=3)]

    result = events_of(union_no_overlap(table_of(first), table_of(second)))

    assert result == [at(0, 2, "A", id=1), at(2, 2, "B"), at(11, 5, "B", id=3)]


def test_merge_events_by_keys_keeps_the_whole_data_of_the_first_event_of_a_group() -> None:
    newest_first = [
        at(3, 8, {"title": "n"}, id=4),
        at(2, 4, {"app": "x", "title": "3"}, id=3),
        at(1, 2, {"app": "y", "title": "2"}, id=2),
        at(0, 1, {"app": "x", "title": "1"}, id=1),
    ]

    merged = merge_events_by_keys(table_of(newest_first), ["app"])

    assert events_of(merged) == [at(2, 5, {"app": "x", "title": "3"}), at(1, 2, {"app": "y", "title": "2"})]


@pytest.mark.parametrize(("url", "domain", "path", "params"), URL_VECTORS)
def test_split_url_events(url: str, domain: str, path: str, params: str) -> None:
    (event,) = events_of(split_url_events(table_of([at(0, 1, {"url": url})])))

    assert (event.data["$domain"], event.data["$path"], event.data["$params"]) == (domain, path, params)


@pytest.mark.parametrize("url", ["www.foo.org", "", 7, None, ["http://x.org/"]])
def test_what_is_no_absolute_url_adds_no_fields(url: Any) -> None:
    event = at(0, 1, {"url": url, "$domain": "as it was"})

    assert plain(split_url_events(table_of([event]))) == plain([event])
