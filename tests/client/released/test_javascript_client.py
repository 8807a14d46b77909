"""The released JavaScript client, unchanged, against a real server."""

import json
from collections.abc import Iterator
from typing import Any, Final

import pytest

from tests.support.calls.released_client import ClientError, ReleasedClient, javascript_client
from tests.support.server import RunningServer


@pytest.fixture(scope="module")
def client(shared_server: RunningServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReleasedClient]:
    with javascript_client(shared_server.url, home=tmp_path_factory.mktemp("home")) as client:
        yield client


def event(second: float, *, lasting: float = 0, app: str = "editor", **fields: object) -> dict[str, Any]:
    """An event in the minute after ten o'clock."""
    timestamp = f"2026-01-01T10:00:{second:06.3f}Z"
    return {"timestamp": timestamp, "duration": lasting, "data": {"app": app}, **fields}


def shape(events: list[dict[str, Any]]) -> list[tuple[str, float, str]]:
    """What the events say, without their ids: time of day, duration, app."""
    return [(item["timestamp"][11:23], item["duration"], item["data"]["app"]) for item in events]


def test_info_shows_host_and_version(client: ReleasedClient) -> None:
    info = client.call("getInfo")

    assert info["hostname"]
    assert info["version"].startswith("v")


def test_ensuring_a_bucket_a_second_time_shows_that_it_exists(client: ReleasedClient) -> None:
    assert client.call("ensureBucket", "ensured", "test.type", "laptop") == {"alreadyExist": False}
    assert client.call("ensureBucket", "ensured", "test.type", "laptop") == {"alreadyExist": True}


def test_the_connection_is_sound_after_the_answer_that_a_bucket_exists(client: ReleasedClient) -> None:
    client.call("ensureBucket", "sound", "test.type", "laptop")

    for _ in range(5):
        assert client.call("ensureBucket", "sound", "test.type", "laptop") == {"alreadyExist": True}
        assert client.call("getInfo")["testing"] is False


def test_a_created_bucket_is_described_in_full(client: ReleasedClient) -> None:
    client.call("createBucket", "described", "test.type", "laptop")

    bucket = client.call("getBucketInfo", "described")

    assert bucket["created"].endswith("Z")
    described = {key: bucket[key] for key in ("id", "type", "client", "hostname", "data")}
    assert described == {
        "id": "described",
        "type": "test.type",
        "client": "test-client",
        "hostname": "laptop",
        "data": {},
    }


def test_the_local_host_mark_becomes_this_computer(client: ReleasedClient) -> None:
    client.call("createBucket", "local", "test.type", "!local")

    assert client.call("getBucketInfo", "local")["hostname"] == client.call("getInfo")["hostname"]


def test_the_list_of_buckets_shows_when_each_was_updated(client: ReleasedClient) -> None:
    client.call("createBucket", "listed", "test.type", "laptop")
    client.call("insertEvent", "listed", event(5, lasting=2))

    assert client.call("getBuckets")["listed"]["last_updated"] == "2026-01-01T10:00:07.000Z"


def test_ten_heartbeats_queued_within_five_seconds_give_one_event(client: ReleasedClient) -> None:
    client.call("ensureBucket", "beats", "test.type", "laptop")

    sent = client.call("heartbeats", "beats", 5, [event(second / 2) for second in range(10)])

    assert sent == 10
    assert shape(client.call("getEvents", "beats")) == [("10:00:00.000", 4.5, "editor")]


def test_queued_heartbeats_are_applied_in_their_order(client: ReleasedClient) -> None:
    client.call("ensureBucket", "ordered-beats", "test.type", "laptop")

    client.call("heartbeats", "ordered-beats", 60, [event(second, app=f"tab {second}") for second in range(10)])

    apps = [app for _, _, app in reversed(shape(client.call("getEvents", "ordered-beats")))]
    assert apps == [f"tab {second}" for second in range(10)]


def test_a_heartbeat_to_a_bucket_that_is_not_there_is_rejected(client: ReleasedClient) -> None:
    with pytest.raises(ClientError, match="404"):
        client.call("heartbeat", "missing", 5, event(1))


def test_inserted_events_come_back_newest_first(client: ReleasedClient) -> None:
    client.call("ensureBucket", "inserted", "test.type", "laptop")

    client.call("insertEvent", "inserted", event(1, lasting=1))
    client.call("insertEvents", "inserted", [event(2, lasting=2, app="browser"), event(3, lasting=3, app="mail")])

    assert shape(client.call("getEvents", "inserted")) == [
        ("10:00:03.000", 3, "mail"),
        ("10:00:02.000", 2, "browser"),
        ("10:00:01.000", 1, "editor"),
    ]


def test_events_are_limited_and_clipped_to_a_range(client: ReleasedClient) -> None:
    client.call("ensureBucket", "range", "test.type", "laptop")
    client.call("insertEvents", "range", [event(10, lasting=2), event(20, lasting=5)])

    clipped = client.call(
        "getEvents", "range", {"start": "2026-01-01T10:00:11Z", "end": "2026-01-01T10:00:22Z", "limit": 10}
    )

    assert shape(clipped) == [("10:00:20.000", 2, "editor"), ("10:00:11.000", 1, "editor")]
    assert shape(client.call("getEvents", "range", {"limit": 1})) == [("10:00:20.000", 5, "editor")]


def test_an_event_is_replaced_by_its_id(client: ReleasedClient) -> None:
    client.call("ensureBucket", "replaced", "test.type", "laptop")
    client.call("insertEvents", "replaced", [event(1), event(5)])
    newest = client.call("getEvents", "replaced", {"limit": 1})[0]

    client.call("replaceEvent", "replaced", event(5, lasting=9, app="browser", id=newest["id"]))

    read = client.call("getEvents", "replaced")
    assert shape(read) == [("10:00:05.000", 9, "browser"), ("10:00:01.000", 0, "editor")]
    assert client.call("getEvent", "replaced", newest["id"]) == read[0]


def test_several_events_are_replaced_at_once(client: ReleasedClient) -> None:
    client.call("ensureBucket", "all-replaced", "test.type", "laptop")
    client.call("insertEvents", "all-replaced", [event(1), event(5)])
    events = client.call("getEvents", "all-replaced")

    client.call("replaceEvents", "all-replaced", [{**item, "data": {"app": "mail"}} for item in events])

    assert [app for _, _, app in shape(client.call("getEvents", "all-replaced"))] == ["mail", "mail"]


def test_events_are_counted(client: ReleasedClient) -> None:
    client.call("ensureBucket", "counted", "test.type", "laptop")
    client.call("insertEvents", "counted", [event(second) for second in range(7)])

    assert client.call("countEvents", "counted") == 7


def test_a_deleted_event_is_gone(client: ReleasedClient) -> None:
    client.call("ensureBucket", "shortened", "test.type", "laptop")
    client.call("insertEvents", "shortened", [event(1), event(2)])
    newest = client.call("getEvents", "shortened", {"limit": 1})[0]

    client.call("deleteEvent", "shortened", newest["id"])

    assert shape(client.call("getEvents", "shortened")) == [("10:00:01.000", 0, "editor")]
    with pytest.raises(ClientError, match="404"):
        client.call("getEvent", "shortened", newest["id"])


def test_a_deleted_bucket_is_gone(client: ReleasedClient) -> None:
    client.call("ensureBucket", "short-lived", "test.type", "laptop")

    client.call("deleteBucket", "short-lived")

    with pytest.raises(ClientError, match="404"):
        client.call("getBucketInfo", "short-lived")


def test_an_object_setting_comes_back_as_it_was_set(client: ReleasedClient) -> None:
    client.call("set_setting", "views", {"rows": [1, 2], "name": "week"})

    assert client.call("get_setting", "views") == {"rows": [1, 2], "name": "week"}


@pytest.mark.parametrize("value", ["dark", 30, 1.5, True, ["a"], {"a": None}, False, 0, "", [], {}, None])
def test_a_setting_of_any_kind_comes_back_as_the_web_ui_saved_it(client: ReleasedClient, value: object) -> None:
    assert client.call("saveSetting", "theme", value) == 201

    settings = client.call("get_settings")
    assert "theme" in settings
    assert settings["theme"] == value


def test_exported_buckets_come_back_from_an_uploaded_file(client: ReleasedClient) -> None:
    client.call("ensureBucket", "uploaded", "test.type", "laptop")
    client.call("insertEvents", "uploaded", [event(1, lasting=1), event(5, lasting=2, app="browser")])
    before = shape(client.call("getEvents", "uploaded"))
    document = {"buckets": {"uploaded": client.call("exportAll")["buckets"]["uploaded"]}}

    client.call("deleteBucket", "uploaded")
    first = client.call("importFile", json.dumps(document))
    second = client.call("importFile", json.dumps(document))

    assert shape(client.call("getEvents", "uploaded")) == before
    assert first == {"buckets": 1, "imported": 2, "skipped": 0, "invalid": 0}
    assert second == {"buckets": 1, "imported": 0, "skipped": 2, "invalid": 0}


QUERY: Final = ['events = query_bucket("js-queried");', "RETURN = events;"]


@pytest.fixture(scope="module")
def queried(client: ReleasedClient) -> ReleasedClient:
    """A bucket with an event at each edge of the minutes that are asked about."""
    client.call("ensureBucket", "js-queried", "test.type", "laptop")
    for second in (0, 20, 40):
        client.call("insertEvent", "js-queried", event(second, app=f"at {second}"))
    return client


def test_a_query_with_periods_as_objects_returns_the_events_at_both_edges(queried: ReleasedClient) -> None:
    periods = [
        {"start": "2026-01-01T10:00:00Z", "end": "2026-01-01T10:00:20Z"},
        {"start": "2026-01-01T10:00:20Z", "end": "2026-01-01T10:00:40Z"},
    ]

    results = queried.call("query", periods, QUERY)

    assert [[item["data"]["app"] for item in result] for result in results] == [["at 20", "at 0"], ["at 40", "at 20"]]


def test_a_query_with_periods_as_text_and_the_cache_of_the_client(queried: ReleasedClient) -> None:
    period = "2026-01-01T10:00:00.000Z/2026-01-01T10:00:40.000Z"

    first = queried.call("query", [period], QUERY)
    again = queried.call("query", [period], QUERY)

    assert first == again
    assert [item["data"]["app"] for item in first[0]] == ["at 40", "at 20", "at 0"]


def test_a_faulty_query_is_an_error_of_400(client: ReleasedClient) -> None:
    with pytest.raises(ClientError, match="400"):
        client.call("query", ["2026-01-01T10:00:00Z/2026-01-01T11:00:00Z"], ["RETURN = nonsense;"])
