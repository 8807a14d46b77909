"""The setting `privacy_filters`: checked when it is saved, in force at once and after a restart (protocol 7)."""

from pathlib import Path

import apsw
import pytest

from tests.support.privacy import filter_of
from tests.support.server import RunningServer

SETTING = "/api/0/settings/privacy_filters"
DROP_ALL = [filter_of("", action="drop")]


def is_dropped(server: RunningServer, title: str = "payroll") -> bool:
    server.create("window")
    body = {"timestamp": "2026-03-01T10:00:00Z", "data": {"title": title}}
    return server.post("/api/0/buckets/window/heartbeat?pulsetime=5", body).json["id"] is None


@pytest.fixture(autouse=True)
def _no_filters(shared_server: RunningServer) -> None:
    shared_server.call("DELETE", SETTING)


def test_filters_are_in_force_from_the_answer_on(shared_server: RunningServer) -> None:
    assert not is_dropped(shared_server)

    answer = shared_server.post(SETTING, DROP_ALL)

    assert (answer.status, answer.json) == (201, DROP_ALL)
    assert is_dropped(shared_server)


def test_deleting_the_setting_ends_them(shared_server: RunningServer) -> None:
    shared_server.post(SETTING, DROP_ALL)

    shared_server.call("DELETE", SETTING)

    assert not is_dropped(shared_server)


def test_a_bad_list_is_rejected_and_changes_nothing(shared_server: RunningServer) -> None:
    shared_server.post(SETTING, DROP_ALL)

    answer = shared_server.post(SETTING, [filter_of("fine"), filter_of("(unclosed")])

    assert (answer.status, answer.json["type"], answer.json["field"]) == (400, "Malformed", "[1].pattern")
    assert "rule 2" in answer.message
    assert shared_server.get(SETTING).json == DROP_ALL
    assert is_dropped(shared_server)


def test_other_settings_are_not_looked_at(shared_server: RunningServer) -> None:
    assert shared_server.post("/api/0/settings/privacy_filters2", [7]).status == 201


def test_filters_are_in_force_after_a_restart(tmp_path: Path) -> None:
    with RunningServer(tmp_path / "days.db") as server:
        server.post(SETTING, DROP_ALL)
    with RunningServer(tmp_path / "days.db") as server:
        assert is_dropped(server)


def test_a_bad_list_that_was_stored_before_does_not_stop_the_server(tmp_path: Path) -> None:
    with RunningServer(tmp_path / "days.db"):
        pass
    db = apsw.Connection(str(tmp_path / "days.db"))
    db.execute("INSERT INTO setting(key, json) VALUES('privacy_filters', '[{\"enabled\": true}]')")
    db.close()

    with RunningServer(tmp_path / "days.db") as server:
        errors = [record for record in server.get("/api/0/log").json if record["level"] == "error"]

        assert not is_dropped(server)
        assert len(errors) == 1
        assert "privacy_filters is invalid and ignored: rule 1" in errors[0]["message"]
