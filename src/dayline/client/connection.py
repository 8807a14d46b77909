"""One HTTP connection kept open between calls, its address, and pinned certificates.

Everything that calls a server uses it: the Python client, the relay and the commands.
"""

import http.client
import selectors
import ssl
from collections.abc import Mapping
from contextlib import suppress
from ipaddress import ip_address
from typing import BinaryIO, Final, Literal
from urllib.parse import urlsplit

from msgspec import Struct

from dayline.client.errors import ServerUnreachable
from dayline.model.data import fingerprint_of, parse_fingerprint
from dayline.model.errors import Invalid

Scheme = Literal["http", "https"]
DEFAULT_PORTS: Final[dict[Scheme, int]] = {"http": 80, "https": 443}


class Address(Struct, frozen=True, kw_only=True):
    """Where a server listens. `base_path` is empty, or begins with a slash and does not end with one."""

    scheme: Scheme
    host: str
    port: int
    base_path: str = ""

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        port = "" if self.port == DEFAULT_PORTS[self.scheme] else f":{self.port}"
        return f"{self.scheme}://{host}{port}{self.base_path}"

    @property
    def is_loopback(self) -> bool:
        """Whether what is sent there stays on this machine."""
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"


def parse_address(url: str) -> Address:
    """Read `http://localhost:5600` or `https://days.example/dayline/`. Raises Invalid, without quoting a password."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise _not_an_address() from error
    is_plain = url.isascii() and url.isprintable() and " " not in url
    if parts.scheme not in DEFAULT_PORTS or not host or not is_plain:
        raise _not_an_address()
    if parts.username is not None or parts.query or parts.fragment:
        raise Invalid("a server's address holds no user, password, query or fragment", hint="a key is given apart")
    return Address(
        scheme=parts.scheme,
        host=host,
        port=DEFAULT_PORTS[parts.scheme] if port is None else port,
        base_path=parts.path.rstrip("/"),
    )


def _not_an_address() -> Invalid:
    return Invalid("that is not a server's address", hint="write it like http://localhost:5600 or https://host/dayline")


# A TLS connection to a server that must present one certificate, whatever its name and issuer.


class WrongCertificate(OSError):
    """The server presented another certificate. Nothing was sent to it."""

    def __init__(self, presented: str) -> None:
        super().__init__(f"it presents the certificate {presented}, which is not the expected one")
        self.presented = presented


class PinnedConnection(http.client.HTTPSConnection):
    """Raises WrongCertificate when it connects, unless the server's own certificate has this fingerprint."""

    def __init__(
        self, host: str, port: int | None, fingerprint: str, *, timeout_s: float, block_bytes: int = 8192
    ) -> None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE  # comparing the certificate itself is stricter than trusting its issuer
        super().__init__(host, port, timeout=timeout_s, context=context, blocksize=block_bytes)
        self._fingerprint = fingerprint

    def connect(self) -> None:
        super().connect()
        presented = fingerprint_of(self.sock.getpeercert(binary_form=True) or b"")
        if presented != self._fingerprint:
            self.close()
            raise WrongCertificate(presented)


# One HTTP connection, kept open between calls.


BLOCK_BYTES: Final = 1 << 16  # of a file on its way out
# What a call on a kept connection meets when the server has closed it meanwhile.
_CLOSED: Final = (ConnectionError, ssl.SSLEOFError, ssl.SSLZeroReturnError)


class Request(Struct, frozen=True, kw_only=True):
    """What goes over the wire. A repeatable request does no harm when it arrives twice."""

    method: str
    target: str
    headers: Mapping[str, str] = {}
    body: bytes | BinaryIO | None = None
    is_repeatable: bool = False
    max_answer_bytes: int | None = None

    def __repr__(self) -> str:
        return f"Request({self.method!r}, {self.target!r})"  # the headers hold the key


class Response(Struct, frozen=True, kw_only=True):
    """What came back, whole. Names of headers are in lower case."""

    status: int
    headers: dict[str, str]
    body: bytes


class KeptConnection:
    """Sends requests one after the other; to be used by one thread at a time."""

    def __init__(
        self, address: Address, *, ca_file: str | None = None, fingerprint: str | None = None, timeout_s: float
    ) -> None:
        self._address = address
        self._http = _new_connection(address, ca_file=ca_file, fingerprint=fingerprint, timeout_s=timeout_s)
        self._reconnects = True

    def stay_connected(self, *, timeout_s: float) -> None:
        """Send further requests to the server that is connected now or fail: never connect again."""
        self._reconnects = False
        self._http.auto_open = 0
        if self._http.sock is not None:
            self._http.sock.settimeout(timeout_s)

    def exchange(self, request: Request) -> Response:
        """Send a request and read the answer. Raises ServerUnreachable, also for an answer that is too long."""
        try:
            return self._exchange(request)
        except (OSError, http.client.HTTPException) as error:
            self.close()
            raise _unreachable(self._address, error) from error
        except BaseException:
            self.close()  # half a request or half an answer is no place to go on from
            raise

    def close(self) -> None:
        """Close it. The next request opens it again."""
        self._http.close()

    def _exchange(self, request: Request) -> Response:
        if self._is_closed_by_server():
            self.close()
        was_kept = self._http.sock is not None
        try:
            response = self._answer(request)
        except _CLOSED:
            # Nothing of an answer was read. On a new connection that would be the server's own failure; on a kept
            # one the server has most likely closed it just before, and never saw the request.
            if not (was_kept and request.is_repeatable):
                raise
            self.close()
            response = self._answer(request)
        headers = {name.lower(): value for name, value in response.getheaders()}
        body = response.read(request.max_answer_bytes)
        if len(body) == request.max_answer_bytes:
            raise http.client.HTTPException(f"the answer has {len(body):,} bytes or more")
        return Response(status=response.status, headers=headers, body=body)

    def _answer(self, request: Request) -> http.client.HTTPResponse:
        if self._http.sock is None:
            if not self._reconnects:
                raise ConnectionResetError("the server closed the connection")
            self._http.connect()
        # A server that refuses a large body says so and hangs up before it has read all of it: what it said may be
        # there to read. If not, reading fails the same way.
        with suppress(BrokenPipeError, ConnectionResetError):
            self._http.request(request.method, request.target, body=request.body, headers=dict(request.headers))
        return self._http.getresponse()

    def _is_closed_by_server(self) -> bool:
        """Whether there is something to read at rest: the end of the connection, or what cannot be an answer."""
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
                f"{address} has no certificate that a fingerprint could match", hint="use https://", field="fingerprint"
            )
        if ca_file is not None:
            raise Invalid("give a fingerprint or a CA file, not both", field="fingerprint")
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
    except OSError as error:  # also what is no certificate: SSLError is one
        raise Invalid(
            f"the certificates in {ca_file} cannot be read: {error.strerror or error}",
            hint="the file holds the certificate of the authority, as PEM",
        ) from error
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    return context


def _unreachable(address: Address, error: Exception) -> ServerUnreachable:
    if isinstance(error, ssl.SSLCertVerificationError):
        return ServerUnreachable(
            f"the certificate of {address} is not trusted: {error.verify_message}",
            hint="if this system does not know its authority, name the authority's certificate as ca_file, "
            "or pin the server's own certificate with fingerprint",
        )
    if isinstance(error, WrongCertificate):
        return ServerUnreachable(
            f"{address} presents another certificate, with the fingerprint {error.presented}",
            hint="if the certificate was renewed, compare this with `dayline tls show` on the server and "
            "pin the new fingerprint; otherwise another computer answers at this address",
        )
    if isinstance(error, TimeoutError):
        return ServerUnreachable(f"no answer from {address} in time")
    reason = error.strerror if isinstance(error, OSError) else None
    return ServerUnreachable(
        f"no answer from {address}: {reason or str(error) or type(error).__name__}",
        hint="is the server running, and does it listen there?",
    )
