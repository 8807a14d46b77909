"""A connection: requests are read within limits, refused in JSON and in their turn, and given only so much time.

uvicorn's protocol has no limit for headers, none for the time that headers or a body may take to arrive, answers what
it cannot read in plain text and ahead of what came before it, and loses the body behind an offer to switch protocols.
"""

import asyncio
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any, Final, cast

import httptools
from uvicorn._types import ASGI3Application
from uvicorn.config import Config
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle
from uvicorn.server import ServerState

from dayline.access.local_users import LocalUsers
from dayline.api.http.call import CYCLE, REFUSED_USER, SHOWN_KEY
from dayline.api.http.entry import ANSWER_HEADERS, new_request_id
from dayline.api.http.errors import body_of, headers_of, status_of
from dayline.model.errors import DaylineError, Malformed, TooLarge

MAX_HEAD_BYTES: Final = 64 << 10
HEAD_S: Final = 10
BODY_STALL_S: Final = 30
# On average over BODY_STALL_S. A modem of 1990 is faster; one byte now and then keeps a connection busy for days.
MIN_BODY_BYTES_PER_S: Final = 500
KEEP_ALIVE_S: Final = 75

_OFFER: Final = (b"upgrade", b"http2-settings")
_VERSIONS: Final = ("1.1", "1.0")

# As every JSON answer of the framework's lane has them.
_USUAL_HEADERS: Final = (
    (b"vary", b"Origin"),
    *((name.lower().encode(), value.encode()) for name, value in ANSWER_HEADERS.items()),
    (b"content-type", b"application/json"),
)

# Stands for answers ahead of a pipelined request: all that the base class asks of it is whether it is done.
_AHEAD = cast("RequestResponseCycle", SimpleNamespace(response_complete=False))


class Connection(HttpToolsProtocol):
    """One connection of a client. `tick` is to be called once a second."""

    parser: httptools.HttpRequestParser
    local_users: LocalUsers | None = None  # who may call without a key; None for everybody. Set on subclasses

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._is_draining = False
        self._is_upgrade = False
        self._is_handed_over = False  # the request being read is with the framework
        self._refusal: DaylineError | None = None  # of what cannot be read, waiting for its turn
        self._before: RequestResponseCycle | None = None  # what the framework had got before the last request
        self._running: RequestResponseCycle | None = None  # what the framework is answering
        self._is_in_head = True
        self._is_in_body = False
        self._heads = 0  # requests begun
        self._head_bytes = 0
        self._read_bytes = 0
        self._head_s = 0
        self._quiet_s = 0
        self._body_s = 0  # of this body, or since its rate was last checked
        self._body_bytes = 0
        self._headers: list[tuple[bytes, bytes]] = []
        self._header_lines = b""  # those of every answer

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        super().connection_made(transport)
        local = self.server
        # A Unix socket has no port, and its file mode says who may use it.
        if self.local_users is None or (local is not None and local[1] is None):
            return
        # Once a connection, not with every request: the user of a connection does not change.
        refusal = self.local_users.refusal(self.client, None if local is None else (local[0], local[1] or 0))
        if refusal is not None:
            self.app_state[REFUSED_USER] = refusal

    def data_received(self, data: bytes) -> None:
        self._quiet_s = 0
        self._body_bytes += len(data)
        if self._refusal is not None:
            return  # nothing that follows it can be read
        if self.timeout_keep_alive_task is not None:
            self._unset_keepalive_if_required()
        self._read_bytes = len(data)
        heads = self._heads
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserError as error:
            # What a callback raised is wrapped by the parser.
            cause = error.__context__
            self._give_up_unfinished()
            self._refuse(cause if isinstance(cause, DaylineError) else Malformed("this is not a valid HTTP request"))
            return
        except httptools.HttpParserUpgrade as offer:
            self._go_on_without_upgrade(data[offer.args[0] :])
            return
        if self._is_in_head:
            # Only what belongs to this head alone: one that began in this read shares it with what came before.
            self._head_bytes = self._head_bytes + len(data) if heads == self._heads else 0
            if self._head_bytes > MAX_HEAD_BYTES:
                self._refuse(_head_too_large())

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        # The base class knows the last request only, and with pipelined ones that is not the one being answered.
        self.pipeline.clear()
        if self._running is not None and not self._running.response_complete:
            self._running.disconnected = True
            self._running.message_event.set()

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
            return  # the parser stops here, and `_go_on_without_upgrade` sees to the rest
        self._is_in_head = False
        self._is_in_body = True
        self._head_bytes = self._head_s = 0
        self._body_bytes = self._body_s = 0
        self.begin_request()

    def begin_request(self) -> None:
        """The head of a request is complete. Raises what the request is to be refused with."""
        self.hand_over()

    def on_message_complete(self) -> None:
        if self._is_upgrade:
            return
        self._is_in_body = False
        self.end_request()

    def end_request(self) -> None:
        """The request has arrived as a whole."""
        super().on_message_complete()

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: ASGI3Application) -> None:
        self._running = cycle
        super()._start_asgi_task(cycle, app)

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self._refusal is not None:
            self._refuse(self._refusal)

    def send_400_response(self, msg: str) -> None:
        self._refuse(Malformed(msg))

    def tick(self) -> None:
        """A second has gone by; close the connection if it has waited long enough."""
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
        """Whether nothing came for a while, or too little: a timer that every byte restarts would never end."""
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
        """Whether all that was handed over is answered; before the first request the base class has no cycle at all."""
        return bool(getattr(self.cycle, "response_complete", True))

    def hand_over(self, *, is_behind_others: bool = False) -> None:
        """Give the request to the framework, or put it behind others that are not the framework's."""
        version = self.parser.get_http_version()
        if version not in _VERSIONS:
            raise Malformed(f"HTTP {version} is not spoken here", hint="use HTTP/1.1")
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
        state[CYCLE], state[SHOWN_KEY] = self.cycle, self.note_key

    def note_key(self) -> None:
        """A request on this connection has shown a valid key."""

    def response(self, status: bytes, body: bytes, request_id: str, headers: bytes = b"") -> bytes:
        """A whole answer in JSON."""
        if self._is_draining:
            headers += b"connection: close\r\n"
        if self._headers is not self.server_state.default_headers:  # a new list each second, with the new date
            self._headers = self.server_state.default_headers
            lines = [*self._headers, *_USUAL_HEADERS]
            self._header_lines = b"".join([b"%b: %b\r\n" % line for line in lines])
        return b"HTTP/1.1 %b\r\n%bx-request-id: %b\r\n%bcontent-length: %d\r\n\r\n%b" % (
            status, self._header_lines, request_id.encode(), headers, len(body), body,
        )  # fmt: skip

    def error_response(self, error: DaylineError) -> bytes:
        """The answer to an error, by the same table as everywhere."""
        request_id, code = new_request_id(), status_of(error)
        status = f"{code.value} {code.phrase}".encode()
        return self.response(status, body_of(error, request_id), request_id, _header_lines(headers_of(error)))

    def _refuse(self, error: DaylineError) -> None:
        """Answer what cannot even be read as a request, after all that came before it, and hang up."""
        if not self.is_answered():
            self._refusal = error
            self.flow.pause_reading()
        elif not self.transport.is_closing():
            self._is_draining = True
            self.transport.write(self.error_response(error))
            self.transport.close()

    def _give_up_unfinished(self) -> None:
        """Let go of the request whose body turned out to be unreadable: its handler would wait for the rest."""
        if not (self._is_in_body and self._is_handed_over):
            return
        cycle = self.cycle
        if self.pipeline and self.pipeline[0][0] is cycle:
            self.pipeline.popleft()
        cycle.disconnected = cycle.response_complete = True
        cycle.message_event.set()
        if self._before is not None:
            self.cycle = self._before

    def _go_on_without_upgrade(self, rest: bytes) -> None:
        """Read a request that offers another protocol (as Java's client does) again, without the offer.

        The parser takes what follows such a head for the other protocol, so that the body would be lost.
        """
        method = self.parser.get_method()
        if method == b"CONNECT":
            self._refuse(Malformed("this server is not a proxy"))
            return
        lines = [b"%b %b HTTP/1.1" % (method, self.url)]
        for name, value in self.headers:
            if name == b"connection":
                tokens = [token for token in value.split(b",") if token.strip().lower() not in _OFFER]
                value = b",".join(tokens)
            if name not in _OFFER and value:
                lines.append(b"%b: %b" % (name, value))
        self.parser = httptools.HttpRequestParser(self)
        self.parser.set_dangerous_leniencies(lenient_data_after_close=True)  # as the base class has it
        self.data_received(b"\r\n".join([*lines, b"", rest]))


def _head_too_large() -> TooLarge:
    return TooLarge(f"the headers are larger than {MAX_HEAD_BYTES >> 10} KiB, the limit of this server")


def _header_lines(headers: Mapping[str, str]) -> bytes:
    return "".join(f"{name.lower()}: {value}\r\n" for name, value in headers.items()).encode()
