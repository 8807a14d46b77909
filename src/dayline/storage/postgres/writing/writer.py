"""The writer: collects changes, commits them together, then responds; and the writer of one tenant."""

import asyncio
import contextlib
import logging
import threading
import uuid
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, closing
from datetime import datetime
from time import perf_counter
from typing import Any, Final, TypeVar

from dayline.model.access import Once
from dayline.model.errors import StoreBusy, StoreUnusable
from dayline.model.event import Event
from dayline.model.health import Problem
from dayline.model.time import SECOND, Microseconds, format_timestamp, now_us
from dayline.storage.engine.tenant import Fence
from dayline.storage.history.contract import HeartbeatDone
from dayline.storage.operations.background import SlicePace
from dayline.storage.postgres.connection import FAULTS, Connection, connect, error_text, interrupt, server_start
from dayline.storage.postgres.writing.catalogue import Changed
from dayline.storage.postgres.writing.groups import Group, Probe, QueuedBeat, QueuedChange, Written
from dayline.storage.postgres.writing.heartbeats import Beat, CommitMarker, forget_old
from dayline.storage.postgres.writing.lease import leased
from dayline.storage.postgres.writing.transaction import PostgresTransaction
from dayline.storage.postgres.writing.values import ValueDictionary
from dayline.storage.writing import holding
from dayline.storage.writing.holding import answer, is_late, retry_delay
from dayline.storage.writing.tenant_writers import PlainWriter

# How long to gather heartbeats before they are sent, where many arrive.
#
#     without   ▐ 32 beats are committed ▐ the other 32 are committed ▐ ···
#     with      ▐ 64 beats are committed ▐ gather ▐ 64 beats are committed ▐ ···
#
# Clients that have their responses send the next heartbeat a moment later, and would miss the commit that begins at
# once. What is gathered for a part of a commit's time is more in every commit, and less waiting: for the disk, and
# for the locks of another server that records in the same buckets.


_SHARE: Final = 0.3  # of the duration of a commit; measured: less collects little, more only waits
_MAX_GATHER_S: Final = 0.002
_MANY: Final = 4  # heartbeats in one commit: fewer are too far apart for waiting to pay off


class Gathering:
    """Adapts to the duration of commits."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def note(self, heartbeats: int, took_s: float) -> None:
        """Record the number of heartbeats in a commit, and how long it took."""
        self.seconds = min(_SHARE * took_s, _MAX_GATHER_S) if heartbeats >= _MANY else 0.0


# One connection on its own thread commits what was queued during the last commit.
#
#     event loop   beat beat insert beat beat   beat ···
#     thread       └─ commit ─┘└ commit ┘└── commit ──┘
#
# A group that cannot be committed (the database is down, starting or failing over) is retried ahead of everything else:
# see writing/holding.py.


T = TypeVar("T")

log = logging.getLogger(__name__)

BEATS_AT_ONCE: Final = 500  # in one transaction
SILENT_S: Final = 5.0  # after this long without a response, the database counts as unavailable
PROBE_S: Final = 1.0  # after a failure, while nothing is written


class Writer:
    """Call every method on the event loop. `on_changed` is called for each commit, before its responses, and
    `on_primary` on any thread after the connection to another server than before, with the start of that one.
    """

    def __init__(
        self,
        address: str,
        loop: asyncio.AbstractEventLoop,
        on_changed: Callable[[Changed], None],
        on_primary: Callable[[datetime], None] = lambda started: None,
    ) -> None:
        self.server = str(uuid.uuid4())
        self._address = address
        self._loop = loop
        self._on_changed = on_changed
        self._on_primary = on_primary
        self._db: Connection | None = None
        self._primary: datetime | None = None  # when the server of the connection started
        self._check_timer: asyncio.TimerHandle | None = None
        self._checking: threading.Thread | None = None
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="writer")
        self._values = ValueDictionary()
        self._gathering = Gathering()
        self._queue: list[QueuedBeat | QueuedChange[Any]] = []
        self._group: Group | None = None  # being written, or waiting for its next attempt
        self._number = 0
        self._tries = 0
        self._tried_at = 0.0
        self._retry_timer: asyncio.TimerHandle | None = None
        self._probe_timer: asyncio.TimerHandle | None = None
        self._fault: str | None = None
        self._since: Microseconds = 0
        self._is_scheduled = False
        self._is_stopping = False
        self._is_closing = False
        self._idle = asyncio.Event()
        self._idle.set()
        self.commits = 0

    def heartbeat(
        self,
        tenant: str,
        bucket_id: str,
        event: Event,
        pulsetime: Microseconds,
        done: HeartbeatDone,
        once: tuple[Once, ...] = (),
    ) -> None:
        """Queue a heartbeat for the next commit."""
        has_fault = self._fault is not None or self._silent_s() > SILENT_S
        if self._is_closing or (has_fault and len(self._queue) >= holding.HEARTBEATS_HELD):
            done(self._refusal())
            return
        self._add(QueuedBeat(tenant, Beat(bucket_id, event, pulsetime, once), done))

    async def change(self, tenant: str, change: Callable[[PostgresTransaction], T]) -> T:
        """Run a change in its own transaction, after what was queued before; returns its result after the commit.

        It may run more than once, if an attempt could not be committed.
        """
        if self._is_closing:
            raise self._refusal()
        result: asyncio.Future[T] = self._loop.create_future()
        queued = QueuedChange(tenant, change, result)
        self._add(queued)
        give_up = self._loop.call_later(holding.GIVE_UP_S, self._give_up, queued)
        try:
            return await result
        finally:
            give_up.cancel()

    def problems(self) -> list[Problem]:
        """The faults that prevent writing. Call it from any thread."""
        fault, since, silent_s = self._fault, self._since, self._silent_s()
        if fault is None and silent_s > SILENT_S:
            fault, since = f"the database has not responded for {silent_s:.0f} s", now_us() - int(silent_s * SECOND)
        if fault is None:
            return []
        group = self._group
        held = sum(item.is_held for item in [*(group.items if group is not None else ()), *self._queue])
        waiting = "1 heartbeat is queued" if held == 1 else f"{held:,} heartbeats are queued"
        return [
            Problem(
                kind="disk",
                message=f"{fault}; {waiting}, other changes fail",
                hint="check the database server; recording resumes automatically when it is back",
                since=format_timestamp(since),
            )
        ]

    def _silent_s(self) -> float:
        """How long the database has not responded."""
        return 0.0 if self._group is None else perf_counter() - self._tried_at

    def stop_holding(self) -> None:
        """Refuse what cannot be committed from now on, and everything queued."""
        self._is_stopping = True
        if self._probe_timer is not None:
            self._probe_timer.cancel()
        if self._retry_timer is not None:
            self._retry_timer.cancel()
            self._retry()

    async def close(self) -> None:
        """Write what was accepted, then close the connection."""
        self._is_closing = True
        self.stop_holding()
        await self._idle.wait()
        self._thread.shutdown()
        if self._db is not None:
            with contextlib.suppress(*FAULTS):
                self._db.close()

    def _add(self, item: QueuedBeat | QueuedChange[Any]) -> None:
        self._queue.append(item)
        self._idle.clear()
        if not self._is_scheduled and self._group is None:
            self._is_scheduled = True
            self._loop.call_soon(self._next)

    def _next(self) -> None:
        """Start the next group unless one is being written; waits briefly to collect more if that pays off."""
        self._is_scheduled = bool(
            self._gathering.seconds and self._queue and self._queue[0].is_held and not self._is_stopping
        )
        if self._is_scheduled:
            self._loop.call_later(self._gathering.seconds, self._begin)
        else:
            self._begin()

    def _begin(self) -> None:
        self._is_scheduled = False
        if self._group is not None:
            return
        if not self._queue:
            self._idle.set()
            if self._fault is not None and not self._is_stopping and self._probe_timer is None:
                self._probe_timer = self._loop.call_later(PROBE_S, self._probe)
            return
        self._number += 1
        taken = _together(self._queue)
        items, self._queue = self._queue[:taken], self._queue[taken:]
        self._group = Group(items, CommitMarker(server=self.server, number=self._number))
        self._try()

    def _probe(self) -> None:
        self._probe_timer = None
        if self._fault is not None and not self._is_stopping:
            self._add(Probe(self._loop.create_future()))

    def _try(self) -> None:
        assert self._group is not None
        self._tried_at = perf_counter()
        self._check_timer = self._loop.call_later(SILENT_S, self._check_primary)
        future = self._thread.submit(self._write, self._group)
        future.add_done_callback(lambda done: self._loop.call_soon_threadsafe(self._tried, done))

    def _write(self, group: Group) -> Written:
        """Runs on the thread."""
        try:
            if self._db is None:
                self._db = self._connected()
                forget_old(self._db)
            return group.write(self._db, self._values)
        except FAULTS:
            self._drop_connection()
            raise

    def _connected(self) -> Connection:
        db = connect(self._address)
        try:
            started, before = server_start(db), self._primary
        except BaseException:
            db.close()
            raise
        self._primary = started
        if before not in (None, started):
            self._on_primary(started)
        return db

    def _check_primary(self) -> None:
        """The database does not respond: find out whether another server is the primary."""
        self._check_timer = self._loop.call_later(PROBE_S, self._check_primary)
        if self._db is not None and (self._checking is None or not self._checking.is_alive()):
            self._checking = threading.Thread(target=self._leave_replaced, args=(self._db, self._primary), daemon=True)
            self._checking.start()

    def _leave_replaced(self, db: Connection, primary: datetime | None) -> None:
        """Interrupt the connection if its server was replaced. One that is paused keeps connections and never responds;
        nothing that waits for it is lost, because a retry finds out what was committed.
        """
        with contextlib.suppress(*FAULTS, StoreUnusable), closing(connect(self._address)) as other:
            if server_start(other) != primary and self._db is db:
                log.warning("The database has another primary; leaving the one that does not respond")
                interrupt(db)

    def _drop_connection(self) -> None:
        db, self._db = self._db, None
        if db is not None:
            with contextlib.suppress(*FAULTS):
                db.close()

    def _tried(self, done: "Future[Written]") -> None:
        group = self._group
        assert group is not None
        if self._check_timer is not None:
            self._check_timer.cancel()
        try:
            written = done.result()
        except FAULTS as error:
            self._hold(group, error)
            return
        except Exception as error:
            self._handle_unexpected(group, error)
            return
        self.commits += 1
        if group.is_held:
            self._gathering.note(len(group.items), perf_counter() - self._tried_at)
        self._ease()
        for changed in written.changed:
            try:
                self._on_changed(changed)
            except Exception:
                log.exception("A commit listener failed")
        self._end(group, written.outcomes)

    def _end(self, group: Group, outcomes: Sequence[object]) -> None:
        self._group = None
        for item, outcome in zip(group.items, outcomes, strict=True):
            answer(item, outcome)
        self._next()

    def _handle_unexpected(self, group: Group, error: Exception) -> None:
        """Handle an unexpected error: in a group of heartbeats, find the one that causes it."""
        if len(group.items) == 1:
            refusal = StoreBusy("the heartbeat could not be stored") if group.items[0].is_held else error
            log.error("A change failed: %s", error, exc_info=error)
            self._end(group, [refusal])
            return
        self._group = None
        self._number += 1
        single, *rest = group.items
        self._queue[:0] = rest
        self._group = Group([single], CommitMarker(server=self.server, number=self._number))
        self._try()

    def _hold(self, group: Group, error: Exception) -> None:
        """Queue what can wait for another attempt; refuse what has waited long enough."""
        delay_s = retry_delay(self._tries)
        self._tries += 1
        message = f"the database cannot be written: {error_text(error)}"
        if self._fault is None:
            self._since = now_us()
            log.error("%s; heartbeats are queued", message)
        self._fault = message
        if self._is_stopping or (not group.is_held and is_late(group.submitted)):
            self._end(group, [self._refusal(is_in_doubt=group.is_in_doubt)] * len(group.items))
            return
        self._retry_timer = self._loop.call_later(delay_s, self._retry)

    def _retry(self) -> None:
        self._retry_timer = None
        if self._group is not None:
            self._try()

    def _ease(self) -> None:
        self._tries = 0
        if self._fault is not None:
            log.warning("The database can be written again")
        self._fault = None

    def _give_up(self, item: QueuedChange[Any]) -> None:
        """Refuse a change that has waited long enough, unless it is being written: then its outcome is unknown."""
        if item in self._queue:
            self._queue.remove(item)
            item.answer(self._refusal())

    def _refusal(self, *, is_in_doubt: bool = False) -> StoreBusy:
        if is_in_doubt:
            return StoreBusy(
                "the connection was lost during the commit: unknown whether the change was stored",
                hint="retry with the same Idempotency-Key, and it is made once",
            )
        if self._is_closing or self._is_stopping:
            return StoreBusy("the server is stopping", hint="retry when the server is running again")
        return StoreBusy(self._fault or "the database does not respond", hint="nothing was stored; retry the request")


def _together(queue: Sequence[QueuedBeat | QueuedChange[Any]]) -> int:
    """How many items at the start form one group: heartbeats up to the next change, or one change."""
    count = 0
    while count < min(len(queue), BEATS_AT_ONCE) and isinstance(queue[count], QueuedBeat):
        count += 1
    return count or 1


SLICE_ROWS: Final = 500  # of long work: a heartbeat of the same bucket waits for at most one slice


class PostgresTenantWriter(PlainWriter):
    """The TenantWriter of one tenant."""

    def __init__(self, writer: Writer, tenant: str) -> None:
        self._writer = writer
        self.tenant = tenant

    def heartbeat(
        self, bucket_id: str, beat: Event, pulsetime: Microseconds, done: HeartbeatDone, once: tuple[Once, ...] = ()
    ) -> None:
        self._writer.heartbeat(self.tenant, bucket_id, beat, pulsetime, done, once)

    async def change(self, change: Callable[[PostgresTransaction], T], *, rows: int = 1) -> T:
        """Run a change in a transaction; it may run more than once. A DaylineError that it raises rolls it back."""
        return await self._writer.change(self.tenant, change)

    async def note(self, change: Callable[[PostgresTransaction], None], *, rows: int) -> None:
        await self._writer.change(self.tenant, change)

    def new_pace(self) -> SlicePace:
        return SlicePace(fixed=SLICE_ROWS)

    def lease(self) -> AbstractAsyncContextManager[Fence]:
        return leased(self)

    def release(self, operation: int) -> None:
        """Does nothing: the time stored with the last slice is enough."""
