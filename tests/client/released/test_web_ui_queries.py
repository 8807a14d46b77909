"""Every query of the existing web UI is answered with all that it reads, on the history of three devices."""

from collections.abc import Iterator
from datetime import date, datetime, timedelta
from io import BytesIO
from typing import Any, Final
from zoneinfo import ZoneInfo

import pytest

from benchmarks.desktop_query import category_rules
from dayline.demo.export import write_export
from dayline.demo.history import History
from tests.client.released import web_ui_queries as programs
from tests.support.server import RunningServer

LAST_DAY: Final = date(2026, 3, 31)  # two days before it, summer time begins: a day of 23 hours
DAYS: Final = 5
HOSTS: Final = ("laptop", "desktop")
PHONE: Final = "aw-watcher-android_phone"
STOPWATCH: Final = "aw-stopwatch"


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """A server with some days of three devices, and a stopwatch."""
    document = BytesIO()
    write_export(History(seed=7, days=DAYS, devices=3, end=LAST_DAY).buckets(), document)
    with RunningServer(tmp_path_factory.mktemp("recorded") / "days.db") as server:
        assert server.call("POST", "/api/0/import", raw=document.getvalue()).status == 200
        server.create(STOPWATCH, type="general.stopwatch", hostname="unknown")
        stopped = [
            {
                "timestamp": f"2026-03-{day}T{hour}:00:00Z",
                "duration": seconds,
                "data": {"label": label, "running": False},
            }
            for day in (29, 31)
            for hour, seconds, label in ((10, 600, "tea"), (12, 300, "call"))
        ]
        assert server.post(f"/api/0/buckets/{STOPWATCH}/events", stopped).status == 200
        yield server


def day(number: int) -> str:
    """A day of the person's zone, from four in the morning, as the page writes its period; 0 is the last."""
    start = datetime(LAST_DAY.year, LAST_DAY.month, LAST_DAY.day, 4, tzinfo=ZoneInfo("Europe/Berlin"))
    return (
        f"{(start - number * timedelta(days=1)).isoformat()}/{(start + (1 - number) * timedelta(days=1)).isoformat()}"
    )


def ask(server: RunningServer, query: list[str], *periods: str) -> list[Any]:
    answer = server.post("/api/0/query/", {"timeperiods": periods or [day(0)], "query": query})
    assert answer.status == 200, answer.body
    return list(answer.json)


def check_groups(events: list[dict[str, Any]], *keys: str) -> None:
    """Grouped events: something is there, each with its keys, longest first."""
    assert events
    durations = [event["duration"] for event in events]
    assert durations == sorted(durations, reverse=True)
    for event in events:
        assert event.keys() == {"id", "timestamp", "duration", "data"}
        assert event["id"] is None
        assert event["data"].keys() >= set(keys)


def check_window(window: dict[str, Any]) -> None:
    check_groups(window["app_events"], "app")
    check_groups(window["title_events"], "app", "title")
    check_groups(window["cat_events"], "$category")
    assert all(isinstance(event["data"]["$category"], list) for event in window["cat_events"])
    assert all(event["data"] == {} or event["data"]["status"] == "not-afk" for event in window["active_events"])
    categorized_s = sum(event["duration"] for event in window["cat_events"])
    assert categorized_s == pytest.approx(window["duration"])
    assert 3600 < window["duration"] < 24 * 3600


# The laptop is for weekdays, the desktop for the weekend.
@pytest.mark.parametrize(("host", "browser", "last"), [("laptop", "firefox", 0), ("desktop", "chrome", 2)])
def test_the_activity_view_of_a_computer(recorded: RunningServer, host: str, browser: str, last: int) -> None:
    query = programs.full_desktop(host, browser=browser, stopwatch=STOPWATCH)

    results = ask(recorded, query, day(last + 1), day(last))

    assert len(results) == 2
    for result in results:
        check_window(result["window"])
        check_groups(result["browser"]["domains"], "$domain")
        check_groups(result["browser"]["urls"], "url")
        check_groups(result["browser"]["titles"], "title")
        assert result["browser"]["duration"] > 0
    assert results[0]["stopwatch"]["stopwatch_events"] == []
    labels = [event["data"]["label"] for event in results[1]["stopwatch"]["stopwatch_events"]]
    assert labels == ["tea", "call"]


def test_a_computer_whose_name_is_unknown_is_found_by_the_beginning_of_its_bucket(recorded: RunningServer) -> None:
    query = ['RETURN = find_bucket("aw-watcher-window_");']

    assert ask(recorded, query) == ["aw-watcher-window_laptop"]


def test_the_activity_view_of_several_computers(recorded: RunningServer) -> None:
    [together] = ask(recorded, programs.multi_device(HOSTS), day(3))
    alone = [ask(recorded, programs.multi_device([host]), day(3))[0]["window"]["duration"] for host in HOSTS]

    check_window(together["window"])
    assert max(alone) <= together["window"]["duration"] <= sum(alone)


def test_the_activity_view_of_a_phone(recorded: RunningServer) -> None:
    [result] = ask(recorded, programs.android(PHONE))

    check_groups(result["app_events"], "app")
    check_groups(result["title_events"], "app", "classname", "title")
    check_groups(result["cat_events"], "$category")
    assert result["duration"] > 0
    assert result["active_events"]


def test_the_active_time_of_a_month_in_one_request(recorded: RunningServer) -> None:
    periods = [day(number) for number in reversed(range(31))]

    results = ask(recorded, programs.active_history([f"aw-watcher-afk_{host}" for host in HOSTS]), *periods)

    assert len(results) == 31
    assert all(result == [] for result in results[: 31 - DAYS - 1])
    for result in results[31 - DAYS + 1 :]:
        [event] = result
        assert event["data"] == {"status": "not-afk"}
        assert event["duration"] > 0


def test_the_active_time_of_a_phone(recorded: RunningServer) -> None:
    [seconds] = ask(recorded, [f'RETURN = sum_durations(query_bucket("{PHONE}"));'])

    assert isinstance(seconds, float)
    assert seconds > 0


def test_the_categories_of_every_hour(recorded: RunningServer) -> None:
    query = [
        *programs.canonical_events("laptop", rules=category_rules()),
        'cat_events = sort_by_duration(merge_events_by_keys(events, ["$category"]));',
        'RETURN = {"cat_events": cat_events};',
    ]
    hours = [f"2026-03-31T{hour:02}:00:00+02:00/2026-03-31T{hour + 1:02}:00:00+02:00" for hour in range(4, 23)]

    results = ask(recorded, query, *hours)

    [whole] = ask(recorded, query, "2026-03-31T04:00:00+02:00/2026-03-31T23:00:00+02:00")
    hourly_s = sum(event["duration"] for result in results for event in result["cat_events"])
    whole_s = sum(event["duration"] for event in whole["cat_events"])
    # A gap that is closed across a full hour is not seen by either of the hours.
    assert hourly_s == pytest.approx(whole_s, abs=5 * len(hours))


def test_the_files_languages_and_projects_of_editors(recorded: RunningServer) -> None:
    [result] = ask(recorded, programs.editor([f"aw-watcher-vscode_{host}" for host in HOSTS]), day(1))

    check_groups(result["files"], "file", "language")
    check_groups(result["languages"], "language")
    check_groups(result["projects"], "project")
    assert result["duration"] == pytest.approx(sum(event["duration"] for event in result["languages"]))


def test_a_search(recorded: RunningServer) -> None:
    [found] = ask(recorded, programs.search("laptop", "mail|inbox"))

    assert found
    for event in found:
        assert event["data"]["$category"] == ["searched"]
        assert event["id"]
        text = f"{event['data']['app']} {event['data']['title']}".lower()
        assert "mail" in text or "inbox" in text


def test_the_list_from_which_categories_are_built(recorded: RunningServer) -> None:
    [events] = ask(recorded, programs.category_builder("laptop"))

    assert 0 < len(events) <= 1000
    assert all(event["data"]["$category"] == ["Uncategorized"] for event in events)


def test_a_work_report(recorded: RunningServer) -> None:
    [result] = ask(recorded, programs.work_report(HOSTS))

    assert result["events"]
    assert result["duration"] == pytest.approx(sum(event["duration"] for event in result["events"]))
    assert {tuple(event["data"]["$category"]) for event in result["events"]} <= {("Work", "Programming"), ("Work",)}


def test_the_clock(recorded: RunningServer) -> None:
    [events] = ask(recorded, ['RETURN = flood(query_bucket("aw-watcher-afk_laptop"));'])

    assert [event["timestamp"] for event in events] == sorted(event["timestamp"] for event in events)
    assert all(event["id"] for event in events)
