"""Forwards queued calls to the server, one at a time, until it has accepted them."""

import logging
from http import HTTPStatus
from typing import Final

import msgspec
from msgspec import Struct

from dayline.client.errors import ServerUnreachable
from dayline.client.link import FIRST_DELAY_S, LONGEST_DELAY_S, Link, delay_after
from dayline.client.queue import CallQueue
from dayline.client.queued_call import WaitingCall, bucket_path
from dayline.client.transport import Reply, Transport
from dayline.model.errors import StoreUnusable
from dayline.runtime.worker import WorkerThreads

LONGEST_RETRY_AFTER_S: Final = 600.0
# What no repetition changes: the server can read the call, and does not want it.
_FINAL: Final = frozenset(
    {
        HTTPStatus.CONFLICT,
        HTTPStatus.GONE,
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
        HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
        HTTPStatus.UNPROCESSABLE_ENTITY,
    }
)


class Done(Struct, frozen=True):
    """The server has it, now or since an earlier try whose answer was lost."""


class Refused(Struct, frozen=True):
    """The server will never take this call."""

    reason: str


class Unreadable(Struct, frozen=True):
    """The server, or something before it, could not read the call: either nothing we send is heard, or this alone."""

    reason: str


class NoBucket(Struct, frozen=True):
    """The server has no such bucket: it was deleted there."""

    reason: str


class HeldBack(Struct, frozen=True):
    """The server does not take calls for this bucket; others may go on. `is_missing`: it has no such bucket."""

    reason: str
    is_missing: bool = False


class Away(Struct, frozen=True):
    """Nothing can be sent at present."""

    reason: str
    retry_after_s: float = 0


Meaning = Done | Refused | Unreadable | NoBucket | HeldBack | Away


class _Said(Struct):
    """What an error of the server says."""

    message: str
    type: str = ""


def meaning_of(reply: Reply, *, is_enveloped: bool) -> Meaning:
    """What the answer to a write means. Of an enveloped call nothing counts that anybody on the way could have said."""
    status, said = reply.status, _said(reply)
    reason = said.message or f"it answered {status} without a reason"
    if is_enveloped and not reply.is_sealed:
        return Away(reason, _retry_after(reply))
    if status == HTTPStatus.NOT_MODIFIED or (status == HTTPStatus.CONFLICT and said.type == "AlreadyDone"):
        return Done()
    if HTTPStatus.OK <= status < HTTPStatus.MULTIPLE_CHOICES:
        return Done() if _is_json(reply) else Away("what answered is not a Dayline server")
    if status == HTTPStatus.NOT_FOUND and said.type == "BucketNotFound":
        return NoBucket(reason)
    if status == HTTPStatus.BAD_REQUEST:
        return Unreadable(reason)
    if status in _FINAL:
        return Refused(reason)
    if status == HTTPStatus.FORBIDDEN:
        return HeldBack(reason)
    return Away(reason, _retry_after(reply))  # a wrong key, a wrong address, a proxy without its server, too many calls


def _said(reply: Reply) -> _Said:
    try:
        return msgspec.json.decode(reply.body, type=_Said)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return _Said(message="")


def _is_json(reply: Reply) -> bool:
    """A page of a proxy, or of whatever else listens there, is not the answer of the server."""
    return reply.is_sealed or reply.headers.get("content-type", "").startswith("application/json")


def _retry_after(reply: Reply) -> float:
    """Seconds that the server asks for; 0 where it does not. A date, which is allowed too, is no form of ours."""
    text = reply.headers.get("retry-after", "")
    return min(float(text), LONGEST_RETRY_AFTER_S) if text.isascii() and text.isdigit() else 0.0


# Sends what waits in the queue, one call at a time, until the server has taken it.


log = logging.getLogger(__name__)

_PROBE: Final = "/api/0/info"  # answered without a key, so it tells whether we are heard at all


class Forwarder:
    """A thread that sends calls in order. A bucket that the server does not take waits, and the others go on.

    Nothing is thrown away: a call leaves the queue when the server has it, or is put aside there when the server says
    that it will never take it.
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
        self._tries = 0  # in vain, one after the other
        self._is_away = False  # as the last call found
        self._is_paused = False
        # A daemon: a call that hangs must not keep the process from ending. It is in the queue still.
        self._thread = background.thread(
            "forwarder",
            self._run,
            interval_s=None,
            retry_s=FIRST_DELAY_S,
            max_retry_s=LONGEST_DELAY_S,
            on_stop=transport.close,
        )

    def start(self) -> None:
        """Begin to send."""
        self._thread.start()

    def wake(self) -> None:
        """There are new calls. While the server is away they wait for the next try like all others."""
        if not self._is_away:
            self._thread.wake()

    def nudge(self) -> None:
        """The server has just answered somebody else, so it need not be waited for."""
        self._thread.wake()

    @property
    def is_paused(self) -> bool:
        return self._is_paused

    def pause(self) -> None:
        """Send nothing after the call under way, until `resume`."""
        self._is_paused = True

    def resume(self) -> None:
        """Send what waits."""
        self._is_paused = False
        self._thread.wake()

    def go_on_with(self, bucket_id: str) -> None:
        """The bucket was created here: if its calls wait because the server has none, it can be created there, too."""
        if self._link.release(bucket_id):
            self.nudge()

    def begin_stop(self) -> None:
        """Send nothing more after the call that is under way."""
        self._thread.begin_close()

    def join(self, timeout_s: float) -> bool:
        """Wait for the call that is under way; False where it takes longer."""
        return self._thread.close(timeout_s)

    def _run(self) -> float | None:
        """Send one call; the pause until the next one."""
        try:
            pause_s, self._is_away = self._turn()
        except StoreUnusable as error:
            pause_s, self._is_away = self._wait_for(Away(error.message)), True
        except Exception:
            self._wait_for(Away("sending has failed; the log says more"))
            self._is_away = True
            raise
        return pause_s

    def _turn(self) -> tuple[float | None, bool]:
        """Send one call. Returns how long to wait then (None: until there is something), and whether all must."""
        if self._is_paused:
            return None, False
        held = self._link.held_for()
        call = self._queue.take(besides=held.keys())
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
        """Do with the call what its outcome asks for."""
        match outcome:
            case Done():
                self._queue.done(call)
                self._link.note_sent(call.bucket_id)
            case Refused(reason):
                log.warning("A call for %r (%s) is refused, and kept aside: %s", call.bucket_id, call.kind, reason)
                self._queue.refuse(call, reason)
                self._link.release(call.bucket_id)
            case HeldBack(reason, is_missing):
                self._link.hold(call.bucket_id, reason, is_missing=is_missing)
            case _:
                pass  # the rest concerns all calls
        return outcome

    def _outcome(self, call: WaitingCall) -> Meaning:
        outcome = self._sent(call.path, call.query, call.body, token=call.token)
        if isinstance(outcome, NoBucket):
            outcome = self._create_again(call, outcome)
        if isinstance(outcome, Unreadable):
            # A name that the server does not answer to is a 400 as well: then it hears none of our calls.
            heard = self._probe()
            outcome = heard if isinstance(heard, Away) else Refused(outcome.reason)
        return outcome

    def _create_again(self, call: WaitingCall, answer: NoBucket) -> Meaning:
        """The bucket was deleted there: create it as it was created at first, then send the call once more."""
        creation = self._queue.creation(call.bucket_id)
        if creation is None:
            return HeldBack(answer.reason, is_missing=True)
        # Without a token: it is a new act each time, and a bucket that exists is left as it is.
        created = self._sent(bucket_path(call.bucket_id), "", creation, token=None)
        if not isinstance(created, Done):
            return HeldBack(answer.reason) if isinstance(created, NoBucket) else created
        log.info("Bucket %r was gone, and is created again", call.bucket_id)
        outcome = self._sent(call.path, call.query, call.body, token=call.token)
        return HeldBack(answer.reason) if isinstance(outcome, NoBucket) else outcome

    def _sent(self, path: str, query: str, body: bytes, *, token: str | None) -> Meaning:
        headers = {} if token is None else {"Idempotency-Key": token}
        try:
            reply = self._transport.call("POST", path, query=query, body=body, headers=headers)
        except ServerUnreachable as error:
            return Away(error.message)
        return meaning_of(reply, is_enveloped=self._is_enveloped)

    def _probe(self) -> Meaning:
        try:
            reply = self._transport.call("GET", _PROBE)
        except ServerUnreachable as error:
            return Away(error.message)
        outcome = meaning_of(reply, is_enveloped=self._is_enveloped)
        return outcome if isinstance(outcome, Done | Away) else Away(outcome.reason)

    def _wait_for(self, outcome: Away) -> float:
        """Note that nothing can be sent. Returns the seconds until the next try."""
        self._link.note_away(outcome.reason)
        self._tries += 1
        return max(delay_after(self._tries - 1), outcome.retry_after_s)
