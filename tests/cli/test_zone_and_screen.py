"""What is found out about the computer and its terminal."""

from pathlib import Path

import pytest

from dayline.cli.screens.layout import screen_of_output
from dayline.runtime.zone import machine_zone


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
def test_colours_are_those_that_the_terminal_says_it_has(
    environment: dict[str, str], colors: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("TERM", "COLORTERM", "NO_COLOR", "WT_SESSION", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)

    assert screen_of_output().colors == colors


def test_a_pipe_has_no_colours_and_cuts_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")

    screen = screen_of_output()

    assert (screen.colors, screen.cuts, screen.width) == ("none", False, 120)
