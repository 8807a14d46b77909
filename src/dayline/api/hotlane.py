"""The hot lane: heartbeats are answered one level below the framework.

Heartbeats are most of all requests, and a framework's routing, request object and task cost more than the work itself.
This protocol takes the ordinary ones: same parser, same rules, same decoding, the answer written by the commit's
callback. Whatever is unusual about a request (an Origin, a large or chunked body, anything that would be refused) sends
it down the ordinary lane, so that there is one place where requests are refused.
"""

import asyncio
from collections import deque
from typing import Any, Final
from urllib.parse import parse_qsl

from uvicorn.config import Config
from uvicorn.server import ServerState

from dayline.access.hosts import HostRules
from dayline.api.connection import Connection
from dayline.api.heartbeats import parse_pulsetime
from dayline.api.request_ids import new_request_id
from dayline.api.router import decode_segment
from dayline.model.errors import DaylineError, Malformed
from dayline.model.event import Event, decode_heartbeat, encode_event
from dayline.model.timestamps import Microseconds
from dayline.storage.base import Store

MAX_BODY_BYTES: Final = 64 << 10  # larger ones need flow control, which the ordinary lane has
MAX_UNANSWERED: Final = 256  # pipelined heartbeats on one connection before it has to wait
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


class HotLaneProtocol(Connection):
    """A connection that takes heartbeats itself. Which ones is decided when their headers are complete."""

    lane: HotLane  # set on a subclass by `protocol_for`

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._target: Target | None = None  # of the request being read, when it is on the hot lane
        self._body = b""
        self._unanswered: deque[Event | DaylineError | None] = deque()  # in order; None while the store has it
        self._is_taken = False  # the request being read has gone to the store
        self._is_sending = False  # a heartbeat is just being given to the store
        self._known_head = b""  # of the last heartbeat that came in one piece, and was taken
        self._known_bytes = 0  # of that heartbeat as a whole
        self._known_target: Target | None = None

    def data_received(self, data: bytes) -> None:
        """A watcher sends the same head again and again: what was made of it once holds for the same bytes again."""
        if (
            len(data) == self._known_bytes
            and data.startswith(self._known_head)
            and not (self._is_in_head or self._is_in_body)
            and self._refusal is None
            and super().is_answered()
        ):
            self._target, self._body = self._known_target, data[len(self._known_head) :]
            if self._send():
                self._quiet_s = 0
                if self.timeout_keep_alive_task is not None:
                    self._unset_keepalive_if_required()
                return
        heads, self._is_taken = self._heads, False
        was_between = not (self._is_in_head or self._is_in_body) or not heads
        super().data_received(data)
        is_one_piece = was_between and self._heads == heads + 1 and not (self._is_in_head or self._is_in_body)
        if is_one_piece and self._is_taken and data.endswith(self._body):
            self._known_head, self._known_bytes = data[: len(data) - len(self._body)], len(data)
            self._known_target = self._target

    def begin_request(self) -> None:
        self._target = self._hot_target()
        if self._target is None:
            self.hand_over(is_behind_others=bool(self._unanswered))
        else:
            self._body = b""

    def on_body(self, body: bytes) -> None:
        if self._target is None:
            super().on_body(body)
        else:
            self._body += body

    def end_request(self) -> None:
        if self._target is None:
            super().end_request()
        elif self._send():
            self._is_taken = True
        else:
            self._target = None
            self.hand_over(is_behind_others=bool(self._unanswered))
            super().on_body(self._body)
            super().end_request()

    def _send(self) -> bool:
        """Give the heartbeat that was read to the store; False where it is to be refused."""
        assert self._target is not None
        bucket_id, pulsetime = self._target
        try:
            beat = decode_heartbeat(self._body)
        except DaylineError:
            return False
        self._unanswered.append(None)
        if len(self._unanswered) >= MAX_UNANSWERED:
            self.flow.pause_reading()
        self._is_sending = True
        self.lane.store.heartbeat(bucket_id, beat, pulsetime=pulsetime, done=self._answer)
        self._is_sending = False
        return True

    def is_answered(self) -> bool:
        return not self._unanswered and super().is_answered()

    def shutdown(self) -> None:
        if self._unanswered:
            self._is_draining = True
        else:
            super().shutdown()

    def _hot_target(self) -> Target | None:
        parser = self.parser
        if parser.get_method() != b"POST":
            return None
        target = self.lane.target(self.url)
        if target is None or not super().is_answered():
            return None
        headers = dict(self.headers)
        if (
            len(headers) != len(self.headers)
            or b"origin" in headers
            or b"expect" in headers
            or b"authorization" in headers
            or headers.get(b"content-type") != b"application/json"
            or not self.lane.hosts.allows(headers.get(b"host"))
            or not parser.should_keep_alive()
            or parser.get_http_version() != "1.1"
        ):
            return None
        length = headers.get(b"content-length", b"")
        # A large read may be a large head, which the ordinary lane measures.
        if not length.isdigit() or int(length) > MAX_BODY_BYTES or self._read_bytes > MAX_BODY_BYTES:
            return None
        return target

    def _answer(self, outcome: Event | DaylineError) -> None:
        waiting = self._unanswered
        if self._is_sending and len(waiting) > 1:
            waiting[-1] = outcome  # refused at once, while others are held: it has to wait for its turn
            return
        while True:
            waiting.popleft()
            self._write(outcome)
            if not waiting:
                self._go_on()
                return
            if waiting[0] is None:
                return
            outcome = waiting[0]

    def _write(self, outcome: Event | DaylineError) -> None:
        if self.transport.is_closing():
            return
        if isinstance(outcome, Event):
            answer = self.response(b"200 OK", encode_event(outcome), new_request_id())
        else:
            answer = self.error_response(outcome)
        self.transport.write(answer)
        self.server_state.total_requests += 1

    def _go_on(self) -> None:
        """All heartbeats are answered: what stood behind them is next."""
        if self.pipeline:
            self._start_asgi_task(*self.pipeline.pop())
        elif self._refusal is not None:
            self._refuse(self._refusal)
        elif self._is_draining:
            self.transport.close()
        else:
            self.flow.resume_reading()


def protocol_for(lane: HotLane) -> type[HotLaneProtocol]:
    """The protocol class for uvicorn, which makes one instance a connection."""
    return type("BoundHotLaneProtocol", (HotLaneProtocol,), {"lane": lane})
