"""The fast path: answers heartbeats below the framework.

Heartbeats are most of all requests, and a framework's routing, request object and task cost more than the work itself.
This protocol handles the ordinary ones with the same parser, rules and decoder; the commit's callback writes the
response. A request with anything unusual (an Origin, a large or chunked body, anything that would be rejected) goes
through the framework, so that requests are rejected in one place only.
"""

import asyncio
from collections import deque
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import parse_qsl

from uvicorn.config import Config
from uvicorn.server import ServerState

from dayline.access.audit import Tally
from dayline.access.gate import Gate
from dayline.access.limits import ConnectionCounts
from dayline.access.local_users import LocalUsers, Lookup
from dayline.access.origins import HostRules
from dayline.access.peers import UNIX, Peers
from dayline.api.http.call import REFUSED_USER
from dayline.api.http.connection import Connection, user_rules
from dayline.api.http.entry import new_request_id
from dayline.api.http.errors import status_of
from dayline.api.http.router import decode_segment
from dayline.api.http.services import Tenants, TenantServices
from dayline.api.v0.events import parse_pulsetime
from dayline.model.access import Caller
from dayline.model.bucket import MAX_ID_CHARACTERS
from dayline.model.errors import DaylineError, Malformed, TooMany
from dayline.model.event import Event, decode_heartbeat, encode_event
from dayline.model.time import Microseconds

MAX_BODY_BYTES: Final = 64 << 10  # larger ones need flow control, which the framework has
MAX_UNANSWERED: Final = 256  # pipelined heartbeats on one connection before it has to wait
TARGETS_REMEMBERED: Final = 1024
_REMEMBERED_URL_BYTES: Final = 1024  # longer URLs are parsed each time; so the cache has at most some 2 MiB
_REMEMBERED_HEAD_BYTES: Final = 4096  # of a connection; watchers send about 200

CALL: Final = "send_heartbeat"  # its name in the route table, for the audit log
_UNUSUAL: Final = (b"origin", b"expect", b"idempotency-key", b"cookie", b"forwarded", b"x-forwarded-for")
_KEY_HEADERS: Final = frozenset((b"authorization", b"cookie"))
_PREFIX: Final = b"/api/0/buckets/"
_SUFFIX: Final = b"/heartbeat"

Target = tuple[str, Microseconds]  # bucket id and pulsetime


class Admitted:
    """An accepted heartbeat request: its bucket, its caller, and its counter in the audit log."""

    __slots__ = ("bucket_id", "caller", "pulsetime", "services", "tally", "turn", "usage")

    def __init__(self, bucket_id: str, pulsetime: Microseconds, caller: Caller, services: TenantServices) -> None:
        self.bucket_id = bucket_id
        self.pulsetime = pulsetime
        self.caller = caller
        self.services = services  # those of the tenant that owns the bucket
        self.usage = services.server.key_usages.of(caller)
        self.tally: Tally | None = None
        self.turn = -1


class FastPath:
    """State shared by all connections. Caches parsed URLs, because each watcher uses one URL."""

    def __init__(
        self, tenants: Tenants, *, hosts: HostRules, peers: Peers, gate: Gate, connections: ConnectionCounts
    ) -> None:
        self.tenants = tenants
        self.hosts = hosts
        self.peers = peers
        self.gate = gate
        self.connections = connections
        self.keyring = gate.keyring
        self.max_data_bytes = tenants.own.server.limits.event_bytes
        self._targets: dict[bytes, Target] = {}

    def caller(self, authorization: bytes | None, bucket_id: str) -> Caller | None:
        """The caller of a heartbeat; None if the request may have to be rejected."""
        caller = self.gate.fast_caller(authorization)
        return caller if caller is not None and caller.may("append") and bucket_id in caller.buckets else None

    def note(self, sender: Admitted, outcome: Event | DaylineError, address: str) -> None:
        """Count an answered heartbeat. The counter is looked up once per flush of the audit log."""
        audit_log = sender.services.audit_log
        if not isinstance(outcome, Event):
            status = status_of(outcome).value
            audit_log.note(sender.caller, address=address, call=CALL, bucket=sender.bucket_id, status=status)
            return
        if sender.tally is None or sender.turn != audit_log.turn:
            sender.tally = audit_log.tally(
                sender.caller, address=address, call=CALL, bucket=sender.bucket_id, status=HTTPStatus.OK.value
            )
            sender.turn = audit_log.turn
        audit_log.add(sender.tally)

    def target(self, url: bytes) -> Target | None:
        """The bucket and pulsetime of a heartbeat URL; None if it is not an ordinary heartbeat."""
        return self._targets.get(url) or parse_target(url)

    def remember(self, url: bytes, target: Target) -> None:
        """Keep the target of a URL for the next heartbeat. Call this only for accepted requests."""
        if url in self._targets or len(url) > _REMEMBERED_URL_BYTES:
            return
        if len(self._targets) >= TARGETS_REMEMBERED:
            del self._targets[next(iter(self._targets))]
        self._targets[url] = target


def parse_target(url: bytes) -> Target | None:
    path, _, query = url.partition(b"?")
    if not (path.startswith(_PREFIX) and path.endswith(_SUFFIX)):
        return None
    segment = path[len(_PREFIX) : -len(_SUFFIX)]
    if not segment or b"/" in segment:
        return None
    try:
        values = [value for name, value in parse_qsl(query.decode("ascii")) if name == "pulsetime"]
        bucket_id = decode_segment(segment.decode("ascii"))
        if len(values) != 1 or len(bucket_id) > MAX_ID_CHARACTERS:
            return None
        return bucket_id, parse_pulsetime(values[0])
    except (UnicodeDecodeError, ValueError, Malformed):
        return None


class FastPathProtocol(Connection):
    """A connection that answers heartbeats itself. It decides when their headers are complete."""

    fast_path: FastPath  # set on a subclass by `protocol_for`

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._target: Admitted | None = None  # of the request being read, if it is on the fast path
        self._body = b""
        self._unanswered: deque[Event | DaylineError | None] = deque()  # in order; None until committed
        self._senders: deque[Admitted] = deque()  # parallel to `_unanswered`
        self._is_taken = False  # the request being read was given to the store
        self._is_sending = False  # true during the call that gives a heartbeat to the store
        self._known_head = b""  # head of the last heartbeat that arrived in one read and was accepted
        self._known_bytes = 0  # length of that request
        self._known_target: Admitted | None = None
        self._known_generation = -1  # generation of the keys when that head was accepted
        self._address: str | None = None
        self._counted: str | None = None  # name under which it counts as a connection without a key
        self._needs_key = False  # its address has reached the limit of connections without a key
        self._local_address: str | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        super().connection_made(transport)
        # The framework handles proxies and peers that are not admitted.
        peer = self.client[0] if self.client and self.client[0] else None
        peers = self.fast_path.peers
        self._local_address = self.server[0] if self.server else None
        is_proxy = peers.is_trusted(peer)
        is_ordinary = peers.admits(peer) and not is_proxy and REFUSED_USER not in self.app_state
        self._address = (peer or UNIX) if is_ordinary else None
        if peer is not None and not is_proxy:  # a proxy holds the connections of many clients
            try:
                self._counted, self._needs_key = self.fast_path.connections.open(peer, uid=self.user.uid())
            except TooMany as error:
                self._refuse(error)

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._uncount()

    def note_key(self) -> None:
        super().note_key()
        self._uncount()

    def _uncount(self) -> None:
        if self._counted is not None:
            self.fast_path.connections.close(self._counted)
            self._counted, self._needs_key = None, False

    def data_received(self, data: bytes) -> None:
        """Skip parsing if the head has the same bytes as the last accepted one, as watchers send it."""
        if (
            len(data) == self._known_bytes
            and self._known_generation == self.fast_path.keyring.generation
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
        head_bytes = len(data) - len(self._body)
        if is_one_piece and self._is_taken and head_bytes <= _REMEMBERED_HEAD_BYTES and data.endswith(self._body):
            self._known_head, self._known_bytes = data[:head_bytes], len(data)
            self._known_target, self._known_generation = self._target, self.fast_path.keyring.generation
        if not self._is_in_body:
            self._body = b""

    def begin_request(self) -> None:
        self._target = self._fast_target()
        if self._needs_key and self._counted is not None and _KEY_HEADERS.isdisjoint(dict(self.headers)):
            raise self.fast_path.connections.refuse(self._counted)
        if self._target is None:
            self.hand_over(is_behind_others=bool(self._unanswered))
        else:
            self._body = b""

    def on_response_complete(self) -> None:
        if self._needs_key and not self.transport.is_closing():
            self.transport.close()  # it did not send a valid key
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
        """Give the heartbeat to the store. Returns False if it has to be rejected."""
        assert self._target is not None
        admitted = self._target
        bucket_id, services = admitted.bucket_id, admitted.services
        try:
            beat = decode_heartbeat(self._body, max_data_bytes=self.fast_path.max_data_bytes)
        except DaylineError:
            return False
        if admitted.usage is not None and not admitted.usage.take(len(self._body)):
            return False
        if not services.privacy.rules.is_empty:
            data = services.privacy.applied(bucket_id, beat.data)
            if data is None or len(data) > self.fast_path.max_data_bytes:
                return False  # a privacy rule drops it or makes it too large; the framework answers
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

    def _fast_target(self) -> Admitted | None:
        parser = self.parser
        if parser.get_method() != b"POST":
            return None
        target = self.fast_path.target(self.url)
        if target is None or self._address is None or not super().is_answered():
            return None
        headers = dict(self.headers)
        caller = self.fast_path.caller(headers.get(b"authorization"), target[0])
        services = None if caller is None else self.fast_path.tenants.at_hand(caller.tenant)
        if caller is None or services is None:
            return None  # it is rejected, or waits until the tenant's data is open
        if caller.key_id:
            self.note_key()
        if (
            len(headers) != len(self.headers)
            or not headers.keys().isdisjoint(_UNUSUAL)
            or headers.get(b"content-type") != b"application/json"
            or not self.fast_path.hosts.allows(headers.get(b"host"), self._local_address)
            or not parser.should_keep_alive()
            or parser.get_http_version() != "1.1"
        ):
            return None
        length = headers.get(b"content-length", b"")
        # A large read may contain a large head, whose size the framework checks.
        if not length.isdigit() or int(length) > MAX_BODY_BYTES or self._read_bytes > MAX_BODY_BYTES:
            return None
        self.fast_path.remember(self.url, target)
        return Admitted(*target, caller, services)

    def _answer(self, outcome: Event | DaylineError) -> None:
        waiting = self._unanswered
        if self._is_sending and len(waiting) > 1:
            waiting[-1] = outcome  # rejected at once while earlier ones wait: answer in order
            return
        while True:
            waiting.popleft()
            self.fast_path.note(self._senders.popleft(), outcome, self._address or "")
            self._write(outcome)
            if not waiting:
                self._continue()
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

    def _continue(self) -> None:
        """Called when all heartbeats are answered: process what was queued behind them."""
        if self.pipeline:
            self._start_asgi_task(*self.pipeline.pop())
        elif self._refusal is not None:
            self._refuse(self._refusal)
        elif self._is_draining:
            self.transport.close()
        else:
            self.flow.resume_reading()


def protocol_for(
    fast_path: FastPath, user_lookup: Lookup | None, local_users: LocalUsers | None
) -> type[FastPathProtocol]:
    """The protocol class for uvicorn, which creates one instance per connection."""
    bound = {"fast_path": fast_path, **user_rules(user_lookup, local_users)}
    return type("BoundFastPathProtocol", (FastPathProtocol,), bound)
