"""How annotations count in summaries, undone and switched off too; what was recorded never changes."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.insight.annotating import LIST, annotate, changed
from tests.support.calls.clients import AFK, WINDOW, record
from tests.support.server import RunningServer

HOUR = 3600.0
DAY = "start=2026-03-05T00:00:00Z&end=2026-03-06T00:00:00Z"


@pytest.fixture(scope="module")
def recorded(shared_server: RunningServer) -> RunningServer:
    """A morning: two hours of Code, an hour of Mail, and on the day before an hour of Code."""
    record(
        shared_server,
        ("2026-03-04T09:00:00Z", "2026-03-04T10:00:00Z", "Code"),
        ("2026-03-05T09:00:00Z", "2026-03-05T11:00:00Z", "Code"),
        ("2026-03-05T11:00:00Z", "2026-03-05T12:00:00Z", "Mail"),
    )
    return shared_server


@pytest.fixture
def server(recorded: RunningServer) -> Iterator[RunningServer]:
    """The same without annotations; and nothing that was recorded is another at the end."""
    recorded.call("DELETE", "/api/0/buckets/dayline-annotations")
    before = raw(recorded)
    yield recorded
    assert raw(recorded) == before


def raw(server: RunningServer) -> list[bytes]:
    """What clients of the existing interface read."""
    query = {"timeperiods": ["2026-03-04/2026-03-06"], "query": [f'RETURN = flood(query_bucket("{WINDOW}"));']}
    return [
        *(server.get(f"/api/0/buckets/{bucket}/events").body for bucket in (WINDOW, AFK)),
        server.post("/api/0/query/", query).body,
    ]


def summary(server: RunningServer, query: str = DAY) -> dict[str, Any]:
    answer = server.get(f"/api/1/summary?by=category,app,title&{query}")
    assert answer.status == 200, answer.body
    found: dict[str, Any] = answer.json
    return found


def active(server: RunningServer, query: str = DAY) -> float:
    return float(summary(server, query)["totals"]["active"]) / HOUR


def hours(server: RunningServer, by: str, query: str = DAY) -> dict[str, float]:
    """Hours by key."""
    rows = summary(server, query)["lists"][by]
    return {"/".join(row["key"]) if by == "category" else row["key"]: row["seconds"] / HOUR for row in rows}


def test_excluded_time_does_not_count(server: RunningServer) -> None:
    annotate(server, "exclude", "10:30", "11:30")

    assert active(server) == 2.0
    assert hours(server, "app") == {"Code": 1.5, "Mail": 0.5}


def test_excluded_time_of_another_device_counts(server: RunningServer) -> None:
    annotate(server, "exclude", "10:30", "11:30", device="phone")

    assert active(server) == 3.0


def test_time_that_is_given_a_category_keeps_its_app(server: RunningServer) -> None:
    annotate(server, "category", "10:00", "11:30", category=["Work", "Review"])

    assert hours(server, "category") == {"Work/Review": 1.5, "Uncategorized": 1.5}
    assert hours(server, "app") == {"Code": 2.0, "Mail": 1.0}


def test_of_two_annotations_with_the_same_start_the_newest_counts(server: RunningServer) -> None:
    annotate(server, "category", "09:00", "10:00", category=["Work"])
    annotate(server, "category", "09:00", "10:00", category=["Study"])

    assert hours(server, "category") == {"Study": 1.0, "Uncategorized": 2.0}


def test_entry_adds_time_and_goes_before_what_was_recorded(server: RunningServer) -> None:
    annotate(server, "entry", "11:30", "13:00", label="Lunch with Ada", category=["Meeting"])

    assert active(server) == 4.0
    assert hours(server, "category") == {"Meeting": 1.5, "Uncategorized": 2.5}
    assert hours(server, "app") == {"Code": 2.0, "Mail": 0.5}
    assert hours(server, "title")["Lunch with Ada"] == 1.5


def test_label_changes_no_figures(server: RunningServer) -> None:
    before = summary(server)
    annotate(server, "label", "09:00", "12:00", label="at home")

    assert (summary(server)["totals"], summary(server)["lists"]) == (before["totals"], before["lists"])


def test_entry_counts_where_nothing_was_recorded_at_all(server: RunningServer) -> None:
    annotate(server, "entry", "11:30", "13:00", category=["Meeting"])
    changed(server, server.get(LIST).json["annotations"][0], start="2026-01-05T11:30:00Z", end="2026-01-05T12:30:00Z")

    assert hours(server, "category", "start=2026-01-05T00:00:00Z&end=2026-01-06T00:00:00Z") == {"Meeting": 1.0}


def test_annotations_are_left_out_where_asked(server: RunningServer) -> None:
    annotate(server, "exclude", "09:00", "12:00")

    assert (active(server), active(server, f"{DAY}&annotations=off")) == (0.0, 3.0)


def test_annotation_that_is_switched_off_stays_and_does_not_count(server: RunningServer) -> None:
    made = annotate(server, "exclude", "09:00", "12:00")

    off = changed(server, made, is_on=False).json
    assert (active(server), len(server.get(LIST).json["annotations"])) == (3.0, 1)
    server.post(f"/api/1/undo/{off['undo']}")

    assert active(server) == 0.0


def test_undoing_an_annotation_gives_the_figures_back(server: RunningServer) -> None:
    before = summary(server)
    made = annotate(server, "entry", "08:00", "10:00", category=["Meeting"])
    assert summary(server) != before

    server.post(f"/api/1/undo/{made['undo']}")

    assert summary(server) == before


def test_annotations_count_in_what_is_compared_with(server: RunningServer) -> None:
    made = annotate(server, "exclude", "09:00", "09:30")
    changed(server, made, start="2026-03-04T09:00:00Z", end="2026-03-04T09:30:00Z")

    found = summary(server, f"{DAY}&compare=previous")

    assert (found["totals"]["active"], found["compare"]["totals"]["active"]) == (3 * HOUR, 0.5 * HOUR)


def test_what_is_no_annotation_changes_nothing(server: RunningServer) -> None:
    made = annotate(server, "label", "09:00", "12:00", label="a bucket for them")
    server.call("DELETE", f"{LIST}/{made['id']}")
    data: list[dict[str, object]] = [{"kind": "exclude", "is_on": "yes"}, {"kind": 7}, {"kind": "category"}, {}]
    strange = [{"timestamp": "2026-03-05T09:00:00Z", "duration": 7200, "data": each} for each in data]
    assert server.post("/api/0/buckets/dayline-annotations/events", strange).status == 200

    assert active(server) == 3.0


def explained(server: RunningServer, clock: str) -> dict[str, Any]:
    answer = server.post("/api/1/categories/explain", {"at": f"2026-03-05T{clock}:00Z"})
    assert answer.status == 200, answer.body
    reported: dict[str, Any] = answer.json
    return reported


def test_a_moment_is_explained_by_the_annotation_that_gives_it_its_category(server: RunningServer) -> None:
    category = annotate(server, "category", "10:00", "11:30", category=["Work", "Review"])
    annotate(server, "label", "10:30", "11:00", label="with Ada")
    entry = annotate(server, "entry", "12:00", "13:00", label="Drive")
    annotate(server, "exclude", "09:00", "09:30")

    assert [explained(server, clock)["annotation"] for clock in ("09:45", "10:10", "10:45", "12:30")] == [
        None, category["id"], category["id"], entry["id"],
    ]  # fmt: skip
    assert explained(server, "10:45")["category"] == ["Work", "Review"]
    assert (explained(server, "12:30")["category"], explained(server, "12:30")["data"]) == (["Uncategorized"], {})
    assert not explained(server, "09:10")["is_active"]


@pytest.mark.parametrize("chosen", ["device=laptop", "filter=device:is:laptop"])
def test_an_entry_of_no_device_is_no_time_of_a_device(server: RunningServer, chosen: str) -> None:
    annotate(server, "entry", "11:30", "13:00", label="Drive")
    annotate(server, "entry", "08:00", "08:30", label="Call", device="laptop")

    assert (active(server), active(server, f"{DAY}&{chosen}")) == (4.5, 3.5)
    assert hours(server, "app", f"{DAY}&{chosen}") == {"Code": 2.0, "Mail": 1.0}
