"""systemd is notified when the service is ready and when it stops."""

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.processes.command import Service
from tests.support.waiting import PATIENCE_S


@pytest.fixture
def listener(tmp_path: Path) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.bind(str(tmp_path / "notify"))
        listener.settimeout(PATIENCE_S)
        yield listener


def started(tmp_path: Path, address: str) -> Service:
    arguments = ("--port", "0", "--database", str(tmp_path / "days.db"))
    return Service(*arguments, home=tmp_path, variables={"NOTIFY_SOCKET": address})


def test_systemd_is_notified_of_ready_and_stopping(listener: socket.socket, tmp_path: Path) -> None:
    with started(tmp_path, str(tmp_path / "notify")) as service:
        assert listener.recv(100) == b"READY=1"

        assert service.end() == 0

        assert listener.recv(100) == b"STOPPING=1"


def test_the_service_answers_once_it_has_reported_readiness(listener: socket.socket, tmp_path: Path) -> None:
    with started(tmp_path, str(tmp_path / "notify")) as service:
        listener.recv(100)

        with socket.create_connection(("127.0.0.1", service.port), timeout=PATIENCE_S) as connection:
            connection.sendall(b"GET /api/0/info HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert connection.recv(100).startswith(b"HTTP/1.1 200")


def test_a_name_in_the_abstract_namespace_is_understood(tmp_path: Path) -> None:
    name = f"dayline-test-{tmp_path.name}-{tmp_path.stat().st_ino}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.bind(f"\0{name}")
        listener.settimeout(PATIENCE_S)

        with started(tmp_path, f"@{name}"):
            assert listener.recv(100) == b"READY=1"


def test_a_supervisor_that_does_not_listen_is_no_hindrance(tmp_path: Path) -> None:
    with started(tmp_path, str(tmp_path / "nowhere")) as service:
        assert service.end() == 0
