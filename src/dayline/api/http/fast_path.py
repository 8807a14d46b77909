"""The hot lane: heartbeats are answered one level below the framework.

Heartbeats are most of all requests, and a framework's routing, request object and task cost more than the work itself.
This protocol takes the ordinary ones: same parser, same rules, same decoding, the answer written by the commit's
callback. Whatever is unusual about a request (an Origin, a large or chunked body, anything that would be refused) sends
it down the ordinary lane, so that there is one place where requests are refused.
"""

import asyncio
from collections import deque
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import parse_qsl

from uvicorn.config import Config
from uvicorn.server import ServerState

from dayline.access.audit import Tally
from dayline.access.caller import Caller
from dayline.access.gate import Gate
from dayline.access.limits import ConnectionCounts
from dayline.access.local_users import LocalUsers
from dayline.access.origins import HostRules
from dayline.access.peers import UNIX, Peers
from dayline.api.http.call import REFUSED_USER
from dayline.api.http.connection import Connection
from dayline.api.http.entry import new_request_id
from dayline.api.http.errors import status_of
from dayline.api.http.router import decode_segment
from dayline.api.http.services import Tenants, TenantServices
from dayline.api.v0.events import parse_pulsetime
from dayline.model.errors import DaylineError, Malformed, TooMany
from dayline.model.event import Event, decode_heartbeat, encode_event
from dayline.model.time import Microseconds

MAX_BODY_BYTES: Final = 64 << 10  # larger ones need flow control, which the ordinary lane has
MAX_UNANSWERED: Final = 256  # pipelined heartbeats on one connection before it has to wait
TARGETS_REMEMBERED: Final = 1024

CALL: Final = "send_heartbeat"  # as the route table calls it, for the audit trail
_UNUSUAL: Final = (b"origin", b"expect", b"idempotency-key", b"cookie", b"forwarded", b"x-forwarded-for")
_KEY_HEADERS: Final = frozenset((b"authorization", b"cookie"))
_PREFIX: Final = b"/api/0/buckets/"
_SUFFIX: Final = b"/heartbeat"

Target = tuple[str, Microseconds]  # bucket id and pulsetime


class Admitted:
    """A heartbeat that may be taken: where it goes, who sends it, and where it is counted until the trail's turn."""

    __slots__ = ("bucket_id", "caller", "pulsetime", "services", "tally", "turn", "usage")

    def __init__(self, bucket_id: str, pulsetime: Microseconds, caller: Caller, services: TenantServices) -> None:
        self.bucket_id = bucket_id
        self.pulsetime = pulsetime
        self.caller = caller
        self.services = services  # of the person whose data it belongs to
        self.usage = services.server.key_usages.of(caller)
        self.tally: Tally | None = None
        self.turn = -1


class HotLane:
    """What all connections share. One URL is one watcher: what was made of it is remembered."""

    def __init__(
        self, tenants: Tenants, *, hosts: HostRules, peers: Peers, gate: Gate, connections: ConnectionCounts
    ) -> None:
        self.tenants = tenants
        self.hosts = hosts
        self.peers = peers
        self.gate = gate
        self.connections = connections
        self.keyring = gate.keyring
        self._targets: dict[bytes, Target] = {}

    def caller(self, authorization: bytes | None, bucket_id: str) -> Caller | None:
        """Who sends a heartbeat to this bucket; None where it may have to be refused."""
        caller = self.gate.hot_caller(authorization)
        return caller if caller is not None and caller.may("append") and bucket_id in caller.buckets else None

    def note(self, sender: Admitted, outcome: Event | DaylineError, address: str) -> None:
        """Count a heartbeat that was answered. Where it is counted is looked up once for every turn of the trail."""
        trail = sender.services.trail
        if not isinstance(outcome, Event):
            status = status_of(outcome).value
            trail.note(sender.caller, address=address, call=CALL, bucket=sender.bucket_id, status=status)
            return
        if sender.tally is None or sender.turn != trail.turn:
            sender.tally = trail.tally(
                sender.caller, address=address, call=CALL, bucket=sender.bucket_id, status=HTTPStatus.OK.value
            )
            sender.turn = trail.turn
        trail.add(sender.tally)

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
        self._target: Admitted | None = None  # of the request being read, when it is on the hot lane
        self._body = b""
        self._unanswered: deque[Event | DaylineError | None] = deque()  # in order; None while the store has it
        self._senders: deque[Admitted] = deque()  # of these
        self._is_taken = False  # the request being read has gone to the store
        self._is_sending = False  # a heartbeat is just being given to the store
        self._known_head = b""  # of the last heartbeat that came in one piece, and was taken
        self._known_bytes = 0  # of that heartbeat as a whole
        self._known_target: Admitted | None = None
        self._known_generation = -1  # of the keys, when that head was accepted
        self._address: str | None = None
        self._counted: str | None = None  # among the connections without a key, under this name
        self._needs_key = False  # there are as many of these from its address as may be
        self._local_address: str | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        super().connection_made(transport)
        # Who comes by a proxy, or may not come at all, is for the ordinary lane to see to.
        peer = self.client[0] if self.client and self.client[0] else None
        peers = self.lane.peers
        self._local_address = self.server[0] if self.server else None
        is_proxy = peers.is_trusted(peer)
        is_ordinary = peers.admits(peer) and not is_proxy and REFUSED_USER not in self.app_state
        self._address = (peer or UNIX) if is_ordinary else None
        if peer is not None and not is_proxy:  # a proxy has the connections of many
            try:
                self._counted, self._needs_key = self.lane.connections.open(peer)
            except TooMany as error:
                self._refuse(error)

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self.note_key()

    def note_key(self) -> None:
        if self._counted is not None:
            self.lane.connections.close(self._counted)
            self._counted, self._needs_key = None, False

    def data_received(self, data: bytes) -> None:
        """A watcher sends the same head again and again: what was made of it once holds for the same bytes again."""
        if (
            len(data) == self._known_bytes
            and self._known_generation == self.lane.keyring.generation
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
            self._known_target, self._known_generation = self._target, self.lane.keyring.generation

    def begin_request(self) -> None:
        self._target = self._hot_target()
        if self._needs_key and self._counted is not None and _KEY_HEADERS.isdisjoint(dict(self.headers)):
            raise self.lane.connections.refuse(self._counted)
        if self._target is None:
            self.hand_over(is_behind_others=bool(self._unanswered))
        else:
            self._body = b""

    def on_response_complete(self) -> None:
        if self._needs_key and not self.transport.is_closing():
            self.transport.close()  # what it has shown was no valid key
        super().on_response_complete()

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
        admitted = self._target
        bucket_id, services = admitted.bucket_id, admitted.services
        try:
            beat = decode_heartbeat(self._body)
        except DaylineError:
            return False
        if admitted.usage is not None and not admitted.usage.take(len(self._body)):
            return False
        if not services.privacy.rules.is_empty:
            data = services.privacy.applied(bucket_id, beat.data)
            if data is None:
                return False  # dropped, and answered by the ordinary lane
            if data is not beat.data:
                beat = Event(start=beat.start, duration=beat.duration, data=data)
        self._unanswered.append(None)
        self._senders.append(admitted)
        if len(self._unanswered) >= MAX_UNANSWERED:
            self.flow.pause_reading()
        self._is_sending = True
        services.store.heartbeat(bucket_id, beat, pulsetime=admitted.pulsetime, done=self._answer)
        self._is_sending = False
        return True

    def is_answered(self) -> bool:
        return not self._unanswered and super().is_answered()

    def shutdown(self) -> None:
        if self._unanswered:
            self._is_draining = True
        else:
            super().shutdown()

    def _hot_target(self) -> Admitted | None:
        parser = self.parser
        if parser.get_method() != b"POST":
            return None
        target = self.lane.target(self.url)
        if target is None or self._address is None or not super().is_answered():
            return None
        headers = dict(self.headers)
        caller = self.lane.caller(headers.get(b"authorization"), target[0])
        services = None if caller is None else self.lane.tenants.at_hand(caller.tenant)
        if caller is None or services is None:
            return None  # it has to be refused, or waits until the data of that person are open
        if caller.key_id:
            self.note_key()
        if (
            len(headers) != len(self.headers)
            or not headers.keys().isdisjoint(_UNUSUAL)
            or headers.get(b"content-type") != b"application/json"
            or not self.lane.hosts.allows(headers.get(b"host"), self._local_address)
            or not parser.should_keep_alive()
            or parser.get_http_version() != "1.1"
        ):
            return None
        length = headers.get(b"content-length", b"")
        # A large read may be a large head, which the ordinary lane measures.
        if not length.isdigit() or int(length) > MAX_BODY_BYTES or self._read_bytes > MAX_BODY_BYTES:
            return None
        return Admitted(*target, caller, services)

    def _answer(self, outcome: Event | DaylineError) -> None:
        waiting = self._unanswered
        if self._is_sending and len(waiting) > 1:
            waiting[-1] = outcome  # refused at once, while others are held: it has to wait for its turn
            return
        while True:
            waiting.popleft()
            self.lane.note(self._senders.popleft(), outcome, self._address or "")
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


def protocol_for(lane: HotLane, local_users: LocalUsers | None = None) -> type[HotLaneProtocol]:
    """The protocol class for uvicorn, which makes one instance a connection."""
    return type("BoundHotLaneProtocol", (HotLaneProtocol,), {"lane": lane, "local_users": local_users})
