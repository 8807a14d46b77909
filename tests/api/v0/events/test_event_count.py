"""Counting events (protocol 3.9)."""

import pytest

from tests.api.remote_bucket import RemoteBucket, event
from tests.support.calls.clients import at
from tests.support.server import RunningServer


def test_count_is_a_bare_integer(bucket: RemoteBucket) -> None:
    bucket.insert(*(event(at("10:00:00")) for _ in range(12)))

    answer = bucket.server.get(f"{bucket.path}/events/count")

    assert (answer.body, answer.headers["content-type"]) == (b"12", "application/json")


def test_empty_bucket_counts_0(bucket: RemoteBucket) -> None:
    assert bucket.count() == 0


@pytest.mark.parametrize(
    ("bounds", "expected"),
    [
        ({"start": at("10:00:12")}, 2),
        ({"start": at("10:00:12.000001")}, 1),
        ({"end": at("10:00:20")}, 2),
        ({"end": at("10:00:19.999999")}, 1),
        ({"start": at("10:00:13"), "end": at("10:00:19")}, 0),
        ({"start": at("10:00:11"), "end": at("10:00:11")}, 1),
        ({"start": at("10:00:22"), "end": at("10:00:21")}, 0),
        ({"starttime": at("10:00:13"), "endtime": at("10:00:14")}, 2),
        ({"limit": 1}, 2),
    ],
)
def test_bounds_are_inclusive_and_other_parameters_are_ignored(
    bucket: RemoteBucket, bounds: dict[str, object], expected: int
) -> None:
    bucket.insert(event(at("10:00:10"), 2.0), event(at("10:00:20"), 5.0))

    assert bucket.count(**bounds) == expected


def test_count_follows_every_kind_of_write(bucket: RemoteBucket) -> None:
    bucket.heartbeat(at("10:00:00"))
    bucket.heartbeat(at("10:00:01"))
    assert bucket.count() == 1
    stored = bucket.insert(event(at("11:00:00")), event(at("12:00:00", date="2027-01-01")))
    assert bucket.count() == 3
    bucket.insert(event(at("11:00:00", date="2025-01-01"), id=stored[1]["id"]))
    assert bucket.count() == 3
    bucket.delete_event(stored[0]["id"])
    bucket.delete_event(stored[0]["id"])
    assert bucket.count() == 2


def test_missing_bucket_is_404(shared_server: RunningServer) -> None:
    assert shared_server.get("/api/0/buckets/nowhere/events/count").status == 404
