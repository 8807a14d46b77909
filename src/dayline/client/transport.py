"""Calls to a server, plain or encrypted, below what the calls are about."""

import re
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import BinaryIO, Final, Self

from msgspec import UNSET, Raw, Struct

from dayline import __version__
from dayline.client.connection import Address, KeptConnection, Request, Response, parse_address
from dayline.client.errors import UntrustedAnswer
from dayline.envelope.jwe import EnvelopeError, EnvelopeKeys
from dayline.envelope.messages import EnvelopedAnswer, EnvelopedCall, new_nonce, open_answer, seal_call
from dayline.model.access import key_id_of
from dayline.model.errors import Invalid, Malformed, WrongType
from dayline.model.time import Microseconds, format_timestamp, now_us

IDEMPOTENCY_KEY = "idempotency-key"  # the one header that goes into an envelope


class Inner(Struct, frozen=True, kw_only=True):
    """A call before it is sealed. `token` is that of an `Idempotency-Key`."""

    method: str
    path: str
    query: str
    body: bytes | None
    token: str | None
    time: Microseconds


class SealedCall(Struct, frozen=True, kw_only=True):
    """A message on its way, and the nonce that its answer must have."""

    message: bytes
    nonce: str


class Seal:
    """Seals and opens with one key, whose text it does not keep."""

    def __init__(self, key: str | None) -> None:
        kid = None if key is None else key_id_of(key)
        if key is None or kid is None:
            raise Invalid(
                "an envelope needs a key of the form dayline_…", hint="dayline keys create --envelope makes one"
            )
        self._kid = kid
        self._keys = EnvelopeKeys.of_text(key)

    def sealed(self, inner: Inner) -> SealedCall:
        """The message for a call, with a nonce of its own. Raises Malformed where the body is not JSON."""
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
            raise Malformed(str(error), hint="an enveloped call takes JSON alone") from error
        return SealedCall(message=message, nonce=call.nonce)

    def opened(self, response: Response, sent: SealedCall) -> EnvelopedAnswer | None:
        """The answer to a call; None where the server refused the message itself. Raises UntrustedAnswer."""
        if response.status >= 400:
            return None
        try:
            answer = open_answer(response.body, self._keys)
        except EnvelopeError as error:
            raise UntrustedAnswer(f"the answer is not sealed with our key: {error.message}") from error
        if answer.nonce != sent.nonce:
            raise UntrustedAnswer("the answer belongs to another call")
        return answer

    def __repr__(self) -> str:
        return f"Seal(kid={self._kid!r})"


# Calls to a server, plain or enveloped, below what the calls are about.


TIMEOUT_S: Final = 30.0  # longer than a server may hold a write back before it says 503
ENVELOPE_PATH: Final = "/api/1/envelope"
ENVELOPE_TYPE: Final = "application/jose"
JSON: Final = "application/json"

_SAFE_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
# Visible ASCII, without what would end them within a URL.
_PATH = re.compile(r"/[!\"$->@-~]*")
_QUERY = re.compile(r"[!\"$-~]*")
_TOKEN = re.compile(r"[!-~]+")


class Reply(Struct, frozen=True, kw_only=True):
    """What a call was answered. Names of headers are in lower case; `body` is empty where there is none.

    `is_sealed` says that the answer came in an envelope, so that nobody but the server can have made it. A refusal that
    is not sealed, to an enveloped call, may come from anybody on the way: nothing should be thrown away because of it.
    """

    status: int
    headers: dict[str, str]
    body: bytes
    is_sealed: bool = False


class Transport:
    """A way to one server, on one connection that is kept open; to be used by one thread at a time.

    With a `key`, every call carries it, over TLS or within this machine only. With `envelope`, calls are sealed with it
    instead, and it is not sent at all.
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
        clock: Callable[[], Microseconds] = now_us,
    ) -> None:
        self._address = parse_address(url)
        self._clock = clock
        self._seal = Seal(key) if envelope else None
        self._authorization = None if envelope else _authorization(key, self._address)
        self._connection = KeptConnection(self._address, ca_file=ca_file, fingerprint=fingerprint, timeout_s=timeout_s)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def url(self) -> str:
        """The server's address."""
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
    ) -> Reply:
        """Send a call and wait for the answer, whatever its status.

        `path` and `query` are percent-encoded. A file as a body is sent while it is read. Of the headers, only an
        `Idempotency-Key` goes into an envelope.

        Where the connection was kept and turns out to be closed, a call is sent again if a second arrival does no harm:
        reads, writes with an `Idempotency-Key`, and enveloped calls, which a server carries out only once.

        Raises ServerUnreachable where no answer came: the call may have arrived or not.
        """
        if not _PATH.fullmatch(path) or not _QUERY.fullmatch(query):
            raise Invalid("a path begins with a slash and is percent-encoded, and so is a query")
        token = next((value for name, value in headers.items() if name.lower() == IDEMPOTENCY_KEY), None)
        if self._seal is not None:
            content = _json(body, content_type)
            inner = Inner(method=method, path=path, query=query, body=content, token=token, time=self._clock())
            return self._enveloped(inner, self._seal)
        response = self._connection.exchange(
            Request(
                method=method,
                target=self._address.base_path + path + (f"?{query}" if query else ""),
                headers=self._headers(headers, None if body is None else content_type),
                body=body,
                # A file has been read by the time it would be sent again.
                is_repeatable=(method in _SAFE_METHODS or token is not None) and not _is_file(body),
            )
        )
        return Reply(status=response.status, headers=response.headers, body=response.body)

    def close(self) -> None:
        """Close the connection. The next call opens one again."""
        self._connection.close()

    def __repr__(self) -> str:
        return f"Transport({self.url!r})"

    def _enveloped(self, inner: Inner, seal: Seal) -> Reply:
        sent = seal.sealed(inner)
        response = self._connection.exchange(
            Request(
                method="POST",
                target=self._address.base_path + ENVELOPE_PATH,
                headers=self._headers({}, ENVELOPE_TYPE),
                body=sent.message,
                is_repeatable=True,
            )
        )
        answer = seal.opened(response, sent)
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
    """The header that carries a key; messages never quote it. Raises Invalid where others could read it on its way."""
    if key is None:
        return None
    if not _TOKEN.fullmatch(key):
        raise Invalid("a key consists of visible ASCII characters")
    if address.scheme == "http" and not address.is_loopback:
        raise Invalid(
            f"a key is not sent to {address} in the clear",
            hint="use https://, or envelope with a key that was made with --envelope",
        )
    return f"Bearer {key}"


def _json(body: bytes | BinaryIO | None, content_type: str) -> bytes | None:
    """A body as it goes into an envelope."""
    if body is None:
        return None
    if content_type.partition(";")[0].strip().lower() != JSON:
        raise WrongType("an enveloped call takes JSON alone", hint=f"send the body as {JSON}")
    return body if isinstance(body, bytes) else body.read()


def _is_file(body: bytes | BinaryIO | None) -> bool:
    return body is not None and not isinstance(body, bytes)
