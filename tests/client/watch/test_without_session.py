"""Without a session to observe, `dayline watch` says what is missing; a server says so in health, and serves."""

import os
import subprocess
import sys
from pathlib import Path

from tests.support.server import RunningServer
from tests.support.waiting import eventually

NO_SESSION = {
    "DISPLAY": "", "WAYLAND_DISPLAY": "", "XDG_SESSION_TYPE": "", "SWAYSOCK": "",
    "XDG_RUNTIME_DIR": "/nonexistent", "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent",
}  # fmt: skip


def recording_problem(server: RunningServer) -> str:
    problems = [each for each in server.get("/api/1/health").json["problems"] if each["kind"] == "background"]
    return problems[0]["message"] if problems else ""


def server_that_records(folder: Path) -> RunningServer:
    config = folder / "config.toml"
    config.write_text("[watch]\nenabled = true\n")
    return RunningServer(folder / "days.db", "--config", str(config))


def test_without_a_display_health_reports_what_is_missing(tmp_path: Path) -> None:
    server = server_that_records(tmp_path)
    server.start(**NO_SESSION)
    try:
        eventually(lambda: "DISPLAY is not set" in recording_problem(server))
        assert recording_problem(server).startswith("recording this computer is failing: there is no desktop session")
    finally:
        server.stop()


def test_in_a_wayland_session_health_reports_how_to_record(tmp_path: Path) -> None:
    server = server_that_records(tmp_path)
    server.start(**{**NO_SESSION, "WAYLAND_DISPLAY": "wayland-0", "XDG_CURRENT_DESKTOP": "Weston"})
    try:
        eventually(lambda: "Dayline supports X11, KDE Plasma, GNOME, sway, and" in recording_problem(server))
    finally:
        server.stop()


def test_an_x_server_that_does_not_answer_is_named(tmp_path: Path) -> None:
    server = server_that_records(tmp_path)
    server.start(**{**NO_SESSION, "DISPLAY": ":987", "XDG_SESSION_TYPE": "x11"})
    try:
        eventually(lambda: "cannot connect to the X server :987" in recording_problem(server))
    finally:
        server.stop()


def test_by_default_nothing_is_recorded(server: RunningServer) -> None:
    names = [each["name"] for each in server.get("/api/1/health").json["background"]]

    assert "recording this computer" not in names


def test_the_command_reports_what_is_missing(tmp_path: Path) -> None:
    session = {"WAYLAND_DISPLAY": "wayland-0", "XDG_CURRENT_DESKTOP": "ubuntu:GNOME"}
    variables = {**os.environ, "HOME": str(tmp_path), **NO_SESSION, **session}
    command = [sys.executable, "-m", "dayline", "watch", "--server", "http://localhost:9"]
    ended = subprocess.run(command, env=variables, capture_output=True, text=True, check=False)

    assert ended.returncode == 75
    assert ended.stderr == (
        "dayline: the windows of this Wayland session cannot be observed\n"
        "  → run it in your desktop session; DBUS_SESSION_BUS_ADDRESS names its bus\n"
    )
