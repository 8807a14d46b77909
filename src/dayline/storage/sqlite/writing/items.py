"""What the writer is given to write: heartbeats, and changes of any other kind."""

import asyncio
from collections.abc import Callable
from time import perf_counter
from typing import Any, Generic, Protocol, TypeVar

import apsw

from dayline.model.audit import Once
from dayline.model.event import Event
from dayline.model.timestamps import Microseconds
from dayline.storage.base import HeartbeatDone
from dayline.storage.sqlite.writing.changes import Changes
from dayline.storage.sqlite.writing.tokens import check_once, keep_once

T = TypeVar("T")

BetweenCommits = Callable[[apsw.Connection], None]  # what a transaction does not allow: to attach a file


class Item(Protocol):
    """Something to be written. `rows` says how heavy it is; `is_held` whether it waits for as long as it takes."""

    @property
    def rows(self) -> int: ...
    @property
    def is_held(self) -> bool: ...
    @property
    def submitted(self) -> float: ...
    @property
    def before(self) -> BetweenCommits | None: ...

    def apply(self, changes: Changes) -> object: ...

    def answer(self, outcome: Any) -> None: ...


class Beat:
    """A heartbeat on its way into the file."""

    __slots__ = ("beat", "bucket_id", "done", "pulsetime")
    rows = 1
    is_held = True
    before = None
    submitted = 0.0  # of no interest: it waits for as long as it takes

    def __init__(self, bucket_id: str, beat: Event, pulsetime: Microseconds, done: HeartbeatDone) -> None:
        self.bucket_id = bucket_id
        self.beat = beat
        self.pulsetime = pulsetime
        self.done = done

    def apply(self, changes: Changes) -> Event:
        return changes.heartbeat(self.bucket_id, self.beat, self.pulsetime)

    @classmethod
    def only_once(
        cls, bucket_id: str, beat: Event, pulsetime: Microseconds, done: HeartbeatDone, once: tuple[Once, ...]
    ) -> "Beat":
        """A heartbeat that comes with tokens."""
        made = _OnceBeat(bucket_id, beat, pulsetime, done)
        made.once = once
        return made

    def answer(self, outcome: Any) -> None:  # the event that apply returned, or the error that it raised
        self.done(outcome)


class _OnceBeat(Beat):
    __slots__ = ("once",)
    once: tuple[Once, ...]

    def apply(self, changes: Changes) -> Event:
        for once in self.once:
            check_once(changes, once)
        event = super().apply(changes)
        for once in self.once:
            keep_once(changes, once)
        return event


class Change(Generic[T]):
    """Any other change: a function that runs inside the transaction, and the future that gets its result."""

    is_held = False

    def __init__(
        self, change: Callable[[Changes], T], rows: int, before: BetweenCommits | None, result: asyncio.Future[T]
    ) -> None:
        self.rows = rows
        self.before = before
        self.submitted = perf_counter()
        self._change = change
        self._result = result

    def apply(self, changes: Changes) -> T:
        return self._change(changes)

    def answer(self, outcome: Any) -> None:
        if self._result.done():  # the client has gone; the change is committed all the same
            return
        if isinstance(outcome, Exception):
            self._result.set_exception(outcome)
        else:
            self._result.set_result(outcome)


class Probe:
    """A change that changes nothing, and is written all the same: whether the file takes writes."""

    rows = 1
    is_held = True
    before = None
    submitted = 0.0

    def apply(self, changes: Changes) -> None:
        # It is set to what it is, and SQLite writes the page nevertheless.
        version = changes.db.pragma("user_version")
        changes.db.pragma("user_version", version)

    def answer(self, outcome: object) -> None:
        """Nobody waits for it."""
