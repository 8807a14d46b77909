"""TLS with real handshakes: whom clients trust, what is spoken, and that everything works over it."""

import http.client
import platform
import socket
import ssl
import warnings
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Final

import pytest

from dayline.client.address import Address
from dayline.client.connection import KeptConnection, Request
from dayline.client.errors import ServerUnreachable
from tests.support.calls.clients import each_path
from tests.support.calls.endpoints import OUTSIDE_ADDRESS, OUTSIDE_HOST, Door, create_key, event, make_certificate
from tests.support.processes.command import Service, run
from tests.support.server import free_port
from tests.support.waiting import PATIENCE_S

NAME: Final = "diary.lan"


class TlsServer(Service):
    """A server off loopback with a certificate of `dayline tls init`, and the keys to it."""

    def __init__(self, folder: Path, *arguments: str, constants: Mapping[str, object] | None = None) -> None:
        self.database = folder / "days.db"
        self.ca = Path(make_certificate(self.database, "--name", NAME, "--name", OUTSIDE_ADDRESS)["ca"])
        self.key = create_key(self.database)
        self.free_port = free_port()
        place = ("--host", OUTSIDE_HOST, "--port", str(self.free_port), "--database", str(self.database))
        super().__init__(*place, *arguments, home=folder, constants=constants)

    def door(self, *, name: str | None = None, key: str | None = None) -> Door:
        return Door(OUTSIDE_ADDRESS, self.free_port, ca=self.ca, key=key or self.key, name=name)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TlsServer]:
    with TlsServer(tmp_path_factory.mktemp("tls")) as server:
        yield server


def test_the_first_message_has_the_address(server: TlsServer) -> None:
    named = platform.node() if OUTSIDE_HOST == "0.0.0.0" else OUTSIDE_HOST

    assert f"is ready at https://{named}:{server.free_port}/" in server.messages[0]


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
@pytest.mark.parametrize("name", [NAME, "localhost", OUTSIDE_ADDRESS])
def test_a_client_that_trusts_the_authority_is_served(server: TlsServer, version: ssl.TLSVersion, name: str) -> None:
    door = server.door(name=name)
    assert door.context is not None
    door.context.minimum_version = door.context.maximum_version = version

    assert door.get("/api/0/buckets/").status == 200


def test_plain_http_to_the_port_is_answered_with_a_sentence(server: TlsServer) -> None:
    # The client reported only "Remote end closed connection without response".
    address = Address(scheme="http", host=OUTSIDE_ADDRESS, port=server.free_port)

    with pytest.raises(ServerUnreachable) as raised, closing(KeptConnection(address, timeout_s=PATIENCE_S)) as plain:
        plain.exchange(Request(method="GET", target="/api/0/info"))

    assert raised.value.message == f"{address} closed the connection without a response"
    assert raised.value.hint == "if the server uses TLS, write https://"


def test_a_client_that_trusts_another_authority_hangs_up(server: TlsServer, tmp_path: Path) -> None:
    other = make_certificate(tmp_path / "days.db", "--name", OUTSIDE_ADDRESS)["ca"]

    with pytest.raises(ssl.SSLCertVerificationError, match="certificate verify failed"):
        Door(OUTSIDE_ADDRESS, server.free_port, ca=Path(other)).get("/api/0/info")


def test_a_client_that_wants_another_name_hangs_up(server: TlsServer) -> None:
    with pytest.raises(ssl.SSLCertVerificationError, match=r"evil\.lan"):
        server.door(name="evil.lan").get("/api/0/info")


def test_tls_1_1_is_rejected(server: TlsServer) -> None:
    client = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    client.check_hostname, client.verify_mode = False, ssl.CERT_NONE
    client.set_ciphers("ALL:@SECLEVEL=0")  # or else the client itself would not go so low
    with warnings.catch_warnings(action="ignore", category=DeprecationWarning):
        client.minimum_version = client.maximum_version = ssl.TLSVersion.TLSv1_1

    with (
        socket.create_connection((OUTSIDE_ADDRESS, server.free_port), timeout=PATIENCE_S) as sock,
        pytest.raises(ssl.SSLError, match=r"(?i)alert protocol version|EOF"),
    ):
        client.wrap_socket(sock)


def test_plain_http_gets_no_answer_and_affects_no_other_client(server: TlsServer) -> None:
    with socket.create_connection((OUTSIDE_ADDRESS, server.free_port), timeout=PATIENCE_S) as sock:
        sock.sendall(b"GET /api/0/info HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert b"HTTP/1.1" not in sock.recv(1000)

    assert server.door().get("/api/0/info").status == 200


def test_a_key_is_asked_for(server: TlsServer) -> None:
    door = Door(OUTSIDE_ADDRESS, server.free_port, ca=server.ca)

    assert door.get("/api/0/info").status == 200
    assert door.get("/api/0/buckets/").status == 401
    assert door.get("/api/0/buckets/", Authorization="Bearer wrong").status == 401


@each_path
def test_heartbeats_are_recorded(server: TlsServer, content_type: str) -> None:
    bucket, door = f"beats-{len(content_type)}", server.door()
    door.create(bucket)
    connection = door.connection()

    for second in range(50):
        answer = door.exchange(
            connection,
            "POST",
            f"/api/0/buckets/{bucket}/heartbeat?pulsetime=1",
            event(second, str(second % 2)),
            headers={"Content-Type": content_type},
        )
        assert (answer.status, answer.json["data"]) == (200, {"title": str(second % 2)})

    connection.close()
    assert door.get(f"/api/0/buckets/{bucket}/events/count").json == 50


def test_large_bodies_come_and_go(server: TlsServer) -> None:
    door = server.door()
    door.create("large")
    events = [event(second, "x" * 100_000) for second in range(60)]

    assert door.call("POST", "/api/0/buckets/large/events", events).status == 200
    assert len(door.get("/api/0/buckets/large/events").json) == 60


def test_requests_in_one_write_are_answered_in_order(server: TlsServer) -> None:
    door = server.door()
    connection = door.connection()
    head = f"Host: localhost\r\nAuthorization: Bearer {server.key}\r\n\r\n"

    connection.sock.sendall((f"GET /api/0/info HTTP/1.1\r\n{head}GET /nowhere HTTP/1.1\r\n{head}").encode())

    for status in (200, 404):
        response = http.client.HTTPResponse(connection.sock)
        response.begin()
        assert response.status == status
        response.read()
    connection.close()


@pytest.mark.parametrize("host", [NAME, f"{NAME}:1", OUTSIDE_ADDRESS, "localhost", "DIARY.lan"])
def test_names_of_the_certificate_and_the_address_are_ours(server: TlsServer, host: str) -> None:
    assert server.door().get("/api/0/info", Host=host).status == 200


@pytest.mark.parametrize("host", ["evil.example", f"{NAME}.evil.example", "203.0.113.77", "0.0.0.0", "[::]"])
def test_other_names_are_not(server: TlsServer, host: str) -> None:
    assert server.door().get("/api/0/info", Host=host).status == 400


def test_pages_of_the_server_may_call_it(server: TlsServer) -> None:
    door, own = server.door(name=NAME), f"https://{NAME}:{server.free_port}"

    assert door.call("POST", "/api/0/settings/a", 1, headers={"Origin": own}).status in (200, 201)


@pytest.mark.parametrize(
    "origin", ["http://{own}", "https://{name}", "https://{own}.evil.example", "null", "https://e.x"]
)
def test_pages_from_elsewhere_may_not(server: TlsServer, origin: str) -> None:
    origin = origin.format(own=f"{NAME}:{server.free_port}", name=NAME)

    assert server.door(name=NAME).get("/api/0/info", Origin=origin).status == 403


def test_own_commands_find_their_way(server: TlsServer) -> None:
    listed = run("keys", "list", "--database", str(server.database), home=server.database.parent)

    assert listed.returncode == 0
    assert server.key.split("_")[1] in listed.stdout


def test_no_promise_about_the_future_is_made_to_browsers(server: TlsServer) -> None:
    # It would hold for the whole host, whatever else runs there.
    assert "strict-transport-security" not in server.door().get("/").headers


def test_a_certificate_that_will_expire_soon_is_reported(tmp_path: Path) -> None:
    database, port = tmp_path / "days.db", free_port()
    create_key(database)
    make_certificate(database, "--days", "20")

    place = ("--host", OUTSIDE_HOST, "--port", str(port), "--database", str(database))
    with Service(*place, home=tmp_path) as service:
        service.read_until("The certificate expires in")

        assert f"expires in 19 days; to renew it: dayline tls init --database {database}" in service.messages[-1]


def test_a_renewed_certificate_is_trusted_by_who_trusts_the_authority(tmp_path: Path) -> None:
    with TlsServer(tmp_path) as first:
        assert first.door().get("/api/0/info").status == 200
        ca = first.ca.read_bytes()
    with TlsServer(tmp_path) as second:
        assert second.ca.read_bytes() == ca
        assert second.door().get("/api/0/info").status == 200


def test_a_certificate_that_is_given_is_used_on_loopback_too(tmp_path: Path) -> None:
    database = tmp_path / "days.db"
    made = make_certificate(tmp_path / "elsewhere" / "days.db", "--name", NAME)
    files = ("--tls-cert", made["certificate"], "--tls-key", made["key"])

    with Service(*files, "--port", "0", "--database", str(database), home=tmp_path) as service:
        assert "is ready at https://localhost:" in service.messages[0]
        door = Door("127.0.0.1", service.port, ca=Path(made["ca"]), name=NAME)
        assert door.get("/api/0/buckets/").status == 200  # loopback stays open


def test_it_stops_though_clients_stay(tmp_path: Path) -> None:
    # Requests under way would get all the time there is.
    server = TlsServer(tmp_path, constants={"dayline.api.http.server:DRAIN_S": 2 * PATIENCE_S})
    with server:
        connections = [server.door().connection() for _ in range(3)]
        server.door().exchange(connections[0], "GET", "/api/0/info")

        assert server.end() == 0
        for connection in connections:
            connection.close()
        assert not any("traceback" in record for record in server.records)


def test_a_handshake_that_never_comes_is_not_waited_for(tmp_path: Path) -> None:
    # The patience of the server is cut to a second.
    constants = {"dayline.api.http.server:HEAD_S": 1}
    made, port = make_certificate(tmp_path / "days.db"), free_port()
    arguments = ("--port", str(port), "--database", str(tmp_path / "days.db"))
    files = ("--tls-cert", made["certificate"], "--tls-key", made["key"])

    with (
        Service(*arguments, *files, home=tmp_path, constants=constants),
        socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S) as silent,
    ):
        assert silent.recv(1) == b""
