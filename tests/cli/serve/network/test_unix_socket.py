"""The Unix socket: an endpoint in addition to the port, for those whom its file mode lets in."""

import signal
import socket
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.support.calls.clients import each_path
from tests.support.calls.endpoints import (
    OUTSIDE_ADDRESS,
    OUTSIDE_HOST,
    Door,
    UnixDoor,
    addresses_in_audit,
    create_key,
    event,
    make_certificate,
)
from tests.support.processes.command import Service, run
from tests.support.server import RunningServer, free_port

WRONG_SETTINGS: Final = 78
UNAVAILABLE: Final = 75


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "s.sock"


@pytest.fixture
def server(tmp_path: Path, path: Path) -> Iterator[RunningServer]:
    with RunningServer(tmp_path / "days.db", "--uds", str(path)) as server:
        yield server


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def refusal(path: Path, tmp_path: Path) -> tuple[int, str]:
    place = ("--port", "0", "--database", str(tmp_path / "days.db"))
    refused = run("serve", *place, "--uds", str(path), home=tmp_path)
    assert "Traceback" not in refused.stderr
    return refused.returncode, refused.stderr


def test_both_endpoints_return_the_same(server: RunningServer, path: Path) -> None:
    door = UnixDoor(path)
    door.create("by-socket")
    server.create("by-port")

    assert set(door.get("/api/0/buckets/").json) == {"by-socket", "by-port"}


def test_it_is_for_its_owner_alone(server: RunningServer, path: Path) -> None:
    assert server.pid
    assert mode_of(path) == 0o600


def test_another_mode_can_be_set(tmp_path: Path, path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text(f'[server]\nuds = "{path}"\nuds_mode = "660"\n')

    with RunningServer(tmp_path / "days.db", "--config", str(config)):
        assert mode_of(path) == 0o660


@pytest.mark.parametrize("mode", ["rw", "999", "6", "0o600", ""])
def test_a_mode_that_is_none_is_named(tmp_path: Path, mode: str) -> None:
    config = tmp_path / "config.toml"
    config.write_text(f'[server]\nuds_mode = "{mode}"\n')

    refused = run("serve", "--config", str(config), home=tmp_path)

    assert refused.returncode == WRONG_SETTINGS
    assert "uds_mode" in refused.stderr


@each_path
def test_heartbeats_are_recorded(server: RunningServer, path: Path, content_type: str) -> None:
    door = UnixDoor(path)
    door.create("beats")
    connection = door.connection()

    for second in range(20):
        answer = door.exchange(
            connection,
            "POST",
            "/api/0/buckets/beats/heartbeat?pulsetime=1",
            event(second, str(second % 2)),
            headers={"Content-Type": content_type},
        )
        assert answer.status == 200

    connection.close()
    assert server.get("/api/0/buckets/beats/events/count").json == 20


def test_the_checks_of_names_and_pages_hold_there_too(server: RunningServer, path: Path) -> None:
    door = UnixDoor(path)

    assert server.pid
    assert door.get("/api/0/info", Host="evil.example").status == 400
    assert door.get("/api/0/info", Origin="http://evil.example").status == 403


def test_headers_of_proxies_are_ignored_unless_configured(server: RunningServer, path: Path) -> None:
    door = UnixDoor(path)
    door.get("/api/0/buckets/", X_Forwarded_For="198.51.100.7", Forwarded="for=198.51.100.8")

    assert "unix" in addresses_in_audit(door)
    assert not addresses_in_audit(Door("127.0.0.1", server.port)) & {"198.51.100.7", "198.51.100.8"}


def test_a_proxy_that_comes_by_it_can_be_trusted(tmp_path: Path, path: Path) -> None:
    database = tmp_path / "days.db"
    key = create_key(database)

    with RunningServer(database, "--uds", str(path), "--trusted-proxy", "unix") as server:
        UnixDoor(path, key=key).get("/api/0/buckets/", X_Forwarded_For="198.51.100.7")
        # The same headers at the other endpoint name no user.
        Door("127.0.0.1", server.port, key=key).get("/api/0/buckets/", X_Forwarded_For="198.51.100.8")

        assert addresses_in_audit(UnixDoor(path, key=key)) >= {"198.51.100.7", "127.0.0.1"}
        assert "198.51.100.8" not in addresses_in_audit(UnixDoor(path, key=key))
        assert UnixDoor(path).get("/api/0/buckets/").status == 401


def test_it_is_removed_at_the_end(server: RunningServer, path: Path) -> None:
    assert path.exists()
    assert server.stop() == 0

    assert not path.exists()


def test_what_a_killed_server_has_left_is_replaced(tmp_path: Path, path: Path) -> None:
    first = RunningServer(tmp_path / "days.db", "--uds", str(path))
    first.start()
    first.kill()
    assert path.exists()

    with RunningServer(tmp_path / "days.db", "--uds", str(path)):
        assert UnixDoor(path).get("/api/0/info").status == 200


def test_one_in_use_is_left_alone(tmp_path: Path, path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as other:
        other.bind(str(path))
        other.listen()
        inode = path.stat().st_ino

        code, reported = refusal(path, tmp_path)

        assert code == UNAVAILABLE
        assert f"the Unix socket {path} is in use" in reported
        assert path.stat().st_ino == inode
    # And nothing of the refused start is left open.
    with RunningServer(tmp_path / "days.db") as server:
        assert server.get("/api/0/info").status == 200


def test_one_that_took_its_place_is_left_alone(server: RunningServer, path: Path) -> None:
    path.unlink()
    with socket.socket(socket.AF_UNIX) as other:
        other.bind(str(path))

        assert server.stop() == 0
        assert path.exists()


@pytest.mark.parametrize("kind", ["file", "folder", "link"])
def test_what_is_no_socket_is_left_alone(tmp_path: Path, path: Path, kind: str) -> None:
    if kind == "file":
        path.write_text("precious")
    elif kind == "folder":
        path.mkdir()
    else:
        path.symlink_to(tmp_path / "elsewhere")

    code, reported = refusal(path, tmp_path)

    assert code == WRONG_SETTINGS
    assert "exists and is not a socket" in reported
    assert path.is_symlink() or path.exists()


def test_a_path_that_is_too_long_is_reported(tmp_path: Path) -> None:
    code, reported = refusal(tmp_path / ("x" * 150), tmp_path)

    assert code == WRONG_SETTINGS
    assert "longer than" in reported


def test_a_folder_that_is_not_there_is_reported(tmp_path: Path) -> None:
    code, reported = refusal(tmp_path / "no" / "s", tmp_path)

    assert code == UNAVAILABLE
    assert "No such file or directory" in reported


def test_tls_is_for_the_port_and_not_for_the_socket(tmp_path: Path, path: Path) -> None:
    database, port = tmp_path / "days.db", free_port()
    key, ca = create_key(database), Path(make_certificate(database)["ca"])
    place = ("--host", OUTSIDE_HOST, "--port", str(port), "--database", str(database), "--uds", str(path))

    with Service(*place, home=tmp_path) as service:
        assert "https://" in service.messages[0]
        assert Door(OUTSIDE_ADDRESS, port, ca=ca, key=key, name="localhost").get("/api/0/buckets/").status == 200
        assert UnixDoor(path, key=key).get("/api/0/buckets/").status == 200
        assert UnixDoor(path).get("/api/0/buckets/").status == 401
        assert service.end(signal.SIGTERM) == 0
    assert not path.exists()
