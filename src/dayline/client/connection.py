"""A persistent HTTP connection, and certificates that are pinned."""

import http.client
import selectors
import socket
import ssl
from collections.abc import Mapping
from contextlib import suppress
from threading import Timer
from typing import BinaryIO, Final

from msgspec import Struct

from dayline.client.address import Address
from dayline.client.errors import ServerUnreachable
from dayline.model.access import fingerprint_of, parse_fingerprint
from dayline.model.errors import Invalid

# The persistent connection.
BLOCK_BYTES: Final = 1 << 16  # of a file that is sent
# Errors on a persistent connection that the server has closed.
_CLOSED: Final = (ConnectionError, ssl.SSLEOFError, ssl.SSLZeroReturnError)


class WrongCertificate(OSError):
    """The server presented another certificate. Nothing was sent to it."""

    def __init__(self, presented: str) -> None:
        super().__init__(f"it presents the certificate {presented}, which is not the expected one")
        self.presented = presented


class PinnedConnection(http.client.HTTPSConnection):
    """Raises WrongCertificate on connect unless the server's certificate has this fingerprint."""

    def __init__(
        self, host: str, port: int | None, fingerprint: str, *, timeout_s: float, block_bytes: int = 8192
    ) -> None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE  # comparing the certificate is stricter than trusting its issuer
        super().__init__(host, port, timeout=timeout_s, context=context, blocksize=block_bytes)
        self._fingerprint = fingerprint

    def connect(self) -> None:
        super().connect()
        presented = fingerprint_of(self.sock.getpeercert(binary_form=True) or b"")
        if presented != self._fingerprint:
            self.close()
            raise WrongCertificate(presented)


class Request(Struct, frozen=True, kw_only=True):
    """A request. A repeatable request may arrive twice without harm."""

    method: str
    target: str
    headers: Mapping[str, str] = {}
    body: bytes | BinaryIO | None = None
    is_repeatable: bool = False
    max_answer_bytes: int | None = None

    def __repr__(self) -> str:
        return f"Request({self.method!r}, {self.target!r})"  # the headers hold the key


class Response(Struct, frozen=True, kw_only=True):
    """A complete response. Header names are in lower case."""

    status: int
    headers: dict[str, str]
    body: bytes


class KeptConnection:
    """Sends requests one after the other: `timeout_s` limits each read or write, `max_s` a request. Not thread-safe."""

    def __init__(
        self,
        address: Address,
        *,
        ca_file: str | None = None,
        fingerprint: str | None = None,
        timeout_s: float,
        max_s: float | None = None,
    ) -> None:
        self._address = address
        self._max_s = max_s
        self._is_late = False
        self._socket: socket.socket | None = None  # of the request; http.client may forget it before the end
        self._http = _new_connection(address, ca_file=ca_file, fingerprint=fingerprint, timeout_s=timeout_s)
        self._reconnects = True

    def stay_connected(self, *, timeout_s: float) -> None:
        """Never reconnect: later requests go to the currently connected server or fail."""
        self._reconnects = False
        self._http.auto_open = 0
        if self._http.sock is not None:
            self._http.sock.settimeout(timeout_s)

    def exchange(self, request: Request) -> Response:
        """Send a request and read the response. Raises ServerUnreachable, also if the response is too long."""
        self._socket, self._is_late, timer = None, False, Timer(self._max_s or 0, self._interrupt)
        if self._max_s is not None:
            timer.daemon = True
            timer.start()
        try:
            return self._exchange(request)
        except (OSError, http.client.HTTPException) as error:
            unreachable = _unreachable(self._address, error)
            if self._is_late:
                unreachable = ServerUnreachable(f"{self._address} is too slow: a request took over {self._max_s:g} s")
            unreachable.is_sent = self._socket is not None
            self.close()
            raise unreachable from error
        except BaseException:
            self.close()  # after a partial request or response the connection cannot be reused
            raise
        finally:
            timer.cancel()
            if timer.is_alive():
                timer.join()  # it must not interrupt the next request

    def server_end(self) -> tuple[str, int]:
        """Address and port of the server's end of the connection, after an exchange. Raises ServerUnreachable."""
        try:
            host, port = self._http.sock.getpeername()[:2]
        except (AttributeError, OSError) as error:
            raise ServerUnreachable(f"{self._address} closed the connection") from error
        return host, port

    def close(self) -> None:
        """Close the connection. The next request opens a new one."""
        self._http.close()

    def _interrupt(self) -> None:
        """End the request from another thread: closing the socket would not wake up the one that reads."""
        self._is_late = True
        if self._socket is not None:
            with suppress(OSError):
                # Not the method of an SSL socket, which would continue without encryption.
                socket.socket.shutdown(self._socket, socket.SHUT_RDWR)

    def _exchange(self, request: Request) -> Response:
        if self._is_closed_by_server():
            self.close()
        was_kept = self._http.sock is not None
        try:
            response = self._answer(request)
        except _CLOSED:
            # No response was read. On a new connection that is a failure of the server; on a persistent one the server
            # has most likely closed it before, and never saw the request.
            if not (was_kept and request.is_repeatable):
                raise
            self.close()
            response = self._answer(request)
        with response:  # an incomplete one would keep the socket
            headers = {name.lower(): value for name, value in response.getheaders()}
            body = response.read(request.max_answer_bytes)
            if len(body) == request.max_answer_bytes:
                raise http.client.HTTPException(f"the response is larger than {len(body):,} bytes")
            if self._is_late:
                raise TimeoutError  # without a stated length, the part that arrived looks complete
            if response.length:  # with a limit, http.client does not report a truncated body
                raise http.client.IncompleteRead(body, response.length)
        return Response(status=response.status, headers=headers, body=body)

    def _answer(self, request: Request) -> http.client.HTTPResponse:
        if self._http.sock is None:
            if not self._reconnects:
                raise ConnectionResetError("the server closed the connection")
            self._http.connect()
        self._socket = self._http.sock
        if self._is_late:
            raise TimeoutError  # before there was a socket to interrupt
        # A server that rejects a large body answers and closes before it has read all of it. Try to read that response;
        # if there is none, reading fails in the same way.
        with suppress(BrokenPipeError, ConnectionResetError):
            self._http.request(request.method, request.target, body=request.body, headers=dict(request.headers))
        return self._http.getresponse()

    def _is_closed_by_server(self) -> bool:
        """Whether an idle connection is readable: it was closed, or has unexpected data."""
        if self._http.sock is None:
            return False
        with selectors.DefaultSelector() as selector:
            selector.register(self._http.sock, selectors.EVENT_READ)
            return bool(selector.select(timeout=0))


def _new_connection(
    address: Address, *, ca_file: str | None, fingerprint: str | None, timeout_s: float
) -> http.client.HTTPConnection:
    """A connection that is not opened yet. Raises Invalid."""
    host, port = address.host, address.port
    if fingerprint is not None:
        if address.scheme != "https":
            raise Invalid(
                f"{address} does not use TLS, so it has no fingerprint", hint="use https://", field="fingerprint"
            )
        if ca_file is not None:
            raise Invalid("use either fingerprint or ca_file, not both", field="fingerprint")
        return PinnedConnection(
            host, port, parse_fingerprint(fingerprint), timeout_s=timeout_s, block_bytes=BLOCK_BYTES
        )
    if address.scheme == "https":
        context = _tls_context(ca_file)
        return http.client.HTTPSConnection(host, port, timeout=timeout_s, context=context, blocksize=BLOCK_BYTES)
    return http.client.HTTPConnection(host, port, timeout=timeout_s, blocksize=BLOCK_BYTES)


def _tls_context(ca_file: str | None) -> ssl.SSLContext:
    try:
        context = ssl.create_default_context(cafile=ca_file)
    except OSError as error:  # includes SSLError, if it is not a certificate
        raise Invalid(
            f"cannot read the certificates in {ca_file}: {error.strerror or error}",
            hint="use a PEM file with the certificate of the authority",
        ) from error
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    return context


def _unreachable(address: Address, error: Exception) -> ServerUnreachable:
    if isinstance(error, ssl.SSLCertVerificationError):
        return ServerUnreachable(
            f"the certificate of {address} is not trusted: {error.verify_message}",
            hint="if this system does not know the authority, pass its certificate as ca_file, "
            "or pin the server's certificate with fingerprint",
        )
    if isinstance(error, WrongCertificate):
        return ServerUnreachable(
            f"{address} presents another certificate, with the fingerprint {error.presented}",
            hint="if the certificate was renewed, compare this with `dayline tls show` on the server and "
            "pin the new fingerprint; otherwise another computer is answering at this address",
        )
    if isinstance(error, TimeoutError):
        return ServerUnreachable(f"{address} did not answer in time", hint="check that the server is running")
    if address.scheme == "http" and isinstance(error, ConnectionResetError | http.client.BadStatusLine):
        return ServerUnreachable(
            f"{address} closed the connection without a response", hint="if the server uses TLS, write https://"
        )
    reason = error.strerror if isinstance(error, OSError) else None
    return ServerUnreachable(
        f"cannot reach {address}: {reason or str(error) or type(error).__name__}",
        hint="check that the server is running and listens on this address",
    )
