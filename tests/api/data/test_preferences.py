"""`/api/1/settings`: preferences are checked by the server, changed a field at a time, and no setting of a client."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.server import Answer, RunningServer

DEFAULTS: dict[str, Any] = {
    "time_zone": None,
    "day_start": "04:00",
    "week_start": "monday",
    "language": None,
    "duration_style": "hours",
    "theme": "auto",
    "density": "comfortable",
    "reduced_motion": None,
    "single_letter_keys": True,
}


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    with RunningServer(tmp_path_factory.mktemp("server") / "days.db") as server:
        yield server


@pytest.fixture
def server(running: RunningServer) -> RunningServer:
    """A server on which no one prefers anything."""
    assert changed(running, **dict.fromkeys(DEFAULTS)).json == DEFAULTS
    return running


def changed(server: RunningServer, **fields: object) -> Answer:
    return server.call("PATCH", "/api/1/settings", fields)


def preferences(server: RunningServer) -> Any:
    return server.get("/api/1/settings").json


def test_an_unset_preference_has_its_default_value(tmp_path: Path) -> None:
    with RunningServer(tmp_path / "days.db") as server:
        assert preferences(server) == DEFAULTS


def test_only_the_fields_that_are_given_are_changed(server: RunningServer) -> None:
    changed(server, theme="dark", day_start="05:30")

    answer = changed(server, time_zone="Europe/Berlin")

    assert answer.json == {**DEFAULTS, "theme": "dark", "day_start": "05:30", "time_zone": "Europe/Berlin"}
    assert preferences(server) == answer.json


def test_null_puts_a_field_back(server: RunningServer) -> None:
    changed(server, theme="dark", density="compact")

    assert changed(server, theme=None).json == {**DEFAULTS, "density": "compact"}


def test_an_empty_change_changes_nothing(server: RunningServer) -> None:
    assert changed(server).json == DEFAULTS


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("time_zone", "Europe/Atlantis"), ("time_zone", "../../etc/passwd"), ("time_zone", ""), ("time_zone", 1),
        ("day_start", "24:00"), ("day_start", "4:00"), ("day_start", "04:00\n"), ("day_start", 4),
        ("week_start", "tuesday"), ("language", "Deutsch!"), ("language", "de\n"), ("duration_style", "minutes"),
        ("theme", "Dark"), ("density", True), ("reduced_motion", "yes"), ("single_letter_keys", 1),
    ],
)  # fmt: skip
def test_a_value_that_cannot_be_is_rejected_by_name_and_nothing_is_changed(
    server: RunningServer, field: str, value: object
) -> None:
    answer = changed(server, **{"theme": "dark", field: value})

    assert (answer.status, answer.json["field"]) == (422, field)
    assert field in answer.message
    assert preferences(server) == DEFAULTS


def test_a_field_that_does_not_exist_is_rejected_by_name(server: RunningServer) -> None:
    answer = changed(server, theme="dark", flavor="red")

    assert (answer.status, answer.json["field"]) == (422, "flavor")
    assert answer.message == "unknown field 'flavor'"
    assert preferences(server) == DEFAULTS


@pytest.mark.parametrize("zone", ["UTC", "America/Argentina/Buenos_Aires", "Asia/Kathmandu", "Etc/GMT+12"])
def test_every_zone_of_the_calendar_is_accepted(server: RunningServer, zone: str) -> None:
    assert changed(server, time_zone=zone).json["time_zone"] == zone


@pytest.mark.parametrize("body", [b"[]", b'"dark"', b"1", b"null"])
def test_a_body_that_is_no_object_is_rejected(server: RunningServer, body: bytes) -> None:
    assert server.call("PATCH", "/api/1/settings", raw=body).status == 422


def test_preferences_are_not_among_the_settings_of_clients(server: RunningServer) -> None:
    server.post("/api/0/settings/theme", "solarized")

    changed(server, theme="dark")

    assert server.get("/api/0/settings").json == {"theme": "solarized"}
    assert preferences(server)["theme"] == "dark"


def test_preferences_outlive_a_restart(tmp_path: Path) -> None:
    with RunningServer(tmp_path / "days.db") as server:
        changed(server, language="pt-BR", reduced_motion=False)
        server.kill()
        server.start()

        assert preferences(server) == {**DEFAULTS, "language": "pt-BR", "reduced_motion": False}
