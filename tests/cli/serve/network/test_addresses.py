"""Where the server listens: on loopback, in both its forms, and nowhere else unless configured to."""

import http.client
import socket
from pathlib import Path

import pytest

from tests.cli.serve.network.held_port import held_port
from tests.support.calls.endpoints import OUTSIDE_ADDRESS, Door, create_key, make_certificate
from tests.support.processes.command import Service, run
from tests.support.server import RunningServer, free_port
from tests.support.waiting import PATIENCE_S


def has_ipv6() -> bool:
    try:
        with socket.create_server(("::1", 0), family=socket.AF_INET6):
            return True
    except OSError:
        return False


needs_ipv6 = pytest.mark.skipif(not has_ipv6(), reason="this machine has no ::1")


def info(host: str, port: int) -> int:
    connection = http.client.HTTPConnection(host, port, timeout=PATIENCE_S)
    try:
        connection.request("GET", "/api/0/info")
        return connection.getresponse().status
    finally:
        connection.close()


@needs_ipv6
def test_both_forms_of_loopback_are_served(server: RunningServer) -> None:
    assert info("127.0.0.1", server.port) == 200
    assert info("::1", server.port) == 200


@needs_ipv6
def test_the_older_form_is_served_too_if_the_newer_one_is_asked_for(tmp_path: Path) -> None:
    # `localhost` is both, and a browser that finds another program at one of them would send it the session.
    arguments = ("--host", "::1", "--port", "0", "--database", str(tmp_path / "days.db"))
    with Service(*arguments, home=tmp_path) as service:
        assert info("::1", service.port) == 200
        assert info("127.0.0.1", service.port) == 200


@needs_ipv6
def test_a_port_in_use_for_ipv6_alone_is_rejected(tmp_path: Path) -> None:
    with held_port("::1") as port:
        refused = run("serve", "--port", str(port.number), "--database", str(tmp_path / "days.db"), home=tmp_path)

    assert refused.returncode == 75
    assert f"port {port.number} of [::1] is in use by process {port.pid}" in refused.stderr


def test_another_address_of_loopback_is_named_as_it_is(tmp_path: Path) -> None:
    arguments = ("--host", "127.0.0.2", "--port", "0", "--database", str(tmp_path / "days.db"))
    with Service(*arguments, home=tmp_path) as service:
        assert "is ready at http://127.0.0.2:" in service.messages[0]


def test_one_address_of_loopback_can_be_asked_for(tmp_path: Path) -> None:
    arguments = ("--host", "127.0.0.1", "--port", "0", "--database", str(tmp_path / "days.db"))
    with Service(*arguments, home=tmp_path) as service:
        assert info("127.0.0.1", service.port) == 200


@needs_ipv6
def test_every_address_means_those_of_both_forms(tmp_path: Path) -> None:
    database, port = tmp_path / "days.db", free_port()
    key, ca = create_key(database), Path(make_certificate(database)["ca"])

    place = ("--host", "::", "--port", str(port), "--database", str(database))
    with Service(*place, home=tmp_path) as service:
        assert "https://" in service.messages[0]
        for address in ("::1", "127.0.0.1", OUTSIDE_ADDRESS):
            door = Door(address, port, ca=ca, key=key, name="localhost")
            assert door.get("/api/0/buckets/").status == 200
            # Under the address itself, too: no one can have lied about it.
            assert door.get("/api/0/info", Host=f"[{address}]" if ":" in address else address).status == 200


def test_the_outside_cannot_reach_it(server: RunningServer) -> None:
    listening = [
        address
        for table in ("/proc/net/tcp", "/proc/net/tcp6")
        for address in addresses_listening_on(Path(table), server.port)
    ]

    assert set(listening) <= {"0100007F", "00000000000000000000000001000000"}  # 127.0.0.1 and ::1
    assert listening


def addresses_listening_on(table: Path, port: int) -> list[str]:
    """Linux: the addresses, in hexadecimal, that a socket listens at."""
    if not table.exists():
        return []
    rows = [line.split() for line in table.read_text().splitlines()[1:]]
    return [row[1].split(":")[0] for row in rows if row[3] == "0A" and int(row[1].split(":")[1], 16) == port]
