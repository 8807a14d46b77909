"""The way into the queue: what arrives in one turn of the loop, or while a commit is under way, shares one commit."""

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
