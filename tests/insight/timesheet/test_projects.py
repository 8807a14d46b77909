"""Projects on a real server: which time belongs to them, their rates, and how they are changed and restored."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

import pytest

from tests.support.server import RunningServer

PROJECTS = "/api/1/projects"
DAY = {"period": "day", "date": "2026-03-05", "tz": "UTC", "day_start": "00:00"}
EVENTS = [
    ("09:00:00", 3600, {"app": "Code", "title": "invoice.py"}),
    ("10:00:00", 1800, {"app": "Mail", "title": "Re: ACME offer"}),
    ("10:30:00", 900, {"app": "Firefox", "title": "News"}),
]
CATEGORIES = [{"name": ["Work"]}, {"name": ["Work", "Code"], "rule": {"regex": "Code"}}]
ACME = {"name": "ACME", "conditions": [{"field": "title", "op": "word", "value": "acme"}], "rate": 80}
CODE = {"name": "Programming", "categories": [["Work"]], "rate": 100.5, "color": "teal"}


@pytest.fixture
def server(shared: RunningServer) -> RunningServer:
    """The server without projects."""
    assert shared.call("PUT", PROJECTS, {"projects": []}).status == 200
    return shared


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    with RunningServer(tmp_path_factory.mktemp("projects") / "day.db") as server:
        server.create("aw-watcher-window_laptop", type="currentwindow", hostname="laptop")
        server.create("aw-watcher-vim_laptop", type="app.editor.activity", hostname="laptop")
        events = [{"timestamp": f"2026-03-05T{at}Z", "duration": seconds, "data": data} for at, seconds, data in EVENTS]
        server.post("/api/0/buckets/aw-watcher-window_laptop/events", events)
        file = {"file": "invoice.py", "project": "books"}
        editor = [{"timestamp": "2026-03-05T09:00:00Z", "duration": 3600, "data": file}]
        server.post("/api/0/buckets/aw-watcher-vim_laptop/events", editor)
        assert server.call("PUT", "/api/1/categories", {"categories": CATEGORIES}).status == 200
        yield server


def saved(server: RunningServer, *projects: dict[str, Any]) -> None:
    answer = server.call("PUT", PROJECTS, {"projects": projects})
    assert answer.status == 200, answer.body


def by_project(server: RunningServer, **parameters: str) -> dict[str, float]:
    answer = server.get(f"/api/1/summary?{urlencode({**DAY, 'by': 'project', **parameters})}").json
    return {row["key"]: row["seconds"] for row in answer["lists"]["project"]}


def sheet(server: RunningServer, **parameters: str) -> dict[str, Any]:
    found: dict[str, Any] = server.get(
        f"/api/1/reports/timesheet?{urlencode({**DAY, 'by': 'project', **parameters})}"
    ).json
    return found


def test_without_projects_time_belongs_to_what_the_editor_recorded(server: RunningServer) -> None:
    assert by_project(server) == {"books": 3600.0}


def test_time_belongs_to_a_project_by_its_conditions_or_by_its_categories(server: RunningServer) -> None:
    saved(server, ACME, CODE)

    assert by_project(server) == {"ACME": 1800.0, "Programming": 3600.0}


def test_the_first_project_that_matches_counts(server: RunningServer) -> None:
    everything = {"name": "Everything", "conditions": [{"field": "app", "op": "regex", "value": "."}]}

    saved(server, everything, CODE, ACME)
    assert by_project(server) == {"Everything": 6300.0}
    saved(server, CODE, everything, ACME)
    assert by_project(server) == {"Programming": 3600.0, "Everything": 2700.0}


def test_a_project_has_what_an_editor_records_under_its_name(server: RunningServer) -> None:
    saved(server, {**ACME, "name": "books"})

    assert by_project(server) == {"books": 5400.0}


def test_an_annotation_moves_time_into_the_project_of_its_category(server: RunningServer) -> None:
    saved(server, CODE)
    span = {"start": "2026-03-05T10:30:00Z", "end": "2026-03-05T10:45:00Z"}
    note = server.post("/api/1/annotations", {"kind": "category", "category": ["Work", "Other"], **span}).json

    assert by_project(server) == {"Programming": 4500.0}
    server.post(f"/api/1/undo/{note['undo']}")


def test_filters_and_series_know_projects(server: RunningServer) -> None:
    saved(server, ACME, CODE)

    assert by_project(server, filter="project:is:ACME") == {"ACME": 1800.0}
    query = urlencode({**DAY, "by": "project", "bin": "hour"})
    series = server.get(f"/api/1/series?{query}").json
    assert (series["keys"], [sum(values) for values in series["values"]]) == (["Programming", "ACME"], [3600, 1800])
    query = urlencode({**DAY, "filter": "project:is:ACME"})
    sessions = server.get(f"/api/1/timeline/sessions?{query}").json["sessions"]
    assert [each["app"] for each in sessions] == ["Mail"]


def test_a_timesheet_by_project_uses_the_rates_of_the_projects(server: RunningServer) -> None:
    saved(server, ACME, {**CODE, "is_billable": False})
    amounts = {column["name"]: column.get("rate") for column in sheet(server)["columns"]}

    assert amounts == {"Programming": None, "ACME": 80.0, "No project": None}
    assert sheet(server)["totals"]["amount"] == 40.0
    # A given rate is for everything without one of its own, and `rates` goes before both.
    with_rate = {column["name"]: column.get("rate") for column in sheet(server, rate="10", rates="ACME:90")["columns"]}
    assert with_rate == {"Programming": None, "ACME": 90.0, "No project": 10.0}
    assert "amount" not in sheet(server, by="app")["totals"]


def test_a_preview_shows_the_time_of_projects_that_are_not_saved(server: RunningServer) -> None:
    answer = server.post(f"{PROJECTS}/preview?{urlencode(DAY)}", {"projects": [ACME]})

    assert {row["key"]: row["seconds"] for row in answer.json["lists"]["project"]} == {"books": 3600.0, "ACME": 1800.0}
    assert server.get(PROJECTS).json["projects"] == []


def test_projects_are_changed_only_as_the_client_knows_them_and_restored_from_the_history(
    server: RunningServer,
) -> None:
    saved(server, ACME)
    tag = server.get(PROJECTS).headers["etag"]
    assert server.call("PUT", PROJECTS, {"projects": [CODE]}, headers={"If-Match": tag}).status == 200

    stale = server.call("PUT", PROJECTS, {"projects": []}, headers={"If-Match": tag})
    assert (stale.status, [each["name"] for each in stale.json["current"]["projects"]]) == (412, ["Programming"])
    assert [each["name"] for each in server.get(PROJECTS).json["projects"]] == ["Programming"]
    history = server.get("/api/1/settings/history?key=projects").json["changes"]
    assert server.post(f"/api/1/settings/history/{history[1]['number']}/restore", {}).status == 200
    assert [each["name"] for each in server.get(PROJECTS).json["projects"]] == ["ACME"]


INVALID: list[tuple[dict[str, Any], str | None]] = [
    ({"name": " "}, "projects[1].name"),
    ({"name": "acme"}, "projects[1].name"),
    ({"name": "x", "color": "red-ish"}, "projects[1].color"),
    (
        {"name": "x", "conditions": [{"field": "title", "op": "regex", "value": "("}]},
        "projects[1].conditions[0].value",
    ),
    ({"name": "x", "rate": -1}, None),
    ({"name": "x", "categories": [[]]}, None),
    ({"name": "x", "unknown": 1}, None),
    ({}, None),
]


@pytest.mark.parametrize(("project", "field"), INVALID)
def test_a_list_with_an_invalid_project_is_rejected_and_changes_nothing(
    server: RunningServer, project: dict[str, Any], field: str | None
) -> None:
    for path, method in ((PROJECTS, "PUT"), (f"{PROJECTS}/preview", "POST")):
        answer = server.call(method, path, {"projects": [ACME, project]})
        assert answer.status in (400, 422), answer.body
        assert field is None or answer.json["field"] == field

    assert server.get(PROJECTS).json["projects"] == []
