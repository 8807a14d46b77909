"""Settings: the file, then the environment, then flags; what is wrong is named."""

import http.client
from pathlib import Path
from typing import Final

import pytest

from dayline.cli.options.settings import Flags, resolve
from tests.support.processes.command import Service, run
from tests.support.server import free_port
from tests.support.waiting import PATIENCE_S

WRONG_SETTINGS: Final = 78


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """The settings file that is read where no other is named."""
    path = tmp_path / ".config" / "dayline" / "config.toml"
    path.parent.mkdir(parents=True)
    return path


def refusal(tmp_path: Path, *arguments: str, **variables: str) -> str:
    """What a server says that refuses to start for its settings."""
    refused = run("serve", *arguments, home=tmp_path, **variables)
    assert refused.returncode == WRONG_SETTINGS
    assert "Traceback" not in refused.stderr
    return refused.stderr


def test_the_settings_file_sets_the_address(tmp_path: Path, config: Path) -> None:
    port = free_port()
    config.write_text(f'[server]\nport = {port}\ndatabase = "{tmp_path}/of-the-file.db"\n')

    with Service(home=tmp_path) as service:
        assert service.port == port

    assert (tmp_path / "of-the-file.db").exists()


def test_the_environment_wins_over_the_file(tmp_path: Path, config: Path) -> None:
    port = free_port()
    config.write_text(f'[server]\nport = 1\ndatabase = "{tmp_path}/of-the-file.db"\n')
    variables = {"DAYLINE_PORT": str(port), "DAYLINE_DATABASE": str(tmp_path / "of-the-environment.db")}

    with Service(home=tmp_path, variables=variables) as service:
        assert service.port == port

    assert (tmp_path / "of-the-environment.db").exists()
    assert not (tmp_path / "of-the-file.db").exists()


def test_a_flag_wins_over_the_environment(tmp_path: Path, config: Path) -> None:
    port = free_port()
    config.write_text('[server]\nport = 1\nlog_level = "error"\n')
    variables = {"DAYLINE_PORT": "2", "DAYLINE_DATABASE": str(tmp_path / "of-the-environment.db"), "DAYLINE_HOST": "::"}

    flags = ("--port", str(port), "--database", str(tmp_path / "of-the-flag.db"), "--host", "127.0.0.1")
    with Service(*flags, "--log-level", "info", home=tmp_path, variables=variables) as service:
        assert service.port == port

    assert (tmp_path / "of-the-flag.db").exists()
    assert not (tmp_path / "of-the-environment.db").exists()


@pytest.mark.parametrize("variable", ["DAYLINE_CONFIG", "--config"])
def test_another_file_can_be_named(tmp_path: Path, variable: str) -> None:
    port = free_port()
    named = tmp_path / "named.toml"
    named.write_text(f'[server]\nport = {port}\ndatabase = "{tmp_path}/days.db"\n')
    arguments = (variable, str(named)) if variable.startswith("--") else ()
    variables = {} if variable.startswith("--") else {variable: str(named)}

    with Service(*arguments, home=tmp_path, variables=variables) as service:
        assert service.port == port


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("[server]\nprot = 5600\n", "server.prot"),
        ("[serve]\nport = 5600\n", "serve"),
        ('[access]\norigin = ["http://a"]\n', "access.origin"),
        ("[limits]\nbody_mb = 3\n", "limits.body_mb"),
    ],
)
def test_an_unknown_key_is_an_error_that_names_it_and_the_file(
    tmp_path: Path, config: Path, text: str, named: str
) -> None:
    config.write_text(text)

    reported = refusal(tmp_path)

    assert f"unknown field '{named}'" in reported
    assert str(config) in reported


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ('[server]\nport = "5600"\n', "server.port"),
        ("[server]\nhost = 5\n", "server.host"),
        ("[access]\nhosts = 3\n", "access.hosts"),
        ('[limits]\nbody_mib = "much"\n', "limits.body_mib"),
        ("[server]\nport = 99999\n", "server.port must be at most 65535 (got 99999)"),
        ('[server]\nhost = "0.0.0.0"\n', "0.0.0.0"),
        ('[server]\nlog_level = "loud"\n', "loud"),
        ('[pages]\nmine = "/no/such/folder"\n', "/no/such/folder"),
        ('[server]\ntrusted_proxies = ["proxy.lan"]\n', "proxy.lan"),
        ('[server]\nbase_path = "dayline"\n', "base_path"),
        ('[server]\nuds_mode = "rw"\n', "uds_mode"),
        ('[server]\ntls_cert = "/no/such.pem"\n', "tls_key is missing"),
        ("[access]\nsession_days = 0\n", "access.session_days"),
        ("[access]\nfailed_keys_per_minute = 0\n", "access.failed_keys_per_minute"),
        ('[access]\nrequire_keys = "yes"\n', "access.require_keys"),
        ("[server\n", "line 1"),
    ],
)
def test_a_value_that_cannot_be_is_named(tmp_path: Path, config: Path, text: str, named: str) -> None:
    config.write_text(text)

    assert named in refusal(tmp_path)


def test_a_file_that_was_named_must_be_there(tmp_path: Path) -> None:
    assert "no-such.toml" in refusal(tmp_path, "--config", str(tmp_path / "no-such.toml"))


def test_a_file_that_is_not_text_is_named(tmp_path: Path, config: Path) -> None:
    config.write_bytes(b"\xff\xfe\x00")

    assert str(config) in refusal(tmp_path)


def test_without_any_settings_it_is_the_usual_port_and_the_users_data_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)

    settings = resolve(Flags())

    assert (settings.server.host, settings.port, settings.server.log_level, settings.is_testing) == (
        "localhost",
        5600,
        "info",
        False,
    )
    assert settings.database.name == "dayline.db"
    assert settings.database.is_relative_to(tmp_path)


def test_a_database_in_the_file_may_begin_with_the_home_folder(tmp_path: Path, config: Path) -> None:
    config.write_text('[server]\nport = 0\ndatabase = "~/mine/days.db"\n')

    with Service(home=tmp_path):
        assert (tmp_path / "mine" / "days.db").exists()


def test_names_and_limits_of_the_file_are_used(tmp_path: Path, config: Path) -> None:
    config.write_text('[access]\nhosts = ["diary.lan"]\n[limits]\nbody_mib = 1\n')

    with Service("--port", "0", "--database", str(tmp_path / "days.db"), home=tmp_path) as service:
        connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=PATIENCE_S)
        connection.request("GET", "/api/0/info", headers={"Host": "diary.lan"})
        answer = connection.getresponse()
        answer.read()
        assert answer.status == 200
        connection.request(
            "POST", "/api/0/settings/a", b'"%s"' % (b"x" * (2 << 20)), headers={"Content-Type": "application/json"}
        )
        assert connection.getresponse().status == 413
        connection.close()


NETWORK = """
[server]
host = "192.168.1.5"
tls_cert = "~/diary.pem"
tls_key = "~/diary.key"
uds = "~/diary.sock"
uds_mode = "660"
base_path = "/diary/"
trusted_proxies = ["10.0.0.0/24", "unix"]

[access]
require_keys = true
"""


def test_what_the_network_needs_can_stand_in_the_file(
    tmp_path: Path, config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    config.write_text(NETWORK)

    settings = resolve(Flags(config=config))

    assert (settings.server.host, settings.server.tls_cert, settings.server.tls_key) == (
        "192.168.1.5",
        tmp_path / "diary.pem",
        tmp_path / "diary.key",
    )
    assert (settings.server.uds, settings.server.uds_mode) == (tmp_path / "diary.sock", "660")
    assert (settings.server.base_path, settings.server.trusted_proxies) == ("/diary", ("10.0.0.0/24", "unix"))
    assert settings.access.require_keys


def test_what_the_network_needs_can_be_given_as_flags(config: Path) -> None:
    config.write_text(NETWORK)

    settings = resolve(
        Flags(
            config=config,
            server={
                "tls_cert": Path("/other.pem"),
                "tls_key": Path("/other.key"),
                "uds": Path("/other.sock"),
                "base_path": "",
                "trusted_proxies": ("10.0.0.9",),
            },
        )
    )

    assert (settings.server.tls_cert, settings.server.tls_key) == (Path("/other.pem"), Path("/other.key"))
    assert (settings.server.uds, settings.server.base_path, settings.server.trusted_proxies) == (
        Path("/other.sock"),
        "",
        ("10.0.0.9",),
    )


def test_several_proxies_stand_in_one_variable(tmp_path: Path) -> None:
    variables = {"DAYLINE_TRUSTED_PROXIES": "10.0.0.9 nonsense", "DAYLINE_BASE_PATH": "/diary"}

    assert "'nonsense'" in refusal(tmp_path, **variables)


def test_without_any_settings_nothing_of_the_network_is_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)

    settings = resolve(Flags())

    assert (settings.server.tls_cert, settings.server.tls_key, settings.server.uds, settings.server.uds_mode) == (
        None,
        None,
        None,
        "600",
    )
    assert (settings.server.base_path, settings.server.trusted_proxies, settings.access.require_keys) == ("", (), False)
