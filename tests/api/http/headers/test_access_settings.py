"""`[access]` in the settings file: names, origins and patterns in addition to the built-in ones (protocol 2.4, 2.5)."""

from collections.abc import Iterator

import pytest

from tests.support.server import RunningServer

CONFIG = r"""
[access]
hosts = ["Days.Home.Example", "fd00::7"]
origins = ["https://days.example", "chrome-extension://aaaabbbbccccddddeeeeffffgggghhhh"]
origin_patterns = ['http://[a-z]+\.example\.com', 'http://one\.example|http://two\.example']
"""


@pytest.fixture(scope="module")
def open_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    folder = tmp_path_factory.mktemp("access")
    (folder / "config.toml").write_text(CONFIG)
    with RunningServer(folder / "days.db", "--config", str(folder / "config.toml")) as server:
        yield server


@pytest.mark.parametrize("host", ["days.home.example", "DAYS.HOME.EXAMPLE:5600", "[fd00::7]:5600", "localhost"])
def test_configured_names_are_answered_beside_our_own(open_server: RunningServer, host: str) -> None:
    assert open_server.get("/api/0/info", Host=host).status == 200


@pytest.mark.parametrize("host", ["home.example", "x.days.home.example", "days.home.example.evil.org", "fd00::7"])
def test_other_names_are_still_refused(open_server: RunningServer, host: str) -> None:
    assert open_server.get("/api/0/info", Host=host).status == 400


@pytest.mark.parametrize(
    "origin",
    [
        "https://days.example",
        "chrome-extension://aaaabbbbccccddddeeeeffffgggghhhh",
        "http://a.example.com",
        "http://one.example",
        "http://two.example",
    ],
)
def test_configured_origins_are_trusted_with_everything(open_server: RunningServer, origin: str) -> None:
    answer = open_server.get("/api/0/export", Origin=origin)

    assert (answer.status, answer.headers["access-control-allow-origin"]) == (200, origin)


@pytest.mark.parametrize(
    "origin",
    [
        "https://days.example.evil.org",
        "https://days.example:8443",
        "http://days.example",
        "http://a.example.com.evil.org",
        "xhttp://a.example.com",
        "http://evil.org/http://a.example.com",
        "http://one.example.evil.org",
        "http://evil.org#http://two.example",
        "http://days.home.example",
    ],
)
def test_origins_that_only_contain_a_configured_one_are_foreign(open_server: RunningServer, origin: str) -> None:
    assert open_server.get("/api/0/info", Origin=origin).status == 403
