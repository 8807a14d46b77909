"""Search over a running server: what has just been sent, bound keys, pages, texts that look like HTML."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from dayline.storage.columns.segment_plan import SegmentPace
from tests.support.keyed_server import KeyedServer
from tests.support.postgres.cluster import Cluster
from tests.support.postgres.servers import SharedServer
from tests.support.waiting import eventually

WINDOW, WEB, PHONE = "aw-watcher-window_laptop", "aw-watcher-web_laptop", "aw-watcher-window_phone"
MONTH = {"start": "2026-02-01T00:00:00Z", "end": "2026-03-01T00:00:00Z"}
HTML = '<img src=x onerror="alert(1)"> & more'


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[KeyedServer]:
    """One on each engine, that indexes words soon."""
    with server_on(request, tmp_path_factory.mktemp("search")) as running:
        running.create(WINDOW, hostname="laptop", type="currentwindow")
        running.create(WEB, hostname="laptop", type="web.tab.current")
        running.create(PHONE, hostname="phone", type="currentwindow")
        insert(
            running,
            WINDOW,
            [(0, 600, {"app": "Code", "title": "Rust lifetimes"}), (700, 60, {"app": "Mail", "title": HTML})],
        )
        insert(
            running, WINDOW, [(2000 + number, 1, {"app": "Files", "title": f"folder {number}"}) for number in range(25)]
        )
        insert(running, WEB, [(0, 300, {"title": "The Rust Book", "url": "https://doc.rust-lang.org/book/"})])
        insert(running, PHONE, [(100, 30, {"app": "Reader", "title": "secret rust diary"})])
        yield running


def server_on(request: pytest.FixtureRequest, folder: Path) -> KeyedServer:
    """A server that indexes new texts soon."""
    pace = SegmentPace(initial_delay_s=0, interval_s=0.5, min_values=1)
    if request.param == "sqlite":
        server = KeyedServer(folder / "days.db")
        server.constants = {"dayline.storage.sqlite.database:SqliteDatabase.segment_pace": pace}
        return server
    database: Cluster = request.getfixturevalue("postgres")
    shared = SharedServer(database.new_database(), folder)
    shared.constants = {"dayline.storage.postgres.database:PostgresDatabase.segment_pace": pace}
    return shared


def insert(server: KeyedServer, bucket: str, events: list[tuple[int, int, dict[str, str]]]) -> None:
    body = [
        {"timestamp": f"2026-03-05T10:{start // 60:02}:{start % 60:02}Z", "duration": lasting, "data": data}
        for start, lasting, data in events
    ]
    assert server.as_owner("POST", f"/api/0/buckets/{bucket}/events", body).status == 200


def found(server: KeyedServer, q: str, *, key: str | None = None, **parameters: str) -> dict[str, Any]:
    answer = server.with_key(key or server.owner, "GET", f"/api/1/search?{urlencode({'q': q, **parameters})}")
    assert answer.status == 200, answer.body
    body: dict[str, Any] = answer.json
    return body


def titles(answer: dict[str, Any]) -> list[str]:
    return [hit["data"]["title"] for hit in answer["hits"]]


def test_hits_are_ranked_by_the_time_spent_and_show_where_to_go(server: KeyedServer) -> None:
    answer = found(server, "rust")
    assert titles(answer) == ["Rust lifetimes", "The Rust Book", "secret rust diary"]
    first = answer["hits"][0]
    assert (first["seconds"], first["count"], first["bucket"], first["device"]) == (600, 1, WINDOW, "laptop")
    assert (first["first"], first["last"]) == ("2026-03-05T10:00:00+00:00", "2026-03-05T10:10:00+00:00")
    assert first["highlights"] == [{"path": ["title"], "ranges": [[0, 4]]}]
    event = server.as_owner("GET", f"/api/0/buckets/{WINDOW}/events/{first['event']['id']}").json
    assert event["data"] == first["data"]
    assert (answer["total"], answer["events"], answer["seconds"]) == (3, 3, 930)
    assert [(facet["key"], facet["seconds"]) for facet in answer["facets"]["device"]] == [
        ("laptop", 900),
        ("phone", 30),
    ]
    assert sum(answer["histogram"]["seconds"]) == 930
    assert sum(answer["histogram"]["count"]) == 3


def test_a_heartbeat_sent_a_moment_ago_is_found(server: KeyedServer) -> None:
    beat = {"timestamp": "2026-03-06T10:00:00Z", "duration": 0, "data": {"app": "Code", "title": "just now zebra"}}
    assert server.as_owner("POST", f"/api/0/buckets/{WINDOW}/heartbeat?pulsetime=60", beat).status == 200
    assert titles(found(server, "zebr")) == ["just now zebra"]


def test_a_word_as_it_is_written_in_the_data_is_proposed_where_nothing_is_found(server: KeyedServer) -> None:
    eventually(lambda: found(server, "rust")["looked_through"] == 0)

    answer = found(server, "lifetmies app:Code")
    assert (answer["total"], answer["suggestion"]) == (0, "lifetimes app:code")
    assert titles(found(server, answer["suggestion"])) == ["Rust lifetimes"]


def test_operators_narrow_a_search(server: KeyedServer) -> None:
    assert titles(found(server, "rust app:code")) == ["Rust lifetimes"]
    assert titles(found(server, "rust domain:rust-lang.org")) == ["The Rust Book"]
    assert titles(found(server, "rust -device:laptop")) == ["secret rust diary"]
    assert titles(found(server, "rust dur<1m")) == ["secret rust diary"]
    assert titles(found(server, "type:web")) == ["The Rust Book"]
    assert titles(found(server, "rust before:2026")) == []
    assert titles(found(server, "rust", bucket=PHONE)) == ["secret rust diary"]


def test_a_range_cuts_what_is_counted(server: KeyedServer) -> None:
    answer = found(server, "lifetimes", start="2026-03-05T10:05:00Z", end="2026-03-05T10:06:00Z")
    assert [hit["seconds"] for hit in answer["hits"]] == [60]
    assert answer["range"]["start"] == "2026-03-05T10:05:00+00:00"
    assert found(server, "lifetimes", start="2026-03-05T10:10:00Z", end="2026-03-05T10:16:00Z")["total"] == 0


def test_a_bound_key_learns_nothing_of_other_buckets(server: KeyedServer) -> None:
    key = server.key("read", WEB)
    answer = found(server, "rust", key=key)
    assert titles(answer) == ["The Rust Book"]
    assert [facet["key"] for facet in answer["facets"]["bucket"]] == [WEB]
    assert (answer["total"], answer["events"]) == (1, 1)
    assert found(server, "secret", key=key)["suggestion"] is None
    refused = server.with_key(key, "GET", f"/api/1/search?q=rust&bucket={PHONE}")
    unknown = server.with_key(key, "GET", "/api/1/search?q=rust&bucket=nothing")
    assert (refused.status, unknown.status) == (404, 404)


def test_every_hit_is_on_one_page(server: KeyedServer) -> None:
    for sort in ("rank", "recent", "oldest", "time", "count"):
        seen: list[str] = []
        cursor: dict[str, str] = {}
        while True:
            answer = found(server, "folder", sort=sort, limit="7", **cursor)
            seen += titles(answer)
            if answer["cursor"] is None:
                break
            cursor = {"cursor": answer["cursor"]}
        assert sorted(seen) == sorted(f"folder {number}" for number in range(25))
        assert len(titles(found(server, "folder", sort=sort))) == 25
        assert seen == titles(found(server, "folder", sort=sort))


def test_a_cursor_of_another_search_is_rejected(server: KeyedServer) -> None:
    cursor = found(server, "folder", limit="7")["cursor"]
    other = server.as_owner("GET", f"/api/1/search?{urlencode({'q': 'rust', 'cursor': cursor})}")
    assert (other.status, other.json["field"]) == (422, "cursor")
    assert server.as_owner("GET", "/api/1/search?q=rust&cursor=nonsense").status == 400


def test_a_title_that_looks_like_html_comes_back_as_text(server: KeyedServer) -> None:
    [hit] = found(server, "onerror")["hits"]
    assert hit["data"]["title"] == HTML
    assert [HTML[low:high] for low, high in hit["highlights"][0]["ranges"]] == ["onerror"]


def test_groups_put_events_together(server: KeyedServer) -> None:
    hits = found(server, "device:laptop", group="app")["hits"]
    files = next(hit for hit in hits if hit["key"] == "Files")
    assert (files["count"], files["seconds"]) == (25, 25)
    [domain] = found(server, "type:web", group="domain")["hits"]
    assert domain["key"] == "doc.rust-lang.org"
    assert found(server, "folder", group="none")["total"] == 25


@pytest.mark.parametrize(
    ("query", "status", "field"),
    [
        ("", 400, "q"),
        ("q=!!", 422, "q"),
        ("q=after:soon", 400, "q"),
        ("q=a&group=b", 400, "group"),
        ("q=a&limit=0", 400, "limit"),
    ],
)
def test_what_cannot_be_meant_is_rejected(server: KeyedServer, query: str, status: int, field: str) -> None:
    refused = server.as_owner("GET", f"/api/1/search?{query}")
    assert (refused.status, refused.json["field"]) == (status, field)


def test_a_window_its_tab_and_its_file_are_one_thing_with_its_active_time(server: KeyedServer) -> None:
    # The window and the tab of the same minutes were added, and a page was two hits.
    front, tabs, files, away = (
        "aw-watcher-window_boat", "aw-watcher-web-firefox_boat", "aw-watcher-vim_boat", "aw-watcher-afk_boat",
    )  # fmt: skip
    kinds = {front: "currentwindow", tabs: "web.tab.current", files: "app.editor.activity", away: "afkstatus"}
    for name, kind in kinds.items():
        server.create(name, hostname="boat", type=kind)
    page = {"title": "Folding boats", "url": "https://boats.example.org/folding"}
    code = {"app": "Editor", "title": "folding.py - boats"}
    insert(server, front, [(0, 600, {"app": "Firefox", "title": "Folding boats - Firefox"}), (600, 300, code)])
    insert(server, tabs, [(0, 600, page), (600, 300, {**page, "title": "Folding boats, closed"})])
    insert(server, files, [(600, 300, {"file": "/src/folding.py", "language": "python"})])
    insert(server, away, [(0, 800, {"status": "not-afk"}), (800, 100, {"status": "afk"})])

    answer = found(server, "folding", group="thing", sort="time", device="boat")
    hits = {hit["key"]: hit for hit in answer["hits"]}
    assert answer["seconds"] == 800
    assert {key: hit["seconds"] for key, hit in hits.items()} == {
        "Folding boats - Firefox": 600,
        "folding.py - boats": 200,
        "Folding boats, closed": 0,
    }
    assert hits["Folding boats - Firefox"]["data"] == {**page, "app": "Firefox", "title": "Folding boats - Firefox"}
    assert hits["folding.py - boats"]["data"] == {**code, "file": "/src/folding.py", "language": "python"}
    assert [hits[key]["count"] for key in hits] == [2, 2, 1]
    assert sum(answer["histogram"]["seconds"]) == 800
    assert [(facet["key"], facet["seconds"]) for facet in answer["facets"]["device"]] == [("boat", 800)]
    day = "/api/1/summary?by=title&device=boat&start=2026-03-05T00:00:00Z&end=2026-03-06T00:00:00Z"
    listed = {row["key"]: row["seconds"] for row in server.as_owner("GET", day).json["lists"]["title"]}
    assert listed == {key: hit["seconds"] for key, hit in hits.items() if hit["seconds"]}

    events = found(server, "folding", group="none", thing="Folding boats - Firefox", device="boat")["hits"]
    assert sorted(event["bucket"] for event in events) == [tabs, front]
    assert found(server, "folding dur<6m", group="thing", device="boat")["seconds"] == 200


def test_what_changes_in_a_month_that_is_over_counts_in_the_next_search(server: KeyedServer) -> None:
    window = "aw-watcher-window_train"
    server.create(window, hostname="train", type="currentwindow")
    limited = server.key("read", PHONE)

    def counted(key: str | None = None) -> tuple[float, list[str]]:
        """The active time that was found, and its categories."""
        answer = found(server, "railway", key=key, group="thing", **MONTH)
        return answer["seconds"], ["/".join(hit["category"]) for hit in answer["hits"]]

    path = f"/api/0/buckets/{window}/events"
    event = {"timestamp": "2026-02-03T10:00:00Z", "duration": 600, "data": {"app": "Map", "title": "Railway"}}
    assert counted() == (0, [])
    [stored] = server.as_owner("POST", path, [event]).json
    assert [counted(), counted()] == [(600, ["Uncategorized"])] * 2
    assert counted(limited) == (0, [])
    server.as_owner("POST", path, [{**event, "id": stored["id"], "duration": 60}])
    assert counted() == (60, ["Uncategorized"])
    note = {"kind": "category", "category": ["Trips"], "start": "2026-02-03T09:00:00Z", "end": "2026-02-03T11:00:00Z"}
    made = server.as_owner("POST", "/api/1/annotations", note)
    assert made.status == 201
    assert counted() == (60, ["Trips"])
    deleted = server.as_owner("DELETE", f"/api/1/events/{window}/{stored['id']}").json
    assert counted() == (0, [])
    assert server.as_owner("POST", f"/api/1/undo/{deleted['undo']}").status == 200
    assert counted() == (60, ["Trips"])
    assert server.as_owner("DELETE", f"/api/1/annotations/{made.json['id']}").status == 200
    assert counted() == (60, ["Uncategorized"])
