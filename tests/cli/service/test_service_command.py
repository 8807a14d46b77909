"""`dayline service`: what it writes, which programs it runs, and that what it has written starts a server."""

import plistlib
import re
import shlex
from pathlib import Path

import msgspec
import pytest

from tests.cli.service.service_managers import Managers
from tests.support.processes.command import Service
from tests.support.server import free_port


@pytest.fixture
def managers(tmp_path: Path) -> Managers:
    return Managers(tmp_path)


def unit_of(managers: Managers) -> Path:
    return managers.home / ".config" / "systemd" / "user" / "dayline.service"


def test_the_unit_is_written_and_systemd_notified(managers: Managers) -> None:
    done = managers.run("install", "--manager", "systemd", "--port", "5700")

    assert done.returncode == 0, done.stderr
    assert " serve --port 5700\n" in unit_of(managers).read_text()
    assert [call[2:] for call in managers.asked if call[2] not in ("show", "show-environment")] == [
        ("daemon-reload",),
        ("enable", "--now", "dayline.service"),
    ]
    assert "loginctl enable-linger" in done.stderr


def test_the_command_line_of_the_unit_starts_a_server(managers: Managers) -> None:
    database = managers.home / "50% of it's $HOME & more.db"
    managers.run("install", "--manager", "systemd", "--port", str(free_port()), "--database", str(database))
    line = re.findall(r"^ExecStart=(.*)$", unit_of(managers).read_text(), re.MULTILINE)[0]
    command = [word.replace("%%", "%").replace("$$", "$") for word in shlex.split(line)]

    with Service(*command[command.index("serve") + 1 :], home=managers.home, command=command[: command.index("serve")]):
        assert database.exists()
        managers.answer("ActiveState=active\nSubState=running\nUnitFileState=enabled\nMainPID=7\n"
                        "ActiveEnterTimestamp=Sun 2026-03-01 09:00:00 UTC\n")  # fmt: skip
        reported = managers.run("status", "--manager", "systemd")

    assert reported.returncode == 0, reported.stderr
    assert "running, starts at login" in reported.stdout
    assert "since      Sun 2026-03-01 09:00:00 UTC, process 7" in reported.stdout
    assert str(unit_of(managers)) in reported.stdout
    assert "is ready at" in reported.stdout
    assert "answers at http://127.0.0.1:" in reported.stdout


def test_another_file_is_shown_as_a_difference_and_kept(managers: Managers) -> None:
    managers.run("install", "--manager", "systemd", "--port", "5700")
    before = unit_of(managers).read_text()

    done = managers.run("install", "--manager", "systemd", "--port", "5701")
    again = managers.run("install", "--manager", "systemd", "--port", "5701")
    forced = managers.run("install", "--manager", "systemd", "--port", "5702", "--force")

    assert re.search(r"^-ExecStart=.* --port 5700$", done.stderr, re.MULTILINE)
    assert re.search(r"^\+ExecStart=.* --port 5701$", done.stderr, re.MULTILINE)
    copies = sorted(unit_of(managers).parent.glob("dayline.service.*"))
    assert [copy.read_text() for copy in copies] == [before]
    assert "ExecStart" not in again.stderr + forced.stderr
    assert [call[2] for call in managers.asked].count("restart") == 2


def test_a_dry_run_shows_everything_and_does_nothing(managers: Managers) -> None:
    done = managers.run("install", "--manager", "systemd", "--dry-run")
    printed = managers.run("install", "--manager", "systemd", "--print")

    assert f"would write {unit_of(managers)}" in done.stdout
    assert "would run: systemctl --user enable --now dayline.service" in done.stdout
    assert printed.stdout in done.stdout
    assert not unit_of(managers).exists()
    assert managers.asked == []


def test_variables_of_the_shell_count_for_the_service(managers: Managers) -> None:
    done = managers.run(
        "install", "--manager", "systemd", "--print",
        DAYLINE_PORT="5711", DAYLINE_REQUIRE_KEYS="1", XDG_DATA_HOME="/data of mine",
    )  # fmt: skip

    assert " serve --port 5711 --require-keys\n" in done.stdout
    assert 'Environment="XDG_DATA_HOME=/data of mine"\n' in done.stdout


def test_what_the_server_would_reject_is_not_installed(managers: Managers) -> None:
    done = managers.run("install", "--manager", "systemd", DAYLINE_LOG_LEVEL="loud")

    assert done.returncode == 64
    assert not unit_of(managers).exists()


def test_without_a_user_manager_nothing_is_written(tmp_path: Path) -> None:
    managers = Managers(tmp_path, refused="*show-environment")

    done = managers.run("install", "--manager", "systemd")

    assert done.returncode == 75
    assert "Failed to connect to bus" in done.stderr
    assert "→" in done.stderr
    assert not unit_of(managers).exists()


def test_a_start_that_fails_is_reported_with_the_managers_words(tmp_path: Path) -> None:
    managers = Managers(tmp_path, refused="*enable*")

    done = managers.run("install", "--manager", "systemd")

    assert done.returncode == 75
    assert "systemctl --user enable --now dayline.service failed: Failed to connect to bus" in done.stderr


def test_a_server_that_was_started_by_hand_is_not_disturbed(managers: Managers) -> None:
    managers.answer("ActiveState=inactive\n")
    with Service("--port", str(free_port()), home=managers.home):
        done = managers.run("install", "--manager", "systemd")

    assert done.returncode == 75
    assert "a server that is not the service uses dayline.db" in done.stderr
    assert not unit_of(managers).exists()


def test_removing_stops_it_and_takes_the_file_away(managers: Managers) -> None:
    managers.run("install", "--manager", "systemd")
    removed = managers.run("uninstall", "--manager", "systemd")
    again = managers.run("uninstall", "--manager", "systemd")

    assert removed.returncode == 0, removed.stderr
    assert not unit_of(managers).exists()
    assert ("systemctl", "--user", "disable", "--now", "dayline.service") in managers.asked
    assert (again.returncode, "there is no service" in again.stderr) == (66, True)


def test_a_service_that_is_not_there_is_reported(managers: Managers) -> None:
    reported = managers.run("status", "--manager", "systemd", "--json")

    assert reported.returncode == 1
    found = msgspec.json.decode(reported.stdout)
    assert (found["is_installed"], found["is_running"], found["url"]) == (False, False, None)


def test_launchd_gets_the_agent(managers: Managers) -> None:
    done = managers.run("install", "--manager", "launchd", "--port", "5700")
    path = managers.home / "Library" / "LaunchAgents" / "dayline.plist"
    managers.answer("dayline = {\n\tstate = running\n\tpid = 1\n}\n")
    reported = msgspec.json.decode(managers.run("status", "--manager", "launchd", "--json").stdout)
    managers.run("uninstall", "--manager", "launchd")

    assert done.returncode == 0, done.stderr
    assert (reported["is_running"], reported["is_enabled"], reported["process"]) == (True, True, 1)
    assert reported["command"][-3:] == ["serve", "--port", "5700"]
    assert not path.exists()
    verbs = [call[1] for call in managers.asked if not call[1].startswith("print")]
    assert verbs == ["enable", "bootstrap", "kickstart", "bootout"]
    assert re.fullmatch(r"gui/\d+", managers.asked[0][2])


def test_the_agent_is_what_was_printed(managers: Managers) -> None:
    printed = managers.run("install", "--manager", "launchd", "--print")

    assert plistlib.loads(printed.stdout.encode())["ProgramArguments"][-1] == "serve"


def test_the_task_scheduler_gets_the_task(managers: Managers) -> None:
    done = managers.run("install", "--manager", "task-scheduler", "--port", "5700")
    path = managers.home / ".local" / "share" / "dayline" / "dayline-task.xml"
    reported = msgspec.json.decode(managers.run("status", "--manager", "task-scheduler", "--json").stdout)
    there = path.read_bytes()
    managers.run("uninstall", "--manager", "task-scheduler")

    assert done.returncode == 0, done.stderr
    assert there.decode("utf-16").count("--port 5700") == 1
    assert (reported["is_installed"], reported["is_running"]) == (True, False)
    assert not path.exists()
    asked = [call[1:] for call in managers.asked if call[1] != "/Query"]
    assert asked == [
        ("/Create", "/TN", "dayline", "/XML", str(path), "/F"),
        ("/Run", "/TN", "dayline"),
        ("/End", "/TN", "dayline"),
        ("/Delete", "/TN", "dayline", "/F"),
    ]
