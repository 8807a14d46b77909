"""`/api/1/categories`: read, changed, refused; the setting `classes` beside it as other programs know it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.support.keyed_server import KeyedServer
from tests.support.server import Answer, RunningServer

CATEGORIES = "/api/1/categories"
CLASSES = "/api/0/settings/classes"
DOCS = {"field": "domain", "op": "is", "value": "docs.python.org"}
CODE = {
    "name": ["Work", "Code"],
    "rule": {"regex": "GitHub|vim", "ignore_case": True},
    "conditions": [DOCS],
    "priority": 25,
    "color": "teal",
    "is_always_active": True,
}
MEDIA = {"name": ["Media"], "rule": {"regex": "VLC"}, "color": "#ff0000", "data": {"score": -5}}


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    with RunningServer(tmp_path_factory.mktemp("categories") / "days.db") as server:
        yield server


@pytest.fixture
def server(running: RunningServer) -> RunningServer:
    """A server without categories."""
    running.call("DELETE", CLASSES)
    return running


def put(server: RunningServer, *categories: dict[str, Any], **headers: str) -> Answer:
    return server.call("PUT", CATEGORIES, {"categories": categories}, headers=headers)


def test_without_any_the_list_is_empty(tmp_path: Path) -> None:
    with RunningServer(tmp_path / "days.db") as server:
        answer = server.get(CATEGORIES)

    assert answer.json == {"version": None, "categories": [], "colors": [], "faults": []}
    assert answer.headers["etag"] == '"categories-0"'


def test_what_is_put_is_what_is_got(server: RunningServer) -> None:
    put(server, CODE, MEDIA)

    code, media = server.get(CATEGORIES).json["categories"]

    assert code == {
        "id": 0,
        "name": ["Work", "Code"],
        "rule": {"regex": "GitHub|vim", "ignore_case": True, "select_keys": None, "priority": None},
        "conditions": [{**DOCS, "ignore_case": True}],
        "priority": 25,
        "color": "teal",
        "is_always_active": True,
        "data": {},
    }
    assert (media["id"], media["color"], media["data"]) == (1, "#ff0000", {"score": -5})


def test_other_programs_find_what_they_know_in_classes(server: RunningServer) -> None:
    put(server, CODE, {"name": ["Work"]}, MEDIA)

    assert server.get(CLASSES).json == [
        {
            "id": 0,
            "name": ["Work", "Code"],
            "rule": {"type": "regex", "regex": "GitHub|vim", "ignore_case": True},
        },
        {"id": 1, "name": ["Work"], "rule": {"type": "none"}},
        {
            "id": 2,
            "name": ["Media"],
            "rule": {"type": "regex", "regex": "VLC", "ignore_case": False},
            "data": {"color": "#ff0000", "score": -5},
        },
    ]


def test_what_other_programs_have_written_is_put_back_as_it_was(server: RunningServer) -> None:
    written = [
        {"id": 7, "name": ["Work"], "rule": {"type": None}, "data": {"color": "#CCC", "score": 10}, "note": "mine"},
        {"id": 9, "name": ["Media"], "rule": {"regex": "VLC", "type": "regex"}, "data": {"color": "chartreuse"}},
    ]
    server.post(CLASSES, written)

    got = server.get(CATEGORIES).json["categories"]
    answer = put(server, *got)

    assert answer.status == 200
    assert server.get(CLASSES).json == written


def test_own_fields_outlive_what_other_programs_write(server: RunningServer) -> None:
    put(server, CODE, MEDIA)
    classes = server.get(CLASSES).json
    classes[1]["rule"]["regex"] = "VLC|mpv"
    server.post(CLASSES, classes)

    code, media = server.get(CATEGORIES).json["categories"]

    assert (code["conditions"][0]["value"], code["priority"], code["color"]) == ("docs.python.org", 25, "teal")
    assert media["rule"]["regex"] == "VLC|mpv"


def test_own_fields_follow_a_category_that_another_program_renames(server: RunningServer) -> None:
    put(server, {"name": ["Work"], "priority": 3}, CODE, MEDIA)
    classes = server.get(CLASSES).json
    classes[0]["name"] = ["QueryJob"]
    classes[1]["name"] = ["QueryJob", "Code"]
    server.post(CLASSES, classes)

    job, code, _ = server.get(CATEGORIES).json["categories"]

    assert (job["name"], job["priority"]) == (["QueryJob"], 3)
    assert (code["name"], code["priority"], len(code["conditions"])) == (["QueryJob", "Code"], 25, 1)


def test_own_fields_come_back_with_a_category_that_was_gone(server: RunningServer) -> None:
    put(server, CODE, MEDIA)
    classes = server.get(CLASSES).json
    server.post(CLASSES, classes[1:])
    server.post(CLASSES, classes)

    assert server.get(CATEGORIES).json["categories"][0]["priority"] == 25


def test_a_color_in_classes_goes_before_our_own(server: RunningServer) -> None:
    put(server, CODE)
    [code] = server.get(CLASSES).json
    server.post(CLASSES, [{**code, "data": {"color": "#123456"}}])

    assert server.get(CATEGORIES).json["categories"][0]["color"] == "#123456"


@pytest.mark.parametrize("value", [None, 0, "text", {}, [], [1], [[]], [{}], [{"name": "Work"}], [{"name": [1]}]])
def test_classes_may_be_anything(server: RunningServer, value: object) -> None:
    put(server, CODE)

    assert server.call("POST", CLASSES, raw=msgspec.json.encode(value)).status == 201
    answer = server.get(CATEGORIES)

    assert answer.status == 200
    assert answer.json["categories"] == []


def test_a_bad_rule_of_another_program_is_reported_and_the_others_stay(server: RunningServer) -> None:
    bad = [
        {"name": ["Work"], "rule": {"type": "regex", "regex": "(unclosed"}},
        {"name": ["Media"], "rule": {"type": "regex", "regex": "VLC"}},
        {"name": ["Odd"], "rule": {"type": "keys", "keys": 1}},
    ]
    server.post(CLASSES, bad)

    answer = server.get(CATEGORIES).json

    assert [category["name"] for category in answer["categories"]] == [["Work"], ["Media"], ["Odd"]]
    odd, work = answer["faults"]
    assert (odd["name"], odd["position"]) == (["Odd"], None)
    assert (work["name"], work["condition"], work["position"]) == (["Work"], None, 0)
    assert "(unclosed" in work["message"]


@pytest.mark.parametrize(
    ("category", "field", "column"),
    [
        ({"name": []}, "categories[1].name", None),
        ({"name": ["Work", " "]}, "categories[1].name", None),
        ({"name": ["Media"]}, "categories[1].name", None),
        ({"name": ["A"], "color": "red"}, "categories[1].color", None),
        ({"name": ["A"], "rule": {"regex": "ab[c"}}, "categories[1].rule.regex", 3),
        ({"name": ["A"], "rule": {"regex": "a", "select_keys": []}}, "categories[1].rule.select_keys", None),
        (
            {"name": ["A"], "conditions": [DOCS, {"field": "title", "op": "regex", "value": "a(b"}]},
            "categories[1].conditions[1].value",
            2,
        ),
        ({"name": ["A"], "conditions": [{**DOCS, "op": "like"}]}, "categories[1].conditions[0].op", None),
        ({"name": ["A"], "conditions": [{**DOCS, "value": ""}]}, "categories[1].conditions[0].value", None),
        ({"name": ["A"], "wrong": 1}, "categories[1].wrong", None),
    ],
)
def test_what_cannot_be_used_is_rejected_with_its_place(
    server: RunningServer, category: dict[str, Any], field: str, column: int | None
) -> None:
    before = put(server, MEDIA).json["version"]

    answer = put(server, MEDIA, category)

    assert (answer.status, answer.json["field"], answer.json.get("column")) == (422, field, column)
    assert server.get(CATEGORIES).json["version"] == before


def test_a_change_from_an_old_version_is_rejected_with_the_newer_change(server: RunningServer) -> None:
    first = put(server, MEDIA)
    tag = server.get(CATEGORIES).headers["etag"]
    assert tag == first.headers["etag"]
    second = put(server, CODE, **{"If-Match": tag, "Sec-Fetch-Site": "same-origin"}).json["version"]

    refused = put(server, MEDIA, **{"If-Match": tag})

    assert refused.status == 412
    assert f"changed by web UI at {second['changed']}: version {second['number']}" in refused.message
    assert [each["name"] for each in server.get(CATEGORIES).json["categories"]] == [["Work", "Code"]]


def test_what_another_program_changed_makes_a_version_stale_too(server: RunningServer) -> None:
    tag = put(server, MEDIA).headers["etag"]
    server.post(CLASSES, [])

    refused = put(server, CODE, **{"If-Match": tag})

    assert refused.status == 412
    assert "ActivityWatch client" in refused.message


def test_what_has_not_changed_is_not_sent_again(server: RunningServer) -> None:
    tag = put(server, MEDIA).headers["etag"]

    assert server.get(CATEGORIES, **{"If-None-Match": tag}).status == 304
    put(server, CODE)
    assert server.get(CATEGORIES, **{"If-None-Match": tag}).status == 200


def test_a_key_is_named_as_the_author(tmp_path: Path) -> None:
    with KeyedServer(tmp_path / "days.db") as server:
        server.as_owner("PUT", CATEGORIES, {"categories": [MEDIA]})
        made = server.made_key("full")
        server.with_key(made["key"], "PUT", CATEGORIES, {"categories": [CODE], "comment": "more work"})
        server.with_key(made["key"], "POST", CLASSES, [])

        reported = server.as_owner("GET", f"{CATEGORIES}/versions").json["versions"]

    name = f"key {made['name']}"
    assert [(each["author"], each["comment"]) for each in reported] == [
        (f"ActivityWatch client ({name})", ""),
        (name, "more work"),
        ("command line", ""),
    ]


def test_a_list_of_tags_is_understood_and_no_tag_at_all_is_rejected(server: RunningServer) -> None:
    tag = server.get(CATEGORIES).headers["etag"]

    assert server.call("GET", CATEGORIES, headers={"If-None-Match": f'"other", W/{tag}'}).status == 304
    assert put(server, CODE, **{"If-Match": "categories-1"}).status == 400
    assert put(server, CODE, **{"If-Match": f'"other", {tag}'}).status == 200
    stale = put(server, CODE, **{"If-Match": tag})
    assert (stale.status, stale.headers["etag"]) == (412, server.get(CATEGORIES).headers["etag"])
