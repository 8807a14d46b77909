"""A port that is taken: the message names who has it and what to do."""

import errno
import os
import socket
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Self

import pytest

from dayline import __version__
from dayline.cli.serve.sockets import bound_addresses, open_sockets, own_addresses
from dayline.model.errors import Unavailable
from tests.cli.serve.network.held_port import held_port
from tests.support.processes.command import run
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
    with held_port("127.0.0.1") as port:
        refused = run("serve", "--port", str(port.number), "--database", str(tmp_path / "days.db"), home=tmp_path)

    assert refused.returncode == UNAVAILABLE
    assert f"port {port.number} is in use by process {port.pid}" in refused.stderr


def test_a_rejected_start_releases_the_database(server: RunningServer, tmp_path: Path) -> None:
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
        assert own_addresses([sock]) == ["127.0.0.1", "::1"]  # which no other program can have either


def test_any_other_error_of_ipv6_ends_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    refuse(monkeypatch, errno.EACCES)

    with pytest.raises(Unavailable, match=r"^cannot listen on ::1 port [0-9]+: Permission denied$"):
        open_sockets("localhost", 0)


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "::1"])
def test_each_name_of_this_computer_is_served_at_both_addresses(host: str) -> None:
    # Browsers open localhost at either. With one of them as the host, the other was left to anyone who took it, and the
    # server printed and trusted http://localhost.
    with ExitStack() as stack:
        sockets = [stack.enter_context(sock) for sock in open_sockets(host, 0)]

        assert sorted(own_addresses(sockets)) == ["127.0.0.1", "::1"]
        assert len({sock.getsockname()[1] for sock in sockets}) == 1
        assert host in ("localhost", bound_addresses(sockets)[0])


@pytest.mark.parametrize(("host", "taken"), [("127.0.0.1", "::1"), ("::1", "127.0.0.1"), ("localhost", "::1")])
def test_another_program_at_the_other_address_of_this_computer_ends_the_start(
    host: str, taken: str, tmp_path: Path
) -> None:
    with Stranger(taken) as stranger:
        flags = ["--host", host, "--port", str(stranger.port), "--database", str(tmp_path / "days.db")]
        refused = run("serve", *flags, home=tmp_path)

    assert refused.returncode == UNAVAILABLE
    where = "[::1]" if taken == "::1" else taken
    assert f"port {stranger.port} of {where} is in use by " in refused.stderr
    assert not (tmp_path / "days.db.d/token").exists()


@pytest.mark.root
def test_another_user_at_the_other_address_ends_the_start(tmp_path: Path) -> None:
    with Stranger("::1", uid=OTHER_UID) as stranger:
        flags = ["--host", "127.0.0.1", "--port", str(stranger.port), "--database", str(tmp_path / "days.db")]
        refused = run("serve", *flags, home=tmp_path)

    assert refused.returncode == UNAVAILABLE
    assert f"port {stranger.port} of [::1] is in use by process {stranger.pid}" in refused.stderr


@pytest.mark.root
def test_another_user_cannot_take_the_other_address_later(tmp_path: Path) -> None:
    with RunningServer(tmp_path / "days.db", "--host", "127.0.0.1") as server:
        assert server.get("/api/0/info").status == 200

        with pytest.raises(AssertionError, match="Address already in use"), Stranger("::1", server.port, OTHER_UID):
            pass


def test_a_name_is_served_at_each_of_its_addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    # Only the first IPv4 address of a name was, and clients may try another one first.
    resolve(monkeypatch, "::1", "127.0.0.2", "192.0.2.1")
    with ExitStack() as stack:
        sockets = [stack.enter_context(sock) for sock in open_sockets("diary", 0)]

        assert bound_addresses(sockets) == ["::1", "127.0.0.2"]  # without the one that this computer does not have


def test_another_program_at_an_address_of_the_name_ends_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    resolve(monkeypatch, "127.0.0.2", "::1")
    with (
        socket.create_server(("::1", 0), family=socket.AF_INET6) as taken,
        pytest.raises(Unavailable, match=r"of \[::1\] is in use by process"),
    ):
        open_sockets("diary", taken.getsockname()[1])


def test_a_name_that_is_not_known_is_named() -> None:
    with pytest.raises(Unavailable, match=r"^cannot listen on no-such-host\.invalid port 5600: "):
        open_sockets("no-such-host.invalid", 5600)


OTHER_UID = 54_321
LISTEN = """
import socket, sys
family = socket.AF_INET6 if ":" in sys.argv[1] else socket.AF_INET
with socket.create_server((sys.argv[1], int(sys.argv[2])), family=family) as server:
    print(server.getsockname()[1], flush=True)
    sys.stdin.read()
"""


class Stranger:
    """Another program that listens, as another user if `uid` is given."""

    def __init__(self, host: str, port: int = 0, uid: int | None = None) -> None:
        as_user = [] if uid is None else ["setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups", "--"]
        self._command = [*as_user, sys.executable, "-c", LISTEN, host, str(port)]

    def __enter__(self) -> Self:
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(self._command, stdin=pipe, stdout=pipe, stderr=pipe, text=True)
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        self.pid = self._process.pid
        if not line:
            _, error = self._process.communicate()
            raise AssertionError(error)
        self.port = int(line)
        return self

    def __exit__(self, *_error: object) -> None:
        self._process.communicate()


def resolve(monkeypatch: pytest.MonkeyPatch, *addresses: str) -> None:
    """Let the system know the name `diary` under these addresses."""
    usual = socket.getaddrinfo

    def found(host: str, port: int, *options: Any, **named: Any) -> list[Any]:
        if host != "diary":
            return usual(host, port, *options, **named)
        return [(None, socket.SOCK_STREAM, 6, "", (address, port)) for address in addresses]

    monkeypatch.setattr("dayline.cli.serve.sockets.socket.getaddrinfo", found)


def refuse(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    """Let the system refuse sockets of IPv6 with this error."""

    class Refusing(socket.socket):
        def bind(self, address: Any, /) -> None:
            if self.family == socket.AF_INET6:
                raise OSError(number, os.strerror(number))
            super().bind(address)

    monkeypatch.setattr("dayline.cli.serve.sockets.socket.socket", Refusing)
