"""`/api/1/categories/versions`: who changed the categories, and back again."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.server import RunningServer

CATEGORIES = "/api/1/categories"
VERSIONS = f"{CATEGORIES}/versions"
CLASSES = "/api/0/settings/classes"
WORK = {"name": ["Work"], "conditions": [{"field": "app", "op": "is", "value": "Code"}], "color": "blue"}


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    with RunningServer(tmp_path_factory.mktemp("categories") / "days.db") as server:
        server.post("/api/0/settings/theme", "dark")  # other settings count in the same history
        yield server


@pytest.fixture
def server(running: RunningServer) -> RunningServer:
    """Categories with three versions: ours, another program's, and ours again; what came before is no longer listed."""
    running.call("DELETE", CLASSES)
    running.call("PUT", CATEGORIES, {"categories": [WORK], "comment": "first"})
    running.post(CLASSES, [{"id": 0, "name": ["QueryJob"], "rule": {"type": "none"}}])
    running.call("PUT", CATEGORIES, {"categories": [{"name": ["Play"]}]})
    return running


def listed_versions(server: RunningServer) -> list[dict[str, Any]]:
    """The versions since the one of which `first` was said, the latest first."""
    versions: list[dict[str, Any]] = server.get(VERSIONS).json["versions"]
    first = [each["comment"] for each in versions].index("first")
    return versions[: first + 1]


def names_of(categories: dict[str, Any]) -> list[list[str]]:
    return [category["name"] for category in categories["categories"]]


def test_every_change_by_any_author_is_a_version(server: RunningServer) -> None:
    assert [(each["author"], each["comment"]) for each in listed_versions(server)] == [
        ("a program without a key", ""),
        ("ActivityWatch client", ""),
        ("a program without a key", "first"),
    ]


def test_each_version_is_shown_as_it_was(server: RunningServer) -> None:
    last, middle, first = (server.get(f"{VERSIONS}/{each['number']}").json for each in listed_versions(server))

    assert [names_of(each) for each in (first, middle, last)] == [[["Work"]], [["QueryJob"]], [["Play"]]]
    # Renamed by a program that knows nothing of conditions: they are there all the same.
    assert first["categories"][0]["conditions"] == middle["categories"][0]["conditions"] != []
    assert last["categories"][0]["conditions"] == []


def test_to_restore_a_version_is_a_version_of_its_own(server: RunningServer) -> None:
    first = listed_versions(server)[-1]["number"]

    answer = server.post(f"{VERSIONS}/{first}/restore")

    assert answer.status == 200
    assert answer.json["categories"] == server.get(f"{VERSIONS}/{first}").json["categories"]
    assert server.get(CLASSES).json[0]["name"] == ["Work"]
    assert listed_versions(server)[0] == answer.json["version"]
    assert listed_versions(server)[0]["comment"] == f"restored version {first}"
    assert len(listed_versions(server)) == 4


def test_to_restore_the_version_before_undoes_a_change(server: RunningServer) -> None:
    before = server.get(CATEGORIES).json["categories"]
    changed = server.call("PUT", CATEGORIES, {"categories": []}).json

    server.post(f"{VERSIONS}/{changed['previous']}/restore")

    assert server.get(CATEGORIES).json["categories"] == before


def test_to_restore_from_an_old_version_is_rejected(server: RunningServer) -> None:
    first = listed_versions(server)[-1]["number"]

    answer = server.post(f"{VERSIONS}/{first}/restore", **{"If-Match": f'"categories-{first}"'})

    assert answer.status == 412
    assert names_of(server.get(CATEGORIES).json) == [["Play"]]


def test_classes_that_were_deleted_are_a_version_and_come_back(server: RunningServer) -> None:
    server.call("DELETE", CLASSES)
    server.call("DELETE", CLASSES)

    assert names_of(server.get(CATEGORIES).json) == []
    assert len(listed_versions(server)) == 4
    server.post(f"{VERSIONS}/{listed_versions(server)[1]['number']}/restore")
    assert names_of(server.get(CATEGORIES).json) == [["Play"]]
    server.post(f"{VERSIONS}/{listed_versions(server)[1]['number']}/restore")
    assert server.get(CLASSES).json is None


def test_classes_restored_from_the_history_of_settings_are_a_version(server: RunningServer) -> None:
    change = listed_versions(server)[-1]["number"]

    server.post(f"/api/1/settings/history/{change}/restore?of=client")

    assert names_of(server.get(CATEGORIES).json) == [["Work"]]
    assert listed_versions(server)[0]["comment"] == "restored from the history of settings"


def test_pages_follow_one_another_and_end(server: RunningServer) -> None:
    every = server.get(VERSIONS).json["versions"]
    first = server.get(f"{VERSIONS}?limit=2").json
    second = server.get(f"{VERSIONS}?limit={len(every)}&cursor={first['cursor']}").json

    assert first["versions"] + second["versions"] == every
    assert second["cursor"] is None


@pytest.mark.parametrize("number", ["1", "999", "x"])
def test_a_version_that_is_not_there_is_not_found(server: RunningServer, number: str) -> None:
    # 1 is a change of another setting.
    path = f"{VERSIONS}/{number}"

    assert server.get(path).status == 404
    assert server.post(f"{path}/restore").status == 404
