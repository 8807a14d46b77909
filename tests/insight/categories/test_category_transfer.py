"""Rule sets from and to other places: Dayline's document, the setting `classes`, the export of the existing web UI."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.server import Answer, RunningServer

CATEGORIES = "/api/1/categories"
CODE = {
    "name": ["Work", "Code"],
    "rule": {"regex": "vim"},
    "conditions": [{"field": "project", "op": "starts", "value": "day"}],
    "priority": 7,
    "color": "gold",
    "is_always_active": True,
    "data": {"score": 3},
}
CLASSES = [
    {"id": 0, "name": ["Work", "Code"], "rule": {"type": "regex", "regex": "emacs"}},
    {"id": 1, "name": ["Play"], "rule": {"type": "none"}, "data": {"color": "tomato"}},
]


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    with RunningServer(tmp_path_factory.mktemp("transfer") / "days.db") as server:
        yield server


@pytest.fixture
def server(running: RunningServer) -> RunningServer:
    running.call("PUT", CATEGORIES, {"categories": [{"name": ["Work"]}, CODE]})
    return running


def import_(server: RunningServer, document: object, query: str = "") -> Answer:
    return server.post(f"{CATEGORIES}/import{query}", document)


def names(server: RunningServer) -> list[str]:
    return ["/".join(each["name"]) for each in server.get(CATEGORIES).json["categories"]]


def outcomes(answer: Answer) -> dict[str, str]:
    assert answer.status == 200, answer.body
    return {"/".join(each["name"]): each["outcome"] for each in answer.json["categories"]}


def test_what_is_exported_comes_back_whole(server: RunningServer) -> None:
    document = server.get(f"{CATEGORIES}/export").json
    before = server.get(CATEGORIES).json["categories"]
    server.call("PUT", CATEGORIES, {"categories": []})

    assert outcomes(import_(server, document)) == {"Work": "added", "Work/Code": "added"}
    assert server.get(CATEGORIES).json["categories"] == before


@pytest.mark.parametrize("document", [CLASSES, {"categories": CLASSES}], ids=["the setting", "the export"])
def test_rule_sets_of_the_existing_web_ui_are_taken(server: RunningServer, document: object) -> None:
    answer = import_(server, document)

    assert outcomes(answer) == {"Work/Code": "changed", "Play": "added"}
    assert names(server) == ["Work", "Work/Code", "Play"]
    assert server.get("/api/0/settings/classes").json[2]["data"] == {"color": "tomato"}
    assert answer.json["version"]["comment"] == "imported (merge)"


def test_replacing_leaves_nothing_else(server: RunningServer) -> None:
    assert outcomes(import_(server, CLASSES, "?mode=replace"))["Work"] == "removed"
    assert names(server) == ["Work/Code", "Play"]


def test_a_dry_run_changes_nothing(server: RunningServer) -> None:
    before = server.get(CATEGORIES).json

    reported = import_(server, CLASSES, "?mode=replace&dry_run=true")

    assert outcomes(reported) == {"Work/Code": "changed", "Play": "added", "Work": "removed"}
    assert reported.json["version"] is None
    assert server.get(CATEGORIES).json == before


@pytest.mark.parametrize(
    "document",
    [
        {},
        {"categories": 1},
        [{"name": "Work"}],
        [{"name": ["A"], "rule": {"type": "regex", "regex": "("}}],
        {"kind": "dayline.categories", "version": 2, "categories": []},
    ],
)
def test_what_is_no_rule_set_is_rejected_and_changes_nothing(server: RunningServer, document: Any) -> None:
    before = server.get(CATEGORIES).json

    assert import_(server, document).status == 422
    assert server.get(CATEGORIES).json == before


def test_every_starter_set_can_be_imported(server: RunningServer) -> None:
    starters = server.get(f"{CATEGORIES}/starters").json
    assert [each["id"] for each in starters] == ["work", "study", "home-office"]
    for starter in starters:
        body = {"categories": starter["categories"]}
        answer = server.call("PUT", CATEGORIES, body)

        assert answer.status == 200, answer.body
        assert len(answer.json["categories"]) == len(starter["categories"])


@pytest.mark.parametrize("spelling", ["Uncategorised", "uncategorized", " Uncategorised "])
def test_uncategorized_is_one_category_however_it_is_spelled(server: RunningServer, spelling: str) -> None:
    # An import of one spelling gave two categories.
    import_(server, [{"name": [spelling], "rule": {"type": "none"}}])
    assert [name for name in names(server) if "ncategori" in name] == ["Uncategorized"]
