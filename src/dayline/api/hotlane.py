"""The hot lane: heartbeats are answered one level below the framework.

Heartbeats are most of all requests, and a framework's routing, request object and task cost more than the work itself.
This protocol takes the ordinary ones: same parser, same rules, same decoding, the answer written by the commit's
callback. Whatever is unusual about a request (an Origin, a large or chunked body, anything that would be refused) sends
it down the ordinary lane, so that there is one place where requests are refused.

It also keeps time: the base class has no limit for headers or for a body that stops coming.
"""

import asyncio
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any, Final, cast
from urllib.parse import parse_qsl

import httptools
from uvicorn.config import Config
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle
from uvicorn.server import ServerState

from dayline.access.hosts import HostRules
from dayline.api.errors import body_of, headers_of, status_of
from dayline.api.heartbeats import parse_pulsetime
from dayline.api.request_ids import new_request_id
from dayline.api.router import decode_segment
from dayline.model.errors import DaylineError, Malformed, TooLarge
from dayline.model.event import Event, decode_heartbeat, encode_event
from dayline.model.timestamps import Microseconds
from dayline.storage.base import Store

MAX_HEAD_BYTES: Final = 64 << 10
MAX_HOT_BODY_BYTES: Final = 64 << 10  # larger ones need flow control, which the ordinary lane has
MAX_UNANSWERED: Final = 256  # pipelined heartbeats on one connection before it has to wait
HEAD_S: Final = 10
BODY_STALL_S: Final = 30
KEEP_ALIVE_S: Final = 75
TARGETS_REMEMBERED: Final = 1024

_PREFIX: Final = b"/api/0/buckets/"
_SUFFIX: Final = b"/heartbeat"

Target = tuple[str, Microseconds]  # bucket id and pulsetime


class HotLane:
    """What all connections share. One URL is one watcher: what was made of it is remembered."""

    def __init__(self, store: Store, hosts: HostRules) -> None:
        self.store = store
        self.hosts = hosts
        self._targets: dict[bytes, Target] = {}
        self._headers: list[tuple[bytes, bytes]] = []
        self._header_lines = b""

    def common_headers(self, headers: list[tuple[bytes, bytes]]) -> bytes:
        """The headers that every answer has, as lines; uvicorn makes a new list of them each second."""
        if headers is not self._headers:
            self._headers = headers
            lines = [*headers, (b"vary", b"Origin"), (b"content-type", b"application/json")]
            self._header_lines = b"".join(b"%b: %b\r\n" % line for line in lines)
        return self._header_lines

    def target(self, url: bytes) -> Target | None:
        """Where a heartbeat to this URL goes; None where it is not an ordinary heartbeat."""
        target = self._targets.get(url)
        if target is None:
            target = _parse_target(url)
            if target is not None:
                if len(self._targets) >= TARGETS_REMEMBERED:
                    del self._targets[next(iter(self._targets))]
                self._targets[url] = target
        return target


def _parse_target(url: bytes) -> Target | None:
    path, _, query = url.partition(b"?")
    if not (path.startswith(_PREFIX) and path.endswith(_SUFFIX)):
        return None
    segment = path[len(_PREFIX) : -len(_SUFFIX)]
    if not segment or b"/" in segment:
        return None
    try:
        values = [value for name, value in parse_qsl(query.decode("ascii")) if name == "pulsetime"]
        return (decode_segment(segment.decode("ascii")), parse_pulsetime(values[0])) if len(values) == 1 else None
    except (UnicodeDecodeError, ValueError, Malformed):
        return None


class HotLaneProtocol(HttpToolsProtocol):
    """One connection. Which requests it takes itself is decided when the headers are complete."""

    lane: HotLane  # set on a subclass by `protocol_for`
    parser: httptools.HttpRequestParser

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._target: Target | None = None  # of the request being read, when it is on the hot lane
        self._hot_body = b""
        self._unanswered = 0
        self._is_draining = False
        self._is_new = True  # nothing has arrived yet
        self._is_in_head = True
        self._is_in_body = False
        self._heads = 0  # requests begun
        self._head_bytes = 0
        self._read_bytes = 0
        self._head_s = 0
        self._quiet_s = 0

    def data_received(self, data: bytes) -> None:
        self._quiet_s = 0
        if self.timeout_keep_alive_task is not None:
            self._unset_keepalive_if_required()
        self._read_bytes = len(data)
        heads = self._heads
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserError as error:
            # What a callback raised is wrapped by the parser.
            cause = error.__context__
            self._refuse(cause if isinstance(cause, TooLarge) else Malformed("this is not a valid HTTP request"))
            return
        except httptools.HttpParserUpgrade:
            pass  # an offer, which may be ignored: the request is answered as any other
        if self._is_in_head:
            # Only what belongs to this head alone: one that began in this read shares it with what came before.
            self._head_bytes = self._head_bytes + len(data) if heads == self._heads else 0
            if self._head_bytes > MAX_HEAD_BYTES:
                self._refuse(_head_too_large())

    def on_message_begin(self) -> None:
        self._is_new = False
        self._heads += 1
        self.url = b""
        self.headers = []
        self.expect_100_continue = False
        self._is_in_head = True

    def on_headers_complete(self) -> None:
        self._is_in_head = False
        self._is_in_body = True
        self._head_bytes = self._head_s = 0
        self._target = self._hot_target()
        if self._target is None:
            self._begin_ordinary()
        else:
            self._hot_body = b""

    def on_body(self, body: bytes) -> None:
        if self._target is None:
            super().on_body(body)
        else:
            self._hot_body += body

    def on_message_complete(self) -> None:
        self._is_in_body = False
        if self._target is None:
            super().on_message_complete()
            return
        bucket_id, pulsetime = self._target
        try:
            beat = decode_heartbeat(self._hot_body)
        except DaylineError:
            self._begin_ordinary()
            super().on_body(self._hot_body)
            super().on_message_complete()
            return
        self._unanswered += 1
        if self._unanswered >= MAX_UNANSWERED:
            self.flow.pause_reading()
        self.lane.store.heartbeat(bucket_id, beat, pulsetime=pulsetime, done=self._answer)

    def shutdown(self) -> None:
        if self._unanswered:
            self._is_draining = True
        else:
            super().shutdown()

    def send_400_response(self, msg: str) -> None:
        self._refuse(Malformed(msg))

    def tick(self) -> None:
        """A second has gone by; close the connection if it has waited long enough."""
        if self._is_in_head and (self._head_bytes or self._is_new):
            self._head_s += 1
        self._quiet_s += 1
        is_idle = not self._unanswered and self._is_answered()
        if (
            self._head_s > HEAD_S
            or (self._is_in_body and not self.flow.read_paused and self._quiet_s > BODY_STALL_S)
            or (is_idle and self._quiet_s > KEEP_ALIVE_S)
        ):
            self.transport.close()

    def _hot_target(self) -> Target | None:
        if self.parser.get_method() != b"POST":
            return None
        target = self.lane.target(self.url)
        if target is None or not self._is_answered():
            return None
        headers = dict(self.headers)
        if (
            len(headers) != len(self.headers)
            or self._read_bytes
            > MAX_HOT_BODY_BYTES  # a large read may be a large head, which the ordinary lane measures
            or b"origin" in headers
            or b"expect" in headers
            or b"upgrade" in headers
            or b"authorization" in headers
            or headers.get(b"content-type") != b"application/json"
            or not self.lane.hosts.allows(headers.get(b"host"))
            or not self.parser.should_keep_alive()
        ):
            return None
        length = headers.get(b"content-length", b"")
        if not length.isdigit() or int(length) > MAX_HOT_BODY_BYTES:
            return None
        return target

    def _is_answered(self) -> bool:
        """Whether the ordinary lane is done with what it got; before its first request it has no cycle at all."""
        return bool(getattr(self.cycle, "response_complete", True))

    def _begin_ordinary(self) -> None:
        """Hand the request to the base class, in its turn behind heartbeats that still wait for their commit."""
        self._target = None
        if sum([len(name) + len(value) + 4 for name, value in self.headers], len(self.url)) > MAX_HEAD_BYTES:
            raise _head_too_large()
        url, headers, expects = self.url, self.headers, self.expect_100_continue
        super().on_message_begin()
        self.url, self.expect_100_continue = url, expects
        self.headers.extend(headers)
        if self._unanswered:
            self.cycle = _AHEAD
        super().on_headers_complete()

    def _answer(self, outcome: Event | DaylineError) -> None:
        self._unanswered -= 1
        if not self.transport.is_closing():
            self.transport.write(self._response(outcome))
            self.server_state.total_requests += 1
        if self._unanswered:
            return
        if self.flow.read_paused and not self.pipeline:
            self.flow.resume_reading()
        if self.pipeline:
            self._start_asgi_task(*self.pipeline.pop())
        elif self._is_draining:
            self.transport.close()

    def _response(self, outcome: Event | DaylineError) -> bytes:
        request_id = new_request_id()
        if isinstance(outcome, Event):
            status, headers, body = b"200 OK", b"", encode_event(outcome)
        else:
            code = status_of(outcome)
            status, headers = f"{code.value} {code.phrase}".encode(), _header_lines(headers_of(outcome))
            body = body_of(outcome, request_id)
        if self._is_draining:
            headers += b"connection: close\r\n"
        common = self.lane.common_headers(self.server_state.default_headers)
        return b"HTTP/1.1 %b\r\n%bx-request-id: %b\r\n%bcontent-length: %d\r\n\r\n%b" % (
            status, common, request_id.encode(), headers, len(body), body,
        )  # fmt: skip

    def _refuse(self, error: DaylineError) -> None:
        """Answer what cannot even be read as a request, and hang up."""
        if self.transport.is_closing():
            return
        self._is_draining = True
        self.transport.write(self._response(error))
        self.transport.close()


def _head_too_large() -> TooLarge:
    return TooLarge(f"the headers are larger than {MAX_HEAD_BYTES >> 10} KiB, the limit of this server")


def _header_lines(headers: Mapping[str, str]) -> bytes:
    return "".join(f"{name.lower()}: {value}\r\n" for name, value in headers.items()).encode()


# Stands for the heartbeats ahead of a pipelined request: all that the base class asks of it is whether it is done.
_AHEAD = cast("RequestResponseCycle", SimpleNamespace(response_complete=False))


def protocol_for(lane: HotLane) -> type[HotLaneProtocol]:
    """The protocol class for uvicorn, which makes one instance a connection."""
    return type("BoundHotLaneProtocol", (HotLaneProtocol,), {"lane": lane})
