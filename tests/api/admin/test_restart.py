"""A restart keeps everything, whether the server was asked to stop or killed (design P1)."""

from typing import Any

import pytest

from tests.api.remote_bucket import RemoteBucket, event
from tests.support.calls.clients import at
from tests.support.server import RunningServer

EVENTS = [
    event(at("10:00:00"), 2.5, {"app": "a", "n": 1, "f": 1.0}),
    event(at("10:00:00"), 2.5, {"app": "a", "n": 1, "f": 1.0}),
    event("1970-01-01T00:00:00.000001Z", 0.000001, {}),
    event(at("00:00:00", date="2020-02-29"), 3 * 365 * 86400.0, {"long": True}),
    event(at("09:00:00"), -5.0, {"negative": True}),
    event("2261-12-31T23:59:59.999999Z", 0.0, {"last": "日本語"}),
]


def fill(server: RunningServer) -> None:
    bucket, other = RemoteBucket(server, "a / b"), RemoteBucket(server, "other")
    bucket.create(data={"k": [1]}, created="2020-01-01T00:00:00.5Z")
    other.create(hostname="!local")
    stored = bucket.insert(*EVENTS)
    for second in range(5):
        other.heartbeat(at(f"11:00:0{second}"))
    other.heartbeat(at("08:00:00"))
    bucket.delete_event(stored[1]["id"])
    bucket.insert(event(at("12:00:00"), 1.0, id=stored[0]["id"]))
    server.call("PUT", bucket.path, {"client": "changed"})
    server.create("deleted")
    server.call("DELETE", "/api/0/buckets/deleted")
    server.post("/api/0/settings/theme", {"name": "dark", "n": 0})


def observed(server: RunningServer) -> Any:
    """All that clients can see."""
    buckets = server.get("/api/0/buckets/").json
    remote = [RemoteBucket(server, bucket_id) for bucket_id in buckets]
    return (
        buckets,
        server.get("/api/0/export").json,
        server.get("/api/0/settings").json,
        [(bucket.events(), bucket.count(), bucket.count(start="2022-01-01", end="2022-01-02")) for bucket in remote],
        server.get("/api/0/info").json,
    )


@pytest.mark.parametrize("is_killed", [False, True], ids=["stopped", "killed"])
def test_everything_is_as_it_was(server: RunningServer, is_killed: bool) -> None:
    fill(server)
    before = observed(server)

    server.kill() if is_killed else server.stop()
    server.start()

    assert observed(server) == before


@pytest.mark.parametrize("is_killed", [False, True], ids=["stopped", "killed"])
def test_extent_is_still_exact_after_deletes_that_follow(server: RunningServer, is_killed: bool) -> None:
    bucket = RemoteBucket(server, "a")
    bucket.create()
    stored = bucket.insert(
        *(event(at("10:00:00", date=date), 60.0) for date in ("2024-05-01", "2025-06-01", "2026-07-01"))
    )
    server.kill() if is_killed else server.stop()
    server.start()

    bucket.delete_event(stored[2]["id"])
    assert bucket.extent() == (at("10:00:00", date="2024-05-01"), at("10:01:00", date="2025-06-01"))
    bucket.delete_event(stored[0]["id"])
    assert bucket.extent() == (at("10:00:00", date="2025-06-01"), at("10:01:00", date="2025-06-01"))


def test_deleted_bucket_does_not_come_back_under_its_old_name(server: RunningServer) -> None:
    bucket = RemoteBucket(server, "a")
    bucket.create()
    bucket.insert(event(at("10:00:00")))
    bucket.delete()
    server.kill()
    server.start()

    assert bucket.create().status == 200
    assert (bucket.count(), bucket.extent()) == (0, (None, None))
