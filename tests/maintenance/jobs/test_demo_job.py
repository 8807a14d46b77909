"""The demo that a running server makes: days up to now, computed from what was recorded, and away without a trace."""

from datetime import UTC, datetime, timedelta
from typing import Any, Final
from zoneinfo import ZoneInfo

import pytest

from dayline.demo.export import DemoOrder, demo_classes, history_of
from dayline.demo.routine import EPOCH
from tests.maintenance.jobs.ended_jobs import ended
from tests.support.server import RunningServer
from tests.support.waiting import eventually

DEMO: Final = "/api/1/demo"
LAPTOP: Final = "aw-watcher-window_laptop"


@pytest.fixture
def server(shared_server: RunningServer) -> RunningServer:
    """One server for all, empty."""
    assert shared_server.call("DELETE", DEMO).status == 200
    for bucket_id in shared_server.get("/api/0/buckets/").json:
        assert shared_server.call("DELETE", f"/api/0/buckets/{bucket_id}").status == 200
    assert shared_server.call("DELETE", "/api/0/settings/classes").status == 200
    return shared_server


def started(server: RunningServer, **body: object) -> dict[str, Any]:
    answer = server.post(DEMO, body)
    assert answer.status == 202, answer.body
    job: dict[str, Any] = answer.json
    return job


def demo(server: RunningServer) -> dict[str, Any]:
    found: dict[str, Any] = server.get("/api/1/welcome").json["demo"]
    return found


def last_end(until: datetime, *, days: int) -> datetime:
    """When the last event ends of a demo that is made at that time."""
    history = history_of(DemoOrder(until=until, days=days, zone="Pacific/Auckland"))
    ends = [event.start + event.duration for bucket in history.buckets() for event in bucket.events()]
    return EPOCH + timedelta(microseconds=max(ends))


def test_on_request_it_ends_with_the_last_full_day(server: RunningServer) -> None:
    before = datetime.now(ZoneInfo("Pacific/Auckland")).date()
    ended(server, started(server, days=2, full_days=True, time_zone="Pacific/Auckland"))
    after = datetime.now(ZoneInfo("Pacific/Auckland")).date()

    ends = [bucket["last"] for bucket in server.get("/api/1/buckets").json["buckets"]]
    last = max(datetime.fromisoformat(end) for end in ends).astimezone(ZoneInfo("Pacific/Auckland"))
    assert last.date() in {day - timedelta(days=1) for day in (before, after)}
    assert last.hour >= 17  # a day that ends earlier is not a full one


def test_it_ends_now_and_is_distinguished_from_recorded_data(server: RunningServer) -> None:
    before = datetime.now(UTC)
    done = ended(server, started(server, days=2, time_zone="Pacific/Auckland"))
    after = datetime.now(UTC)

    assert (done["kind"], done["state"], done["progress"]) == ("demo", "done", {"done": 2, "total": 2})
    reported = server.get("/api/1/welcome").json
    assert reported["is_empty"]
    assert reported["demo"] == {"present": True, "events": done["result"]["imported"]}
    assert not any(watcher["seen"] for watcher in reported["watchers"])
    buckets = server.get("/api/0/buckets/").json.values()
    assert all("dayline_demo" in bucket["data"] for bucket in buckets)
    assert all(bucket["is_demo"] for bucket in server.get("/api/1/buckets").json["buckets"])
    # No one is active at every time of the day: it ends with the last activity before now.
    last = max(datetime.fromisoformat(end) for bucket in buckets if (end := bucket["metadata"]["end"]))
    assert last_end(before, days=2) <= last <= last_end(after, days=2)
    assert len(server.get("/api/1/categories").json["categories"]) == 14


def test_it_is_made_once(server: RunningServer) -> None:
    first = started(server, days=1)

    assert server.post(DEMO, {"days": 1}).status == 409
    ended(server, first)
    assert server.post(DEMO, {"days": 1}).status == 409


def test_it_never_goes_into_a_bucket_with_recorded_data(server: RunningServer) -> None:
    server.create(LAPTOP)

    refused = server.post(DEMO, {"days": 1})

    assert (refused.status, LAPTOP in refused.message) == (409, True)


def test_removed_it_can_be_brought_back_and_what_was_recorded_stays(server: RunningServer) -> None:
    server.create("mine", type="currentwindow")
    event = {"timestamp": "2026-01-01T10:00:00Z", "duration": 1, "data": {"app": "Editor"}}
    assert server.post("/api/0/buckets/mine/events", event).status == 200
    ended(server, started(server, days=1))
    before = demo(server)

    removed = server.call("DELETE", DEMO).json

    assert removed["has_removed_categories"]
    assert server.get("/api/0/settings/classes").json is None
    assert list(server.get("/api/0/buckets/").json) == ["mine"]
    [undo] = removed["undo"]
    assert {bucket["undo"] for bucket in removed["buckets"]} == {undo}
    assert server.post(f"/api/1/undo/{undo}").status == 200
    assert demo(server) == before
    assert server.get("/api/0/settings/classes").json == demo_classes()


def test_categories_of_the_person_are_neither_replaced_nor_removed(server: RunningServer) -> None:
    mine = [{"name": ["Mine"], "rule": {"type": "none"}}]
    assert server.post("/api/0/settings/classes", mine).status == 201

    ended(server, started(server, days=1))
    removed = server.call("DELETE", DEMO).json

    assert not removed["has_removed_categories"]
    assert server.get("/api/0/settings/classes").json == mine


def test_cancelled_it_leaves_nothing(server: RunningServer) -> None:
    job = started(server, days=30)
    eventually(lambda: server.get("/api/0/buckets/").json != {})

    cancelled = server.call("DELETE", f"/api/1/jobs/{job['id']}").json

    assert cancelled["state"] == "cancelled"
    assert server.get("/api/0/buckets/").json == {}
    assert server.get("/api/0/settings/classes").json is None
    assert list(server.database.parent.glob("*.d/scratch-*")) == []


def test_an_impossible_demo_is_refused(server: RunningServer) -> None:
    for body in ({"days": 0}, {"days": 366}, {"time_zone": "Nowhere/Else"}, {"hours": 1}):
        assert server.post(DEMO, body).status == 422


def test_the_body_may_be_left_out(server: RunningServer) -> None:
    job = server.call("POST", DEMO)

    assert (job.status, job.json["kind"]) == (202, "demo")
    assert server.call("DELETE", DEMO).status == 200
    assert server.get(f"/api/1/jobs/{job.json['id']}").json["state"] == "cancelled"
