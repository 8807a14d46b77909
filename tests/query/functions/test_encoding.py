"""Events as JSON text: exactly what an encoder makes of each event for itself."""

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dayline.model.data import canonical_json
from dayline.model.time import LATEST, format_timestamp
from dayline.query.columns.json import event_pages
from dayline.query.columns.table import no_events
from dayline.query.functions.categories import categorize
from dayline.query.language.values import Value
from tests.query.functions.strategies import event_parts, single_events
from tests.query.reference.events import Event, without_negative_durations
from tests.support.profile import examples
from tests.support.query.tables import at, context_of, table_of, table_of_parts

moments = st.one_of(
    st.integers(0, LATEST),
    st.integers(0, LATEST // 1000).map(lambda millisecond: millisecond * 1000),
    st.integers(0, LATEST // 10**6).map(lambda second: second * 10**6),
)
lengths = st.one_of(
    st.integers(0, 200), st.integers(0, 10**10), st.integers(0, 10**5).map(lambda each: each * 10**6),
    st.integers(10**15 - 1000, 10**16), st.integers(0, 10**7).map(lambda each: each * 1000),
)  # fmt: skip

copies = st.sampled_from([1, 120])  # few events are written otherwise than many


def slowly(event: Event) -> bytes:
    return b'{"id":%b,"timestamp":"%b","duration":%b,"data":%b}' % (
        b"null" if event.id is None else str(event.id).encode(),
        format_timestamp(event.start).encode(),
        repr(event.duration / 1_000_000).encode(),
        canonical_json(event.data),
    )


def _at_another_time(event: Event, start: int, length: int) -> Event:
    return event._replace(start=start, duration=length)


@given(st.lists(st.builds(_at_another_time, single_events, moments, lengths), max_size=6), copies)
@settings(max_examples=examples(500))
def test_times_and_durations_are_written_as_one_by_one(some: list[Event], times: int) -> None:
    events = some * times

    assert b"".join(event_pages(table_of(events))) == b",".join(map(slowly, events))


@given(event_parts(), copies)
@settings(max_examples=examples(300))
def test_data_of_several_dictionaries(some: list[list[Event]], times: int) -> None:
    parts = [part * times for part in some]
    events = without_negative_durations(event for part in parts for event in part)

    assert b"".join(event_pages(table_of_parts(parts))) == b",".join(map(slowly, events))


def test_no_events_are_no_text() -> None:
    assert b"".join(event_pages(no_events())) == b""


@pytest.mark.parametrize("count", [4095, 4096, 4097, 9000])
def test_many_events_come_in_pages(count: int) -> None:
    events = [at(number, 1, {"n": number % 7}, id=number + 1) for number in range(count)]

    pages = list(event_pages(table_of(events)))

    assert len(pages) == -(-count // 4096)
    assert b"".join(pages) == b",".join(map(slowly, events))


def test_an_added_field_is_part_of_the_data() -> None:
    events = [at(0, 1, "a", id=1), at(1, 1, {}, id=2), at(2, 1, {"$category": ["x"], "app": "a"}, id=3)]
    rules: list[Value] = [[["Work"], {"type": "regex", "regex": "a"}]]

    text = b"".join(event_pages(categorize(context_of({}), table_of(events), rules)))

    assert [event["data"] for event in msgspec.json.decode(b"[" + text + b"]")] == [
        {"app": "a", "$category": ["Work"]}, {"$category": ["Uncategorized"]}, {"app": "a", "$category": ["Work"]},
    ]  # fmt: skip
