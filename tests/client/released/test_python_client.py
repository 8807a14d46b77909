"""The released Python client, unchanged, against a real server."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from tests.support.calls.released_client import ClientError, ReleasedClient, python_client
from tests.support.server import RunningServer
from tests.support.waiting import eventually


@pytest.fixture(scope="module")
def client(shared_server: RunningServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReleasedClient]:
    with python_client(shared_server.port, home=tmp_path_factory.mktemp("home")) as client:
        yield client


def event(second: float, *, lasting: float = 0, app: str = "editor", **fields: object) -> dict[str, Any]:
    """An event in the minute after ten o'clock."""
    timestamp = f"2026-01-01T10:00:{second:06.3f}+00:00"
    return {"timestamp": timestamp, "duration": lasting, "data": {"app": app}, **fields}


def shape(events: list[dict[str, Any]]) -> list[tuple[str, float, str]]:
    """What the events say, without their ids: time of day, duration, app."""
    return [(item["timestamp"][11:19], item["duration"], item["data"]["app"]) for item in events]


def test_info_has_the_keys_that_clients_read(client: ReleasedClient) -> None:
    info = client.call("get_info")

    assert info.keys() == {"hostname", "version", "testing", "device_id"}
    assert info["testing"] is False


def test_creating_a_bucket_twice_is_no_error(client: ReleasedClient) -> None:
    client.call("create_bucket", "created-twice", "test.type")
    client.call("create_bucket", "created-twice", "another.type")

    bucket = client.call("get_buckets")["created-twice"]
    assert (bucket["type"], bucket["client"]) == ("test.type", "test-client")


def test_direct_heartbeats_are_merged(client: ReleasedClient) -> None:
    client.call("create_bucket", "direct-beats", "test.type")

    for second in (0, 4, 8):
        client.call("heartbeat", "direct-beats", event(second), 5.0)

    assert shape(client.call("get_events", "direct-beats")) == [("10:00:00", 8.0, "editor")]


def test_a_heartbeat_of_other_data_begins_a_new_event(client: ReleasedClient) -> None:
    client.call("create_bucket", "changing-beats", "test.type")

    for second, app in ((0, "editor"), (2, "browser"), (3, "editor")):
        client.call("heartbeat", "changing-beats", event(second, app=app), 60.0)

    assert [app for _, _, app in shape(client.call("get_events", "changing-beats"))] == ["editor", "browser", "editor"]


def test_one_event_can_be_inserted_and_read_back(client: ReleasedClient) -> None:
    client.call("create_bucket", "one-event", "test.type")

    client.call("insert_event", "one-event", event(1, lasting=2.5))

    assert shape(client.call("get_events", "one-event")) == [("10:00:01", 2.5, "editor")]


def test_all_events_come_back_newest_first_without_a_limit(client: ReleasedClient) -> None:
    client.call("create_bucket", "many-events", "test.type")

    client.call("insert_events", "many-events", [event(second / 10) for second in range(150)])

    read = client.call("get_events", "many-events")
    assert len(read) == 150
    assert [item["timestamp"] for item in read] == sorted((item["timestamp"] for item in read), reverse=True)


def test_events_are_limited_and_clipped_to_a_range(client: ReleasedClient) -> None:
    client.call("create_bucket", "range", "test.type")
    client.call("insert_events", "range", [event(10, lasting=2), event(20, lasting=5)])

    clipped = client.call(
        "get_events", "range", start="2026-01-01T10:00:11+00:00", end="2026-01-01T10:00:22+00:00", limit=10
    )

    assert shape(clipped) == [("10:00:20", 2.0, "editor"), ("10:00:11", 1.0, "editor")]
    assert shape(client.call("get_events", "range", limit=1)) == [("10:00:20", 5.0, "editor")]


def test_an_event_is_replaced_by_its_id(client: ReleasedClient) -> None:
    client.call("create_bucket", "replaced", "test.type")
    client.call("insert_events", "replaced", [event(1, lasting=1), event(5, lasting=1)])
    newest = client.call("get_events", "replaced", limit=1)[0]

    client.call("insert_event", "replaced", event(5, lasting=9, app="browser", id=newest["id"]))

    read = client.call("get_events", "replaced")
    assert shape(read) == [("10:00:05", 9.0, "browser"), ("10:00:01", 1.0, "editor")]
    assert read[0]["id"] == newest["id"]


def test_a_single_event_is_read_by_its_id(client: ReleasedClient) -> None:
    client.call("create_bucket", "single", "test.type")
    client.call("insert_event", "single", event(3, lasting=1))
    newest = client.call("get_events", "single", limit=1)[0]

    assert client.call("get_event", "single", newest["id"]) == newest


def test_events_are_counted_in_total_and_in_a_range(client: ReleasedClient) -> None:
    client.call("create_bucket", "counted", "test.type")
    client.call("insert_events", "counted", [event(second) for second in range(5)])

    assert client.call("get_eventcount", "counted") == 5
    assert client.call("get_eventcount", "counted", start="2026-01-01T10:00:02+00:00") == 3


def test_a_deleted_event_is_gone(client: ReleasedClient) -> None:
    client.call("create_bucket", "shortened", "test.type")
    client.call("insert_events", "shortened", [event(1), event(2)])
    newest = client.call("get_events", "shortened", limit=1)[0]

    client.call("delete_event", "shortened", newest["id"])

    assert shape(client.call("get_events", "shortened")) == [("10:00:01", 0.0, "editor")]
    # The client means to return None here, and raises because an error response is false in Python.
    with pytest.raises(ClientError, match="404"):
        client.call("get_event", "shortened", newest["id"])


@pytest.mark.parametrize("force", [False, True])
def test_a_deleted_bucket_is_gone(client: ReleasedClient, *, force: bool) -> None:
    client.call("create_bucket", "short-lived", "test.type")
    client.call("insert_event", "short-lived", event(1))

    client.call("delete_bucket", "short-lived", force=force)

    assert "short-lived" not in client.call("get_buckets")


@pytest.mark.parametrize("value", [{"a": [1, "x", None]}, ["a"], "dark", 30, 1.5, True, False, 0, "", [], {}, None])
def test_a_setting_comes_back_as_it_was_set(client: ReleasedClient, value: object) -> None:
    client.call("set_setting", "theme", value)

    assert client.call("get_setting", "theme") == value
    assert client.call("get_setting")["theme"] == value


def test_a_setting_that_was_never_set_is_none(client: ReleasedClient) -> None:
    assert client.call("get_setting", "never-set") is None


def test_an_exported_bucket_can_be_deleted_and_imported_again(client: ReleasedClient) -> None:
    client.call("create_bucket", "moved", "test.type")
    client.call("insert_events", "moved", [event(1, lasting=1), event(5, lasting=2, app="browser")])
    before = shape(client.call("get_events", "moved"))

    exported = client.call("export_bucket", "moved")["buckets"]["moved"]
    client.call("delete_bucket", "moved")
    client.call("import_bucket", exported)
    client.call("import_bucket", exported)

    assert shape(client.call("get_events", "moved")) == before
    assert client.call("get_buckets")["moved"]["created"] == exported["created"]


def test_the_export_of_everything_holds_every_bucket(client: ReleasedClient) -> None:
    client.call("create_bucket", "exported", "test.type")
    client.call("insert_event", "exported", event(1))

    exported = client.call("export_all")["buckets"]

    assert exported.keys() == client.call("get_buckets").keys()
    assert shape(exported["exported"]["events"]) == [("10:00:01", 0.0, "editor")]


def test_queued_heartbeats_arrive_merged(shared_server: RunningServer, tmp_path: Path) -> None:
    with python_client(shared_server.port, home=tmp_path, name="queueing") as client:
        client.call("create_bucket", "queued-beats", "test.type", queued=True)
        client.call("connect")

        # The client merges these itself, and sends what it has when the data change.
        for second in range(8):
            client.call("heartbeat", "queued-beats", event(second), 5.0, queued=True)
        client.call("heartbeat", "queued-beats", event(9, app="browser"), 5.0, queued=True)

        eventually(lambda: shared_server.get("/api/0/buckets/queued-beats/events/count").body == b"1")
        client.call("disconnect")
        assert shape(client.call("get_events", "queued-beats")) == [("10:00:00", 7.0, "editor")]


def test_queued_heartbeats_beyond_the_commit_interval_become_one_event(
    shared_server: RunningServer, tmp_path: Path
) -> None:
    with python_client(shared_server.port, home=tmp_path, name="committing") as client:
        client.call("create_bucket", "committed-beats", "test.type", queued=True)
        client.call("connect")

        # Sent in pieces of about three seconds, each of which begins inside or at the end of the one before.
        for second in range(20):
            client.call("heartbeat", "committed-beats", event(second), 5.0, queued=True, commit_interval=3.0)
        client.call("heartbeat", "committed-beats", event(25, app="browser"), 0.0, queued=True)

        # The bucket is the queue's to create, so at first it may not be there.
        def is_merged() -> bool:
            answer = shared_server.get("/api/0/buckets/committed-beats/events")
            return answer.status == 200 and shape(answer.json) == [("10:00:00", 19.0, "editor")]

        eventually(is_merged)


def test_calls_queued_while_the_server_is_unreachable_arrive_when_it_returns(tmp_path: Path) -> None:
    server = RunningServer(tmp_path / "days.db")
    with server, python_client(server.port, home=tmp_path, name="patient") as client:
        client.call("create_bucket", "kept-beats", "test.type")
        client.call("heartbeat", "kept-beats", event(0, app="before"), 0.0)
        server.stop()

        client.call("retry_every", 0.1)
        client.call("create_bucket", "kept-beats", "test.type", queued=True)
        client.call("connect")
        for second in range(1, 12):
            client.call("heartbeat", "kept-beats", event(second, app=f"app {second}"), 0.0, queued=True)
        server.start()

        # The last one stays with the client: it may still be extended.
        eventually(lambda: client.call("get_eventcount", "kept-beats") == 11)
        apps = [app for _, _, app in reversed(shape(client.call("get_events", "kept-beats")))]
        assert apps == ["before", *(f"app {second}" for second in range(1, 11))]


TEN: Final = ("2026-01-01T10:00:00+00:00", "2026-01-01T11:00:00+00:00")
ELEVEN: Final = ("2026-01-01T11:00:00+00:00", "2026-01-01T12:00:00+00:00")


def test_a_query_is_answered_for_each_period(client: ReleasedClient) -> None:
    client.call("create_bucket", "queried", "test.type")
    client.call("insert_events", "queried", [event(0, lasting=10), event(30, lasting=5, app="mail")])

    text = 'events = query_bucket("queried");\nRETURN = sum_durations(events);'

    assert client.call("query", text, [TEN, ELEVEN]) == [15.0, 0.0]


def test_a_query_with_the_name_that_caching_needs(client: ReleasedClient) -> None:
    assert client.call("query", "RETURN = NAME;", [TEN], name="my query", cache=True) == ["my query"]


def test_a_faulty_query_raises_in_the_client(client: ReleasedClient) -> None:
    with pytest.raises(ClientError, match="400"):
        client.call("query", 'RETURN = query_bucket("no-such-bucket");', [TEN])


def test_the_clients_own_desktop_query_with_its_escaped_rules(client: ReleasedClient) -> None:
    for bucket_id, data in (
        ("aw-watcher-window_py", {"app": "Firefox", "title": "på svenska"}),
        ("aw-watcher-afk_py", {"status": "not-afk"}),
    ):
        client.call("create_bucket", bucket_id, "test.type")
        client.call("insert_events", bucket_id, [{**event(0, lasting=60), "data": data}])
    # Without browsers: for them this version of the client writes a program that no server can read.
    query = client.call(
        "full_desktop_query",
        bid_window="aw-watcher-window_",
        bid_afk="aw-watcher-afk_py",
        classes=[[["Swedish"], {"type": "regex", "regex": r"\bpå\b"}]],
    )

    [result] = client.call("query", query, [TEN])

    [category] = result["window"]["cat_events"]
    assert (category["data"]["$category"], category["duration"]) == (["Swedish"], 60.0)
    assert len(result["events"]) == len(result["window"]["active_events"]) == 1
