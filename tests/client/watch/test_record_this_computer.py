"""`PUT /api/1/recording` records a real X11 session, is stored, and is shown by status, health and settings."""

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.client.watch.desktops.programs import needs
from tests.client.watch.desktops.x11_session import PROGRAMS, X11Session
from tests.client.watch.recorded_server import RecordedServer, events, wait_for_window
from tests.support.processes.terminal import piped
from tests.support.waiting import eventually

pytestmark = needs(*PROGRAMS)


@pytest.fixture
def server(tmp_path: Path, x11: X11Session) -> Iterator[RecordedServer]:
    x11.open_terminal("Alpha", "first")
    with RecordedServer(tmp_path, {"DISPLAY": x11.name}, is_enabled=False) as server:
        yield server


def recording(server: RecordedServer) -> dict[str, Any]:
    answer: dict[str, Any] = server.get("/api/1/recording").json
    return answer


def turn(server: RecordedServer, *, on: bool) -> dict[str, Any]:
    answer = server.call("PUT", "/api/1/recording", {"enabled": on})
    assert answer.status == 200, answer.json
    return dict(answer.json)


def is_enabled_in(file: Path) -> bool:
    return bool(tomllib.loads(file.read_text())["watch"]["enabled"])


def test_turned_on_it_records_at_once_and_after_a_restart(server: RecordedServer, x11: X11Session) -> None:
    before = recording(server)
    assert (before["state"], before["enabled"], before["can_record"]) == ("off", False, True)
    assert (before["session"], before["is_local"], before["window"]) == ("x11", True, None)

    assert turn(server, on=True)["enabled"]
    wait_for_window(server, "Alpha", "first")
    eventually(lambda: recording(server)["state"] == "recording")
    now = recording(server)
    assert {bucket["id"].partition("_")[0] for bucket in now["buckets"]} <= {"aw-watcher-window", "aw-watcher-afk"}
    assert (now["window"]["app"], now["window"]["title"]) == ("Alpha", "first")
    assert now["since"] is not None
    assert is_enabled_in(server.config)

    assert server.stop() == 0
    server.start()
    eventually(lambda: recording(server)["state"] == "recording")


def test_turned_off_it_ends_at_once_and_stays_off(server: RecordedServer, x11: X11Session) -> None:
    turn(server, on=True)
    wait_for_window(server, "Alpha", "first")
    watcher = server.watch_process
    assert watcher is not None

    after = turn(server, on=False)

    assert (after["state"], after["enabled"], after["buckets"]) == ("off", False, [])
    assert not Path(f"/proc/{watcher}").exists()
    assert not is_enabled_in(server.config)
    recorded = events(server, "window")
    x11.open_terminal("Beta", "second")
    server.stop()
    server.start()
    assert (recording(server)["state"], events(server, "window")) == ("off", recorded)


def test_status_health_and_settings_show_it(server: RecordedServer, x11: X11Session) -> None:
    assert "Dayline records this computer" not in piped(server.database, "status", "--config", str(server.config)).out
    turn(server, on=True)
    eventually(lambda: recording(server)["state"] == "recording")

    status = piped(server.database, "status")
    assert "Dayline records this computer (X11) since " in status.out
    assert piped(server.database, "status", "--json").json["recording"]["state"] == "recording"
    assert "recording this computer" in [each["name"] for each in server.get("/api/1/health").json["background"]]
    settings = {each["name"]: each for each in server.get("/api/1/server").json["settings"]}
    assert (settings["watch.enabled"]["value"], settings["watch.enabled"]["source"]) == (True, "file")


def test_a_session_that_ends_is_reported(server: RecordedServer, x11: X11Session) -> None:
    turn(server, on=True)
    eventually(lambda: recording(server)["state"] == "recording")
    x11.end()

    eventually(lambda: recording(server)["state"] == "failed")
    found = recording(server)
    assert "X server" in found["message"]
    assert found["hint"]
