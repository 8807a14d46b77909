"""Goals over a real server: made, changed, restored, and how far someone is with them."""

from typing import Any

import pytest

from tests.insight.annotating import annotate
from tests.support.calls.clients import record
from tests.support.server import RunningServer

GOALS = "/api/1/goals"
HOUR = 3600.0
CODE: dict[str, object] = {"name": "Code", "kind": "at_least", "seconds": 2 * HOUR, "by": "app", "value": "Code"}


@pytest.fixture(scope="module")
def recorded(shared_server: RunningServer) -> RunningServer:
    """Three days in March: 3, 1 and 2 hours of Code, and news."""
    record(
        shared_server,
        ("2026-03-03T09:00:00Z", "2026-03-03T12:00:00Z", "Code"),
        ("2026-03-04T09:00:00Z", "2026-03-04T10:00:00Z", "Code"),
        ("2026-03-05T08:00:00Z", "2026-03-05T10:00:00Z", "Code"),
        ("2026-03-05T10:00:00Z", "2026-03-05T10:30:00Z", "News"),
    )
    return shared_server


@pytest.fixture
def server(recorded: RunningServer) -> RunningServer:
    """The same without goals, hours of work or annotations."""
    for goal in recorded.get(GOALS).json:
        recorded.call("DELETE", f"{GOALS}/{goal['id']}")
    recorded.call("PUT", f"{GOALS}/work-hours", {})
    recorded.call("DELETE", "/api/0/buckets/dayline-annotations")
    return recorded


def made(server: RunningServer, **fields: object) -> dict[str, Any]:
    answer = server.post(GOALS, {**CODE, **fields})
    assert answer.status == 201, answer.body
    goal: dict[str, Any] = answer.json
    return goal


def progress(server: RunningServer, date: str = "2026-03-05", query: str = "") -> list[dict[str, Any]]:
    answer = server.get(f"{GOALS}/progress?date={date}&day_start=00:00&{query}")
    assert answer.status == 200, answer.body
    goals: list[dict[str, Any]] = answer.json["goals"]
    return goals


def test_goal_is_reported_with_all_that_was_left_out(server: RunningServer) -> None:
    goal = made(server)

    days = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
    assert goal == {
        **CODE, "id": goal["id"], "per": "day", "category": None, "weekdays": days, "hours": "any", "is_on": True,
    }  # fmt: skip
    assert server.get(f"{GOALS}/{goal['id']}").json == goal
    assert server.get(GOALS).json == [goal]


def test_ids_are_never_given_again(server: RunningServer) -> None:
    first = made(server)
    server.call("DELETE", f"{GOALS}/{first['id']}")

    assert made(server)["id"] > first["id"]


def test_change_of_an_outdated_version_is_412(server: RunningServer) -> None:
    goal = made(server)
    path = f"{GOALS}/{goal['id']}"
    seen = server.get(path).headers["etag"]

    first = server.call("PATCH", path, {"seconds": 60}, headers={"If-Match": seen})
    late = server.call("PATCH", path, {"seconds": 90}, headers={"If-Match": seen})
    late_removal = server.call("DELETE", path, headers={"If-Match": seen})

    assert (first.status, late.status, late_removal.status) == (200, 412, 412)
    assert server.get(path).json == {**goal, "seconds": 60}
    assert server.call("DELETE", path, headers={"If-Match": first.headers["etag"]}).json == []


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"seconds": 0}, "seconds"),
        ({"kind": "about"}, "kind"),
        ({"by": "category"}, "category"),
        ({"by": "all"}, "value"),
        ({"weekdays": []}, "weekdays"),
        ({"weekdays": ["monday", "monday"]}, "weekdays"),
        ({"flavor": "red"}, "flavor"),
    ],
)
def test_what_could_not_be_used_is_rejected(server: RunningServer, fields: dict[str, object], field: str) -> None:
    answer = server.post(GOALS, {**CODE, **fields})

    assert (answer.status, answer.json["field"]) == (422, field)
    assert server.get(GOALS).json == []


def test_goals_are_restored_from_the_history(server: RunningServer) -> None:
    goal = made(server)
    changes = "/api/1/settings/history"
    number = server.get(f"{changes}?key=goals").json["changes"][0]["number"]
    server.call("DELETE", f"{GOALS}/{goal['id']}")
    gone = made(server, name="since")

    assert server.post(f"{changes}/{number}/restore").status == 200

    assert server.get(GOALS).json == [goal]
    assert made(server)["id"] > gone["id"]


def test_target_of_an_app_counts_its_time_of_the_day(server: RunningServer) -> None:
    made(server)

    [goal] = progress(server)

    assert (goal["seconds"], goal["target"], goal["share"]) == (2 * HOUR, 2 * HOUR, 1.0)
    assert (goal["state"], goal["pace"], goal["streak"]) == ("reached", None, 1)
    assert (goal["start"], goal["end"]) == ("2026-03-05T00:00:00+00:00", "2026-03-06T00:00:00+00:00")
    assert [(each["seconds"], each["is_met"]) for each in goal["recent"]] == [(3 * HOUR, True), (HOUR, False)]


def test_day_before_anything_was_recorded_counts_for_no_streak(server: RunningServer) -> None:
    made(server, kind="at_most", value="News")

    [goal] = progress(server)

    assert (goal["seconds"], goal["state"], goal["streak"]) == (0.5 * HOUR, "within", 3)


def test_weeks_and_months_add_up_the_days_that_count(server: RunningServer) -> None:
    made(server, per="week", by="all", value=None)
    made(server, per="month", weekdays=["tuesday", "thursday"])

    assert [goal["seconds"] for goal in progress(server)] == [6.5 * HOUR, 5 * HOUR]


def test_days_are_those_of_the_zone(server: RunningServer) -> None:
    made(server, by="all", value=None)

    # In Auckland it is 13 hours later: what was recorded from 11:00 on belongs to the next day.
    [fourth] = progress(server, "2026-03-04", "tz=Pacific/Auckland")

    assert fourth["seconds"] == 2 * HOUR  # an hour of the third, and that of the fourth
    assert fourth["start"] == "2026-03-04T00:00:00+13:00"


def test_hours_of_work_part_the_day_into_work_and_overtime(server: RunningServer) -> None:
    assert server.call("PUT", f"{GOALS}/work-hours", {"thursday": "09:00-10:15"}).status == 200
    made(server, by="all", value=None, hours="inside")
    made(server, by="all", value=None, hours="outside", kind="at_most", seconds=HOUR)

    inside, outside = progress(server)
    work = server.get(f"{GOALS}/progress?date=2026-03-05").json["work"]

    assert (inside["seconds"], outside["seconds"], outside["state"]) == (1.25 * HOUR, 1.25 * HOUR, "exceeded")
    assert work == {
        "day": {"inside": 1.25 * HOUR, "outside": 1.25 * HOUR},
        "week": {"inside": 1.25 * HOUR, "outside": 5.25 * HOUR},
    }


def test_without_work_hours_nothing_is_reported_about_them(server: RunningServer) -> None:
    answer = server.get(f"{GOALS}/progress?date=2026-03-05").json

    assert (answer["goals"], answer["work"]) == ([], None)
    assert answer["range"]["label"] == "Thu 5 Mar 2026"


def test_goal_that_is_switched_off_is_left_out(server: RunningServer) -> None:
    goal = made(server)
    server.call("PATCH", f"{GOALS}/{goal['id']}", {"is_on": False})

    assert progress(server) == []


def test_annotations_count_and_are_left_out_where_asked(server: RunningServer) -> None:
    made(server, by="all", value=None)
    made(server, by="category", value=None, category=["Travel"])
    annotate(server, "exclude", "08:00", "09:00")
    annotate(server, "entry", "12:00", "14:00", category=["Travel", "Train"], label="To Berlin")

    assert [goal["seconds"] for goal in progress(server)] == [3.5 * HOUR, 2 * HOUR]
    assert [goal["seconds"] for goal in progress(server, query="annotations=off")] == [2.5 * HOUR, 0]


def test_day_that_continues_has_a_pace(server: RunningServer) -> None:
    made(server)

    [goal] = server.get(f"{GOALS}/progress").json["goals"]

    assert 0 <= goal["pace"] <= 1
    assert goal["state"] in ("on_track", "behind")


def test_answer_is_not_sent_again_while_nothing_changes(server: RunningServer) -> None:
    made(server)
    path = f"{GOALS}/progress?date=2026-03-05"
    tag = server.get(path).headers["etag"]

    assert server.get(path, **{"If-None-Match": tag}).status == 304
