"""Adds calls to the queue, with one commit for those that arrive together; other calls pass through."""

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

MAX_WAITING: Final = 1000
PATIENCE_S: Final = 10.0  # how long calls other than heartbeats wait if the file cannot be written
_RETRY_S: Final = 0.5


class _Arrival(Struct, frozen=True):
    call: NewCall
    answer: asyncio.Future[Outcome]
    deadline: float  # monotonic


class Intake:
    """Adds calls to the queue and answers when they are on disk.

    On a full disk heartbeats wait without a limit, because existing watchers drop a heartbeat on any error; other calls
    fail after some seconds.
    """

    def __init__(self, queue: CallQueue, *, on_queued: Callable[[], None]) -> None:
        self._queue = queue
        self._on_queued = on_queued
        self._arrived: list[_Arrival] = []
        self._commits: asyncio.Task[None] | None = None
        self._is_blocked = False
        self._is_stopping = False

    async def put(self, call: NewCall) -> Event | None:
        """Add a call; returns a heartbeat as it waits. Raises the queue's errors: BucketExists, Unavailable."""
        if len(self._arrived) >= MAX_WAITING:
            raise Unavailable(f"{MAX_WAITING} calls are waiting for the disk, which is the limit")
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
        """The relay stops: calls that cannot be written now fail. Others are still accepted."""
        self._is_stopping = True

    async def _commit(self) -> None:
        while self._arrived:
            batch, self._arrived = self._arrived, []
            try:
                # In a thread: a slow disk must not block the loop.
                outcomes = await asyncio.to_thread(self._queue.add, [arrival.call for arrival in batch])
                for arrival, outcome in zip(batch, outcomes, strict=True):
                    _answer(arrival, outcome)
            except StoreUnusable as error:
                self._arrived = [*self._still_waiting(batch, error), *self._arrived]
                await asyncio.sleep(_RETRY_S)
            except Exception as error:
                for arrival in batch:
                    _fail(arrival, error)
            else:
                self._is_blocked = False
                self._on_queued()

    def _still_waiting(self, batch: list[_Arrival], error: StoreUnusable) -> list[_Arrival]:
        """The calls that keep waiting; the others get the error."""
        if not self._is_blocked:
            self._is_blocked = True
            log.error("%s; heartbeats wait until it is writable", error.message)
        waiting: list[_Arrival] = []
        for arrival in batch:
            if self._is_stopping or arrival.deadline < time.monotonic():
                _answer(arrival, error)
            else:
                waiting.append(arrival)
        return waiting


def _answer(arrival: _Arrival, outcome: Outcome) -> None:
    if not arrival.answer.done():  # canceled if the client disconnected or the relay stops
        arrival.answer.set_result(outcome)


def _fail(arrival: _Arrival, defect: Exception) -> None:
    """Answer with an error that the request handler logs."""
    if not arrival.answer.done():
        arrival.answer.set_exception(defect)


# Recording calls: validated as by the server, so that invalid ones fail at once, and then queued.


class Recording:
    """Accepts recording calls. Calls `on_created` for each new bucket.

    `hostname` and `device_id` are those of this computer, for buckets with the host `!local`.
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
        """Create a bucket. Raises BucketExists if it was created through this relay before, like the server."""
        bucket = created_bucket(
            bucket_id,
            decode_new_bucket(body),
            now=now_us(),
            hostname=self._hostname,
            device_id=self._device_id,
        )
        # Created now, even if the server receives it a week later.
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
        """The event as it waits in the queue; the server may merge it into a longer one."""
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
                    "a relay cannot store events with an id, which replace existing events",
                    hint="leave out the id, or send the event to the server directly",
                    field="id",
                )
        self._check_bucket(bucket_id)
        sent = unstored_json(events) if isinstance(events, Event) else b"[%b]" % b",".join(map(unstored_json, events))
        await self._intake.put(Insertion(bucket_id=bucket_id, body=sent))
        return sent

    def _check_bucket(self, bucket_id: str) -> None:
        """Raise BucketNotFound if the server has no such bucket, so that watchers create it again."""
        check_bucket_id(bucket_id)
        if self._link.is_missing(bucket_id):
            raise BucketNotFound(bucket_id)


# Calls that are not queued: forwarded to the server at once.
AT_ONCE: Final = 8  # concurrent calls; each has its own connection and thread


class PassedCall(Struct, frozen=True, kw_only=True):
    """A call to forward. `path` and `query` are raw, `token` is the client's Idempotency-Key."""

    method: str
    path: str
    query: str = ""
    body: bytes | None = None
    content_type: str = JSON
    token: str | None = None


class Passthrough:
    """Forwards calls. Calls `on_answer` whenever the server has accepted one."""

    def __init__(self, new_transport: Callable[[], Transport], *, on_answer: Callable[[], None]) -> None:
        self._new_transport = new_transport
        self._on_answer = on_answer
        self._slots = asyncio.Semaphore(AT_ONCE)
        self._idle: list[Transport] = []

    async def call(self, call: PassedCall) -> Reply:
        """The server's answer, whatever its status. Raises Unavailable if there is none."""
        async with self._slots:
            transport = self._idle.pop() if self._idle else self._new_transport()
            try:
                reply = await _in_daemon(lambda: _send(transport, call))
            except ServerUnreachable as error:
                raise Unavailable(
                    f"the server is not available: {error.message}",
                    hint="recorded events are queued until it is back; other calls need the server",
                ) from error
            self._idle.append(transport)
        if reply.status < 400:
            self._on_answer()
        return reply


def _send(transport: Transport, call: PassedCall) -> Reply:
    headers: dict[str, str] = {}
    if call.method != "GET":
        # With an idempotency key a change can be sent again if a persistent connection turns out to be closed.
        headers["Idempotency-Key"] = call.token or secrets.token_urlsafe(16)
    return transport.call(
        call.method, call.path, query=call.query, body=call.body, content_type=call.content_type, headers=headers
    )


async def _in_daemon(send: Callable[[], Reply]) -> Reply:
    """Run it in a daemon thread, which does not keep the process from exiting as an executor's thread would."""
    loop = asyncio.get_running_loop()
    outcome: asyncio.Future[Reply | Exception] = loop.create_future()

    def settle(result: Reply | Exception) -> None:
        if not outcome.done():  # canceled if the relay stops
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
