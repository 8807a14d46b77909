"""`/api/1/recording` on a computer without a desktop session: it says what is missing, and changes nothing."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from dayline.client.watch.session import FoundSession, find_session
from dayline.model.errors import Unavailable
from tests.support.keyed_server import KeyedServer
from tests.support.server import RunningServer

NO_SESSION = {
    "DISPLAY": "", "WAYLAND_DISPLAY": "", "XDG_SESSION_TYPE": "", "SWAYSOCK": "",
    "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent",
}  # fmt: skip


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "config.toml"
    path.write_text("# mine\n[trash]\ndays = 3\n")
    return path


@pytest.fixture
def server(tmp_path: Path, config: Path) -> Iterator[RunningServer]:
    server = RunningServer(tmp_path / "days.db", "--config", str(config))
    server.start(**NO_SESSION, container="podman")
    try:
        yield server
    finally:
        server.stop()


def test_a_container_is_named_as_the_reason(server: RunningServer) -> None:
    answer = server.get("/api/1/recording").json

    assert (answer["state"], answer["enabled"], answer["can_record"]) == ("off", False, False)
    assert answer["message"] == "the server runs in a container, which has no desktop session"
    assert "let them send to this server" in answer["hint"]
    assert answer["is_local"]


def test_it_cannot_be_turned_on_and_the_settings_stay(server: RunningServer, config: Path) -> None:
    before = config.read_text()
    answer = server.call("PUT", "/api/1/recording", {"enabled": True})

    assert (answer.status, answer.message) == (503, "the server runs in a container, which has no desktop session")
    assert config.read_text() == before
    assert not server.get("/api/1/recording").json["enabled"]


def test_only_this_computer_can_change_it_and_each_change_is_in_the_audit_log(tmp_path: Path) -> None:
    # Anyone with a full key could turn the recording of another computer on or off, and the log only counted it.
    server = KeyedServer(tmp_path / "days.db", "--trusted-proxy", "127.0.0.1")
    server.start(**NO_SESSION)
    try:
        body = {"enabled": False}
        distant = server.as_owner("PUT", "/api/1/recording", body, headers={"X-Forwarded-For": "192.0.2.7"})
        for _ in range(2):
            assert server.as_owner("PUT", "/api/1/recording", body).status == 200
        lines = server.as_owner("GET", "/api/1/audit?call=change_recording").json["lines"]
    finally:
        server.stop()

    assert (distant.status, "can only be changed on that computer" in distant.message) == (403, True)
    assert [(line["count"], line["status"]) for line in lines if line["status"] == 200] == [(1, 200), (1, 200)]


def test_turning_off_what_is_off_changes_nothing(server: RunningServer, config: Path) -> None:
    before = config.read_text()

    assert server.call("PUT", "/api/1/recording", {"enabled": False}).status == 200
    assert config.read_text() == before


@pytest.mark.parametrize("body", [{}, {"enabled": "yes"}, {"enabled": True, "titles": False}])
def test_an_invalid_change_is_rejected(server: RunningServer, body: object) -> None:
    assert server.call("PUT", "/api/1/recording", body).status == 422


def test_a_recording_that_fails_can_be_turned_off_and_is_stored(server: RunningServer, config: Path) -> None:
    server.stop()
    config.write_text("# mine\n[watch]\nenabled = true  # at work\n[trash]\ndays = 3\n")
    server.start(**NO_SESSION, container="podman")

    assert server.get("/api/1/recording").json["enabled"]
    after = server.call("PUT", "/api/1/recording", {"enabled": False}).json
    assert (after["enabled"], after["state"]) == (False, "off")
    assert config.read_text() == "# mine\n[watch]\nenabled = false  # at work\n[trash]\ndays = 3\n"
    names = [each["name"] for each in server.get("/api/1/health").json["background"]]
    assert "recording this computer" not in names


def test_a_settings_file_that_cannot_be_edited_is_an_error_and_nothing_changes(
    server: RunningServer, config: Path
) -> None:
    server.stop()
    config.write_text("watch = { enabled = true }\n")
    server.start(**NO_SESSION, container="podman")

    answer = server.call("PUT", "/api/1/recording", {"enabled": False})

    assert (answer.status, "cannot change watch.enabled" in answer.message) == (422, True)
    assert server.get("/api/1/recording").json["enabled"]


def test_the_kind_of_session_follows_from_the_environment(tmp_path: Path) -> None:
    sockets = {"XDG_RUNTIME_DIR": str(tmp_path)}  # none
    assert find_session({"DISPLAY": ":0"}) == FoundSession("x11")
    assert find_session({"DISPLAY": ":0", "SWAYSOCK": "/run/sway"}) == FoundSession("sway")
    with pytest.raises(Unavailable, match="DISPLAY is not set"):
        find_session({})
    with pytest.raises(Unavailable, match="Wayland"):
        find_session({"XDG_SESSION_TYPE": "wayland", **sockets})
    found = find_session({"WAYLAND_DISPLAY": "wayland-0", "DISPLAY": ":0", **sockets})
    assert (found.session, found.limitation is not None) == ("x11", True)
    assert "only windows of X11 programs" in (found.limitation.message if found.limitation else "")
