"""Finds the running server of a database and calls it, never another one on the same port.

A token file outlives a server that was killed. So a command first sends a nonce on each new connection, and goes on
only after an answer that proves both: the server wrote the token file, and it serves the database that the command was
given. The token and the call go over that same connection, which is never opened again.
"""

import hmac
import http.client
import os
from pathlib import Path
from typing import Any, BinaryIO, Final
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct

from dayline.access.local_users import proof_of
from dayline.cli.calls.call import (
    LocalEndpoint,
    checked,
    decoded,
    local_endpoints,
    path_with,
    store_identity,
    store_place,
)
from dayline.cli.options.options import shown_database
from dayline.cli.options.settings import Settings
from dayline.model.errors import Unavailable

FIND_S: Final = 2.0  # for the proof of a server that may be gone
PROOF_S: Final = 30.0  # for the proof of one that was there a moment ago, and may be busy
CALL_S: Final = 600.0  # applying privacy rules to years of history takes its time
_NONCE_BYTES: Final = 32
_MAX_PROOF_BYTES: Final = 4096  # a foreign server may send anything


class _Proof(Struct):
    proof: str


class RunningServer:
    """The LocalServer at an endpoint. Each call has a connection of its own, and a proof of its own."""

    is_server = True

    def __init__(self, endpoint: LocalEndpoint, *, timeout_s: float = CALL_S) -> None:
        self.endpoint = endpoint
        self._timeout_s = timeout_s

    @property
    def url(self) -> str:
        return self.endpoint.url

    def call(self, method: str, path: str, body: object = None, **query: object) -> Any:
        headers = {} if body is None else {"Content-Type": "application/json"}
        content = None if body is None else msgspec.json.encode(body)
        return decoded(*self._sent(method, path_with(path, query), content, headers))

    def read(self, path: str, **query: object) -> bytes:
        return checked(*self._sent("GET", path_with(path, query), None, {}))

    def send(self, path: str, file: BinaryIO, **query: object) -> Any:
        headers = {"Content-Type": "application/json", "Content-Length": str(os.fstat(file.fileno()).st_size)}
        return decoded(*self._sent("POST", path_with(path, query), file, headers))

    def _sent(
        self, method: str, target: str, body: bytes | BinaryIO | None, headers: dict[str, str]
    ) -> tuple[int, bytes]:
        url = self.endpoint.url
        try:
            connection = _proven_connection(self.endpoint, timeout_s=min(PROOF_S, self._timeout_s))
        except _NotProven as error:
            raise Unavailable(
                f"the server at {url} is not the server of {self.endpoint.place} any more",
                hint="run the command again",
            ) from error
        except (OSError, http.client.HTTPException) as error:
            raise Unavailable(f"the server at {url} does not answer: {error}") from error
        try:
            if connection.sock is not None:
                connection.sock.settimeout(self._timeout_s)
            authorization = {"Authorization": f"Bearer {self.endpoint.token}"}
            connection.request(method, target, body=body, headers=headers | authorization)
            response = connection.getresponse()
            return response.status, response.read()
        except (OSError, http.client.HTTPException) as error:
            raise Unavailable(f"the server at {url} does not answer: {error}") from error
        finally:
            connection.close()


def running_server(settings: Settings, *, timeout_s: float = FIND_S) -> RunningServer | None:
    """The server that serves exactly this database; None if none runs.

    Raises Unavailable if a server was started for this database, and now has another one open.
    """
    return _found(settings, timeout_s=timeout_s, accepts_unreachable=False)


def readable_server(settings: Settings, *, timeout_s: float = FIND_S) -> RunningServer | None:
    """The same for commands that change nothing.

    While PostgreSQL does not answer, the server that was started with the same address counts: it reports why.
    """
    return _found(settings, timeout_s=timeout_s, accepts_unreachable=True)


def answers_at(url: str, *, timeout_s: float) -> bool:
    """Whether any server of the kind listens there. It is told nothing."""
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=timeout_s)
    try:
        connection.request("GET", "/api/0/info")
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def _found(settings: Settings, *, timeout_s: float, accepts_unreachable: bool) -> RunningServer | None:
    place = store_place(settings)
    for endpoint in local_endpoints(settings, place):
        # On PostgreSQL the server is asked first: a connection to the database takes longer.
        is_same = settings.postgres is None and endpoint.store == store_identity(settings)
        if not is_same and endpoint.place != place:
            continue  # the token file was copied along with its folder
        if not _is_proven(endpoint, timeout_s=timeout_s):
            continue
        if not is_same and not _has_open(endpoint, settings, accepts_unreachable=accepts_unreachable):
            raise Unavailable(
                f"the server at {endpoint.url} was started for {shown_database(settings)}, and now uses another one",
                hint="it was moved or replaced: put it back, or stop the server and start it again",
            )
        return RunningServer(endpoint)
    return None


def _has_open(endpoint: LocalEndpoint, settings: Settings, *, accepts_unreachable: bool) -> bool:
    try:
        return endpoint.store == store_identity(settings)
    except Unavailable:
        if not accepts_unreachable:
            raise
        return True


class _NotProven(Exception):
    """A server answered, and it is not the one that wrote the token file."""


def _is_proven(endpoint: LocalEndpoint, *, timeout_s: float) -> bool:
    try:
        _proven_connection(endpoint, timeout_s=timeout_s).close()
    except (_NotProven, OSError, http.client.HTTPException):
        return False
    return True


def _proven_connection(endpoint: LocalEndpoint, *, timeout_s: float) -> http.client.HTTPConnection:
    """A connection to the server that wrote the token file. Raises _NotProven, OSError or HTTPException."""
    connection, nonce = _connection(endpoint, timeout_s=timeout_s), os.urandom(_NONCE_BYTES).hex()
    try:
        connection.request("GET", f"/api/1/server/proof?nonce={nonce}")
        response = connection.getresponse()
        content = response.read(_MAX_PROOF_BYTES)
        if response.status != 200 or not response.isclosed():
            raise _NotProven
        expected = proof_of(endpoint.token, store=endpoint.store, nonce=nonce)
        if not hmac.compare_digest(msgspec.json.decode(content, type=_Proof).proof.encode(), expected.encode()):
            raise _NotProven
    except msgspec.MsgspecError as error:
        connection.close()
        raise _NotProven from error
    except BaseException:
        connection.close()
        raise
    connection.auto_open = 0  # a connection that was closed in between would be opened to an unknown server
    return connection


def _connection(endpoint: LocalEndpoint, *, timeout_s: float) -> http.client.HTTPConnection:
    parts = urlsplit(endpoint.url)
    host = parts.hostname or ""
    if endpoint.tls_cert is None:
        return http.client.HTTPConnection(host, parts.port, timeout=timeout_s)
    # Here, because few servers use TLS on loopback.
    from dayline.access.tls import certificate_fingerprint
    from dayline.client.connection import PinnedConnection

    fingerprint = certificate_fingerprint(Path(endpoint.tls_cert).read_text("ascii"))
    return PinnedConnection(host, parts.port, fingerprint, timeout_s=timeout_s)
