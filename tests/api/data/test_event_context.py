"""`GET /api/1/events/{bucket}/{id}?include=`: the category of an event, and the annotations over it."""

from typing import Any, Final

import pytest

from tests.support.calls.clients import at
from tests.support.server import RunningServer

BUCKET: Final = "aw-watcher-window_laptop"


@pytest.fixture(scope="module")
def event_path(shared_server: RunningServer) -> str:
    """An event from 10:00 to 10:01 of an editor."""
    shared_server.create(BUCKET, type="currentwindow", hostname="laptop")
    event = {"timestamp": at("10:00:00"), "duration": 60, "data": {"app": "Editor", "title": "main.py"}}
    made = shared_server.post(f"/api/0/buckets/{BUCKET}/events", event).json["id"]
    return f"/api/1/events/{BUCKET}/{made}"


def rule(server: RunningServer, *name: str) -> None:
    """Have editors be of this category, and nothing else of any."""
    category = {"name": name, "rule": {"regex": "Editor"}}
    assert server.call("PUT", "/api/1/categories", {"categories": [category]}).status == 200


def read(server: RunningServer, path: str, include: str) -> dict[str, Any]:
    answer = server.get(f"{path}?include={include}")
    assert answer.status == 200, answer.body
    found: dict[str, Any] = answer.json
    return found


def test_only_requested_fields_are_returned(shared_server: RunningServer, event_path: str) -> None:
    rule(shared_server, "Work", "Code")
    plain = shared_server.get(event_path).json

    assert "category" not in plain
    assert read(shared_server, event_path, "category") == {**plain, "category": ["Work", "Code"]}
    assert read(shared_server, event_path, "notes") == {**plain, "notes": []}
    assert shared_server.get(f"{event_path}?include=flavor").status == 400


def test_annotations_over_it_are_reported_and_those_beside_it_are_not(
    shared_server: RunningServer, event_path: str
) -> None:
    for label, start, end, device in (
        ("over it", "09:59:30", "10:00:10", "laptop"),
        ("of every device", "10:00:50", "11:00:00", None),
        ("before it", "09:00:00", "10:00:00", None),
        ("after it", "10:01:00", "10:02:00", None),
        ("elsewhere", "10:00:00", "10:01:00", "phone"),
    ):
        body = {"kind": "label", "label": label, "start": at(start), "end": at(end), "device": device}
        answer = shared_server.post("/api/1/annotations", body)
        assert answer.status == 201, answer.body

    notes = read(shared_server, event_path, "category,notes")["notes"]

    assert {note["label"] for note in notes} == {"over it", "of every device"}


def test_it_is_reported_again_after_the_rules_have_changed(shared_server: RunningServer, event_path: str) -> None:
    rule(shared_server, "Work")
    first = shared_server.get(f"{event_path}?include=category")
    rule(shared_server, "Play")

    again = shared_server.get(f"{event_path}?include=category", **{"If-None-Match": first.headers["etag"]})

    assert (again.status, again.json["category"]) == (200, ["Play"])


def test_an_event_of_a_kind_that_has_no_category_has_none(shared_server: RunningServer) -> None:
    shared_server.create("away", type="afkstatus")
    event = {"timestamp": at("10:00:00"), "duration": 60, "data": {"status": "afk"}}
    made = shared_server.post("/api/0/buckets/away/events", event).json["id"]

    assert read(shared_server, f"/api/1/events/away/{made}", "category")["category"] is None
