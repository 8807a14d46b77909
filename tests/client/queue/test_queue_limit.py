"""The queue grows up to its limit; what no longer fits is reported, and what is there stays."""

from pathlib import Path

import pytest

from dayline.client.queue import CallQueue
from dayline.model.errors import BucketExists, Unavailable
from dayline.model.event import Event
from tests.client.queue.queueing import beat, create, drained, insert

MIB = 1 << 20


@pytest.fixture
def full_queue(tmp_path: Path) -> CallQueue:
    queue = CallQueue(tmp_path / "queue.db", limit_mib=1)
    outcomes = queue.add([create("a"), *(insert(body=b"x" * (MIB // 4)) for _ in range(4)), beat(0)])
    # The one that reaches the limit is still taken.
    assert [isinstance(outcome, Unavailable) for outcome in outcomes] == [False] * 5 + [True]
    return queue


def test_what_no_longer_fits_is_reported_with_a_hint(full_queue: CallQueue) -> None:
    [outcome] = full_queue.add([insert()])

    assert isinstance(outcome, Unavailable)
    assert "the queue is full (1 MiB), with 5 calls waiting" in outcome.message
    assert outcome.hint is not None
    assert "--queue-mib" in outcome.hint
    assert full_queue.state().waiting == 5


def test_a_known_bucket_is_still_known(full_queue: CallQueue) -> None:
    known, new = full_queue.add([create("a"), create("b")])

    assert isinstance(known, BucketExists)
    assert isinstance(new, Unavailable)
    assert full_queue.creation("b") is None


def test_a_heartbeat_that_extends_one_that_waits_is_still_taken(tmp_path: Path) -> None:
    queue = CallQueue(tmp_path / "queue.db", limit_mib=1)
    queue.add([beat(0), insert("b", body=b"x" * 2 * MIB)])

    same, other = queue.add([beat(4), beat(5, app="browser")])

    assert isinstance(same, Event)
    assert isinstance(other, Unavailable)


def test_the_queue_accepts_more_when_calls_are_done(full_queue: CallQueue) -> None:
    drained(full_queue)

    assert full_queue.add([beat(0)]) == [Event(start=0, data=b'{"app":"editor"}')]
    assert full_queue.state().used_bytes < MIB


def test_the_file_shrinks_when_all_is_sent(tmp_path: Path) -> None:
    path = tmp_path / "queue.db"
    queue = CallQueue(path)
    queue.add([insert(body=b"x" * MIB) for _ in range(8)])
    drained(queue)
    queue.close()

    assert path.stat().st_size < MIB
