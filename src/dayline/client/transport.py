"""Plain or encrypted calls to a server."""

import re
from collections.abc import Callable, Mapping
from typing import BinaryIO, Final, Self

from msgspec import UNSET, Raw, Struct

from dayline import __version__
from dayline.client.address import Address, parse_address
from dayline.client.connection import KeptConnection, Request, Response
from dayline.client.errors import UntrustedResponse
from dayline.envelope.jwe import EnvelopeError
from dayline.envelope.keys import EnvelopeKeys
from dayline.envelope.messages import EnvelopedCall, EnvelopedResponse, new_nonce, open_answer, seal_call
from dayline.model.access import key_id_of
from dayline.model.errors import Invalid, Malformed, WrongType
from dayline.model.time import Microseconds, format_timestamp, now_us

IDEMPOTENCY_KEY = "idempotency-key"  # the only header that is put into an envelope


class Inner(Struct, frozen=True, kw_only=True):
    """A call before encryption. `token` is its `Idempotency-Key`."""

    method: str
    path: str
    query: str
    body: bytes | None
    token: str | None
    time: Microseconds


class SealedCall(Struct, frozen=True, kw_only=True):
    """An encrypted call, and the nonce that its response must have."""

    message: bytes
    nonce: str


class Seal:
    """Encrypts and decrypts with one key. Does not keep its text."""

    def __init__(self, key: str | None) -> None:
        kid = None if key is None else key_id_of(key)
        if key is None or kid is None:
            raise Invalid(
                "an envelope needs a key of the form dayline_…", hint="create one with dayline keys create --envelope"
            )
        self._kid = kid
        self._keys = EnvelopeKeys.of_text(key)

    def seal(self, inner: Inner) -> SealedCall:
        """Encrypt a call with a new nonce. Raises Malformed if the body is not JSON."""
        call = EnvelopedCall(
            method=inner.method,
            path=inner.path,
            query=inner.query,
            body=UNSET if inner.body is None else Raw(inner.body),
            headers={} if inner.token is None else {IDEMPOTENCY_KEY: inner.token},
            time=format_timestamp(inner.time),
            nonce=new_nonce(),
        )
        try:
            message = seal_call(call, self._keys, kid=self._kid)
        except ValueError as error:
            raise Malformed(str(error), hint="the body of an enveloped call must be JSON") from error
        return SealedCall(message=message, nonce=call.nonce)

    def open(self, response: Response, sent: SealedCall) -> EnvelopedResponse | None:
        """Decrypt the response; None if the server rejected the message itself. Raises UntrustedResponse."""
        if response.status >= 400:
            return None
        try:
            answer = open_answer(response.body, self._keys)
        except EnvelopeError as error:
            raise UntrustedResponse(f"the response was not encrypted with our key: {error.message}") from error
        if answer.nonce != sent.nonce:
            raise UntrustedResponse("the response belongs to another call")
        return answer

    def __repr__(self) -> str:
        return f"Seal(kid={self._kid!r})"


# The transport.
TIMEOUT_S: Final = 30.0  # longer than a server delays a write before it answers 503
REQUEST_S: Final = 600.0  # for a whole request of sync: a file of the largest size at 56 kB/s
ENVELOPE_PATH: Final = "/api/1/envelope"
ENVELOPE_TYPE: Final = "application/jose"
JSON: Final = "application/json"

_SAFE_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
# Visible ASCII, without the characters that would end them in a URL.
_PATH = re.compile(r"/[!\"$->@-~]*")
_QUERY = re.compile(r"[!\"$-~]*")
_TOKEN = re.compile(r"[!-~]+")


class Reply(Struct, frozen=True, kw_only=True):
    """The response to a call. Header names are in lower case; `body` may be empty.

    `is_sealed` means that the response was encrypted, so only the server can have sent it. An unencrypted error to an
    enveloped call may come from anyone in between: do not discard data because of it.
    """

    status: int
    headers: dict[str, str]
    body: bytes
    is_sealed: bool = False


class Transport:
    """A persistent connection to one server. Not thread-safe.

    With a `key`, every call sends it, but only over TLS or on this machine. With `envelope`, calls are encrypted with
    it instead, and it is not sent.
    """

    def __init__(
        self,
        url: str,
        *,
        key: str | None = None,
        ca_file: str | None = None,
        fingerprint: str | None = None,
        envelope: bool = False,
        timeout_s: float = TIMEOUT_S,
        max_s: float | None = None,
        clock: Callable[[], Microseconds] = now_us,
    ) -> None:
        self._address = parse_address(url)
        self._clock = clock
        self._seal = Seal(key) if envelope else None
        self._authorization = None if envelope else _authorization(key, self._address)
        self._connection = KeptConnection(
            self._address, ca_file=ca_file, fingerprint=fingerprint, timeout_s=timeout_s, max_s=max_s
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def url(self) -> str:
        """The server's URL."""
        return str(self._address)

    def call(
        self,
        method: str,
        path: str,
        *,
        query: str = "",
        body: bytes | BinaryIO | None = None,
        content_type: str = JSON,
        headers: Mapping[str, str] = {},
        max_answer_bytes: int | None = None,
    ) -> Reply:
        """Send a call and return the response, whatever its status.

        `path` and `query` are percent-encoded. A file is streamed. In an envelope, only the header `Idempotency-Key` is
        sent.

        If a persistent connection turns out to be closed, the call is sent again if that is harmless: reads, writes
        with an `Idempotency-Key`, and enveloped calls, which a server executes only once.

        Raises ServerUnreachable if there is no response: the call may or may not have arrived. That is also raised for
        a response of `max_answer_bytes` or more.
        """
        if not _PATH.fullmatch(path) or not _QUERY.fullmatch(query):
            raise Invalid("the path must start with a slash, and path and query must be percent-encoded")
        token = next((value for name, value in headers.items() if name.lower() == IDEMPOTENCY_KEY), None)
        if self._seal is not None:
            content = _json(body, content_type)
            inner = Inner(method=method, path=path, query=query, body=content, token=token, time=self._clock())
            return self._call_enveloped(inner, self._seal)
        response = self._connection.exchange(
            Request(
                method=method,
                target=self._address.base_path + path + (f"?{query}" if query else ""),
                headers=self._headers(headers, None if body is None else content_type),
                body=body,
                # A file cannot be sent again after it was read.
                is_repeatable=(method in _SAFE_METHODS or token is not None) and not _is_file(body),
                max_answer_bytes=max_answer_bytes,
            )
        )
        return Reply(status=response.status, headers=response.headers, body=response.body)

    def close(self) -> None:
        """Close the connection. The next call opens a new one."""
        self._connection.close()

    def __repr__(self) -> str:
        return f"Transport({self.url!r})"

    def _call_enveloped(self, inner: Inner, seal: Seal) -> Reply:
        sent = seal.seal(inner)
        response = self._connection.exchange(
            Request(
                method="POST",
                target=self._address.base_path + ENVELOPE_PATH,
                headers=self._headers({}, ENVELOPE_TYPE),
                body=sent.message,
                is_repeatable=True,
            )
        )
        answer = seal.open(response, sent)
        if answer is None:
            return Reply(status=response.status, headers=response.headers, body=response.body)
        body = b"" if answer.body is UNSET else bytes(answer.body)
        return Reply(status=answer.status, headers=answer.headers, body=body, is_sealed=True)

    def _headers(self, given: Mapping[str, str], content_type: str | None) -> dict[str, str]:
        headers = {"User-Agent": f"dayline/{__version__}", **given}
        if self._authorization is not None:
            headers["Authorization"] = self._authorization
        if content_type is not None:
            headers["Content-Type"] = content_type
        return headers


def _authorization(key: str | None, address: Address) -> str | None:
    """The header with the key. Messages never quote it. Raises Invalid if the connection is not encrypted."""
    if key is None:
        return None
    if not _TOKEN.fullmatch(key):
        raise Invalid("a key has only visible ASCII characters")
    if address.scheme == "http" and not address.is_loopback:
        raise Invalid(
            f"refusing to send the key to {address} without TLS",
            hint="use https://, or an envelope with a key created with --envelope",
        )
    return f"Bearer {key}"


def _json(body: bytes | BinaryIO | None, content_type: str) -> bytes | None:
    """The body for an envelope."""
    if body is None:
        return None
    if content_type.partition(";")[0].strip().lower() != JSON:
        raise WrongType("the body of an enveloped call must be JSON", hint=f"send it as {JSON}")
    return body if isinstance(body, bytes) else body.read()


def _is_file(body: bytes | BinaryIO | None) -> bool:
    return body is not None and not isinstance(body, bytes)
