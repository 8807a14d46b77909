"""`/api/1/settings/history`: what settings were changed to, and back again."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.keyed_server import KeyedServer
from tests.support.server import RunningServer

HISTORY = "/api/1/settings/history"
RULE = {"field": "title", "pattern": "(?i)bank", "action": "drop"}


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RunningServer]:
    """A server whose settings have a history."""
    with RunningServer(tmp_path / "days.db") as server:
        for theme in ("dark", "dark", "light", None):
            server.call("PATCH", "/api/1/settings", {"theme": theme})
        server.call("PATCH", "/api/1/settings", {"density": "compact", "day_start": "05:00"})
        server.post("/api/0/settings/theme", {"b": 1, "a": [1.0]})
        server.call("DELETE", "/api/0/settings/theme")
        yield server


def history(server: RunningServer, query: str = "") -> list[tuple[str, Any]]:
    """Key and value of every change, the latest first; `gone` where it was removed."""
    changes = server.get(f"{HISTORY}{query}").json["changes"]
    return [(change["key"], "gone" if change["is_deleted"] else change["value"]) for change in changes]


def number_of(server: RunningServer, query: str, place: int) -> int:
    number: int = server.get(f"{HISTORY}{query}").json["changes"][place]["number"]
    return number


def test_only_actual_changes_are_listed(server: RunningServer) -> None:
    assert history(server) == [
        ("density", "compact"), ("day_start", "05:00"), ("theme", "gone"), ("theme", "light"), ("theme", "dark"),
    ]  # fmt: skip


def test_settings_of_clients_have_a_history_of_their_own(server: RunningServer) -> None:
    assert history(server, "?of=client") == [("theme", "gone"), ("theme", {"a": [1.0], "b": 1})]


def test_changes_of_one_setting_can_be_asked_for(server: RunningServer) -> None:
    assert history(server, "?key=theme") == [("theme", "gone"), ("theme", "light"), ("theme", "dark")]
    assert history(server, "?key=nothing") == []


def test_pages_follow_one_another_and_end(server: RunningServer) -> None:
    first = server.get(f"{HISTORY}?limit=2").json
    second = server.get(f"{HISTORY}?limit=2&cursor={first['cursor']}").json
    third = server.get(f"{HISTORY}?limit=2&cursor={second['cursor']}").json

    assert [len(page["changes"]) for page in (first, second, third)] == [2, 2, 1]
    assert third["cursor"] is None
    numbers = [change["number"] for page in (first, second, third) for change in page["changes"]]
    assert numbers == sorted(numbers, reverse=True)


def test_a_preference_gets_a_value_back_and_the_history_continues(server: RunningServer) -> None:
    answer = server.post(f"{HISTORY}/{number_of(server, '?key=theme', 1)}/restore")

    assert answer.json == {"of": "own", "key": "theme", "is_set": True, "value": "light"}
    assert server.get("/api/1/settings").json["theme"] == "light"
    assert history(server, "?key=theme")[:2] == [("theme", "light"), ("theme", "gone")]


def test_a_removal_is_restored_as_one(server: RunningServer) -> None:
    removal = number_of(server, "?key=theme", 0)
    server.call("PATCH", "/api/1/settings", {"theme": "dark"})

    assert server.post(f"{HISTORY}/{removal}/restore").json["is_set"] is False
    assert server.get("/api/1/settings").json["theme"] == "auto"


def test_a_setting_of_a_client_gets_its_value_back(server: RunningServer) -> None:
    answer = server.post(f"{HISTORY}/{number_of(server, '?of=client', 1)}/restore?of=client")

    assert answer.json["value"] == {"a": [1.0], "b": 1}
    assert server.get("/api/0/settings/theme").body == b'{"a":[1.0],"b":1}'


def test_privacy_rules_that_are_restored_are_in_force_at_once(server: RunningServer) -> None:
    server.create("window")
    server.call("PUT", "/api/1/privacy/rules", [RULE])
    server.call("PUT", "/api/1/privacy/rules", [])

    answer = server.post(f"{HISTORY}/{number_of(server, '?key=privacy_rules', 1)}/restore")

    assert answer.status == 200
    event = {"timestamp": "2026-01-01T10:00:00Z", "data": {"title": "My bank"}}
    assert server.post("/api/0/buckets/window/events", event).json["id"] is None


def test_privacy_filters_of_clients_that_are_restored_are_in_force_at_once(server: RunningServer) -> None:
    server.create("window")
    server.post("/api/0/settings/privacy_filters", [{"enabled": True, **RULE}])
    server.call("DELETE", "/api/0/settings/privacy_filters")

    server.post(f"{HISTORY}/{number_of(server, '?of=client&key=privacy_filters', 1)}/restore?of=client")

    event = {"timestamp": "2026-01-01T10:00:00Z", "data": {"title": "My bank"}}
    assert server.post("/api/0/buckets/window/events", event).json["id"] is None


@pytest.mark.parametrize("number", ["999999", "0", "x", "-1", "9" * 40])
def test_a_change_that_there_never_was_is_404(shared_server: RunningServer, number: str) -> None:
    assert shared_server.post(f"{HISTORY}/{number}/restore").status == 404


@pytest.mark.parametrize("query", ["?of=others", "?cursor=0", "?limit=x", "?limit=-1"])
def test_parameters_that_cannot_be_are_400(shared_server: RunningServer, query: str) -> None:
    assert shared_server.get(f"{HISTORY}{query}").status == 400


def test_a_key_that_may_only_read_does_not_see_the_privacy_rules_in_the_history(tmp_path: Path) -> None:
    with KeyedServer(tmp_path / "days.db") as server:
        server.as_owner("PUT", "/api/1/privacy/rules", [RULE])
        server.as_owner("PATCH", "/api/1/settings", {"theme": "dark"})

        seen = server.with_key(server.key("read"), "GET", HISTORY).json["changes"]
        all_of_them = server.with_key(server.key("full"), "GET", HISTORY).json["changes"]

    assert [change["key"] for change in seen] == ["theme"]
    assert [change["key"] for change in all_of_them] == ["theme", "privacy_rules"]
