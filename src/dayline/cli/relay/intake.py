"""Adds calls to the queue, with one commit for those that arrive together."""

import asyncio
import logging
import time
from collections.abc import Callable
from typing import Final

from msgspec import Struct

from dayline.client.queue import CallQueue, Outcome
from dayline.client.queued_call import Heartbeat, NewCall
from dayline.model.errors import DaylineError, StoreUnusable, Unavailable
from dayline.model.event import Event

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
    """Respond with an error that the request handler logs."""
    if not arrival.answer.done():
        arrival.answer.set_exception(defect)
