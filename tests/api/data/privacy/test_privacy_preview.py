"""`/api/1/privacy/preview`: what rules would change in history, reported before anything is changed."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.privacy import filter_of
from tests.support.server import RunningServer

PREVIEW = "/api/1/privacy/preview"
DROP: dict[str, Any] = {"field": "title", "pattern": "incognito", "action": "drop", "name": "no incognito"}
HIDE: dict[str, Any] = {"field": "title", "pattern": "payroll", "action": "redact"}


@pytest.fixture(scope="module")
def filled_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """Two buckets: in each a title twice for ten and for five seconds, and some others."""
    titles = [("payroll May", 10), ("payroll May", 5), ("incognito payroll", 7), ("notes", 3)]
    with RunningServer(tmp_path_factory.mktemp("filled") / "days.db") as server:
        for bucket_id in ("window", "web"):
            server.create(bucket_id)
            events = [
                {"timestamp": f"2026-03-01T10:{number:02}:00Z", "duration": seconds, "data": {"title": title}}
                for number, (title, seconds) in enumerate(titles)
            ]
            assert server.post(f"/api/0/buckets/{bucket_id}/events", events).status == 200
        yield server


def test_each_rule_shows_what_it_would_do_in_each_bucket(filled_server: RunningServer) -> None:
    answer = filled_server.post(PREVIEW, {"rules": [DROP, HIDE]})

    assert answer.status == 200
    first, second = answer.json["rules"]
    assert (first["rule"], first["name"], first["action"]) == (0, "no incognito", "drop")
    assert first["buckets"] == [
        {"bucket": "window", "values": 1, "events": 1, "seconds": 7.0},
        {"bucket": "web", "values": 1, "events": 1, "seconds": 7.0},
    ]
    assert second["buckets"] == [
        {"bucket": "window", "values": 1, "events": 2, "seconds": 15.0},
        {"bucket": "web", "values": 1, "events": 2, "seconds": 15.0},
    ]


def test_the_totals_count_each_event_once(filled_server: RunningServer) -> None:
    answer = filled_server.post(PREVIEW, {"rules": [HIDE, {**HIDE, "pattern": "REDACTED", "replacement": "x"}, DROP]})

    counts = {key: value for key, value in answer.json.items() if key != "rules"}
    assert counts == {"changed_values": 4, "changed_events": 6, "dropped_events": 0, "seconds": 44.0}


def test_samples_show_before_and_after_the_longest_first(filled_server: RunningServer) -> None:
    rules = filled_server.post(PREVIEW, {"rules": [{**HIDE, "pattern": "payroll|notes"}, DROP], "samples": 3}).json

    assert [
        (sample["bucket"], sample["before"]["title"], sample["after"], sample["events"], sample["seconds"])
        for sample in rules["rules"][0]["samples"]
    ] == [
        ("window", "payroll May", {"title": "REDACTED"}, 2, 15.0),
        ("web", "payroll May", {"title": "REDACTED"}, 2, 15.0),
        ("window", "incognito payroll", {"title": "REDACTED"}, 1, 7.0),
    ]
    assert rules["rules"][1]["samples"] == []


def test_a_dropped_event_has_nothing_after(filled_server: RunningServer) -> None:
    [rule] = filled_server.post(PREVIEW, {"rules": [DROP], "buckets": ["web"]}).json["rules"]

    assert [(sample["before"], sample["after"]) for sample in rule["samples"]] == [
        ({"title": "incognito payroll"}, None)
    ]


def test_buckets_can_be_named(filled_server: RunningServer) -> None:
    [rule] = filled_server.post(PREVIEW, {"rules": [HIDE], "buckets": ["we*"]}).json["rules"]

    assert [effect["bucket"] for effect in rule["buckets"]] == ["web"]


def test_without_rules_those_in_force_are_tried(filled_server: RunningServer) -> None:
    filled_server.post("/api/0/settings/privacy_filters", [filter_of("notes", bucket_prefix="web")])
    filled_server.call("PUT", "/api/1/privacy/rules", [DROP])
    try:
        rules = filled_server.post(PREVIEW, {}).json["rules"]
    finally:
        filled_server.call("DELETE", "/api/0/settings/privacy_filters")
        filled_server.call("PUT", "/api/1/privacy/rules", [])

    assert [(rule["pattern"], [effect["bucket"] for effect in rule["buckets"]]) for rule in rules] == [
        ("notes", ["web"]),
        ("incognito", ["window", "web"]),
    ]


def test_nothing_is_changed(filled_server: RunningServer) -> None:
    before = filled_server.get("/api/0/export").json

    filled_server.post(PREVIEW, {"rules": [DROP, HIDE]})

    assert filled_server.get("/api/0/export").json == before
    assert filled_server.get("/api/1/privacy/redactions").json == []


@pytest.mark.parametrize("path", ["preview", "apply"])
@pytest.mark.parametrize(
    ("body", "status", "field"),
    [
        ({}, 422, None),
        ({"rules": []}, 422, None),
        ({"rules": [{**HIDE, "enabled": False}]}, 422, None),
        ({"rules": [HIDE, {**HIDE, "pattern": "["}]}, 400, "rules[1].pattern"),
        ({"rules": [{**HIDE, "action": "x"}]}, 422, "rules[0].action"),
        ({"rules": [HIDE], "samples": -1}, 422, "samples"),
    ],
)
def test_what_cannot_be_tried_is_rejected(
    filled_server: RunningServer, path: str, body: dict[str, Any], status: int, field: str | None
) -> None:
    answer = filled_server.post(f"/api/1/privacy/{path}", body)

    assert (answer.status, answer.json.get("field")) == (status, field)
