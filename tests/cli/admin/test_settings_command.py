"""`dayline settings`: reads and changes config.toml, keeps comments, and refuses what is invalid."""

from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner, Result

from dayline.cli.main import commands
from dayline.config.sections import SettingsFile
from dayline.model.errors import Invalid, NotFound

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
    return CliRunner().invoke(commands, ["settings", *arguments, "--config", str(config)])


def test_every_declared_setting_is_listed_with_its_value_and_source(config: Path) -> None:
    listed = msgspec.json.decode(run(config, "--json").stdout)

    names = {each["name"]: each for each in listed}
    sections = [name for name in SettingsFile.__struct_fields__ if name != "pages"]
    assert set(names) == {
        f"{section}.{field}" for section in sections for field in getattr(SettingsFile(), section).__struct_fields__
    }
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
    assert run(config, "get", "server.port").stdout == "-\n"
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
