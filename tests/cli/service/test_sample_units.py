"""The sample unit files are what their readers understand, and start the command that there is."""

import configparser
import plistlib
import shutil
import sys
from pathlib import Path
from typing import Any, Final

import pytest

from tests.cli.service.asking_systemd import verdict_of

ROOT: Final = Path(__file__).resolve().parents[3]
UNIT: Final = ROOT / "contrib" / "systemd" / "dayline.service"
AGENT: Final = ROOT / "contrib" / "launchd" / "dayline.plist"
DRAIN_S: Final = 10


@pytest.fixture
def service() -> configparser.SectionProxy:
    """The section of the unit that says how to run it."""
    parser = configparser.ConfigParser(interpolation=None)
    parser.optionxform = str  # type: ignore[assignment, method-assign]  # keys of units have capitals
    parser.read(UNIT)
    return parser["Service"]


@pytest.fixture
def agent() -> dict[str, Any]:
    return dict(plistlib.loads(AGENT.read_bytes()))


def test_the_unit_waits_until_the_server_reports_readiness(service: configparser.SectionProxy) -> None:
    assert service["Type"] == "notify"


def test_the_unit_starts_the_server(service: configparser.SectionProxy) -> None:
    assert service["ExecStart"].endswith("/dayline serve")


def test_the_unit_does_not_start_again_what_is_set_up_wrongly(service: configparser.SectionProxy) -> None:
    assert service["Restart"] == "on-failure"
    assert service["RestartPreventExitStatus"] == "65 78"


def test_the_unit_gives_requests_time_to_finish(service: configparser.SectionProxy) -> None:
    assert int(service["TimeoutStopSec"]) > DRAIN_S


def test_the_unit_keeps_others_out(service: configparser.SectionProxy) -> None:
    assert service["UMask"] == "0077"
    assert service["LimitCORE"] == "0"  # a core dump would contain the key of the database
    assert service["NoNewPrivileges"] == "yes"


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="there is no systemd here to ask")
def test_systemd_has_nothing_to_say_against_the_unit(tmp_path: Path) -> None:
    unit = tmp_path / UNIT.name
    command = Path(sys.executable).with_name("dayline")
    unit.write_text(UNIT.read_text().replace("%h/.local/bin/dayline", str(command)))

    verdict = verdict_of(unit, home=tmp_path)

    assert UNIT.name not in verdict.stderr
    assert verdict.returncode == 0, verdict.stderr


def test_the_agent_starts_the_server_at_login_and_again_when_it_fails(agent: dict[str, Any]) -> None:
    assert agent["ProgramArguments"][0].endswith("/dayline")
    assert agent["ProgramArguments"][1:] == ["serve"]
    assert agent["RunAtLoad"] is True
    assert agent["KeepAlive"] == {"SuccessfulExit": False}


def test_the_agent_gives_requests_time_to_finish(agent: dict[str, Any]) -> None:
    assert agent["ExitTimeOut"] > DRAIN_S


def test_the_agent_keeps_others_out(agent: dict[str, Any]) -> None:
    assert agent["Umask"] == 0o077


@pytest.mark.parametrize("path", ["contrib/systemd/dayline.service", "contrib/launchd/dayline.plist"])
def test_the_documentation_explains_how_to_install_it(path: str) -> None:
    assert path in (ROOT / "docs" / "start" / "service.md").read_text(encoding="utf-8")
