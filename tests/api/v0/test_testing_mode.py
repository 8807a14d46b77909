"""Testing mode: reported by `info`, open to development pages, with data of its own (protocol 8.5)."""

from collections.abc import Iterator

import pytest

from dayline.cli.options.settings import Flags, default_config, default_database, resolve
from tests.api.remote_bucket import RemoteBucket, event
from tests.support.calls.clients import at
from tests.support.server import RunningServer

ANY_CHROME = "chrome-extension://aaaabbbbccccddddeeeeffffgggghhhh"


@pytest.fixture(scope="module")
def testing_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    with RunningServer(tmp_path_factory.mktemp("testing") / "days.db", "--testing") as server:
        yield server


def test_info_shows_the_mode(testing_server: RunningServer, shared_server: RunningServer) -> None:
    assert testing_server.get("/api/0/info").json["testing"] is True
    assert shared_server.get("/api/0/info").json["testing"] is False


@pytest.mark.parametrize("origin", ["http://127.0.0.1:27180", "http://localhost:27180"])
def test_development_pages_are_trusted_in_testing_mode_alone(
    testing_server: RunningServer, shared_server: RunningServer, origin: str
) -> None:
    assert testing_server.get("/api/0/export", Origin=origin).headers["access-control-allow-origin"] == origin
    assert shared_server.get("/api/0/export", Origin=origin).status == 403


def test_any_chrome_extension_may_append_in_testing_mode_alone(
    testing_server: RunningServer, shared_server: RunningServer
) -> None:
    assert testing_server.get("/api/0/info", Origin=ANY_CHROME).status == 200
    assert testing_server.get("/api/0/buckets/", Origin=ANY_CHROME).status == 403
    assert shared_server.get("/api/0/info", Origin=ANY_CHROME).status == 403


def test_foreign_pages_stay_foreign_in_testing_mode(testing_server: RunningServer) -> None:
    assert testing_server.get("/api/0/info", Origin="http://evil.example").status == 403


def test_bucket_is_deleted_without_force_in_both_modes(
    testing_server: RunningServer, shared_server: RunningServer
) -> None:
    for server in (testing_server, shared_server):
        server.create("forceless")
        assert server.call("DELETE", "/api/0/buckets/forceless").status == 200


def test_answers_look_the_same_in_both_modes(testing_server: RunningServer, shared_server: RunningServer) -> None:
    bodies: list[bytes] = []
    for server in (testing_server, shared_server):
        bucket = RemoteBucket(server, "look")
        bucket.create(created="2026-01-01T00:00:00Z")
        bucket.insert(event(at("10:00:00"), 1.0))
        bodies.append(server.get(f"{bucket.path}/export").body)

    assert bodies[0] == bodies[1]


def test_default_ports_are_5600_and_5666() -> None:
    assert resolve(Flags()).port == 5600
    assert resolve(Flags(is_testing=True)).port == 5666


def test_default_files_have_a_testing_mark_in_their_names() -> None:
    for default in (default_config, default_database):
        assert "testing" not in default(is_testing=False).name
        assert "testing" in default(is_testing=True).name
        assert default(is_testing=True).parent == default(is_testing=False).parent
