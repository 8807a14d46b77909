"""Long texts, as pages get them: truncated and marked; and whole as clients of `/api/0` and exports get them."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from dayline.model.edits.shown_text import MAX_SHOWN_BYTES, shown_text
from tests.support.server import RunningServer

TITLE = "find " + "é" * 200_000  # 400 kB
SHOWN = "find " + "é" * ((MAX_SHOWN_BYTES - 5) // 2) + "…"
BUCKET = "aw-watcher-window_laptop"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    with RunningServer(tmp_path_factory.mktemp("long") / "days.db") as server:
        server.create(BUCKET, type="currentwindow", hostname="laptop")
        data = {"app": "editor", "title": TITLE, "more": ["short", {"url": TITLE}]}
        start = (datetime.now(UTC) - timedelta(minutes=10)).isoformat()
        event = {"timestamp": start, "duration": 600, "data": data}
        assert server.post(f"/api/0/buckets/{BUCKET}/events", [event]).status == 200
        yield server


def get(server: RunningServer, path: str) -> Any:
    answer = server.get(path)
    assert answer.status == 200, answer.body
    assert len(answer.body) < 20_000
    return answer.json


def test_a_text_is_cut_between_characters_and_a_short_one_stays_the_same() -> None:
    assert shown_text("x" * MAX_SHOWN_BYTES) == "x" * MAX_SHOWN_BYTES
    assert shown_text("x" * (MAX_SHOWN_BYTES + 1)) == "x" * MAX_SHOWN_BYTES + "…"
    assert shown_text("x" + "😀" * 1000) == "x" + "😀" * 999 + "…"


def test_now_the_timeline_and_sessions_have_truncated_titles(server: RunningServer) -> None:
    # One title of 20 MB made each of these answers 20 MB.
    [device] = get(server, "/api/1/now")["devices"]
    timeline = get(server, "/api/1/timeline?period=last-7-days")
    sessions = get(server, "/api/1/timeline/sessions?period=last-7-days")["sessions"]

    assert (device["title"], device["truncated"]) == (SHOWN, ["title"])
    assert [timeline["titles"][number] for number in timeline["truncated_titles"]] == [SHOWN]
    assert timeline["truncated_keys"] == []
    assert {(session["title"], *session["truncated"]) for session in sessions} == {(SHOWN, "title")}


def test_search_and_events_have_truncated_data_and_the_paths_of_what_is(server: RunningServer) -> None:
    [hit] = get(server, "/api/1/search?q=find")["hits"]
    [listed] = get(server, f"/api/1/buckets/{BUCKET}/events")["events"]
    event = get(server, f"/api/1/events/{BUCKET}/{listed['id']}")
    shown = {"app": "editor", "title": SHOWN, "more": ["short", {"url": SHOWN}]}

    for each in (hit, listed, event):
        assert each["data"] == shown
        assert each["truncated"] == [["more", 1, "url"], ["title"]]
    assert {"path": ["title"], "ranges": [[0, 4]]} in hit["highlights"]


def test_clients_and_exports_get_the_whole_text(server: RunningServer) -> None:
    [event] = server.get(f"/api/0/buckets/{BUCKET}/events").json

    assert event["data"]["title"] == TITLE
    assert server.get(f"/api/0/buckets/{BUCKET}/events/{event['id']}").json["data"]["title"] == TITLE
    assert TITLE.encode() in server.get("/api/0/export").body
    assert TITLE.encode() in server.get("/api/1/export?format=csv").body
    query = {"query": [f'RETURN = query_bucket("{BUCKET}");'], "timeperiods": ["2020-01-01/2100-01-01"]}
    assert server.post("/api/0/query/", query).json[0][0]["data"]["title"] == TITLE
