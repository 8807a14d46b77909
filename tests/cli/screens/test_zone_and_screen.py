"""What is found out about the computer and its terminal."""

import sys
from pathlib import Path
from types import ModuleType

import pytest

from dayline.cli.options.time_zone import machine_zone
from dayline.cli.screens.screen import screen_of_output


def test_the_zone_is_that_of_the_variable_else_of_the_link_else_of_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    zones = tmp_path / "zoneinfo" / "Asia"
    zones.mkdir(parents=True)
    (zones / "Kathmandu").touch()
    link, file = tmp_path / "localtime", tmp_path / "timezone"
    file.write_text("America/New_York\n")

    def found() -> str | None:
        return machine_zone(localtime=link, timezone=file)

    monkeypatch.setenv("TZ", ":Europe/Berlin")
    assert found() == "Europe/Berlin"
    monkeypatch.setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3")
    assert found() == "America/New_York"
    monkeypatch.delenv("TZ")
    link.symlink_to(zones / "Kathmandu")
    assert found() == "Asia/Kathmandu"
    link.unlink()
    file.write_text("../../etc/passwd")
    assert found() is None
    file.unlink()
    assert found() is None


class Registry(ModuleType):
    """The part of `winreg` that is read, on a computer whose zone has the given name."""

    HKEY_LOCAL_MACHINE = 0

    def __init__(self, zone: str) -> None:
        super().__init__("winreg")
        self._values = [("TimeZoneKeyName", f"{zone}\0\0", 1)]

    def ConnectRegistry(self, computer: None, key: int) -> None: ...

    def OpenKey(self, key: None, path: str) -> "Registry":
        return self

    def QueryInfoKey(self, key: "Registry") -> tuple[int, int]:
        return 0, len(self._values)

    def EnumValue(self, key: "Registry", place: int) -> tuple[str, str, int]:
        return self._values[place]

    def Close(self) -> None: ...


@pytest.mark.parametrize(
    ("zone", "name"),
    [("W. Europe Standard Time", "Europe/Berlin"), ("Pacific Standard Time", "America/Los_Angeles"), ("Moon", None)],
)
def test_on_windows_the_zone_is_that_of_the_registry(
    zone: str, name: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TZ", raising=False)
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setitem(sys.modules, "winreg", Registry(zone))
    for module in ("tzlocal", "tzlocal.win32"):
        monkeypatch.delitem(sys.modules, module, raising=False)

    assert machine_zone() == name


@pytest.mark.parametrize(
    ("environment", "colors"),
    [
        ({"TERM": "xterm-256color"}, "256"),
        ({"TERM": "xterm", "COLORTERM": "truecolor"}, "all"),
        ({"TERM": "vt100"}, "few"),
        ({"TERM": "dumb"}, "none"),
        ({"TERM": "xterm-256color", "NO_COLOR": "1"}, "none"),
        ({"TERM": "xterm-256color", "NO_COLOR": ""}, "256"),
    ],
)
def test_colors_are_those_that_the_terminal_declares(
    environment: dict[str, str], colors: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("TERM", "COLORTERM", "NO_COLOR", "WT_SESSION", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)

    assert screen_of_output().colors == colors


def test_a_pipe_has_no_colors_and_cuts_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")

    screen = screen_of_output()

    assert (screen.colors, screen.cuts, screen.width) == ("none", False, 120)
