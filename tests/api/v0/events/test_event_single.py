"""Getting and deleting one event (protocol 3.10, 3.11)."""

import pytest

from tests.api.remote_bucket import RemoteBucket, event
from tests.support.calls.clients import at
from tests.support.server import RunningServer

NOT_IDS = [
    "0",
    "-1",
    "1.0",
    "1.5",
    "abc",
    "1a",
    "%201",
    "+1",
    "0x1",
    "1e3",
    "9" * 30,
    "٣",
    "%D9%A3",
    "null",
    str(2**63),
    "%31%00",
]


def test_single_event_is_complete(bucket: RemoteBucket) -> None:
    [stored] = bucket.insert(event(at("10:00:00"), 60.0))

    answer = bucket.event(stored["id"])

    assert (answer.status, answer.json) == (200, stored)


def test_single_event_is_not_clipped_by_parameters(bucket: RemoteBucket) -> None:
    [stored] = bucket.insert(event(at("10:00:00"), 60.0))

    answer = bucket.event(f"{stored['id']}?start={at('10:00:30')}&end={at('10:00:31')}")

    assert answer.json == stored


def test_missing_event_is_404_with_a_message(bucket: RemoteBucket) -> None:
    answer = bucket.event(999_999_999)

    assert answer.status == 404
    assert "999999999" in answer.message


def test_event_of_another_bucket_is_404(bucket: RemoteBucket, other_bucket: RemoteBucket) -> None:
    [elsewhere] = other_bucket.insert(event(at("10:00:00")))

    assert bucket.event(elsewhere["id"]).status == 404


@pytest.mark.parametrize("event_id", [text for text in NOT_IDS if text.isascii() and "%00" not in text])
def test_what_is_no_event_id_is_404(bucket: RemoteBucket, event_id: str) -> None:
    bucket.insert(event(at("10:00:00")))

    assert bucket.event(event_id).status == 404
    assert bucket.delete_event(event_id).status == 404
    assert bucket.count() == 1


def test_missing_bucket_is_404(shared_server: RunningServer) -> None:
    for event_id in ("1", "abc"):
        answer = shared_server.get(f"/api/0/buckets/nowhere/events/{event_id}")
        assert answer.status == 404
        assert "no bucket named 'nowhere'" in answer.message


def test_deleting_reports_whether_the_event_existed(bucket: RemoteBucket) -> None:
    [stored] = bucket.insert(event(at("10:00:00")))

    first, second = bucket.delete_event(stored["id"]), bucket.delete_event(stored["id"])

    assert (first.status, first.json) == (200, {"success": True})
    assert (second.status, second.json) == (200, {"success": False})
    assert bucket.count() == 0


def test_deleting_an_event_of_another_bucket_does_nothing(bucket: RemoteBucket, other_bucket: RemoteBucket) -> None:
    [elsewhere] = other_bucket.insert(event(at("10:00:00")))

    assert bucket.delete_event(elsewhere["id"]).json == {"success": False}
    assert other_bucket.events() == [elsewhere]


def test_deleting_from_a_missing_bucket_is_404(shared_server: RunningServer) -> None:
    assert shared_server.call("DELETE", "/api/0/buckets/nowhere/events/1").status == 404


def test_body_of_a_delete_is_ignored(bucket: RemoteBucket) -> None:
    [stored] = bucket.insert(event(at("10:00:00")))

    answer = bucket.server.call("DELETE", f"{bucket.path}/events/{stored['id']}", raw=b"{}")

    assert answer.json == {"success": True}


def test_posting_to_a_single_event_is_405(bucket: RemoteBucket) -> None:
    [stored] = bucket.insert(event(at("10:00:00")))

    answer = bucket.server.post(f"{bucket.path}/events/{stored['id']}", event(at("11:00:00")))

    assert answer.status == 405
    assert bucket.events() == [stored]
