"""Annotations: made, listed, changed, switched off, removed and undone; and what was recorded stays as it is."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.insight.annotating import LIST, annotate, changed, listed, span
from tests.support.keyed_server import KeyedServer
from tests.support.server import RunningServer

EVENTS = "/api/0/buckets/dayline-annotations/events"


@pytest.fixture
def server(shared_server: RunningServer) -> RunningServer:
    """The server of this file, without annotations."""
    shared_server.call("DELETE", "/api/0/buckets/dayline-annotations")
    return shared_server


@pytest.fixture
def keyed(tmp_path: Path) -> Iterator[KeyedServer]:
    with KeyedServer(tmp_path / "days.db") as keyed:
        yield keyed


def undo(server: RunningServer, answer: dict[str, Any]) -> None:
    undone = server.post(f"/api/1/undo/{answer['undo']}")
    assert undone.status == 200, undone.body


def test_without_annotations_there_is_no_bucket_and_the_list_is_empty(server: RunningServer) -> None:
    assert server.get(LIST).json == {"annotations": [], "cursor": None}
    assert server.get("/api/0/buckets/").json == {}


def test_annotation_is_an_event_of_its_bucket(server: RunningServer) -> None:
    made = annotate(server, "entry", "09:00", "09:15", label="Stand-up", category=["Work"], note="short")

    bucket = server.get("/api/0/buckets/dayline-annotations").json
    assert (bucket["type"], bucket["client"], bucket["hostname"]) == ("dayline.annotation", "dayline", "unknown")
    [event] = server.get(EVENTS).json
    assert (event["id"], event["timestamp"], event["duration"]) == (made["id"], "2026-03-05T09:00:00Z", 900)
    assert event["data"] == {"kind": "entry", "label": "Stand-up", "category": ["Work"], "note": "short", "is_on": True}


def test_annotation_is_reported_as_it_was_sent(server: RunningServer) -> None:
    made = annotate(server, "category", "09:00", "09:15", category=["Work", "Code"], device="laptop")

    undone_by = made.pop("undo")
    assert made == {
        "id": made["id"], "kind": "category", **span("09:00", "09:15"), "device": "laptop", "label": "",
        "category": ["Work", "Code"], "note": "", "is_on": True,
    }  # fmt: skip
    assert undone_by > 0
    assert server.get(f"{LIST}/{made['id']}").json == made


def test_list_has_what_touches_the_range_and_fits_kind_and_device(server: RunningServer) -> None:
    annotate(server, "label", "08:00", "09:00", label="before")
    annotate(server, "exclude", "08:30", "09:30", label="into it", device="laptop")
    annotate(server, "label", "09:10", "09:20", label="in it", device="phone", is_on=False)
    annotate(server, "label", "10:00", "11:00", label="after")
    within = "start=2026-03-05T09:00:00Z&end=2026-03-05T10:00:00Z"

    assert listed(server) == ["after", "in it", "into it", "before"]
    assert listed(server, within) == ["in it", "into it"]
    assert listed(server, f"{within}&kind=exclude") == ["into it"]
    assert listed(server, "device=phone") == ["after", "in it", "before"]


def test_pages_go_through_all_of_them_once_also_where_starts_are_equal(server: RunningServer) -> None:
    annotate(server, "label", "08:00", "12:00", label="long")
    for number in range(6):
        annotate(server, "label", "09:00" if number < 4 else "10:00", "11:00", label=str(number))

    for query in ("", "start=2026-03-05T09:30:00Z&end=2026-03-05T11:00:00Z"):
        found: list[str] = []
        cursor = ""
        while True:
            page = server.get(f"{LIST}?limit=2&{query}{cursor}").json
            found += [each["label"] for each in page["annotations"]]
            if page["cursor"] is None:
                break
            cursor = f"&cursor={page['cursor']}"
        assert found == ["4", "5", "0", "1", "2", "3", "long"]


def test_what_is_no_annotation_is_left_out_and_breaks_nothing(server: RunningServer) -> None:
    made = annotate(server, "label", "09:00", "09:15", label="mine")
    others: list[dict[str, object]] = [
        {"timestamp": "2026-03-05T09:00:00Z", "duration": 60, "data": {}},
        {"timestamp": "2026-03-05T09:00:00Z", "duration": 60, "data": {"kind": "magic", "label": "x"}},
        {"timestamp": "2026-03-05T09:00:00Z", "duration": 60, "data": {"kind": "category", "category": []}},
        {"timestamp": "2026-03-05T09:00:00Z", "duration": 60, "data": {"kind": "category", "category": "Work"}},
        {"timestamp": "2026-03-05T09:00:00Z", "duration": 0, "data": {"kind": "exclude"}},
        {"timestamp": "2026-03-05T09:00:00Z", "duration": -60, "data": {"kind": "exclude"}},
    ]
    stored = server.post(EVENTS, others).json

    assert listed(server) == ["mine"]
    assert all(server.get(f"{LIST}/{event['id']}").status == 404 for event in stored)
    assert server.call("DELETE", f"{LIST}/{stored[0]['id']}").status == 404
    assert server.get(f"{LIST}/{made['id']}").status == 200


def test_annotation_that_was_written_as_an_event_counts_and_keeps_what_else_is_in_it(server: RunningServer) -> None:
    annotate(server, "label", "09:00", "09:15", label="mine")
    data = {"kind": "label", "label": "theirs", "ticket": 17}
    [theirs] = server.post(EVENTS, [{"timestamp": "2026-03-05T08:00:00Z", "duration": 60, "data": data}]).json

    assert changed(server, theirs, label="ours").status == 200

    assert listed(server) == ["mine", "ours"]
    assert server.get(f"{EVENTS}/{theirs['id']}").json["data"]["ticket"] == 17


def test_change_touches_what_is_given_alone(server: RunningServer) -> None:
    made = annotate(server, "entry", "09:00", "09:15", label="Drive", category=["Travel"], device="phone")

    answer = changed(server, made, end="2026-03-05T10:00:00+01:00", category=None, is_on=False)

    assert answer.status == 422  # it would end where it begins
    answer = changed(server, made, end="2026-03-05T10:30:00+01:00", category=None, is_on=False)
    assert answer.json == {
        **made, "end": "2026-03-05T09:30:00Z", "category": None, "is_on": False, "undo": answer.json["undo"],
    }  # fmt: skip


def test_change_of_an_outdated_version_is_412(server: RunningServer) -> None:
    made = annotate(server, "label", "09:00", "09:15", label="first")
    seen = server.get(f"{LIST}/{made['id']}").headers["etag"]

    second = changed(server, made, seen, label="second")
    assert second.status == 200
    late = changed(server, made, seen, label="third")
    late_removal = server.call("DELETE", f"{LIST}/{made['id']}", headers={"If-Match": seen})

    assert (late.status, late_removal.status) == (412, 412)
    assert "another client" in late.message
    assert listed(server) == ["second"]
    assert changed(server, made, second.headers["etag"], label="fourth").status == 200
    assert server.get(f"{LIST}/{made['id']}", **{"If-None-Match": seen}).status == 200
    now = server.get(f"{LIST}/{made['id']}").headers["etag"]
    assert server.get(f"{LIST}/{made['id']}", **{"If-None-Match": now}).status == 304


def test_creation_change_and_removal_are_undone_exactly(server: RunningServer) -> None:
    annotate(server, "exclude", "12:00", "13:00", label="other")
    states = [server.get(EVENTS).json]
    made = annotate(server, "label", "09:00", "09:15", label="first")
    states.append(server.get(EVENTS).json)
    moved = changed(server, made, start="2026-03-01T09:00:00Z", label="second").json
    states.append(server.get(EVENTS).json)
    removed = server.call("DELETE", f"{LIST}/{made['id']}").json

    for act, state in zip((removed, moved, made), reversed(states), strict=True):
        undo(server, act)
        assert server.get(EVENTS).json == state


def test_creation_is_not_undone_over_a_later_change(server: RunningServer) -> None:
    made = annotate(server, "label", "09:00", "09:15", label="first")
    changed(server, made, label="second")

    assert server.post(f"/api/1/undo/{made['undo']}").status == 409
    assert listed(server) == ["second"]


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"kind": "magic", "label": "x"}, "kind"),
        ({"kind": "label"}, "label"),
        ({"kind": "category"}, "category"),
        ({"kind": "category", "category": []}, "category"),
        ({"kind": "exclude", "category": ["Work"]}, "category"),
        ({"kind": "exclude", "end": "2026-03-05T09:00:00Z"}, "end"),
        ({"kind": "exclude", "start": "nine"}, "start"),
        ({"kind": "exclude", "end": "2300-03-05T09:00:00Z"}, "end"),
        ({"kind": "exclude", "flavor": "red"}, "flavor"),
    ],
)
def test_what_could_not_be_used_is_rejected(
    shared_server: RunningServer, fields: dict[str, object], field: str
) -> None:
    answer = shared_server.post(LIST, {**span("09:00", "09:15"), **fields})

    assert (answer.status, answer.json["field"]) == (422, field)


@pytest.mark.parametrize("query", ["cursor=x", "cursor=5", "kind=magic", "limit=0", "start=nine"])
def test_parameters_that_mean_nothing_are_rejected(shared_server: RunningServer, query: str) -> None:
    assert shared_server.get(f"{LIST}?{query}").status == 400


def test_privacy_rules_retention_and_findings_leave_annotations_alone(server: RunningServer) -> None:
    rule: dict[str, object] = {"buckets": [], "field": "*", "pattern": "bank", "action": "drop"}
    for _ in range(2):
        annotate(server, "label", "09:00", "10:00", label="at the bank")
    data = {"kind": "label", "label": "bank again"}
    server.post(EVENTS, [{"timestamp": "2026-03-05T09:30:00Z", "duration": 600, "data": data}])
    before = server.get(EVENTS).json

    assert server.call("PUT", "/api/1/privacy/rules", [rule]).status == 200
    assert server.post("/api/1/privacy/apply", {"rules": [rule]}).json["changed_events"] == 0
    annotate(server, "label", "11:00", "12:00", label="bank, later")
    assert server.call("PUT", "/api/1/retention", [{"bucket": "*", "days": 1}]).json["rules"][0]["buckets"] == []
    assert server.post("/api/1/retention/apply").json == []
    assert server.get("/api/1/doctor").json["findings"] == []
    server.call("PUT", "/api/1/privacy/rules", [])

    assert listed(server)[0] == "bank, later"
    assert server.get(EVENTS).json[1:] == before


def test_bucket_of_annotations_is_no_device(server: RunningServer) -> None:
    annotate(server, "label", "09:00", "10:00", label="unused")

    assert server.get("/api/1/devices").json == []


def test_key_for_other_buckets_neither_sees_nor_changes_them(keyed: KeyedServer) -> None:
    body = {"kind": "label", **span("09:00", "09:15"), "label": "mine"}
    made = keyed.as_owner("POST", LIST, body).json
    other, allowed = keyed.key("full", "aw-watcher-window_laptop"), keyed.key("full", "dayline-*")

    assert keyed.with_key(other, "GET", LIST).json["annotations"] == []
    assert keyed.with_key(other, "GET", f"{LIST}/{made['id']}").status == 404
    assert keyed.with_key(other, "PATCH", f"{LIST}/{made['id']}", {"is_on": False}).status == 404
    assert keyed.with_key(other, "POST", LIST, body).status == 404
    assert len(keyed.with_key(allowed, "GET", LIST).json["annotations"]) == 1
    assert keyed.with_key(allowed, "PATCH", f"{LIST}/{made['id']}", {"is_on": False}).status == 200
    assert keyed.with_key(keyed.key("read"), "GET", f"{LIST}/{made['id']}").json["is_on"] is False
