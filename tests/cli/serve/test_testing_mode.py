"""Testing mode: its own port, its own data, its own settings."""

from pathlib import Path

import pytest

from dayline.cli.options.settings import Flags, default_config, resolve
from tests.support.processes.command import Service, run
from tests.support.server import RunningServer


def test_testing_mode_has_a_port_and_a_database_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)

    testing, usual = resolve(Flags(is_testing=True)), resolve(Flags())

    assert testing.port == 5666
    assert testing.database.name == "dayline-testing.db"
    assert testing.database.parent == usual.database.parent
    assert testing.database != usual.database


def test_testing_mode_has_a_settings_file_of_its_own() -> None:
    assert default_config(is_testing=True).name == "config-testing.toml"
    assert default_config(is_testing=False).name == "config.toml"


def test_a_port_that_is_given_wins_over_that_of_testing_mode(tmp_path: Path) -> None:
    with Service("--testing", "--port", "0", home=tmp_path) as service:
        assert service.port not in (5600, 5666)
        assert "testing mode" in service.messages[0]

    names = {path.name for path in (tmp_path / ".local" / "share" / "dayline").iterdir()}
    assert {"dayline-testing.db", "dayline-testing.db.d"} <= names
    assert "dayline.db" not in names


def test_the_environment_can_ask_for_testing_mode(tmp_path: Path) -> None:
    with Service("--port", "0", home=tmp_path, variables={"DAYLINE_TESTING": "1"}) as service:
        assert "testing mode" in service.messages[0]


@pytest.mark.parametrize(("flags", "is_testing"), [(("--testing",), True), ((), False)])
def test_clients_get_the_mode(tmp_path: Path, flags: tuple[str, ...], *, is_testing: bool) -> None:
    with RunningServer(tmp_path / "days.db", *flags) as server:
        assert server.get("/api/0/info").json["testing"] is is_testing


def test_both_modes_run_side_by_side(tmp_path: Path) -> None:
    with Service("--port", "0", home=tmp_path) as usual, Service("--port", "0", "--testing", home=tmp_path) as testing:
        assert usual.port != testing.port


def test_two_of_the_same_mode_do_not_share_the_data(tmp_path: Path) -> None:
    with Service("--port", "0", home=tmp_path) as first:
        second = run("serve", "--port", "0", home=tmp_path)

        assert second.returncode == 75
        assert f"in use by process {first.pid}" in second.stderr
