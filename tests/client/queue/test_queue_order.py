"""Calls leave the queue in the order in which they came, bucket by bucket, and stay until they are done."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from dayline.client.queue import CallQueue
from dayline.model.errors import BucketExists
from tests.client.queue.queueing import beat, create, drained, insert


@pytest.fixture
def queue(tmp_path: Path) -> Iterator[CallQueue]:
    queue = CallQueue(tmp_path / "queue.db")
    yield queue
    queue.close()


def test_calls_leave_in_the_order_in_which_they_came(queue: CallQueue) -> None:
    queue.add([create(), beat(0, app="one"), insert()])
    queue.add([beat(1, app="two"), beat(2, app="three")])

    assert [call.kind for call in drained(queue)] == ["create", "heartbeat", "insert", "heartbeat", "heartbeat"]


def test_a_call_names_its_endpoint(queue: CallQueue) -> None:
    queue.add([create("a/b ü"), beat(0, bucket_id="a/b ü", pulse=2.5), insert("a/b ü")])

    assert [f"{call.path}?{call.query}" for call in drained(queue)] == [
        "/api/0/buckets/a%2Fb%20%C3%BC?",
        "/api/0/buckets/a%2Fb%20%C3%BC/heartbeat?pulsetime=2.5",
        "/api/0/buckets/a%2Fb%20%C3%BC/events?",
    ]


def test_a_call_that_was_taken_waits_until_it_is_done(queue: CallQueue) -> None:
    queue.add([beat(0)])

    first, again = queue.take(), queue.take()
    assert first is not None
    assert first == again
    assert queue.state().waiting == 1
    queue.done(first)

    assert queue.take() is None
    assert queue.state().waiting == 0


def test_every_call_has_a_token_of_its_own(queue: CallQueue) -> None:
    queue.add([beat(0, app="one"), beat(0, app="two"), insert(), insert()])

    assert len({call.token for call in drained(queue)}) == 4


def test_buckets_that_are_named_are_passed_over(queue: CallQueue) -> None:
    queue.add([beat(0, bucket_id="a"), beat(0, bucket_id="b"), beat(0, bucket_id="c")])

    taken = queue.take(excluded={"a", "c"})

    assert taken is not None
    assert taken.bucket_id == "b"
    assert queue.take(excluded={"a", "b", "c"}) is None


def test_a_bucket_is_created_once(queue: CallQueue) -> None:
    first, second, other = queue.add([create("a", b"1"), create("a", b"2"), create("b", b"3")])

    assert first is None
    assert isinstance(second, BucketExists)
    assert other is None
    assert [call.body for call in drained(queue)] == [b"1", b"3"]
    assert isinstance(queue.add([create("a")])[0], BucketExists)
    assert queue.creation("a") == b"1"


def test_a_bucket_that_was_never_created_here_has_no_creation(queue: CallQueue) -> None:
    queue.add([beat(0)])

    assert queue.creation("a") is None
    assert queue.creation("b") is None


def test_what_is_rejected_is_kept_aside_with_the_reason(queue: CallQueue) -> None:
    queue.add([beat(0, app="one"), beat(0, app="two")])
    first = queue.take()
    assert first is not None

    queue.refuse(first, "too odd")

    state = queue.state()
    assert (state.waiting, state.refused) == (1, 1)
    assert [(refusal.bucket_id, refusal.kind, refusal.reason) for refusal in state.refusals] == [
        ("a", "heartbeat", "too odd")
    ]
    second = queue.take()
    assert second is not None
    assert b"two" in second.body


def test_a_forgotten_bucket_takes_along_what_waits_for_it_and_can_be_created_again(queue: CallQueue) -> None:
    queue.add([create("a"), beat(0), beat(0, bucket_id="b")])

    queue.forget("a")

    assert queue.state().waiting == 1
    assert queue.add([create("a"), beat(1)])[0] is None
    assert [(call.bucket_id, call.kind) for call in drained(queue)] == [
        ("b", "heartbeat"),
        ("a", "create"),
        ("a", "heartbeat"),
    ]


def test_a_call_in_flight_that_was_forgotten_does_no_harm_to_the_next(queue: CallQueue) -> None:
    queue.add([beat(0)])
    in_flight = queue.take()
    assert in_flight is not None
    queue.forget("a")
    queue.add([beat(1)])

    queue.done(in_flight)

    assert len(drained(queue)) == 1


def test_the_oldest_call_is_reported(queue: CallQueue) -> None:
    assert queue.state().oldest is None
    queue.add([beat(0, app="one")])
    oldest = queue.state().oldest
    queue.add([beat(0, app="two")])

    assert oldest is not None
    assert queue.state().oldest == oldest
