"""Privacy rules on the way in: heartbeats, inserts and imports (protocol 7, decision 8)."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.calls.clients import each_path
from tests.support.privacy import filter_of
from tests.support.server import Answer, RunningServer

FILTERS = [filter_of("(?i)incognito", action="drop"), filter_of("payroll")]
BUCKET = "/api/0/buckets/window"


@pytest.fixture(scope="module")
def strict_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """A server with rules in force."""
    with RunningServer(tmp_path_factory.mktemp("strict") / "days.db") as server:
        assert server.post("/api/0/settings/privacy_filters", FILTERS).status == 201
        yield server


@pytest.fixture
def strict(strict_server: RunningServer) -> RunningServer:
    """That server with an empty bucket named `window`."""
    strict_server.call("DELETE", BUCKET)
    strict_server.create("window")
    return strict_server


def event(second: int, title: str, **fields: Any) -> dict[str, Any]:
    return {"timestamp": f"2026-03-01T10:00:{second:02}Z", "duration": 1.0, "data": {"title": title}, **fields}


def beat(server: RunningServer, content_type: str, body: dict[str, Any], bucket_id: str = "window") -> Answer:
    path = f"/api/0/buckets/{bucket_id}/heartbeat?pulsetime=5"
    return server.call("POST", path, body, headers={"Content-Type": content_type})


def titles(server: RunningServer) -> list[str]:
    return [event["data"]["title"] for event in server.get(f"{BUCKET}/events").json][::-1]


@each_path
def test_a_dropped_heartbeat_is_echoed_and_not_stored(strict: RunningServer, content_type: str) -> None:
    answer = beat(strict, content_type, event(0, "Incognito"))

    assert (answer.status, answer.json) == (200, {"id": None, **event(0, "Incognito")})
    assert titles(strict) == []


@each_path
def test_a_dropped_heartbeat_to_no_bucket_is_rejected_all_the_same(strict: RunningServer, content_type: str) -> None:
    assert beat(strict, content_type, event(0, "Incognito"), "elsewhere").status == 404


@each_path
def test_heartbeats_are_redacted_before_they_are_merged(strict: RunningServer, content_type: str) -> None:
    beat(strict, content_type, event(0, "payroll May"))
    answer = beat(strict, content_type, event(3, "payroll June"))

    assert answer.json["duration"] == 4.0
    assert titles(strict) == ["REDACTED"]


@each_path
def test_heartbeats_that_no_rule_means_are_stored_as_they_are(strict: RunningServer, content_type: str) -> None:
    answer = beat(strict, content_type, event(0, "notes"))

    assert answer.json["data"] == {"title": "notes"}
    assert titles(strict) == ["notes"]


def test_an_insert_answers_the_events_that_remain(strict: RunningServer) -> None:
    answer = strict.post(f"{BUCKET}/events", [event(0, "incognito"), event(1, "payroll"), event(2, "notes")])

    assert answer.status == 200
    assert [stored["data"]["title"] for stored in answer.json] == ["REDACTED", "notes"]
    assert titles(strict) == ["REDACTED", "notes"]


def test_an_insert_of_which_nothing_remains_is_an_empty_list(strict: RunningServer) -> None:
    answer = strict.post(f"{BUCKET}/events", [event(0, "incognito")])

    assert (answer.status, answer.json) == (200, [])


def test_a_large_insert_is_filtered_like_a_small_one(strict: RunningServer) -> None:
    sent = [event(second % 60, f"payroll {second}" if second % 2 else f"notes {second}") for second in range(1000)]

    answer = strict.post(f"{BUCKET}/events", sent)

    assert [stored["data"]["title"] for stored in answer.json] == [
        "REDACTED" if second % 2 else f"notes {second}" for second in range(1000)
    ]


def test_a_single_dropped_event_is_echoed(strict: RunningServer) -> None:
    answer = strict.post(f"{BUCKET}/events", event(0, "incognito"))

    assert (answer.status, answer.json) == (200, {"id": None, **event(0, "incognito")})
    assert titles(strict) == []


def test_an_insert_into_no_bucket_is_rejected_though_all_of_it_is_dropped(strict: RunningServer) -> None:
    assert strict.post("/api/0/buckets/elsewhere/events", [event(0, "incognito")]).status == 404


def test_an_event_is_not_replaced_by_one_that_is_dropped(strict: RunningServer) -> None:
    stored = strict.post(f"{BUCKET}/events", event(0, "notes")).json

    assert strict.post(f"{BUCKET}/events", [event(0, "incognito", id=stored["id"])]).json == []
    assert titles(strict) == ["notes"]


def test_an_import_is_filtered_and_shows_how_many_events_were_dropped(strict: RunningServer) -> None:
    events = [event(3, "notes"), event(2, "incognito 2"), event(1, "payroll"), event(0, "incognito 1")]
    bucket = {"id": "window", "type": "t", "client": "c", "hostname": "h", "events": events}

    answer = strict.post("/api/0/import", {"buckets": {"window": bucket}})

    assert answer.json == {"buckets": 1, "imported": 2, "skipped": 0, "invalid": 0, "dropped": 2}
    assert titles(strict) == ["REDACTED", "notes"]


def test_sending_a_filtered_import_again_changes_nothing(strict: RunningServer) -> None:
    bucket = {"type": "t", "client": "c", "hostname": "h", "events": [event(0, "payroll"), event(1, "notes")]}
    strict.post("/api/0/import", {"buckets": {"window": bucket}})

    answer = strict.post("/api/0/import", {"buckets": {"window": bucket}})

    assert answer.json == {"buckets": 1, "imported": 0, "skipped": 2, "invalid": 0}


def test_an_import_is_filtered_by_an_id_that_follows_its_events(tmp_path: Path) -> None:
    filters = [filter_of("payroll", bucket_prefix="web", action="drop")]
    bucket = {"events": [event(0, "payroll"), event(1, "notes")], "type": "t", "client": "c", "hostname": "h"}
    with RunningServer(tmp_path / "days.db") as server:
        server.post("/api/0/settings/privacy_filters", filters)

        answer = server.post("/api/0/import", {"buckets": {"key": {**bucket, "id": "web-1"}}})

        assert answer.json["dropped"] == 1
        assert [stored["data"] for stored in server.get("/api/0/buckets/web-1/events").json] == [{"title": "notes"}]


def test_events_that_an_import_makes_equal_are_imported_once(strict: RunningServer) -> None:
    bucket = {"type": "t", "client": "c", "hostname": "h", "events": [event(0, "payroll 1"), event(0, "payroll 2")]}

    answer = strict.post("/api/0/import", {"buckets": {"window": bucket}})

    assert (answer.json["imported"], answer.json["skipped"]) == (1, 1)


def renamed(server: RunningServer) -> None:
    """Call the bucket `diary`, with a rule for that name only; `window` becomes an alias."""
    rule = {"field": "title", "pattern": "secret", "action": "redact", "buckets": ["diary"]}
    assert server.call("PUT", "/api/1/privacy/rules", [rule]).status == 200
    assert server.post("/api/1/buckets/window/rename", {"id": "diary"}).status == 200


# An import looked only at the id in the document, so a rule for the bucket's own id was bypassed.
def test_rules_of_a_renamed_bucket_apply_to_everything_that_arrives_under_its_old_id(tmp_path: Path) -> None:
    bucket = {"type": "t", "client": "c", "hostname": "h", "events": [event(1, "secret import")]}
    with RunningServer(tmp_path / "days.db") as server:
        server.create("window")
        renamed(server)

        assert server.post("/api/0/import", {"buckets": {"window": bucket}}).json["imported"] == 1
        assert server.post(f"{BUCKET}/events", [event(2, "secret insert")]).status == 200
        assert server.post(f"{BUCKET}/heartbeat?pulsetime=0", event(5, "secret beat")).status == 200

        assert titles(server) == ["REDACTED"] * 3


def test_rules_for_the_old_id_of_a_renamed_bucket_apply_to_what_arrives_under_it(tmp_path: Path) -> None:
    bucket = {"type": "t", "client": "c", "hostname": "h", "events": [event(0, "private secret")]}
    rules = [
        {"field": "title", "pattern": "private", "action": "rewrite", "replacement": "P", "buckets": ["window"]},
        {"field": "title", "pattern": "secret", "action": "rewrite", "replacement": "S", "buckets": ["diary"]},
    ]
    with RunningServer(tmp_path / "days.db") as server:
        server.create("window")
        renamed(server)
        assert server.call("PUT", "/api/1/privacy/rules", rules).status == 200

        server.post("/api/0/import", {"buckets": {"window": bucket}})

        assert titles(server) == ["P S"]
