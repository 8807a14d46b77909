"""Takes calls into the queue: those that arrive together share one commit; reads pass through."""

import asyncio
import logging
import secrets
import threading
import time
from collections.abc import Callable
from typing import Final

import msgspec
from msgspec import Struct

from dayline.api.v0.events import parse_pulsetime
from dayline.client.errors import ServerUnreachable
from dayline.client.link import Link
from dayline.client.queue import CallQueue, Outcome
from dayline.client.queued_call import Creation, Heartbeat, Insertion, NewCall, unstored_json
from dayline.client.transport import JSON, Reply, Transport
from dayline.model.bucket import NewBucket, check_bucket_id, created_bucket, decode_new_bucket
from dayline.model.errors import BucketNotFound, DaylineError, Forbidden, StoreUnusable, Unavailable
from dayline.model.event import Event, decode_events, decode_heartbeat
from dayline.model.time import format_timestamp, now_us

log = logging.getLogger(__name__)

MAX_HELD: Final = 1000
PATIENCE_S: Final = 10.0  # of what is not a heartbeat, when the file cannot be written
_RETRY_S: Final = 0.5


class _Arrival(Struct, frozen=True):
    call: NewCall
    answer: asyncio.Future[Outcome]
    deadline: float  # monotonic


class Intake:
    """Puts calls into the queue and answers when they are on disk.

    On a full disk heartbeats wait for as long as it takes, because the watchers in use drop a heartbeat on any error;
    other calls are told after some seconds.
    """

    def __init__(self, queue: CallQueue, *, on_queued: Callable[[], None]) -> None:
        self._queue = queue
        self._on_queued = on_queued
        self._arrived: list[_Arrival] = []
        self._commits: asyncio.Task[None] | None = None
        self._is_held = False
        self._is_stopping = False

    async def put(self, call: NewCall) -> Event | None:
        """Add a call; a heartbeat is returned as it waits. Raises what the queue says: BucketExists, Unavailable."""
        if len(self._arrived) >= MAX_HELD:
            raise Unavailable(f"more than {MAX_HELD} calls wait for the disk")
        loop = asyncio.get_running_loop()
        patience_s = float("inf") if isinstance(call, Heartbeat) else PATIENCE_S
        arrival = _Arrival(call, loop.create_future(), time.monotonic() + patience_s)
        self._arrived.append(arrival)
        if self._commits is None or self._commits.done():
            self._commits = loop.create_task(self._commit())
        outcome = await arrival.answer
        if isinstance(outcome, DaylineError):
            raise outcome
        return outcome

    def stop_holding(self) -> None:
        """The relay stops: what cannot be written now is told so. What can be is still taken."""
        self._is_stopping = True

    async def _commit(self) -> None:
        while self._arrived:
            batch, self._arrived = self._arrived, []
            try:
                # On a thread: a slow disk must not keep the loop from answering others.
                outcomes = await asyncio.to_thread(self._queue.add, [arrival.call for arrival in batch])
                for arrival, outcome in zip(batch, outcomes, strict=True):
                    _answer(arrival, outcome)
            except StoreUnusable as error:
                self._arrived = [*self._patient(batch, error), *self._arrived]
                await asyncio.sleep(_RETRY_S)
            except Exception as error:
                for arrival in batch:
                    _fail(arrival, error)
            else:
                self._is_held = False
                self._on_queued()

    def _patient(self, batch: list[_Arrival], error: StoreUnusable) -> list[_Arrival]:
        """Those that wait on; the others are told."""
        if not self._is_held:
            self._is_held = True
            log.error("%s; heartbeats are held until it can be", error.message)
        patient: list[_Arrival] = []
        for arrival in batch:
            if self._is_stopping or arrival.deadline < time.monotonic():
                _answer(arrival, error)
            else:
                patient.append(arrival)
        return patient


def _answer(arrival: _Arrival, outcome: Outcome) -> None:
    if not arrival.answer.done():  # the client has gone, or the server that stops has given up waiting
        arrival.answer.set_result(outcome)


def _fail(arrival: _Arrival, defect: Exception) -> None:
    """Answer with an error that the handler of the call logs."""
    if not arrival.answer.done():
        arrival.answer.set_exception(defect)


# What watchers send: checked as the server would, so that what it refuses is refused at once, and then queued.


class Recording:
    """Takes calls for buckets. `on_created` is told of each new bucket.

    `hostname` and `device_id` are those of this computer, which `!local` stands for.
    """

    def __init__(
        self, intake: Intake, link: Link, *, on_created: Callable[[str], None], hostname: str, device_id: str
    ) -> None:
        self._intake = intake
        self._link = link
        self._on_created = on_created
        self._hostname = hostname
        self._device_id = device_id

    async def create(self, bucket_id: str, body: bytes) -> bytes:
        """Raises BucketExists where it was created through this relay before, as the server does."""
        bucket = created_bucket(
            bucket_id,
            decode_new_bucket(body),
            now=now_us(),
            hostname=self._hostname,
            device_id=self._device_id,
        )
        # Made here and now, also where the server hears of it a week later.
        new = NewBucket(
            type=bucket.type,
            client=bucket.client,
            hostname=bucket.hostname,
            created=format_timestamp(bucket.created),
            data=bucket.data,
        )
        await self._intake.put(Creation(bucket_id=bucket_id, body=msgspec.json.encode(new)))
        self._on_created(bucket_id)
        return b"{}"

    async def heartbeat(self, bucket_id: str, body: bytes, *, pulsetime: str | None) -> bytes:
        """The event as it waits in the queue: the server may make it part of a longer one."""
        duration = parse_pulsetime(pulsetime)
        beat = decode_heartbeat(body)
        self._check_bucket(bucket_id)
        waiting = await self._intake.put(Heartbeat(bucket_id=bucket_id, event=beat, pulsetime=duration))
        return unstored_json(waiting or beat)

    async def insert(self, bucket_id: str, body: bytes) -> bytes:
        """The events as they were sent, without ids."""
        events = decode_events(body)
        for event in [events] if isinstance(events, Event) else events:
            if event.id:
                raise Forbidden(
                    "events with an id replace others, and are not kept by a relay",
                    hint="leave out the id, or send it to the server itself",
                    field="id",
                )
        self._check_bucket(bucket_id)
        sent = unstored_json(events) if isinstance(events, Event) else b"[%b]" % b",".join(map(unstored_json, events))
        await self._intake.put(Insertion(bucket_id=bucket_id, body=sent))
        return sent

    def _check_bucket(self, bucket_id: str) -> None:
        """Watchers create their bucket again when they hear that there is none."""
        check_bucket_id(bucket_id)
        if self._link.is_missing(bucket_id):
            raise BucketNotFound(bucket_id)


# Calls that are not kept: passed on to the server at once, and its answer passed back.


AT_ONCE: Final = 8  # calls on their way; each has a connection and a thread of its own


class PassedCall(Struct, frozen=True, kw_only=True):
    """A call as it came in. `path` and `query` are raw, `token` is the client's Idempotency-Key."""

    method: str
    path: str
    query: str = ""
    body: bytes | None = None
    content_type: str = JSON
    token: str | None = None


class Passage:
    """The way through. `on_answer` is told whenever the server has taken a call."""

    def __init__(self, new_transport: Callable[[], Transport], *, on_answer: Callable[[], None]) -> None:
        self._new_transport = new_transport
        self._on_answer = on_answer
        self._room = asyncio.Semaphore(AT_ONCE)
        self._idle: list[Transport] = []

    async def call(self, call: PassedCall) -> Reply:
        """What the server answers, whatever it is. Raises Unavailable where it does not."""
        async with self._room:
            transport = self._idle.pop() if self._idle else self._new_transport()
            try:
                reply = await _in_daemon(lambda: _send(transport, call))
            except ServerUnreachable as error:
                raise Unavailable(
                    f"the server is away: {error.message}",
                    hint="what watchers record is kept until it is back; everything else has to wait for it",
                ) from error
            self._idle.append(transport)
        if reply.status < 400:
            self._on_answer()
        return reply


def _send(transport: Transport, call: PassedCall) -> Reply:
    headers: dict[str, str] = {}
    if call.method != "GET":
        # With a token a change can be sent again where a kept connection turns out to be closed.
        headers["Idempotency-Key"] = call.token or secrets.token_urlsafe(16)
    return transport.call(
        call.method, call.path, query=call.query, body=call.body, content_type=call.content_type, headers=headers
    )


async def _in_daemon(send: Callable[[], Reply]) -> Reply:
    """Run it on a thread that does not keep the process from ending, as those of an executor would."""
    loop = asyncio.get_running_loop()
    outcome: asyncio.Future[Reply | Exception] = loop.create_future()

    def settle(result: Reply | Exception) -> None:
        if not outcome.done():  # the relay that stops has given up waiting
            outcome.set_result(result)

    def run() -> None:
        try:
            result: Reply | Exception = send()
        except Exception as error:
            result = error
        if not loop.is_closed():
            loop.call_soon_threadsafe(settle, result)

    threading.Thread(target=run, name="passage", daemon=True).start()
    result = await outcome
    if isinstance(result, Exception):
        raise result
    return result
