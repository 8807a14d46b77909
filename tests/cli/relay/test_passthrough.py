"""What is not recording is passed on to the server, and its response passed back; if it is away, an error says so."""

from pathlib import Path
from typing import Any

import pytest

from tests.cli.relay.running_relay import RunningRelay, away, events_of, moment
from tests.support.server import Answer, RunningServer


def test_reading_gives_what_the_server_gives(shared_server: RunningServer, shared_relay: RunningRelay) -> None:
    shared_server.create("read")
    shared_server.post(
        "/api/0/buckets/read/events", [{"timestamp": moment(n), "data": {"app": f"{n}"}} for n in range(5)]
    )

    for path in (
        "/api/0/buckets/read",
        "/api/0/buckets/read/events?limit=2",
        "/api/0/buckets/read/events/count",
        f"/api/0/buckets/read/events?start={moment(2)}",
        "/api/0/buckets/read/events/999",
        "/api/0/settings/none",
        "/api/0/no/such/thing",
    ):
        there, here = shared_server.get(path), shared_relay.get(path)
        assert (here.status, here.headers["content-type"]) == (there.status, there.headers["content-type"])
        assert without_number(here) == without_number(there)


def test_an_answer_has_the_number_that_the_servers_log_has(shared_relay: RunningRelay) -> None:
    answer = shared_relay.get("/api/0/buckets/never-made")

    assert answer.headers["x-request-id"] == answer.json["request_id"]


def without_number(answer: Answer) -> Any:
    """What it says, without the number of the request."""
    if answer.status < 400:
        return answer.json
    return {name: value for name, value in answer.json.items() if name != "request_id"}


def test_a_query_is_passed_on(shared_server: RunningServer, shared_relay: RunningRelay) -> None:
    body = {"query": ["RETURN = 1 + 1;"], "timeperiods": ["2026-01-01T00:00:00Z/2026-01-02T00:00:00Z"]}

    assert shared_relay.post("/api/0/query/", body).json == [2]
    assert shared_relay.post("/api/0/query/", {**body, "query": ["RETURN = nothing;"]}).status == 400


def test_settings_are_set_and_deleted_there(shared_server: RunningServer, shared_relay: RunningRelay) -> None:
    assert shared_relay.post("/api/0/settings/theme", "dark").status == 201
    assert shared_server.get("/api/0/settings/theme").json == "dark"

    assert shared_relay.call("DELETE", "/api/0/settings/theme").status == 200
    assert shared_server.get("/api/0/settings/theme").json is None


def test_an_export_keeps_its_name(shared_server: RunningServer, shared_relay: RunningRelay) -> None:
    shared_server.create("exported")

    there = shared_server.get("/api/0/buckets/exported/export")
    here = shared_relay.get("/api/0/buckets/exported/export")

    assert here.json == there.json
    assert here.headers["content-disposition"] == there.headers["content-disposition"]


def test_head_has_no_body(shared_relay: RunningRelay) -> None:
    for path in ("/api/0/info", "/api/0/buckets/", "/api/1/relay"):
        answer = shared_relay.call("HEAD", path)
        assert (answer.status, answer.body) == (200, b"")


def test_a_bucket_deleted_through_the_relay_can_be_created_again(
    shared_server: RunningServer, shared_relay: RunningRelay
) -> None:
    shared_relay.create("short-lived")
    shared_relay.beat("short-lived", 0)
    shared_relay.wait_until_sent()

    assert shared_relay.call("DELETE", "/api/0/buckets/short-lived").status == 200
    assert shared_server.get("/api/0/buckets/short-lived").status == 404
    assert shared_relay.create("short-lived").status == 200
    shared_relay.beat("short-lived", 1)
    shared_relay.wait_until_sent()

    assert events_of(shared_server, "short-lived") == [(1, 0, "editor")]


@pytest.mark.parametrize(
    "path",
    [
        "/", "/index.html", "/api/", "/api/0", "/api/1/query", "/api/1/keys", "/api/0/../1/keys",
        "/api/0/%2e%2e/1/keys", "/api/0/./info", "/api/1/relay/more", "/api/openapi.json",
    ],
)  # fmt: skip
def test_nothing_else_is_there(shared_relay: RunningRelay, path: str) -> None:
    answer = shared_relay.get(path)

    assert (answer.status, answer.json["type"]) == (404, "PathNotFound")


def test_the_status_can_only_be_read(shared_relay: RunningRelay) -> None:
    answer = shared_relay.post("/api/1/relay", {})

    assert (answer.status, answer.headers["allow"]) == (405, "GET, HEAD, OPTIONS")


def test_reading_while_the_server_is_away_is_503_with_the_reason(tmp_path: Path) -> None:
    with RunningRelay(tmp_path / "queue.db", away()) as relay:
        for answer in (relay.get("/api/0/buckets/"), relay.post("/api/0/settings/x", 1)):
            assert (answer.status, answer.json["type"]) == (503, "Unavailable")
            assert "the server is not available" in answer.message
            assert answer.headers["retry-after"].isdigit()
