"""Explain, preview and suggestions over a real server: what they say is what the summary says afterwards."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from tests.support.keyed_server import KeyedServer
from tests.support.server import RunningServer

CATEGORIES = "/api/1/categories"
RANGE = "start=2026-03-05T00:00:00Z&end=2026-03-06T00:00:00Z"
DOCS = "https://docs.python.org/3/library/re.html"
WINDOWS = [
    (8, 60, {"app": "Code", "title": "main.py - project"}),
    (9, 30, {"app": "Firefox", "title": "re - Python"}),
    (10, 20, {"app": "VLC", "title": "A film"}),
    (11, 45, {"app": "Figma", "title": "Invoice draft"}),
    (12, 15, {"app": "Figma", "title": "Logo"}),
    (13, 25, {"app": "Notes", "title": "Invoice list"}),
]
WORK = {"name": ["Work"], "conditions": [{"field": "app", "op": "is", "value": "Code"}]}
MEDIA = {"name": ["Media"], "rule": {"regex": "VLC|Firefox"}}
DOMAIN = {"name": ["Work", "Docs"], "conditions": [{"field": "domain", "op": "is", "value": "docs.python.org"}]}


def at(hour: int, minutes: float, data: dict[str, Any]) -> dict[str, Any]:
    return {"timestamp": f"2026-03-05T{hour:02}:00:00Z", "duration": minutes * 60, "data": data}


def fill(server: RunningServer) -> None:
    for bucket, kind, events in (
        ("window", "currentwindow", [at(*event) for event in WINDOWS]),
        ("web-firefox", "web.tab.current", [at(9, 20, {"url": DOCS, "title": "re - Python"})]),
        ("afk", "afkstatus", [at(8, 600, {"status": "not-afk"})]),
    ):
        server.create(f"aw-watcher-{bucket}_laptop", type=kind, hostname="laptop")
        server.post(f"/api/0/buckets/aw-watcher-{bucket}_laptop/events", events)


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    with RunningServer(tmp_path_factory.mktemp("categories") / "days.db") as server:
        fill(server)
        yield server


@pytest.fixture
def server(running: RunningServer) -> RunningServer:
    running.call("PUT", CATEGORIES, {"categories": [WORK, MEDIA]})
    return running


def totals(server: RunningServer) -> dict[str, float]:
    """What the summary says, in minutes."""
    rows = server.get(f"/api/1/summary?by=category&{RANGE}").json["lists"]["category"]
    return {"/".join(row["key"]): row["seconds"] / 60 for row in rows}


def preview(server: RunningServer, *categories: dict[str, Any]) -> dict[str, Any]:
    answer = server.post(f"{CATEGORIES}/preview?{RANGE}", {"categories": categories})
    assert answer.status == 200, answer.body
    reported: dict[str, Any] = answer.json
    return reported


def named(path: list[str] | None) -> str | None:
    return None if path is None else "/".join(path)


@pytest.mark.parametrize(
    "categories",
    [
        [WORK, MEDIA],
        [WORK, MEDIA, DOMAIN],
        [DOMAIN],
        [],
        [{**MEDIA, "name": ["Fun"]}, {**WORK, "priority": -5}, DOMAIN],
        [WORK, {"name": ["Design"], "rule": {"regex": "figma", "ignore_case": True}}, MEDIA],
        [WORK, {**MEDIA, "is_always_active": True}],
    ],
    ids=lambda categories: f"{len(categories)} of them",
)
def test_a_preview_equals_the_summary_after_the_change(server: RunningServer, categories: list[dict[str, Any]]) -> None:
    before = totals(server)
    reported = preview(server, *categories)
    assert totals(server) == before

    server.call("PUT", CATEGORIES, {"categories": categories})

    after = totals(server)
    assert {named(each["category"]): each["before"] / 60 for each in reported["totals"] if each["before"]} == before
    assert {named(each["category"]): each["after"] / 60 for each in reported["totals"] if each["after"]} == after
    for name in {*before, *after}:
        came = sum(move["seconds"] for move in reported["moves"] if named(move["to"]) == name)
        went = sum(move["seconds"] for move in reported["moves"] if named(move["from"]) == name)
        assert (came - went) / 60 == pytest.approx(after.get(name, 0) - before.get(name, 0))
    assert reported["moved"] == sum(move["seconds"] for move in reported["moves"])


def test_a_tab_has_the_category_of_its_window_in_every_call(server: RunningServer) -> None:
    bucket = "aw-watcher-web-firefox_laptop"
    [event] = server.get(f"/api/0/buckets/{bucket}/events").json

    reported = server.post(f"{CATEGORIES}/explain", {"bucket": bucket, "id": event["id"]}).json
    timeline = server.get(f"/api/1/timeline?lanes={bucket}&{RANGE}").json
    [site] = server.get(f"/api/1/summary?by=domain&{RANGE}").json["lists"]["domain"]
    [hit] = server.get(f"/api/1/search?q=bucket:{bucket}").json["hits"]

    assert (reported["category"], reported["winner"]["layer"], reported["winner"]["text"]) == (
        ["Media"],
        "window",
        "Firefox",
    )
    assert [timeline["categories"][number] for number in timeline["lanes"][0]["cat"]] == [["Media"]]
    assert site["category"] == hit["category"] == ["Media"]


def test_time_that_counts_while_away_has_no_previous_category(server: RunningServer) -> None:
    server.post("/api/0/buckets/aw-watcher-window_laptop/events", [at(20, 30, {"app": "VLC", "title": "Late"})])

    reported = preview(server, WORK, {**MEDIA, "is_always_active": True})

    assert reported["moves"] == [{"from": None, "to": ["Media"], "seconds": 1800.0}]
    assert reported["samples"][0]["title"] == "Late"


def test_samples_show_what_moves_and_the_piece_that_matched(server: RunningServer) -> None:
    reported = preview(server, WORK, MEDIA, DOMAIN)

    assert reported["moved"] == 1200.0
    [sample] = reported["samples"]
    assert (sample["from"], sample["to"], sample["seconds"]) == (["Media"], ["Work", "Docs"], 1200.0)
    assert (sample["app"], sample["url"]) == ("Firefox", DOCS)
    match = sample["match"]
    assert (match["field"], match["text"], match["start"], match["end"]) == ("domain", "docs.python.org", 0, 15)


def test_warnings_are_about_changed_rules_alone(server: RunningServer) -> None:
    never = {"name": ["Never"], "conditions": [{"field": "app", "op": "is", "value": "Nothing"}]}
    below = {"name": ["Below"], "rule": {"regex": "Code"}, "priority": 1}
    broad = {"name": ["Broad"], "conditions": [{"field": "app", "op": "regex", "value": "(?=Fire)"}]}

    warnings = preview(server, WORK, MEDIA, never, below, broad)["warnings"]

    found = [(named(each["category"]), each["kind"], named(each["other"])) for each in warnings]
    assert found == [
        ("Never", "never_matches", None),
        ("Below", "shadowed", "Work"),
        ("Below", "too_broad", "Work"),
        ("Broad", "slow", None),
        ("Broad", "too_broad", "Media"),
    ]


def test_a_preview_of_a_rule_that_cannot_be_used_is_rejected_with_its_place(server: RunningServer) -> None:
    bad = {"name": ["Bad"], "rule": {"regex": "a("}}

    refused = server.post(f"{CATEGORIES}/preview?{RANGE}", {"categories": [WORK, bad]})

    assert (refused.status, refused.json["field"], refused.json["column"]) == (422, "categories[1].rule.regex", 2)


def test_an_event_is_explained(server: RunningServer) -> None:
    path = "/api/0/buckets/aw-watcher-web-firefox_laptop/events"
    event = server.get(path).json[0]["id"]
    server.call("PUT", CATEGORIES, {"categories": [DOMAIN]})

    asked = {"bucket": "aw-watcher-web-firefox_laptop", "id": event}
    reported = server.post(f"{CATEGORIES}/explain", asked).json

    assert (reported["category"], reported["winner"]["layer"], reported["winner"]["field"]) == (
        ["Work", "Docs"],
        "tab",
        "domain",
    )
    assert server.post(f"{CATEGORIES}/explain", {**asked, "id": event + 1000}).status == 404
    assert server.post(f"{CATEGORIES}/explain", {}).status == 422


def test_a_moment_is_explained_by_what_was_in_front(server: RunningServer) -> None:
    server.call("PUT", CATEGORIES, {"categories": [MEDIA, DOMAIN]})

    early = server.post(f"{CATEGORIES}/explain", {"at": "2026-03-05T09:05:00Z"}).json
    late = server.post(f"{CATEGORIES}/explain", {"at": "2026-03-05T09:25:00Z", "device": "laptop"}).json
    never = server.post(f"{CATEGORIES}/explain", {"at": "2026-03-05T03:00:00Z"}).json

    assert (early["category"], [named(each["category"]) for each in early["others"]]) == (["Work", "Docs"], ["Media"])
    assert (late["category"], late["data"]["window"]["app"]) == (["Media"], "Firefox")
    assert (never["is_active"], never["winner"]) == (False, None)


def test_the_largest_groups_without_a_category_are_suggested(server: RunningServer) -> None:
    reported = server.get(f"{CATEGORIES}/suggestions?{RANGE}").json

    assert reported["uncategorized"] == 85 * 60
    assert [(each["id"], each["seconds"] / 60) for each in reported["suggestions"]] == [
        ("word:invoice", 70.0), ("app:Figma", 60.0), ("app:Notes", 25.0),
    ]  # fmt: skip
    word, figma, _ = reported["suggestions"]
    assert word["condition"] == {"field": "title", "op": "word", "value": "invoice", "ignore_case": True}
    assert (figma["condition"]["field"], figma["condition"]["value"]) == ("app", "Figma")
    assert (figma["category"], figma["reason"]) == (["Work", "Design"], "Figma is a design app")
    assert (word["category"], word["is_known"]) == (["Invoice"], False)
    assert [sample["title"] for sample in figma["samples"]] == ["Invoice draft", "Logo"]


def test_each_suggested_condition_takes_all_of_its_group(server: RunningServer) -> None:
    for each in server.get(f"{CATEGORIES}/suggestions?{RANGE}").json["suggestions"]:
        taken = {"name": ["Taken"], "conditions": [each["condition"]]}
        moves = preview(server, WORK, MEDIA, taken)["moves"]

        assert sum(move["seconds"] for move in moves if move["to"] == ["Taken"]) == each["seconds"]


def test_what_is_ignored_is_not_suggested_again(server: RunningServer) -> None:
    def ids() -> list[str]:
        return [each["id"] for each in server.get(f"{CATEGORIES}/suggestions?{RANGE}").json["suggestions"]]

    every = ids()
    server.post(f"{CATEGORIES}/suggestions/ignore", {"id": "app:Figma"})
    assert ids() == [each for each in every if each != "app:Figma"]
    assert server.get(f"{CATEGORIES}/suggestions?{RANGE}").json["ignored"] == 1
    server.post(f"{CATEGORIES}/suggestions/ignore", {"id": "app:Figma", "is_ignored": False})
    assert ids() == every


def test_a_key_for_some_buckets_sees_insight_of_those_alone(tmp_path_factory: pytest.TempPathFactory) -> None:
    with KeyedServer(tmp_path_factory.mktemp("keyed") / "days.db") as server:
        server.as_owner("PUT", CATEGORIES, {"categories": [WORK]})
        for host, app in (("laptop", "Figma"), ("phone", "Secret")):
            bucket = f"aw-watcher-window_{host}"
            body = {"client": "test", "type": "currentwindow", "hostname": host}
            server.as_owner("POST", f"/api/0/buckets/{bucket}", body)
            server.as_owner("POST", f"/api/0/buckets/{bucket}/events", [at(9, 30, {"app": app, "title": app})])
        key = server.key("read", "aw-watcher-window_laptop")

        suggested = server.with_key(key, "GET", f"{CATEGORIES}/suggestions?{RANGE}").json
        path = f"{CATEGORIES}/preview?{RANGE}"
        reported = server.with_key(key, "POST", path, {"categories": [{"name": ["All"], "rule": {"regex": "."}}]}).json
        hidden = {"bucket": "aw-watcher-window_phone", "id": 2}
        refused = server.with_key(key, "POST", f"{CATEGORIES}/explain", hidden)
        rules = server.with_key(key, "GET", CATEGORIES)

    assert [each["id"] for each in suggested["suggestions"]] == ["app:Figma"]
    assert reported["moved"] == 30 * 60
    assert (refused.status, rules.status) == (404, 403)


@pytest.mark.parametrize(
    ("asked", "field"),
    [
        ({"bucket": "aw-watcher-window_laptop"}, "id"),
        ({"data": {"app": "Code"}, "bucket": "aw-watcher-window_laptop", "id": 1}, "bucket"),
        ({"at": "2026-03-05T09:05:00Z", "data": {"app": "Code"}}, "data"),
        ({}, None),
    ],
)
def test_what_is_to_be_explained_is_one_thing(server: RunningServer, asked: dict[str, Any], field: str | None) -> None:
    answer = server.post(f"{CATEGORIES}/explain", asked)

    assert (answer.status, answer.json.get("field")) == (422, field)


RUNAWAY = {"name": ["Runaway"], "rule": {"regex": "(?=(a+)+$)x"}}
RUNAWAY_CLASS = {"name": ["Runaway"], "rule": {"type": "regex", "regex": "(?=(a+)+$)x"}}


@pytest.fixture(scope="module")
def with_runaway_title(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    with RunningServer(tmp_path_factory.mktemp("runaway") / "days.db") as server:
        fill(server)
        lasting = {"timestamp": datetime.now(UTC).isoformat(), "duration": 1}
        windows, away = (
            "/api/0/buckets/aw-watcher-window_laptop/events",
            "/api/0/buckets/aw-watcher-afk_laptop/events",
        )
        server.post(windows, [{**lasting, "data": {"app": "Code", "title": "a" * 60 + "!"}}])
        server.post(away, [{**lasting, "data": {"status": "not-afk"}}])
        yield server


def test_a_rule_that_takes_too_long_for_recorded_titles_is_rejected_and_named(
    with_runaway_title: RunningServer,
) -> None:
    saved = with_runaway_title.call("PUT", CATEGORIES, {"categories": [WORK, RUNAWAY]})
    imported = with_runaway_title.call("POST", f"{CATEGORIES}/import", {"categories": [RUNAWAY]})

    assert (saved.status, saved.json["field"]) == (422, "categories[1].rule.regex")
    assert "'(?=(a+)+$)x' takes too long" in saved.json["message"]
    assert imported.status == 422


def test_a_rule_of_another_program_that_takes_too_long_is_skipped_and_named(with_runaway_title: RunningServer) -> None:
    classes = [{"id": 0, "name": ["Work"], "rule": {"type": "regex", "regex": "Code"}}, {"id": 1, **RUNAWAY_CLASS}]
    assert with_runaway_title.post("/api/0/settings/classes", classes).status == 201

    summary = with_runaway_title.get("/api/1/summary?by=category&start=2026-01-01T00:00:00Z&end=2040-01-01T00:00:00Z")
    [fault] = with_runaway_title.get(CATEGORIES).json["faults"]

    assert summary.status == 200
    assert summary.headers["warning"] == (
        """199 dayline "skipped a rule that takes too long: '(?=(a+)+$)x' of 'Runaway'\""""
    )
    assert (fault["category"], fault["name"]) == (1, ["Runaway"])
    assert "takes too long" in fault["message"]
