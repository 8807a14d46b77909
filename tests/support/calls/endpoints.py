"""Other ways to a server than plain HTTP from 127.0.0.1: from outside, with TLS, by a Unix socket."""

import http.client
import socket
import ssl
from pathlib import Path
from typing import Any, Final

import msgspec

from tests.support.processes.command import run
from tests.support.server import Answer
from tests.support.waiting import PATIENCE_S


def _outside_address() -> str | None:
    """An address of this machine other than loopback."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        try:
            sock.connect(("192.0.2.1", 9))  # sends nothing, but chooses the address that would be sent from
        except OSError:
            return None
        address: str = sock.getsockname()[0]
        return address


# Where a server off loopback listens, and under which address it is then reached. A machine without a network has no
# address but loopback; all addresses at once are off loopback, too.
OUTSIDE_HOST: Final = _outside_address() or "0.0.0.0"
OUTSIDE_ADDRESS: Final = _outside_address() or "127.0.0.1"


def create_key(database: Path, *options: str, scope: str = "full") -> str:
    """The text of a new key, made by the command as a user would."""
    arguments = ("--name", "test", "--scope", scope, "--database", str(database), "--json", *options)
    made = run("keys", "create", *arguments, home=database.parent)
    assert made.returncode == 0, made.stderr
    return str(msgspec.json.decode(made.stdout)["key"])


def make_certificate(database: Path, *options: str) -> dict[str, Any]:
    """What `dayline tls init` says that it has made."""
    made = run("tls", "init", "--json", "--database", str(database), *options, home=database.parent)
    assert made.returncode == 0, made.stderr
    return msgspec.json.decode(made.stdout, type=dict[str, Any])


class Door:
    """A way to a server; each call has a connection of its own. `ca` speaks TLS and trusts that authority alone."""

    def __init__(
        self,
        host: str,
        port: int,
        *,
        ca: Path | None = None,
        key: str | None = None,
        source: str | None = None,
        name: str | None = None,
    ) -> None:
        self.host = host
        self.port = port
        self.context = None if ca is None else ssl.create_default_context(cafile=str(ca))
        self._key = key
        self._source = source
        self._name = name

    def connection(self) -> http.client.HTTPConnection:
        connection = http.client.HTTPConnection(self.host, self.port, timeout=PATIENCE_S)
        connection.sock = self._socket()
        return connection

    def call(self, method: str, path: str, body: object = None, headers: dict[str, str] | None = None) -> Answer:
        """Send a request; `body` as JSON. An Authorization header that is given takes the place of the key."""
        connection = self.connection()
        try:
            return self.exchange(connection, method, path, body, headers)
        finally:
            connection.close()

    def exchange(
        self,
        connection: http.client.HTTPConnection,
        method: str,
        path: str,
        body: object = None,
        headers: dict[str, str] | None = None,
    ) -> Answer:
        """The same on a connection that stays."""
        sent = {} if self._key is None else {"Authorization": f"Bearer {self._key}"}
        if self._name is not None:
            sent["Host"] = f"{self._name}:{self.port}"
        if body is not None:
            sent["Content-Type"] = "application/json"
        connection.request(
            method, path, body=None if body is None else msgspec.json.encode(body), headers=sent | (headers or {})
        )
        response = connection.getresponse()
        return Answer(response.status, {name.lower(): value for name, value in response.getheaders()}, response.read())

    def get(self, path: str, **headers: str) -> Answer:
        return self.call("GET", path, headers={name.replace("_", "-"): value for name, value in headers.items()})

    def create(self, bucket_id: str, *, base: str = "") -> None:
        body = {"client": "test-client", "type": "test.type", "hostname": "test-host"}
        assert self.call("POST", f"{base}/api/0/buckets/{bucket_id}", body).status == 200

    def _socket(self) -> socket.socket:
        source = None if self._source is None else (self._source, 0)
        sock = socket.create_connection((self.host, self.port), timeout=PATIENCE_S, source_address=source)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # as the connection would have done itself
        if self.context is None:
            return sock
        return self.context.wrap_socket(sock, server_hostname=self._name or self.host)


class UnixDoor(Door):
    """A way by a Unix socket."""

    def __init__(self, path: Path, *, key: str | None = None) -> None:
        super().__init__("localhost", 80, key=key)
        self._path = path

    def _socket(self) -> socket.socket:
        sock = socket.socket(socket.AF_UNIX)
        sock.settimeout(PATIENCE_S)
        try:
            sock.connect(str(self._path))
        except OSError:
            sock.close()
            raise
        return sock


def event(second: int, title: str = "a") -> dict[str, Any]:
    return {"timestamp": f"2026-01-01T10:00:{second:02}Z", "duration": 0, "data": {"title": title}}


def addresses_in_audit(door: Door, *, base: str = "") -> set[str]:
    """From where calls have come, as the server has understood it."""
    return {line["address"] for line in door.get(f"{base}/api/1/audit?limit=1000").json["lines"]}
