"""`GET /api/1/now` and `GET /api/1/buckets` of a real server."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.support.keyed_server import KeyedServer
from tests.support.server import RunningServer
from tests.support.waiting import eventually


@pytest.fixture(scope="module")
def keyed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KeyedServer]:
    """A laptop that records, and a phone that has not for a day."""
    folder: Path = tmp_path_factory.mktemp("now")
    with KeyedServer(folder / "days.db") as server:
        record(server, "window_laptop", timedelta(seconds=5), {"app": "Code", "title": "main.py"})
        record(server, "window_phone", timedelta(days=1), {"app": "Chat", "title": "hello"})
        yield server


def record(server: KeyedServer, bucket: str, age: timedelta, data: dict[str, str]) -> None:
    """A bucket with an event of a minute that ended some time ago."""
    fields = {"client": "test", "type": "currentwindow", "hostname": bucket.removeprefix("window_")}
    server.as_owner("POST", f"/api/0/buckets/{bucket}", fields)
    start = datetime.now(UTC) - age - timedelta(seconds=60)
    event = {"timestamp": start.isoformat(), "duration": 60, "data": data}
    server.as_owner("POST", f"/api/0/buckets/{bucket}/events", [event])


def test_now_shows_the_active_window_of_each_device(keyed: KeyedServer) -> None:
    answer = keyed.as_owner("GET", "/api/1/now").json

    laptop, phone = answer["devices"]
    assert (laptop["device"], laptop["app"], laptop["title"], laptop["is_recording"]) == (
        "laptop", "Code", "main.py", True,
    )  # fmt: skip
    assert (phone["device"], phone["app"], phone["is_recording"], phone["away"]) == ("phone", "Chat", False, False)


def test_a_key_for_one_bucket_shows_only_that_device(keyed: KeyedServer) -> None:
    key = keyed.key("read", "window_phone")

    now = keyed.with_key(key, "GET", "/api/1/now").json
    buckets = keyed.with_key(key, "GET", "/api/1/buckets").json

    assert [device["device"] for device in now["devices"]] == ["phone"]
    assert [bucket["id"] for bucket in buckets["buckets"]] == ["window_phone"]
    assert buckets["events"] == 1


def test_buckets_show_what_is_in_them_and_how_their_watchers_are(keyed: KeyedServer) -> None:
    laptop, phone = keyed.as_owner("GET", "/api/1/buckets").json["buckets"]

    assert (laptop["id"], laptop["device"], laptop["type"], laptop["events"]) == (
        "window_laptop", "laptop", "currentwindow", 1,
    )  # fmt: skip
    assert (laptop["health"], phone["health"]) == ("recording", "quiet")
    assert (len(laptop["spark"]), sum(laptop["spark"]), sum(phone["spark"])) == (30, 1, 1)
    assert phone["silent_since"] is None


def test_a_watcher_that_stopped_is_silent_while_its_device_is_active(shared_server: RunningServer) -> None:
    now = datetime.now(UTC)
    for bucket, bucket_type, stopped_s, data in (
        ("window", "currentwindow", 300, {"app": "Code"}),
        ("away", "afkstatus", 2, {"status": "not-afk"}),
    ):
        shared_server.create(bucket, type=bucket_type)
        event = {"timestamp": (now - timedelta(hours=1)).isoformat(), "duration": 3600 - stopped_s, "data": data}
        shared_server.post(f"/api/0/buckets/{bucket}/events", [event])

    found = {bucket["id"]: bucket for bucket in shared_server.get("/api/1/buckets").json["buckets"]}

    assert (found["window"]["health"], found["away"]["health"]) == ("silent", "recording")
    assert datetime.fromisoformat(found["window"]["silent_since"]) == now - timedelta(seconds=300)


def used_daily(server: RunningServer, hostname: str, *, last_day: int, days: int = 10) -> datetime:
    """A device that recorded for an hour on each of some days, up to this many days ago, and was left then."""
    last = datetime.now(UTC) - timedelta(days=last_day)
    for watcher, bucket_type, data in (
        ("window", "currentwindow", {"app": "Code"}), ("away", "afkstatus", {"status": "afk"}),
    ):  # fmt: skip
        server.create(f"{watcher}_{hostname}", type=bucket_type, hostname=hostname)
        starts = [last - timedelta(days=day, hours=1) for day in range(days)]
        events = [{"timestamp": start.isoformat(), "duration": 3600, "data": data} for start in starts]
        assert server.post(f"/api/0/buckets/{watcher}_{hostname}/events", events).status == 200
    return last


def test_a_device_on_which_all_watchers_have_stopped_is_reported_by_health_now_and_buckets(
    shared_server: RunningServer,
) -> None:
    last = used_daily(shared_server, "stopped", last_day=3)

    def reported() -> list[str]:
        problems = shared_server.get("/api/1/health").json["problems"]
        return [problem["message"] for problem in problems if problem["kind"] == "watcher"]

    eventually(lambda: any("stopped" in message for message in reported()))
    [message] = [message for message in reported() if "stopped" in message]
    assert message.startswith("nothing is recorded on stopped: last recorded 2")
    [now] = [each for each in shared_server.get("/api/1/now").json["devices"] if each["device"] == "stopped"]
    assert (now["health"], now["is_recording"], now["away"], now["away_since"]) == ("silent", False, False, None)
    answer = shared_server.get("/api/1/buckets").json
    buckets = {each["id"]: each["health"] for each in answer["buckets"] if each["device"] == "stopped"}
    assert buckets == {"window_stopped": "silent", "away_stopped": "silent"}
    [device] = [each for each in answer["devices"] if each["device"] == "stopped"]
    assert (device["health"], datetime.fromisoformat(device["last"])) == ("silent", last)


def test_old_imported_data_is_no_problem_and_shows_no_one_as_away(server: RunningServer) -> None:
    last = used_daily(server, "imported", last_day=682)

    health, answer = server.get("/api/1/health").json, server.get("/api/1/buckets").json

    assert (health["status"], health["problems"]) == ("ok", [])
    [device] = answer["devices"]
    assert (device["health"], datetime.fromisoformat(device["last"])) == ("quiet", last)
    assert {bucket["health"] for bucket in answer["buckets"]} == {"quiet"}
    [now] = server.get("/api/1/now").json["devices"]
    assert (now["away"], now["away_since"], now["health"]) == (False, None, "quiet")
    watchers = {each["client"]: each for each in server.get("/api/1/welcome").json["watchers"]}
    window = watchers["aw-watcher-window"]
    assert (window["seen"], window["health"], datetime.fromisoformat(window["last"])) == (True, "quiet", last)


def test_bytes_are_there_as_soon_as_they_are_measured(keyed: KeyedServer) -> None:
    eventually(lambda: keyed.as_owner("GET", "/api/1/buckets").json["bytes"] is not None)

    answer = keyed.as_owner("GET", "/api/1/buckets").json

    assert answer["bytes"] == sum(bucket["bytes"] for bucket in answer["buckets"]) > 0


def test_a_bucket_that_was_renamed_shows_its_alias(shared_server: RunningServer) -> None:
    shared_server.create("old")
    shared_server.post("/api/1/buckets/old/rename", {"id": "new"})

    [bucket] = [each for each in shared_server.get("/api/1/buckets").json["buckets"] if each["id"] == "new"]

    assert bucket["aliases"] == ["old"]
    assert (bucket["first"], bucket["events"], bucket["health"]) == (None, 0, "quiet")


def test_a_server_without_buckets_is_reported_as_empty(server: RunningServer) -> None:
    assert server.get("/api/1/now").json["devices"] == []
    assert server.get("/api/1/buckets").json["buckets"] == []
