"""A connection: limits on headers and time, and errors as JSON in the order of the requests.

uvicorn's protocol has no limit for headers or for the time that headers or a body may take to arrive. It answers
invalid requests in plain text and before the responses to earlier ones, and loses the body after an Upgrade header.
"""

import asyncio
import weakref
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any, Final, cast

import httptools
from uvicorn._types import ASGI3Application, HTTPScope
from uvicorn.config import Config
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle
from uvicorn.server import ServerState

from dayline.access.local_users import LocalUsers, Lookup, PeerUser
from dayline.api.http.call import CYCLE, PEER_USER, REFUSED_USER, SHOWN_KEY
from dayline.api.http.entry import ANSWER_HEADERS, new_request_id
from dayline.api.http.errors import body_of, headers_of, status_of
from dayline.model.errors import DaylineError, Malformed, TooLarge

MAX_HEAD_BYTES: Final = 64 << 10
HEAD_S: Final = 10
BODY_STALL_S: Final = 30
# Average over BODY_STALL_S. A modem of 1990 is faster; a byte now and then would keep a connection busy for days.
MIN_BODY_BYTES_PER_S: Final = 500
KEEP_ALIVE_S: Final = 75

_OFFER: Final = (b"upgrade", b"http2-settings")
_VERSIONS: Final = ("1.1", "1.0")

# The same as in every JSON answer of the framework.
_USUAL_HEADERS: Final = (
    (b"vary", b"Origin"),
    *((name.lower().encode(), value.encode()) for name, value in ANSWER_HEADERS.items()),
    (b"content-type", b"application/json"),
)

# A placeholder for responses before a pipelined request: the base class only checks whether it is complete.
_AHEAD = cast("RequestResponseCycle", SimpleNamespace(response_complete=False))


class Connection(HttpToolsProtocol):
    """One client connection. Call `tick` once a second."""

    parser: httptools.HttpRequestParser
    # Set on subclasses: see `user_rules`.
    user_lookup: Lookup | None = None  # how to find the user of a connection; None if the system does not report it
    local_users: LocalUsers | None = None  # who may call without a key; None for all users

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._has_key = False  # a request had a valid key
        self.user = PeerUser(None, None, None)  # at the other end
        self._is_draining = False
        self._is_upgrade = False
        self._is_handed_over = False  # the framework has the request that is being read
        self._refusal: DaylineError | None = None  # the error of an invalid request, to send after earlier responses
        self._before: RequestResponseCycle | None = None  # the cycle before that of the last request
        self._running: RequestResponseCycle | None = None  # the cycle that the framework is answering
        self._is_in_head = True
        self._is_in_body = False
        self._heads = 0  # requests started
        self._head_bytes = 0
        self._read_bytes = 0
        self._head_s = 0
        self._quiet_s = 0
        self._body_s = 0  # seconds of this body, or since its rate was last checked
        self._body_bytes = 0
        self._headers: list[tuple[bytes, bytes]] = []
        self._header_lines = b""  # the headers of every response

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        super().connection_made(transport)
        local = self.server
        # A Unix socket has no port; its file mode decides who may use it.
        if local is not None and local[1] is None:
            return
        self.user = PeerUser(self.user_lookup, self.client, None if local is None else (local[0], local[1] or 0))
        self.app_state[PEER_USER] = self.user.uid
        if self.local_users is None:
            return
        refusal = self.local_users.refusal(self.user.uid())
        if refusal is not None:
            self.app_state[REFUSED_USER] = refusal

    def data_received(self, data: bytes) -> None:
        self._quiet_s = 0
        self._body_bytes += len(data)
        if self._refusal is not None:
            return  # the parser cannot continue after an error
        if self.timeout_keep_alive_task is not None:
            self._unset_keepalive_if_required()
        self._read_bytes = len(data)
        heads = self._heads
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserError as error:
            # The parser wraps what a callback raises.
            cause = error.__context__
            self._drop_unfinished()
            self._refuse(cause if isinstance(cause, DaylineError) else Malformed("this is not a valid HTTP request"))
            return
        except httptools.HttpParserUpgrade as offer:
            self._continue_without_upgrade(data[offer.args[0] :])
            return
        if self._is_in_head:
            # A head that began in this read shares it with earlier data, which must not count.
            self._head_bytes = self._head_bytes + len(data) if heads == self._heads else 0
            if self._head_bytes > MAX_HEAD_BYTES:
                self._refuse(_head_too_large())

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        # The base class only knows the last request; with pipelining another one may be running.
        self.pipeline.clear()
        if self._running is not None and not self._running.response_complete:
            self._running.disconnected = True
            self._running.message_event.set()
        self._unset_keepalive_if_required()  # the base class keeps it after an error, and with it this object
        # Otherwise heads, which may be large, would stay in reference cycles until the garbage collector runs.
        self.cycle = self._before = self._running = None  # type: ignore[assignment]  # as before the first request
        self.url, self.headers = b"", []

    def on_message_begin(self) -> None:
        self._heads += 1
        self._is_handed_over = False
        self.url = b""
        self.headers = []
        self.expect_100_continue = False
        self._is_in_head = True

    def on_headers_complete(self) -> None:
        self._is_upgrade = self.parser.should_upgrade()
        if self._is_upgrade:
            return  # the parser stops here; `_continue_without_upgrade` handles the rest
        self._is_in_head = False
        self._is_in_body = True
        self._head_bytes = self._head_s = 0
        self._body_bytes = self._body_s = 0
        self.begin_request()

    def begin_request(self) -> None:
        """Called when the head of a request is complete. Raises a DaylineError to reject the request."""
        self.hand_over()

    def on_message_complete(self) -> None:
        if self._is_upgrade:
            return
        self._is_in_body = False
        self.end_request()

    def end_request(self) -> None:
        """Called when the whole request has arrived."""
        super().on_message_complete()

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: ASGI3Application) -> None:
        self._running = cycle
        super()._start_asgi_task(cycle, app)

    def on_response_complete(self) -> None:
        if self._running is not None:
            _release_request(self._running)
        if REFUSED_USER in self.app_state and not self._has_key and not self.transport.is_closing():
            self.transport.close()  # it would only use up connections
        super().on_response_complete()
        if self._refusal is not None:
            self._refuse(self._refusal)

    def send_400_response(self, msg: str) -> None:
        self._refuse(Malformed(msg))

    def tick(self) -> None:
        """Called every second: closes the connection after a timeout."""
        if self._is_in_head:
            self._head_s += 1
        self._quiet_s += 1
        if (
            self._head_s > HEAD_S
            or (self._is_in_body and not self.flow.read_paused and self._is_body_slow())
            or (self.is_answered() and self._quiet_s > KEEP_ALIVE_S)
        ):
            self.transport.close()

    def _is_body_slow(self) -> bool:
        """Whether the body has stalled or is too slow. A timer that restarts with every byte would never expire."""
        self._body_s += 1
        if self._body_s < BODY_STALL_S:
            return self._quiet_s > BODY_STALL_S
        is_slow = self._body_bytes < MIN_BODY_BYTES_PER_S * self._body_s
        self._body_s = self._body_bytes = 0
        return is_slow

    def is_receiving(self) -> bool:
        """Whether part of a request has arrived, or nothing at all since the client connected."""
        return self._is_in_head or self._is_in_body

    def is_answered(self) -> bool:
        """Whether all requests of the framework are answered. The base class has no cycle before the first one."""
        return bool(getattr(self.cycle, "response_complete", True))

    def hand_over(self, *, is_behind_others: bool = False) -> None:
        """Give the request to the framework, or queue it behind others that the framework does not have."""
        version = self.parser.get_http_version()
        if version not in _VERSIONS:
            raise Malformed(f"HTTP/{version} is not supported", hint="use HTTP/1.1")
        if sum([len(name) + len(value) + 4 for name, value in self.headers], len(self.url)) > MAX_HEAD_BYTES:
            raise _head_too_large()
        url, headers, expects = self.url, self.headers, self.expect_100_continue
        super().on_message_begin()
        self.url, self.expect_100_continue = url, expects
        self.headers.extend(headers)
        before = self.cycle
        if is_behind_others:
            self.cycle = _AHEAD
        try:
            super().on_headers_complete()
        except BaseException:
            self.cycle = before
            raise
        self._before = before
        self._is_handed_over = True
        state = self.scope.setdefault("state", {})
        state[CYCLE], state[SHOWN_KEY] = weakref.ref(self.cycle), self.note_key
        # Only the cycle keeps the head. Trailers, which no handler reads, go into the new list.
        self.url, self.headers, self.scope = b"", [], None  # type: ignore[assignment]  # as before the first request

    def note_key(self) -> None:
        """Called when a request on this connection had a valid key."""
        self._has_key = True

    def response(self, status: bytes, body: bytes, request_id: str, headers: bytes = b"") -> bytes:
        """A complete JSON answer."""
        if self._is_draining:
            headers += b"connection: close\r\n"
        if self._headers is not self.server_state.default_headers:  # uvicorn replaces it every second for the date
            self._headers = self.server_state.default_headers
            lines = [*self._headers, *_USUAL_HEADERS]
            self._header_lines = b"".join([b"%b: %b\r\n" % line for line in lines])
        return b"HTTP/1.1 %b\r\n%bx-request-id: %b\r\n%bcontent-length: %d\r\n\r\n%b" % (
            status, self._header_lines, request_id.encode(), headers, len(body), body,
        )  # fmt: skip

    def error_response(self, error: DaylineError) -> bytes:
        """The response to an error."""
        request_id, code = new_request_id(), status_of(error)
        status = f"{code.value} {code.phrase}".encode()
        return self.response(status, body_of(error, request_id), request_id, _header_lines(headers_of(error)))

    def _refuse(self, error: DaylineError) -> None:
        """Respond to an invalid request after all earlier ones, and close the connection."""
        if not self.is_answered():
            self._refusal = error
            self.flow.pause_reading()
        elif not self.transport.is_closing():
            self._is_draining = True
            self.transport.write(self.error_response(error))
            self.transport.close()

    def _drop_unfinished(self) -> None:
        """Abort the request whose body is invalid: its handler would wait for the rest."""
        if not (self._is_in_body and self._is_handed_over):
            return
        cycle = self.cycle
        if self.pipeline and self.pipeline[0][0] is cycle:
            self.pipeline.popleft()
        cycle.disconnected = cycle.response_complete = True
        cycle.message_event.set()
        if self._before is not None:
            self.cycle = self._before

    def _continue_without_upgrade(self, rest: bytes) -> None:
        """Parse a request with an Upgrade header (as Java's client sends) again, without that header.

        The parser treats everything after such a head as the other protocol, so the body would be lost.
        """
        method = self.parser.get_method()
        if method == b"CONNECT":
            self._refuse(Malformed("CONNECT is not supported: this server is not a proxy"))
            return
        lines = [b"%b %b HTTP/1.1" % (method, self.url)]
        for name, value in self.headers:
            if name == b"connection":
                tokens = [token for token in value.split(b",") if token.strip().lower() not in _OFFER]
                value = b",".join(tokens)
            if name not in _OFFER and value:
                lines.append(b"%b: %b" % (name, value))
        self.parser = httptools.HttpRequestParser(self)
        self.parser.set_dangerous_leniencies(lenient_data_after_close=True)  # as in the base class
        self.data_received(b"\r\n".join([*lines, b"", rest]))


def _release_request(cycle: RequestResponseCycle) -> None:
    """Drop head and body of an answered request: the connection may stay open for long without another one."""
    cycle.scope = cast("HTTPScope", {})
    cycle.body = bytearray()


def user_rules(user_lookup: Lookup | None, local_users: LocalUsers | None) -> dict[str, object]:
    """The attributes of a subclass that knows the users of its connections."""
    return {"user_lookup": user_lookup and staticmethod(user_lookup), "local_users": local_users}


def _head_too_large() -> TooLarge:
    return TooLarge(f"the headers are larger than the limit of {MAX_HEAD_BYTES >> 10} KiB")


def _header_lines(headers: Mapping[str, str]) -> bytes:
    return "".join(f"{name.lower()}: {value}\r\n" for name, value in headers.items()).encode()
