"""A proof holds where every event of theirs is here, and fails where one is missing or different."""

import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dayline.maintenance.migration.copying import Copier
from dayline.maintenance.migration.ledger import Ledger
from dayline.maintenance.migration.model import Comparison
from dayline.maintenance.migration.opening import opened_source
from dayline.maintenance.migration.stored import StoredEvents, stored_buckets
from dayline.model.event import Event
from tests.support.maintenance.migrating import RUST, WINDOW, Calling, copy_of
from tests.support.server import RunningServer

events = st.lists(
    st.builds(
        Event,
        start=st.integers(0, 5),
        duration=st.integers(0, 3),
        data=st.sampled_from([b"{}", b'{"a":1}']),
        id=st.integers(1, 10**9),
    ),
    max_size=12,
)


def compared(theirs: list[Event], ours: list[Event], folder: Path) -> Comparison:
    ledger = Ledger(folder)
    ledger.note_source(theirs)
    ledger.note_target(ours)
    comparison = ledger.compare()
    ledger.close()
    return comparison


def at(start: int, *, lasting: int = 1, data: bytes = b"{}") -> Event:
    return Event(start=start, duration=lasting, data=data)


def test_the_order_of_events_does_not_matter(tmp_path: Path) -> None:
    assert compared([at(1), at(2), at(3)], [at(3), at(1), at(2)], tmp_path).is_proven


@pytest.mark.parametrize("changed", [at(3), at(2, lasting=0), at(2, data=b'{"a":1}')])
def test_a_start_a_duration_or_data_that_differ_are_no_proof(changed: Event, tmp_path: Path) -> None:
    assert not compared([at(1), at(2)], [at(1), changed], tmp_path).is_proven


def test_a_missing_event_is_no_proof_and_another_one_is_no_harm(tmp_path: Path) -> None:
    comparison = compared([at(1), at(2)], [at(1), at(9), at(8)], tmp_path)

    assert not comparison.is_proven
    assert (comparison.source.events, comparison.target.events, comparison.others) == (2, 1, 2)


@given(theirs=events, ours=events)
def test_a_proof_holds_exactly_where_each_event_is_here_or_continues_here(
    theirs: list[Event], ours: list[Event]
) -> None:
    here = {(event.start, event.data, event.duration) for event in ours}
    there = {(event.start, event.data, event.duration) for event in theirs}

    with tempfile.TemporaryDirectory() as folder:
        comparison = compared(theirs, ours, Path(folder))

    gone_on = {
        (start, data, duration)
        for start, data, duration in there - here
        if any(one[:2] == (start, data) and one[2] > duration for one in here - there)
    }
    assert comparison.is_proven == (there - gone_on <= here)
    assert comparison.continued == len(gone_on)
    assert comparison.others == len(here - there)


class Forgetful(Calling):
    """A server that loses an event after each import."""

    def call(self, method: str, path: str, body: object = None, **query: object) -> Any:
        answer = super().call(method, path, body, **query)
        if path.endswith("/import"):
            last = super().call("GET", f"/api/0/buckets/{WINDOW}/events", limit=1)[0]
            super().call("DELETE", f"/api/0/buckets/{WINDOW}/events/{last['id']}")
        return answer


def test_an_event_that_got_lost_on_the_way_is_found_out(server: RunningServer, tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    with opened_source(copy_of(RUST, tmp_path)) as source:
        copier = Copier(source, Forgetful(server), ledger, on_events=lambda _: None)
        window = next(bucket for bucket in source.buckets() if bucket.id == WINDOW)

        copied = copier.copy(window)

    ledger.close()
    assert not copied.proof.is_proven
    assert (copied.proof.source.events, copied.proof.target.events) == (4198, 4197)


def test_events_that_are_asked_for_piece_by_piece_are_all_events_whole_and_once(server: RunningServer) -> None:
    server.create("b")
    lengths = (0, 0.5, 3, 40, 1000, -2, -300)
    moments = [f"2025-01-01T00:{minute:02}:{second:02}Z" for minute in range(20) for second in (0, 7, 59)]
    sent = [
        {"timestamp": moment, "duration": lengths[number % len(lengths)], "data": {"n": number}}
        for number, moment in enumerate(moments)
    ]
    server.post("/api/0/buckets/b/events", sent)
    calls = Calling(server)
    bucket = stored_buckets(calls)["b"]

    pieces = list(StoredEvents(calls, bucket, at_once=5))

    whole = list(StoredEvents(calls, bucket))
    assert len(whole) == len(sent)
    assert sorted(pieces, key=lambda event: event.id) == sorted(whole, key=lambda event: event.id)
