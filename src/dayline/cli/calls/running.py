"""Finds the running server of a database and calls it, never another one on the same port.

A token file remains after a server was killed. So a command first sends a nonce on each new connection, and continues
only after a response that proves both: the server wrote the token file, and it serves the database of the command. The
token and the call use that same connection, which is never reopened.
"""

import hmac
import os
from contextlib import closing
from pathlib import Path
from typing import BinaryIO, Final

import msgspec
from msgspec import Struct

from dayline.access.local_users import endpoint_text, proof_of
from dayline.cli.calls.call import LocalEndpoint, LocalServer, local_endpoints, store_identity, store_location
from dayline.cli.options.options import shown_database
from dayline.cli.options.settings import Settings
from dayline.client.address import Address, parse_address
from dayline.client.connection import KeptConnection, Request
from dayline.client.errors import ServerUnreachable
from dayline.model.errors import Unavailable

FIND_S: Final = 2.0  # for the proof of a server that may be gone
PROOF_S: Final = 30.0  # for the proof of one that answered before, and may be busy
CALL_S: Final = 600.0  # applying privacy rules to years of events is slow
_NONCE_BYTES: Final = 32
_MAX_PROOF_BYTES: Final = 4096  # another server may send anything
INFO_S: Final = 1.0  # for /api/0/info of a server on this computer
_MAX_INFO_BYTES: Final = 64 << 10


class _Proof(Struct):
    proof: str


class _Info(Struct):
    version: str


class RunningServer(LocalServer):
    """The server at an endpoint. Each call has its own connection and proof."""

    is_server = True

    def __init__(self, endpoint: LocalEndpoint, *, timeout_s: float = CALL_S) -> None:
        self.endpoint = endpoint
        self._timeout_s = timeout_s

    @property
    def url(self) -> str:
        return self.endpoint.url

    def _exchange(self, method: str, target: str, body: bytes | BinaryIO | None) -> tuple[int, bytes]:
        headers = {"Authorization": f"Bearer {self.endpoint.token}"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        if body is not None and not isinstance(body, bytes):
            headers["Content-Length"] = str(os.fstat(body.fileno()).st_size)
        request = Request(method=method, target=target, headers=headers, body=body)
        try:
            with closing(_proven_connection(self.endpoint, timeout_s=min(PROOF_S, self._timeout_s))) as connection:
                connection.stay_connected(timeout_s=self._timeout_s)
                response = connection.exchange(request)
        except _NotProven as error:
            raise Unavailable(
                f"the server at {self.url} is no longer the server of {self.endpoint.location}",
                hint="run the command again",
            ) from error
        except ServerUnreachable as error:
            raise Unavailable(error.message, hint=error.hint) from error
        return response.status, response.body


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


def version_at(port: int) -> str | None:
    """The version of a Dayline or ActivityWatch server at a port of this computer; None if none answers.

    Sends no key.
    """
    address = Address(scheme="http", host="127.0.0.1", port=port)
    request = Request(method="GET", target="/api/0/info", max_answer_bytes=_MAX_INFO_BYTES)
    try:
        with closing(KeptConnection(address, timeout_s=INFO_S)) as connection:
            content = connection.exchange(request).body
        return msgspec.json.decode(content, type=_Info).version
    except (ServerUnreachable, msgspec.MsgspecError, UnicodeDecodeError):
        return None


def _found(settings: Settings, *, timeout_s: float, accepts_unreachable: bool) -> RunningServer | None:
    location = store_location(settings)
    for endpoint in local_endpoints(settings, location):
        # On PostgreSQL the server is asked first: a connection to the database takes longer.
        is_same = settings.postgres is None and endpoint.store == store_identity(settings)
        if not is_same and endpoint.location != location:
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
    except (_NotProven, ServerUnreachable):
        return False
    return True


def _proven_connection(endpoint: LocalEndpoint, *, timeout_s: float) -> KeptConnection:
    """A connection to the server that wrote the token file. Raises _NotProven or ServerUnreachable."""
    connection, nonce = _connection(endpoint, timeout_s=timeout_s), os.urandom(_NONCE_BYTES).hex()
    request = Request(method="GET", target=f"/api/1/server/proof?nonce={nonce}", max_answer_bytes=_MAX_PROOF_BYTES)
    try:
        response = connection.exchange(request)
        address = endpoint_text(*connection.server_end())
        expected = proof_of(endpoint.token, store=endpoint.store, nonce=nonce, address=address)
        if response.status != 200:
            raise _NotProven
        if not hmac.compare_digest(msgspec.json.decode(response.body, type=_Proof).proof.encode(), expected.encode()):
            raise _NotProven
    except msgspec.MsgspecError as error:
        connection.close()
        raise _NotProven from error
    except BaseException:
        connection.close()
        raise
    return connection


def _connection(endpoint: LocalEndpoint, *, timeout_s: float) -> KeptConnection:
    address = parse_address(endpoint.url)
    if endpoint.tls_cert is None:
        return KeptConnection(address, timeout_s=timeout_s)
    # Here, because few servers use TLS on loopback.
    from dayline.access.tls import certificate_fingerprint

    try:
        fingerprint = certificate_fingerprint(Path(endpoint.tls_cert).read_text("ascii"))
    except OSError as error:
        raise ServerUnreachable(
            f"cannot read the server's certificate {endpoint.tls_cert}: {error.strerror}"
        ) from error
    return KeptConnection(address, fingerprint=fingerprint, timeout_s=timeout_s)
