"""A port that is taken: the message names who has it and what to do."""

import errno
import os
import socket
from pathlib import Path
from typing import Any

import pytest

from dayline import __version__
from dayline.cli.serve.network import bound_addresses, open_sockets
from dayline.model.errors import Unavailable
from tests.support.command import run
from tests.support.server import RunningServer

UNAVAILABLE = 75


def test_the_message_names_the_other_dayline_and_its_process(server: RunningServer, tmp_path: Path) -> None:
    second = run("serve", "--port", str(server.port), "--database", str(tmp_path / "other.db"), home=tmp_path)

    assert second.returncode == UNAVAILABLE
    assert f"port {server.port} is in use by Dayline v{__version__}" in second.stderr
    assert f"process {server.pid}" in second.stderr
    assert f"dayline serve --port {server.port + 1}" in second.stderr
    assert "Traceback" not in second.stderr


def test_the_message_names_any_other_program(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port: int = taken.getsockname()[1]

        refused = run("serve", "--port", str(port), "--database", str(tmp_path / "days.db"), home=tmp_path)

    assert refused.returncode == UNAVAILABLE
    assert f"port {port} is in use by process {os.getpid()}" in refused.stderr


def test_a_refused_start_lets_go_of_the_database(server: RunningServer, tmp_path: Path) -> None:
    other = tmp_path / "other.db"
    run("serve", "--port", str(server.port), "--database", str(other), home=tmp_path)

    with RunningServer(other) as second:
        assert second.get("/api/0/info").status == 200


def test_a_port_may_be_taken_again_right_after_the_server_has_gone(tmp_path: Path) -> None:
    server = RunningServer(tmp_path / "days.db")
    for _ in range(3):
        with server:
            assert server.get("/api/0/info").status == 200


def test_an_address_that_cannot_be_listened_on_is_named() -> None:
    # An address for documentation, which no machine has: refused to root, too, unlike a low port.
    with pytest.raises(Unavailable, match=r"^cannot listen on 192\.0\.2\.1 port 5600: "):
        open_sockets("192.0.2.1", 5600)


@pytest.mark.parametrize("number", [errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT])
def test_a_machine_without_ipv6_is_served_on_ipv4(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    refuse(monkeypatch, number)

    (sock,) = open_sockets("localhost", 0)

    with sock:
        assert bound_addresses([sock]) == ["127.0.0.1"]


def test_any_other_error_of_ipv6_ends_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    refuse(monkeypatch, errno.EACCES)

    with pytest.raises(Unavailable, match=r"^cannot listen on ::1 port [0-9]+: Permission denied$"):
        open_sockets("localhost", 0)


def refuse(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    """Let the system refuse sockets of IPv6 with this error."""

    class Refusing(socket.socket):
        def bind(self, address: Any, /) -> None:
            if self.family == socket.AF_INET6:
                raise OSError(number, os.strerror(number))
            super().bind(address)

    monkeypatch.setattr("dayline.cli.serve.network.socket.socket", Refusing)
