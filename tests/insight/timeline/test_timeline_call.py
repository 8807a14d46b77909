"""`GET /api/1/timeline` of a real server."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.keyed_server import KeyedServer

RANGE = "start=2026-03-05T12:00:00Z&end=2026-03-05T13:00:00Z"


@pytest.fixture(scope="module")
def keyed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KeyedServer]:
    """Two buckets with an event each."""
    folder: Path = tmp_path_factory.mktemp("timeline")
    with KeyedServer(folder / "days.db") as server:
        for bucket in ("window_laptop", "window_phone"):
            fields = {"client": "test", "type": "currentwindow", "hostname": bucket.removeprefix("window_")}
            server.as_owner("POST", f"/api/0/buckets/{bucket}", fields)
            event = {"timestamp": "2026-03-05T12:10:00Z", "duration": 60, "data": {"app": bucket, "title": ""}}
            server.as_owner("POST", f"/api/0/buckets/{bucket}/events", [event])
        yield server


def test_a_timeline_has_a_lane_for_each_bucket(keyed: KeyedServer) -> None:
    answer = keyed.as_owner("GET", f"/api/1/timeline?{RANGE}&px=100")

    assert answer.status == 200
    assert [(lane["bucket"], lane["gap"], lane["dur"]) for lane in answer.json["lanes"]] == [
        ("window_laptop", [600_000_000], [60_000_000]),
        ("window_phone", [600_000_000], [60_000_000]),
    ]
    assert answer.json["keys"] == ["window_laptop", "window_phone"]


def test_a_key_for_one_bucket_sees_the_lane_of_that_bucket_alone(keyed: KeyedServer) -> None:
    key = keyed.key("read", "window_phone")

    answer = keyed.with_key(key, "GET", f"/api/1/timeline?{RANGE}")
    other = keyed.with_key(key, "GET", f"/api/1/timeline?{RANGE}&lanes=window_laptop")

    assert [lane["bucket"] for lane in answer.json["lanes"]] == ["window_phone"]
    assert answer.json["keys"] == ["window_phone"]
    assert other.status == 404


def test_an_answer_that_the_client_has_is_not_sent_again(keyed: KeyedServer) -> None:
    first = keyed.as_owner("GET", f"/api/1/timeline?{RANGE}")

    again = keyed.as_owner("GET", f"/api/1/timeline?{RANGE}", headers={"If-None-Match": first.headers["etag"]})

    assert (again.status, again.body) == (304, b"")


@pytest.mark.parametrize("query", ["px=0", "px=10001", "px=many", f"color={'x' * 101}", "start=2026-03-05"])
def test_what_makes_no_sense_is_rejected(keyed: KeyedServer, query: str) -> None:
    answer = keyed.as_owner("GET", f"/api/1/timeline?{query}")

    assert answer.status == 400
    assert answer.message.startswith(query.partition("=")[0]) or "`end` is required" in answer.message


def test_sessions_are_listed_for_a_range(keyed: KeyedServer) -> None:
    answer = keyed.as_owner("GET", f"/api/1/timeline/sessions?{RANGE}&min_s=60&device=laptop")

    assert answer.status == 200
    [session] = answer.json["sessions"]
    assert (session["app"], session["active"], session["device"]) == ("window_laptop", 60, "laptop")


@pytest.mark.parametrize("query", ["start=2026-01-01T00:00:00Z&end=2026-06-01T00:00:00Z", f"{RANGE}&min_s=0"])
def test_sessions_of_a_wrong_range_or_length_are_rejected(keyed: KeyedServer, query: str) -> None:
    assert keyed.as_owner("GET", f"/api/1/timeline/sessions?{query}").status == 400
