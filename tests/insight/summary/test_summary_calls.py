"""`/api/1/summary` and `/api/1/series` of a real server: parameters, errors, tags, and what a bound key sees."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from tests.support.keyed_server import KeyedServer
from tests.support.server import Answer

DAY = {"period": "day", "date": "2026-03-05", "tz": "Europe/Berlin", "day_start": "04:00"}
BUCKETS = {
    "aw-watcher-window_laptop": ("currentwindow", "laptop"),
    "aw-watcher-afk_laptop": ("afkstatus", "laptop"),
    "aw-watcher-android-test": ("currentwindow", "phone"),
}
# An hour at the laptop, of which a quarter away, and half an hour on the phone at the end of it.
EVENTS: dict[str, list[tuple[str, float, dict[str, Any]]]] = {
    "aw-watcher-window_laptop": [
        ("2026-03-05T09:00:00Z", 1800.0, {"app": "Code", "title": "main.py"}),
        ("2026-03-05T09:30:00Z", 1800.0, {"app": "Files", "title": "Home"}),
    ],
    "aw-watcher-afk_laptop": [
        ("2026-03-05T09:00:00Z", 2700.0, {"status": "not-afk"}),
        ("2026-03-05T09:45:00Z", 900.0, {"status": "afk"}),
    ],
    "aw-watcher-android-test": [("2026-03-05T09:35:00Z", 1800.0, {"app": "Chat", "title": "Chat"})],
}


@pytest.fixture(scope="module")
def keyed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KeyedServer]:
    folder: Path = tmp_path_factory.mktemp("summary")
    with KeyedServer(folder / "dayline.db") as server:
        for bucket, (kind, host) in BUCKETS.items():
            server.create(bucket, type=kind, hostname=host)
            events = [
                {"timestamp": start, "duration": duration, "data": data} for start, duration, data in EVENTS[bucket]
            ]
            assert server.as_owner("POST", f"/api/0/buckets/{bucket}/events", events).status == 200
        yield server


def asked(server: KeyedServer, path: str, key: str | None = None, **parameters: str) -> Answer:
    query = urlencode({**DAY, **parameters})
    return server.with_key(key or server.owner, "GET", f"/api/1/{path}?{query}")


def test_an_hour_on_two_devices_is_one_hour_and_shown_on_both(keyed: KeyedServer) -> None:
    answer = asked(keyed, "summary", by="app,device,category").json
    assert answer["range"] == {
        "start": "2026-03-05T04:00:00+01:00", "end": "2026-03-06T04:00:00+01:00", "tz": "Europe/Berlin",
        "day_start": "04:00", "week_start": "monday", "label": "Thu 5 Mar 2026",
    }  # fmt: skip
    totals = answer["totals"]
    # The laptop from 9:00 to 9:45, the phone from 9:35 to 10:05; at once for ten minutes.
    assert (totals["active"], totals["away"], totals["overlap"]) == (3900.0, 0.0, 600.0)
    assert totals["nodata"] == 86_400 - 3900
    assert (totals["first"], totals["last"]) == ("2026-03-05T10:00:00+01:00", "2026-03-05T11:05:00+01:00")
    assert totals["switches"] == 2
    assert [(row["key"], row["seconds"]) for row in answer["lists"]["app"]] == [
        ("Chat", 1800.0), ("Code", 1800.0), ("Files", 300.0),
    ]  # fmt: skip
    assert answer["devices"] == [{"device": "laptop", "seconds": 2700.0}, {"device": "phone", "seconds": 1800.0}]
    assert answer["lists"]["category"] == [{"key": ["Uncategorized"], "seconds": 3900.0, "share": 1.0}]


def test_time_away_is_reported_and_counts_where_it_is_asked_for(keyed: KeyedServer) -> None:
    totals = asked(keyed, "summary", device="laptop").json["totals"]
    assert (totals["active"], totals["away"]) == (2700.0, 900.0)
    totals = asked(keyed, "summary", device="laptop", away="include").json["totals"]
    assert (totals["active"], totals["away"]) == (3600.0, 0.0)


def test_a_series_has_a_bin_for_every_hour_and_the_day_before_beside_it(keyed: KeyedServer) -> None:
    answer = asked(keyed, "series", by="app", bin="hour", top="2", compare="previous").json
    assert len(answer["edges"]) == 25
    assert answer["edges"][6] == "2026-03-05T10:00:00+01:00"
    assert answer["keys"] == ["Chat", "Code"]
    assert [row[6:8] for row in answer["values"]] == [[1500.0, 300.0], [1800.0, 0.0]]
    assert answer["other"][6:8] == [300.0, 0.0]
    assert answer["total"][6:8] == [3600.0, 300.0]
    assert answer["prev_total"] == [0.0] * 24
    assert answer["prev_range"]["label"] == "Wed 4 Mar 2026"


def test_a_list_shows_what_it_leaves_out_and_what_was_before(keyed: KeyedServer) -> None:
    answer = asked(
        keyed, "summary", by="app,domain", limit="1", compare="custom",
        compare_start="2026-03-05T09:00:00Z", compare_end="2026-03-05T09:10:00Z",
    ).json  # fmt: skip
    assert answer["lists"]["app"] == [
        {"key": "Chat", "seconds": 1800.0, "share": 1800 / 3900, "prev": 0.0, "category": ["Uncategorized"]}
    ]
    assert answer["more"] == {"app": 2, "domain": 0}
    assert answer["without"] == {"app": 0.0, "domain": 3900.0}
    assert answer["compare"]["totals"]["active"] == 600.0


def test_a_range_that_is_not_over_is_compared_with_as_much_of_the_one_before(keyed: KeyedServer) -> None:
    def hours_from_now(hours: float) -> str:
        return (datetime.now(UTC) + timedelta(hours=hours)).isoformat()

    keyed.create("aw-watcher-window_server", type="currentwindow", hostname="server")
    # The range before this one goes from 12 to 4 hours ago, of which the first four have a counterpart by now.
    events: list[dict[str, Any]] = [
        {"timestamp": hours_from_now(hours), "duration": 600, "data": {"app": "Editor"}} for hours in (-10, -6)
    ]
    keyed.as_owner("POST", "/api/0/buckets/aw-watcher-window_server/events", events)
    query = {"start": hours_from_now(-4), "end": hours_from_now(4), "device": "server", "compare": "previous"}

    summary = keyed.as_owner("GET", f"/api/1/summary?{urlencode(query)}").json
    series = keyed.as_owner("GET", f"/api/1/series?{urlencode({**query, 'bin': 'hour'})}").json

    assert summary["compare"]["totals"]["active"] == 600
    assert sum(series["prev_total"]) == 600
    assert summary["compare"]["whole"]["end"] == summary["range"]["start"]


def test_a_bound_key_sees_its_buckets_as_if_there_were_no_others(keyed: KeyedServer) -> None:
    key = keyed.key("read", "aw-watcher-window_laptop")
    answer = asked(keyed, "summary", key, by="app,bucket").json
    # Without the bucket that reports who is there, all of it counts; the phone does not exist.
    assert [(row["key"], row["seconds"]) for row in answer["lists"]["app"]] == [("Code", 1800.0), ("Files", 1800.0)]
    assert [row["key"] for row in answer["lists"]["bucket"]] == ["aw-watcher-window_laptop"]
    assert asked(keyed, "summary").json["totals"]["active"] == 3900.0


def test_an_answer_that_is_known_already_is_not_sent_again(keyed: KeyedServer) -> None:
    first = asked(keyed, "summary")
    query = urlencode(DAY)
    headers = {"If-None-Match": first.headers["etag"]}
    again = keyed.as_owner("GET", f"/api/1/summary?{query}", headers=headers)
    assert (again.status, again.body) == (304, b"")


def test_what_changes_in_a_month_that_is_over_counts_at_once(keyed: KeyedServer) -> None:
    def active() -> float:
        totals = asked(keyed, "summary", period="year", date="2024-06-01").json["totals"]
        series = asked(keyed, "series", period="year", date="2024-06-01", bin="month").json
        assert sum(series["total"]) == totals["active"]
        return float(totals["active"])

    path = "/api/0/buckets/aw-watcher-android-test/events"
    event = {"timestamp": "2024-05-10T10:00:00Z", "duration": 600.0, "data": {"app": "Chat", "title": "Chat"}}
    assert active() == 0.0
    [stored] = keyed.as_owner("POST", path, [event]).json
    assert [active(), active()] == [600.0, 600.0]
    keyed.as_owner("POST", path, [{**event, "timestamp": "2024-02-10T10:00:00Z"}])
    assert active() == 1200.0
    keyed.as_owner("POST", path, [{**event, "id": stored["id"], "duration": 60.0}])
    assert active() == 660.0
    keyed.as_owner("DELETE", f"{path}/{stored['id']}")
    assert active() == 600.0


@pytest.mark.parametrize(
    ("parameters", "status", "field"),
    [
        ({"period": "fortnight"}, 400, "period"),
        ({"date": "5 March"}, 400, "date"),
        ({"date": "1900-01-01"}, 422, "date"),
        ({"tz": "Mars/Olympus"}, 422, "tz"),
        ({"day_start": "4"}, 400, "day_start"),
        ({"week_start": "friday"}, 400, "week_start"),
        ({"start": "2026-03-05T00:00:00Z", "end": "2026-03-06T00:00:00Z"}, 400, "period"),
        ({"filter": "app"}, 400, "filter"),
        ({"away": "maybe"}, 400, "away"),
        ({"annotations": "maybe"}, 400, "annotations"),
        ({"by": "flavor"}, 400, "by"),
        ({"limit": "0"}, 400, "limit"),
        ({"compare": "custom"}, 400, "compare_start"),
        ({"compare": "usual"}, 400, "compare"),
    ],
)
def test_what_cannot_be_understood_is_rejected_by_name(
    keyed: KeyedServer, parameters: dict[str, str], status: int, field: str
) -> None:
    answer = asked(keyed, "summary", **parameters)
    assert (answer.status, answer.json["field"]) == (status, field)


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("start=2026-03-05T00:00:00Z", "end"),
        ("end=2026-03-05T00:00:00Z", "start"),
        ("start=yesterday&end=2026-03-05T00:00:00Z", "start"),
        ("start=2026-03-06T00:00:00Z&end=2026-03-05T00:00:00Z", "end"),
        ("bin=decade", "bin"),
        ("bin=5m&start=2000-01-01T00:00:00Z&end=2026-03-05T00:00:00Z", "bin"),
    ],
)
def test_a_series_without_a_range_that_can_be_read_is_rejected(keyed: KeyedServer, query: str, field: str) -> None:
    answer = keyed.as_owner("GET", f"/api/1/series?{query}")
    assert answer.status in (400, 422)
    assert answer.json["field"] == field


def test_a_filter_knows_a_bucket_by_the_id_that_it_had_before(keyed: KeyedServer) -> None:
    old, new = "aw-watcher-android-test", "aw-watcher-android-phone"
    moved = keyed.as_owner("POST", f"/api/1/buckets/{old}/rename", {"id": new, "alias": True}).json

    totals = [asked(keyed, "summary", filter=f"bucket:is:{name}").json["totals"]["active"] for name in (old, new)]
    lanes = asked(keyed, "timeline", filter=f"bucket:is:{old}").json["lanes"]
    keyed.as_owner("POST", f"/api/1/undo/{moved['undo']}")

    assert (totals, [lane["bucket"] for lane in lanes]) == ([1800.0, 1800.0], [new])
