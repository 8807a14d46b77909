"""`dayline settings`: reads and changes config.toml, keeps comments, and refuses what is invalid."""

from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner, Result

from dayline.cli.main import commands
from dayline.config.sections import SettingsFile
from dayline.model.errors import Invalid, NotFound, SettingsInvalid
from dayline.model.settings.preferences import PREFERENCES

FILE = """\
# my settings
[server]
port = 5700  # not 5600
host = "0.0.0.0"

[access]
hosts = [
  "a.example",  # several lines
]
"""


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "config.toml"
    path.write_text(FILE)
    return path


def run(config: Path, *arguments: str) -> Result:
    # With a database of its own, in which the preferences are.
    environment = {"DAYLINE_DATABASE": str(config.with_name("test.db"))}
    return CliRunner().invoke(commands, ["settings", *arguments, "--config", str(config)], env=environment)


def test_every_declared_setting_is_listed_with_its_value_and_source(config: Path) -> None:
    listed = msgspec.json.decode(run(config, "--json").stdout)

    names = {each["name"]: each for each in listed}
    sections = [name for name in SettingsFile.__struct_fields__ if name != "pages"]
    assert set(names) == {
        f"{section}.{field}" for section in sections for field in getattr(SettingsFile(), section).__struct_fields__
    } | {f"preferences.{name}" for name in PREFERENCES}
    assert names["server.port"] == {"name": "server.port", "value": 5700, "source": "file"}
    assert names["trash.days"] == {"name": "trash.days", "value": 30, "source": "default"}
    assert run(config, "get", "access.hosts").stdout == "a.example\n"


@pytest.mark.parametrize(
    ("name", "values", "line"),
    [
        ("server.port", ["5800"], "port = 5800  # not 5600"),
        ("server.log_level", ["debug"], 'log_level = "debug"'),
        ("backup.enabled", ["false"], "enabled = false"),
        ("query.seconds", ["1.5"], "seconds = 1.5"),
        ("access.origins", ["http://a", "http://b"], 'origins = ["http://a","http://b"]'),
    ],
)
def test_a_change_is_one_line_and_all_others_stay(config: Path, name: str, values: list[str], line: str) -> None:
    before = config.read_text().splitlines()

    done = run(config, "set", name, *values)

    assert done.exit_code == 0, done.output
    after = config.read_text().splitlines()
    assert line in after
    kept = [each for each in before if each and not each.startswith(f"{name.partition('.')[2]} =")]
    assert [each for each in after if each in kept] == kept
    shown = msgspec.json.decode(run(config, "get", name, "--json").stdout)["value"]
    assert shown == msgspec.json.decode(line.partition(" = ")[2].partition("  #")[0])


def test_a_file_that_does_not_exist_is_created_for_its_owner_only(tmp_path: Path) -> None:
    path = tmp_path / "new" / "config.toml"

    assert run(path, "set", "server.port", "5700").exit_code == 0

    assert path.read_text() == "[server]\nport = 5700\n"
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_setting_that_is_unset_has_its_default_again(config: Path) -> None:
    assert run(config, "unset", "server.port").exit_code == 0

    assert "port" not in config.read_text()
    assert run(config, "get", "server.port").stdout == "5600\n"  # the value in force
    assert isinstance(run(config, "unset", "server.port").exception, NotFound)


@pytest.mark.parametrize(
    ("name", "value"),
    [("server.prt", "1"), ("port", "1"), ("server.port", "99999"), ("server.port", "x"), ("server.uds_mode", "9"),
     ("access.hosts", "b.example")],
)  # fmt: skip
def test_what_is_invalid_or_cannot_be_edited_safely_changes_nothing(config: Path, name: str, value: str) -> None:
    done = run(config, "set", name, value)

    assert isinstance(done.exception, Invalid)
    assert config.read_text() == FILE


def test_preferences_are_set_read_and_reset_like_settings(config: Path) -> None:
    assert run(config, "get", "preferences.day_start").stdout == "04:00\n"

    assert run(config, "set", "preferences.day_start", "05:30").exit_code == 0

    assert run(config, "get", "preferences.day_start").stdout == "05:30\n"
    listed = msgspec.json.decode(run(config, "list", "preferences", "--json").stdout)
    assert {"name": "preferences.day_start", "value": "05:30", "source": "database"} in listed
    assert run(config, "unset", "preferences.day_start").exit_code == 0
    assert run(config, "get", "preferences.day_start").stdout == "04:00\n"
    assert config.read_text() == FILE


# `settings list` failed on the file that the hint of the error wanted to show.
def test_a_file_with_wrong_settings_is_listed_with_what_is_wrong(config: Path) -> None:
    config.write_text("[server]\nport = 'x'\nprot = 1\nlog_level = 'debug'\n")

    done = run(config, "list", "--json")

    assert done.exit_code == 0
    names = {each["name"]: each["value"] for each in msgspec.json.decode(done.stdout)}
    assert (names["server.port"], names["server.log_level"]) == (5600, "debug")
    assert "server.port must be a whole number (got 'x')" in done.stderr
    assert "unknown field 'server.prot'" in done.stderr
    for name in ("server.port", "server.prot"):
        assert f"dayline settings unset {name} --config {config}" in done.stderr
        run(config, "unset", name)
    assert run(config, "list").stderr == ""


def test_the_value_in_force_may_come_from_the_environment(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DAYLINE_PORT", "5900")

    assert run(config, "get", "server.port").stdout == "5900\n"


def test_a_file_that_was_named_and_is_missing_is_not_taken_for_the_defaults(tmp_path: Path) -> None:
    assert isinstance(run(tmp_path / "missing.toml", "list").exception, SettingsInvalid)
