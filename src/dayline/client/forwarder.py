"""Forwards queued calls to the server, one at a time, until it has accepted them."""

import logging
from http import HTTPStatus
from typing import Final

import msgspec
from msgspec import Struct

from dayline.client.comparison import missing_body, range_of
from dayline.client.errors import ServerUnreachable
from dayline.client.link import INITIAL_DELAY_S, MAX_DELAY_S, Link, delay_after
from dayline.client.queue import CallQueue
from dayline.client.queued_call import WaitingCall
from dayline.client.transport import Reply, Transport
from dayline.model.bucket import bucket_path
from dayline.model.errors import StoreUnusable
from dayline.model.event import EventView
from dayline.runtime.worker import WorkerThreads

MAX_RETRY_AFTER_S: Final = 600.0
# A repetition cannot succeed: the server understood the call and rejected it.
_FINAL: Final = frozenset(
    {
        HTTPStatus.CONFLICT,
        HTTPStatus.GONE,
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
        HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
        HTTPStatus.UNPROCESSABLE_ENTITY,
    }
)


class Accepted(Struct, frozen=True):
    """The server has the call, now or since an earlier attempt whose answer was lost."""


class Rejected(Struct, frozen=True):
    """The server rejected this call permanently."""

    reason: str


class BadRequest(Struct, frozen=True):
    """The server or a proxy could not read the call: either all our calls, or only this one."""

    reason: str


class NoBucket(Struct, frozen=True):
    """The server has no such bucket: it was deleted."""

    reason: str


class HeldBack(Struct, frozen=True):
    """The server rejects calls for this bucket; others can continue. `is_missing` means that it has no such bucket."""

    reason: str
    is_missing: bool = False


class Away(Struct, frozen=True):
    """Nothing can be sent at the moment. With `is_unsent`, the server has certainly not received the call."""

    reason: str
    retry_after_s: float = 0
    is_unsent: bool = False


Meaning = Accepted | Rejected | BadRequest | NoBucket | HeldBack | Away


class _ErrorReply(Struct):
    """The body of a server's error."""

    message: str
    type: str = ""


def meaning_of(reply: Reply, *, is_enveloped: bool) -> Meaning:
    """The meaning of a response to a write. For an enveloped call, an unencrypted response is not trusted."""
    status, error = reply.status, _error_of(reply)
    reason = error.message or f"the server answered {status} without a reason"
    if is_enveloped and not reply.is_sealed:
        return Away(reason, _retry_after(reply))
    if status == HTTPStatus.NOT_MODIFIED or (status == HTTPStatus.CONFLICT and error.type == "AlreadyDone"):
        return Accepted()
    if HTTPStatus.OK <= status < HTTPStatus.MULTIPLE_CHOICES:
        return Accepted() if _is_json(reply) else Away("what answered is not a Dayline server")
    if status == HTTPStatus.NOT_FOUND and error.type == "BucketNotFound":
        return NoBucket(reason)
    if status == HTTPStatus.BAD_REQUEST:
        return BadRequest(reason)
    if status in _FINAL:
        return Rejected(reason)
    if status == HTTPStatus.FORBIDDEN:
        return HeldBack(reason)
    return Away(reason, _retry_after(reply))  # wrong key, wrong address, proxy without its server, too many calls


def _error_of(reply: Reply) -> _ErrorReply:
    try:
        return msgspec.json.decode(reply.body, type=_ErrorReply)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return _ErrorReply(message="")


def _is_json(reply: Reply) -> bool:
    """Whether the response is JSON: the page of a proxy or another program is not the server's response."""
    return reply.is_sealed or reply.headers.get("content-type", "").startswith("application/json")


def _retry_after(reply: Reply) -> float:
    """The seconds of `Retry-After`; 0 if there is none. Our servers do not send dates."""
    text = reply.headers.get("retry-after", "")
    return min(float(text), MAX_RETRY_AFTER_S) if text.isascii() and text.isdigit() else 0.0


log = logging.getLogger(__name__)

_FORGOTTEN: Final = "the server may have it already, and the key cannot read events to compare them"
_PROBE: Final = "/api/0/info"  # needs no key, so it shows whether the server can be reached at all


class Forwarder:
    """A thread that sends calls in order. If the server rejects calls for a bucket, they wait and the others continue.

    Nothing is discarded: a call leaves the queue when the server has it, or is moved aside if the server rejects it
    permanently.
    """

    def __init__(
        self,
        queue: CallQueue,
        transport: Transport,
        link: Link,
        background: WorkerThreads,
        *,
        is_enveloped: bool = False,
    ) -> None:
        self._queue = queue
        self._transport = transport
        self._link = link
        self._is_enveloped = is_enveloped
        self._tries = 0  # consecutive failed attempts
        self._is_away = False  # result of the last call
        self._is_paused = False
        # A daemon thread: a call that hangs must not keep the process from exiting. It is still in the queue.
        self._thread = background.thread(
            "forwarder",
            self._run,
            interval_s=None,
            retry_s=INITIAL_DELAY_S,
            max_retry_s=MAX_DELAY_S,
            on_stop=transport.close,
        )

    def start(self) -> None:
        """Start sending."""
        self._thread.start()

    def wake(self) -> None:
        """Call this when there are new calls. While the server is away they wait for the next attempt."""
        if not self._is_away:
            self._thread.wake()

    def nudge(self) -> None:
        """Call this when the server has answered another call, so that waiting can end."""
        self._thread.wake()

    @property
    def is_paused(self) -> bool:
        return self._is_paused

    def pause(self) -> None:
        """Send nothing after the current call, until `resume`."""
        self._is_paused = True

    def resume(self) -> None:
        """Send the queued calls."""
        self._is_paused = False
        self._thread.wake()

    def resume_bucket(self, bucket_id: str) -> None:
        """Call this when a bucket was created here: its calls wait no longer for the server to have it."""
        if self._link.release(bucket_id):
            self.nudge()

    def begin_stop(self) -> None:
        """Send nothing more after the current call."""
        self._thread.begin_close()

    def join(self, timeout_s: float) -> bool:
        """Wait for the current call. Returns False on timeout."""
        return self._thread.close(timeout_s)

    def _run(self) -> float | None:
        """Send one call. Returns the pause until the next one."""
        try:
            pause_s, self._is_away = self._turn()
        except StoreUnusable as error:
            pause_s, self._is_away = self._wait_for(Away(error.message)), True
        except Exception:
            self._wait_for(Away("sending failed; see the log"))
            self._is_away = True
            raise
        return pause_s

    def _turn(self) -> tuple[float | None, bool]:
        """Send one call. Returns how long to wait (None: until there is a new call), and whether the server is away."""
        if self._is_paused:
            return None, False
        held = self._link.held_for()
        call = self._queue.take(excluded=held.keys())
        if call is None:
            if self._link.is_connected:
                return min(held.values(), default=None), False
            outcome = self._probe()
        else:
            outcome = self._settle(call, self._outcome(call))
        if isinstance(outcome, Away):
            return self._wait_for(outcome), True
        self._tries = 0
        self._link.note_connected()
        return 0, False

    def _settle(self, call: WaitingCall, outcome: Meaning) -> Meaning:
        """Update the queue by the outcome of a call."""
        match outcome:
            case Accepted():
                self._queue.done(call)
                self._link.note_sent(call.bucket_id)
            case Rejected(reason):
                log.warning("The server rejected a call for %r (%s), kept aside: %s", call.bucket_id, call.kind, reason)
                self._queue.refuse(call, reason)
                self._link.release(call.bucket_id)
            case HeldBack(reason, is_missing):
                self._link.hold(call.bucket_id, reason, is_missing=is_missing)
            case _:
                pass  # the others concern all calls
        return outcome

    def _outcome(self, call: WaitingCall) -> Meaning:
        if self._queue.is_doubtful(call):
            return self._send_missing(call)
        outcome = self._send(call.path, call.query, call.body, token=call.token)
        if not (isinstance(outcome, Away) and outcome.is_unsent):
            self._queue.note_sent(call)
        if isinstance(outcome, NoBucket):
            outcome = self._create_again(call, outcome)
        if isinstance(outcome, BadRequest):
            # A wrong Host is also a 400: then the server rejects all our calls.
            probe = self._probe()
            outcome = probe if isinstance(probe, Away) else Rejected(outcome.reason)
        return outcome

    def _send_missing(self, call: WaitingCall) -> Meaning:
        """Send what the server does not have of a call whose idempotency key it may have forgotten."""
        try:
            reply = self._transport.call("GET", f"{bucket_path(call.bucket_id)}/events", query=range_of(call))
        except ServerUnreachable as error:
            return Away(error.message)
        known = meaning_of(reply, is_enveloped=self._is_enveloped)
        if isinstance(known, HeldBack):
            return Rejected(_FORGOTTEN)
        if isinstance(known, Accepted):
            body = missing_body(call, msgspec.json.decode(reply.body, type=list[EventView]))
        elif isinstance(known, NoBucket):
            body = call.body
        else:
            return known
        if body is None:
            return Accepted()
        outcome = self._send(call.path, call.query, body, token=call.token)
        return self._create_again(call, outcome) if isinstance(outcome, NoBucket) else outcome

    def _create_again(self, call: WaitingCall, answer: NoBucket) -> Meaning:
        """Create a bucket again that was deleted on the server, then send the call again."""
        creation = self._queue.creation(call.bucket_id)
        if creation is None:
            return HeldBack(answer.reason, is_missing=True)
        # Without an idempotency key: it is a new operation each time, and an existing bucket does not change.
        created = self._send(bucket_path(call.bucket_id), "", creation, token=None)
        if not isinstance(created, Accepted):
            return HeldBack(answer.reason) if isinstance(created, NoBucket) else created
        log.info("Bucket %r was deleted on the server; created it again", call.bucket_id)
        outcome = self._send(call.path, call.query, call.body, token=call.token)
        return HeldBack(answer.reason) if isinstance(outcome, NoBucket) else outcome

    def _send(self, path: str, query: str, body: bytes, *, token: str | None) -> Meaning:
        headers = {} if token is None else {"Idempotency-Key": token}
        try:
            reply = self._transport.call("POST", path, query=query, body=body, headers=headers)
        except ServerUnreachable as error:
            return Away(error.message, is_unsent=not error.is_sent)
        return meaning_of(reply, is_enveloped=self._is_enveloped)

    def _probe(self) -> Meaning:
        try:
            reply = self._transport.call("GET", _PROBE)
        except ServerUnreachable as error:
            return Away(error.message)
        outcome = meaning_of(reply, is_enveloped=self._is_enveloped)
        return outcome if isinstance(outcome, Accepted | Away) else Away(outcome.reason)

    def _wait_for(self, outcome: Away) -> float:
        """Record that nothing can be sent. Returns the seconds until the next attempt."""
        self._link.note_away(outcome.reason)
        self._tries += 1
        return max(delay_after(self._tries - 1), outcome.retry_after_s)
