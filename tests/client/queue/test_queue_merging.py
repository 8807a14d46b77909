"""Heartbeats are merged while they wait, and the server ends with the events that it would have had without."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dayline.client.queue import CallQueue
from dayline.client.queued_call import Heartbeat, Insertion, NewCall, unstored_json
from dayline.model.event import Event, decode_events, decode_heartbeat
from dayline.model.time import SECOND
from tests.client.queue.queueing import beat, drained, insert
from tests.support.storage.models import ModelBucket, ModelEvent, ModelStore


@pytest.fixture
def queue(tmp_path: Path) -> Iterator[CallQueue]:
    queue = CallQueue(tmp_path / "queue.db")
    yield queue
    queue.close()


def bodies(queue: CallQueue) -> list[tuple[float, float, str]]:
    """Second, duration and app of all that waits."""
    events = [decode_heartbeat(call.body) for call in drained(queue) if call.kind == "heartbeat"]
    return [(event.start / 1e6, event.duration / 1e6, msgspec.json.decode(event.data)["app"]) for event in events]


def test_heartbeats_within_pulsetime_wait_as_one(queue: CallQueue) -> None:
    queue.add([beat(0), beat(4)])
    queue.add([beat(8, lasting=1)])

    assert bodies(queue) == [(0, 9, "editor")]


def test_the_answer_is_the_heartbeat_as_it_waits(queue: CallQueue) -> None:
    _, second = queue.add([beat(0), beat(4)])

    assert isinstance(second, Event)
    assert (second.start, second.duration) == (0, 4_000_000)


@pytest.mark.parametrize(
    "other",
    [beat(5.001), beat(3, app="browser"), beat(-1), beat(3, pulse=6)],
    ids=["too late", "other data", "earlier", "another pulsetime"],
)
def test_what_the_server_might_not_merge_waits_apart(queue: CallQueue, other: NewCall) -> None:
    queue.add([beat(0), other])

    assert len(drained(queue)) == 2


def test_heartbeats_are_not_merged_across_an_insert(queue: CallQueue) -> None:
    # To the server the newest event is the last one then, not the one of the heartbeat before.
    queue.add([beat(0), insert(), beat(4)])

    assert [call.kind for call in drained(queue)] == ["heartbeat", "insert", "heartbeat"]


def test_heartbeats_of_other_buckets_lie_between_without_harm(queue: CallQueue) -> None:
    queue.add([beat(0), beat(1, bucket_id="b", app="other"), beat(4)])

    assert len(drained(queue)) == 2


def test_a_heartbeat_that_was_taken_is_not_extended(queue: CallQueue) -> None:
    # It may be with the server already: a longer one under the same token would be taken for a repetition.
    queue.add([beat(0)])
    taken = queue.take()
    queue.add([beat(4), beat(8)])

    assert queue.take() == taken
    assert bodies(queue) == [(0, 0, "editor"), (4, 4, "editor")]


def test_a_heartbeat_of_an_earlier_process_is_not_extended(tmp_path: Path) -> None:
    # It may have been in flight when that process ended.
    first = CallQueue(tmp_path / "queue.db")
    first.add([beat(0)])
    first.close()

    second = CallQueue(tmp_path / "queue.db")
    second.add([beat(4)])

    assert bodies(second) == [(0, 0, "editor"), (4, 0, "editor")]
    second.close()


def test_a_week_of_heartbeats_waits_in_a_small_queue(queue: CallQueue) -> None:
    week = [beat(second, app=f"app {second // 3600}", pulse=90) for second in range(0, 7 * 86_400, 60)]

    for number in range(0, len(week), 5000):
        queue.add(week[number : number + 5000])

    state = queue.state()
    assert state.waiting == 7 * 24
    assert state.used_bytes < 100_000


DATA = st.sampled_from([b'{"a":1}', b'{"a":1.0}', b'{"a":1}', b'{"a":true}'])
EVENTS = st.builds(Event, start=st.integers(10, 30), duration=st.integers(-4, 8), data=DATA)
PULSETIMES = st.sampled_from([3, 3, 3, 6])
BEATS = st.builds(Heartbeat, bucket_id=st.just("a"), event=EVENTS, pulsetime=PULSETIMES)
INSERTS = EVENTS.map(lambda event: Insertion(bucket_id="a", body=b"[%b]" % unstored_json(event)))
# Each batch of calls, and how many calls the server takes after it.
TURNS = st.lists(
    st.tuples(st.lists(st.one_of(BEATS, BEATS, BEATS, INSERTS), max_size=6), st.integers(0, 2)), max_size=6
)


def lasting(start: int, duration: int) -> Event:
    return Event(start=start, duration=duration, data=b'{"a":1}')


def beating(start: int, duration: int) -> Heartbeat:
    return Heartbeat(bucket_id="a", event=lasting(start, duration), pulsetime=6)


@given(st.lists(EVENTS, max_size=2), TURNS)
# The second heartbeat makes one of the first two that the last event takes, though it does not take the first alone.
@example([lasting(5, -3)], [([beating(6, -4), beating(6, 2)], 0)])
def test_the_server_ends_with_the_same_events(before: list[Event], turns: list[tuple[list[NewCall], int]]) -> None:
    direct, behind_queue = server_with(before), server_with(before)
    with TemporaryDirectory() as folder:
        queue = CallQueue(Path(folder) / "queue.db")
        for calls, taken in turns:
            for call in calls:
                pulsetime = call.pulsetime if isinstance(call, Heartbeat) else None
                apply(direct, call.body, pulsetime)
            queue.add(calls)
            for _ in range(taken):
                send_one(queue, behind_queue)
        while send_one(queue, behind_queue):
            pass
        queue.close()

    assert behind_queue.buckets == direct.buckets
    assert behind_queue.next_id == direct.next_id


def server_with(events: list[Event]) -> ModelStore:
    server = ModelStore()
    server.buckets["a"] = ModelBucket()
    server.insert("a", [model_event(event) for event in events])
    return server


def send_one(queue: CallQueue, server: ModelStore) -> bool:
    call = queue.take()
    if call is None:
        return False
    pulsetime = round(float(call.query.removeprefix("pulsetime=")) * SECOND) if call.kind == "heartbeat" else None
    apply(server, call.body, pulsetime)
    queue.done(call)
    return True


def apply(server: ModelStore, body: bytes, pulsetime: int | None) -> None:
    """What a server makes of the body, as it comes over the wire."""
    if pulsetime is not None:
        server.heartbeat("a", model_event(decode_heartbeat(body)), pulsetime)
    else:
        events = decode_events(body)
        assert isinstance(events, list)
        server.insert("a", [model_event(event) for event in events])


def model_event(event: Event) -> ModelEvent:
    return ModelEvent(start=event.start, duration=event.duration, data=msgspec.json.decode(event.data))
