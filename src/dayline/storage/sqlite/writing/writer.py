"""The writer: collects the changes of one turn of the event loop, commits them together, then responds."""

import asyncio
import contextlib
import logging
from abc import abstractmethod
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from time import perf_counter, sleep
from typing import Final, Literal, TypeVar

import apsw

from dayline.model.access import Once
from dayline.model.errors import StoreBusy
from dayline.model.event import Event
from dayline.model.health import Problem
from dayline.model.time import Microseconds, now_us
from dayline.storage.disk_faults import Fault
from dayline.storage.history.contract import HeartbeatDone
from dayline.storage.sqlite.file.connection import BUSY_TIMEOUT_MS, DAMAGE
from dayline.storage.sqlite.file.faults import STORAGE_FAULTS
from dayline.storage.sqlite.file.health import FaultState, FilePaths, is_gone
from dayline.storage.sqlite.writing.batches import (
    Batches,
    Beat,
    BetweenCommits,
    Change,
    Item,
    Probe,
    Written,
    refusal_of,
)
from dayline.storage.sqlite.writing.catalogue import Catalogue
from dayline.storage.sqlite.writing.transaction import SqliteTransaction
from dayline.storage.writing import holding
from dayline.storage.writing.holding import answer, is_late, retry_delay
from dayline.storage.writing.notices import Commit, OnCommit
from dayline.storage.writing.tenant_writers import PlainWriter


class UnacknowledgedBatches:
    """Batches committed to a file that is no longer at its path. Writing them again would store inserts twice."""

    def __init__(self) -> None:
        self.batches: list[tuple[list[Item], Written]] = []

    @property
    def beats(self) -> int:
        return sum(isinstance(item, Beat) for batch, _ in list(self.batches) for item in batch)

    def add(self, batch: list[Item], written: Written) -> None:
        self.batches.append((batch, written))

    def take(self) -> list[tuple[list[Item], Written]]:
        """Return and clear all of them: the file is back."""
        batches, self.batches = self.batches, []
        return batches

    def give_up(self, fault: Fault, *, is_stopping: bool) -> None:
        """Fail the changes that have waited long enough; if stopping, all of them."""
        refusal = StoreBusy(
            f"unknown whether this was stored: {fault.message}", hint=f"{fault.hint}; then check whether it is there"
        )
        for batch, _ in self.batches:
            for item in batch:
                if is_stopping or (not item.is_held and is_late(item.submitted)):
                    item.answer(refusal)  # a change that was answered ignores later responses
        if is_stopping:
            self.batches = []


# Quick commits run on the loop: no hand-over, no contention for the interpreter. If commits are slow, a batch is heavy,
# or the last commit is a while ago (the disk may have gone to sleep), a thread writes the batch and the loop stays
# free. A batch that cannot be committed (full disk, busy file) is rolled back and retried: see writing/holding.py. A
# commit to a file that is no longer at its path is answered when the file is back.
#
#             item              flush
#     idle ──────────▶ scheduled ────────┬───────▶ idle      committed on the loop
#      ▲                   │ fewer than   ├───────▶ writing ──▶ idle
#      │                   ▼ last time    └──┐        │
#      │               gathering ────────────┘        │ not committed
#      └──────────────── holding ◀────────────────────┘
#
# `leave` goes from any of them to `paused`, from `writing` by way of `pausing`, and then to `idle`.

_Stage = Literal[
    "idle",  # nothing is queued
    "scheduled",  # what is queued is written at the end of this turn
    "gathering",  # it is written one turn later
    "writing",  # a batch is on the thread; the next one starts when it is done
    "holding",  # what could not be written waits for the next attempt
    "pausing",  # a batch is on the thread; nothing is written after it
    "paused",  # nothing is written until it is known whether another file is used
]
_Lifecycle = Literal[
    "open",
    "stopping",  # what cannot be written fails
    "closing",  # and nothing is queued any longer
]


T = TypeVar("T")

HEAVY_ROWS: Final = 100  # a batch with more rows than this leaves the loop
LOOK_S: Final = 2.0  # how often the paths of the file are checked while it is idle
_PAUSE_POLL_S: Final = 0.005
_LOCK_POLL_S: Final = 0.0005

log = logging.getLogger(__name__)


def _waiting(limit_ms: int) -> Callable[[int], bool]:
    """A busy handler that looks often. SQLite's own sleeps longer each time, up to twice as long as it has to."""
    begun = 0.0

    def wait(tries: int) -> bool:
        nonlocal begun
        begun = perf_counter() if tries == 0 else begun
        sleep(_LOCK_POLL_S)
        return (perf_counter() - begun) * 1000 < limit_ms

    return wait


class FileWriter(PlainWriter):
    """The TenantWriter of one file."""

    catalogue: Catalogue

    @property
    @abstractmethod
    def revision(self) -> int:
        """A number that grows with every commit that changes visible data."""

    @property
    @abstractmethod
    def is_awaited(self) -> bool:
        """Whether something else waits for the commit in progress or the next one. Ask in a change, on any thread."""

    @abstractmethod
    async def change(
        self, change: Callable[[SqliteTransaction], T], *, rows: int = 1, before: BetweenCommits | None = None
    ) -> T:
        """Run a change in a transaction. `before` runs ahead of the transaction, once per attempt."""

    async def between_commits(self, action: BetweenCommits) -> None:
        """Run something that is not allowed in a transaction."""
        await self.change(lambda changes: None, before=action)


class Writer(FileWriter):
    """Owns the writing connection. Call every method on the event loop."""

    def __init__(self, db: apsw.Connection, loop: asyncio.AbstractEventLoop, path: Path) -> None:
        self._loop = loop
        self._use(db, path)
        self._left: apsw.Connection | None = None  # of the damaged file that was in use before
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="writer")
        self._queue: list[Item] = []
        self._apart = 0  # the first items of the queue, this many, are written one by one
        self._last_size = 0
        self._in_batch = 0  # items of the batch that is being written
        self._stage: _Stage = "idle"
        self._lifecycle: _Lifecycle = "open"
        self._retry_timer: asyncio.TimerHandle | None = None  # while holding
        self._idle = asyncio.Event()
        self._idle.set()
        self._check_timer = loop.call_later(LOOK_S, self._check_paths)
        self.on_damage: Callable[[str], None] = lambda message: None
        self.on_commit: OnCommit | None = None  # called after the responses

    def _use(self, db: apsw.Connection, path: Path) -> None:
        self._db = db
        self._paths = FilePaths(path)
        self._batches = Batches(db, self._paths)
        self._fault_state = FaultState(path, clock=now_us)
        self._unacknowledged = UnacknowledgedBatches()
        self._wait_ms = -1  # that of a new connection
        self.catalogue = self._batches.catalogue

    @property
    def revision(self) -> int:
        return self._batches.revision

    @property
    def is_awaited(self) -> bool:
        return self._in_batch > 1 or bool(self._queue)

    def heartbeat(
        self, bucket_id: str, beat: Event, pulsetime: Microseconds, done: HeartbeatDone, once: tuple[Once, ...] = ()
    ) -> None:
        """Queue a heartbeat for the commit at the end of this turn."""
        is_closing = self._lifecycle == "closing"
        if is_closing or (self._fault_state.fault is not None and len(self._queue) >= holding.HEARTBEATS_HELD):
            done(self._fault_state.refusal(is_closing=is_closing))
            return
        if not once:
            self._queue.append(Beat(bucket_id, beat, pulsetime, done))
        else:
            self._queue.append(Beat.only_once(bucket_id, beat, pulsetime, done, once))
        if self._stage == "idle":
            self._schedule()

    async def change(
        self, change: Callable[[SqliteTransaction], T], *, rows: int = 1, before: BetweenCommits | None = None
    ) -> T:
        """Run a change in the commit at the end of this turn; returns its result after that commit."""
        if self._left is not None:
            raise self._fault_state.refusal(is_closing=True)
        return await self._change(change, rows, before)

    async def note(self, change: Callable[[SqliteTransaction], None], *, rows: int) -> None:
        await self._change(change, rows)

    async def _change(
        self, change: Callable[[SqliteTransaction], T], rows: int, before: BetweenCommits | None = None
    ) -> T:
        if self._lifecycle == "closing":
            raise self._fault_state.refusal(is_closing=True)
        result: asyncio.Future[T] = self._loop.create_future()
        if before is not None:
            rows = max(rows, HEAVY_ROWS + 1)  # it may take long: not on the loop
        queued: Change[T] = Change(change, rows, before, result)
        self._queue.append(queued)
        give_up = self._loop.call_later(holding.GIVE_UP_S, self._give_up, queued)
        if self._stage == "idle":
            self._schedule()
        try:
            return await result
        finally:
            give_up.cancel()

    def release(self, operation: int) -> None:
        self.catalogue.in_progress.discard(operation)

    def problems(self) -> list[Problem]:
        """The faults that prevent writing. Call it from any thread."""
        held = sum(isinstance(item, Beat) for item in list(self._queue)) + self._unacknowledged.beats
        return self._fault_state.problems(held=held)

    def stop_holding(self) -> None:
        """Refuse what cannot be committed from now on, and everything queued."""
        if self._lifecycle == "open":
            self._lifecycle = "stopping"
        if self._stage == "holding":
            self._retry()

    async def leave(self, opened: Callable[[], tuple[apsw.Connection, Path]]) -> None:
        """Write heartbeats, including queued ones, and notes to another file from now on; `opened`, called on a thread,
        opens it.

        Every other change is refused, and the former file and its log are not written again. If `opened` raises, the
        former file stays in use.
        """
        self._pause()
        try:
            while self._stage == "pausing":
                await asyncio.sleep(_PAUSE_POLL_S)
            db, path = await asyncio.to_thread(opened)
            self._move(db, path)
        finally:
            self._resume()

    async def close(self) -> None:
        """Write what was accepted, then close the file without a log. What cannot be written now fails."""
        self._lifecycle = "closing"
        self.stop_holding()
        await self._idle.wait()
        self._check_timer.cancel()
        self._thread.shutdown()
        with contextlib.suppress(*STORAGE_FAULTS):  # then the log stays, and is read at the next start
            self._db.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
        self._db.close()
        if self._left is not None:
            self._left.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
            self._left.close()

    @property
    def _is_stopping(self) -> bool:
        return self._lifecycle != "open"

    def _schedule(self) -> None:
        self._stage = "scheduled"
        self._idle.clear()
        self._loop.call_soon(self._flush)

    def _pause(self) -> None:
        self._cancel_retry()
        self._stage = "pausing" if self._stage == "writing" else "paused"
        self._idle.clear()

    def _resume(self) -> None:
        self._stage = "writing" if self._stage == "pausing" else "idle"
        self._flush()

    def _retry(self) -> None:
        self._cancel_retry()
        self._stage = "idle"
        self._flush()

    def _cancel_retry(self) -> None:
        if self._retry_timer is not None:
            self._retry_timer.cancel()
            self._retry_timer = None

    def _flush(self) -> None:
        if self._stage in ("writing", "holding", "pausing", "paused"):
            return  # afterwards, the next batch starts with what is queued by then
        if len(self._queue) < self._last_size and self._stage != "gathering":
            # Fewer than last time: some of those clients are about to send. One more turn costs a lone watcher nothing
            # (its batches all have one item), and lets many share a commit again.
            self._stage = "gathering"
            self._loop.call_soon(self._flush)
            return
        self._stage = "idle"
        self._last_size = len(self._queue)
        if self._apart and self._queue:
            batch, self._queue = self._queue[:1], self._queue[1:]
            self._apart -= 1
        else:
            batch, self._queue = self._queue, []
        self._in_batch = len(batch)
        if self._fault_state.is_gone and not self._is_back(batch):
            return
        if not batch:
            self._idle.set()
            return
        if sum([item.rows for item in batch]) <= HEAVY_ROWS and self._batches.pace.is_quick(perf_counter()):
            self._write_on_loop(batch)
        else:
            self._write_on_thread(batch)

    def _move(self, db: apsw.Connection, path: Path) -> None:
        """Use another file, and refuse everything queued but heartbeats."""
        refusal, fault, self._left = self._fault_state.refusal(is_closing=True), self._fault_state.fault, self._db
        for item in self._queue:
            if not isinstance(item, Beat):
                answer(item, refusal)
        if fault is not None:
            self._unacknowledged.give_up(fault, is_stopping=True)
        self._queue = [item for item in self._queue if isinstance(item, Beat)]
        self._apart = 0
        self.on_commit = None  # readers still read the former file
        self._use(db, path)

    def _write_on_loop(self, batch: list[Item]) -> None:
        self._wait_for_others(0)
        try:
            written = self._batches.write(batch)
        except apsw.BusyError:
            self._write_on_thread(batch)  # a checkpoint or another writer has the lock: do not wait on the loop
        except STORAGE_FAULTS as error:
            self._failed(batch, error)
        except Exception as error:
            self._isolate(batch, error)
        else:
            self._answer(batch, written)
            if self._queue and self._stage == "idle":
                self._schedule()

    def _write_on_thread(self, batch: list[Item]) -> None:
        self._stage = "writing"
        self._wait_for_others(BUSY_TIMEOUT_MS)
        future = self._thread.submit(self._batches.write, batch)
        future.add_done_callback(lambda done: self._loop.call_soon_threadsafe(self._written, batch, done))

    def _wait_for_others(self, limit_ms: int) -> None:
        """Set how long the next transaction may wait for the lock."""
        if limit_ms != self._wait_ms:
            self._wait_ms = limit_ms
            self._db.set_busy_handler(_waiting(limit_ms) if limit_ms else None)

    def _written(self, batch: list[Item], done: Future[Written]) -> None:
        self._stage = "paused" if self._stage == "pausing" else "idle"
        try:
            written = done.result()
        except STORAGE_FAULTS as error:
            self._failed(batch, error)
        except Exception as error:
            self._isolate(batch, error)
        else:
            self._answer(batch, written)
            self._flush()

    def _answer(self, batch: list[Item], written: Written) -> None:
        fault = written[2]
        if is_gone(fault):
            assert fault is not None
            self._unacknowledged.add(batch, written)
            self._hold([], fault)
            return
        if fault is not self._fault_state.warning:
            self._fault_state.mark(fault)
        if self._fault_state.fault is not None:
            self._fault_state.clear()
        self._deliver(batch, written)
        if not self._queue and self._stage == "idle":
            self._idle.set()

    def _deliver(self, batch: list[Item], written: Written) -> None:
        outcomes, touched, _, notices = written
        self.catalogue.publish(touched)
        for item, outcome in zip(batch, outcomes, strict=True):
            answer(item, outcome)
        if self.on_commit is not None and (touched or notices):
            recorded = [state.bucket.id for state in touched]
            try:
                self.on_commit(Commit(self._batches.revision, recorded, list(notices)))
            except Exception:
                log.exception("A commit listener failed")

    def _isolate(self, batch: list[Item], error: Exception) -> None:
        """Refuse a change that failed unexpectedly; in a larger batch, find it by writing each change alone."""
        if len(batch) == 1:
            answer(batch[0], refusal_of(batch[0], error))
        else:
            self._queue[:0] = batch
            self._apart += len(batch)
        if self._stage == "idle":
            self._schedule()

    def _failed(self, batch: list[Item], error: Exception) -> None:
        if isinstance(error, DAMAGE):
            self.on_damage(str(error))
        self._hold(batch, self._fault_state.of(error, self._db))

    def _hold(self, batch: list[Item], fault: Fault) -> None:
        """Queue what can wait for another attempt; refuse what has waited long enough."""
        delay_s = retry_delay(self._fault_state.tries)
        self._fault_state.note(fault)
        held: list[Item] = []
        for item in batch:
            if self._is_stopping or (not item.is_held and is_late(item.submitted)):
                answer(item, self._fault_state.refusal(is_closing=self._is_stopping))
            else:
                held.append(item)
        self._unacknowledged.give_up(fault, is_stopping=self._is_stopping)
        self._queue[:0] = held
        if self._stage != "paused":
            self._stage = "holding"
            self._retry_timer = self._loop.call_later(delay_s, self._retry)

    def _give_up(self, item: Item) -> None:
        """Refuse a change that has waited long enough, unless it is being written: then its outcome is unknown."""
        if item in self._queue:
            self._queue.remove(item)
            item.answer(self._fault_state.refusal(is_closing=False))

    def _is_back(self, batch: list[Item]) -> bool:
        """Whether the file is at its path again. Otherwise nothing is written: it would be lost."""
        fault = self._paths.fault()
        if not is_gone(fault):
            self._fault_state.over()
            for items, written in self._unacknowledged.take():
                self._deliver(items, written)
            return True
        assert fault is not None
        if batch or self._unacknowledged.batches:
            self._hold(batch, fault)
        else:
            self._idle.set()
        return False

    def _check_paths(self) -> None:
        """Check the paths periodically: the file may be removed while nothing is written."""
        self._check_timer = self._loop.call_later(LOOK_S, self._check_paths)
        if not self._has_check():
            checked = self._thread.submit(self._paths.fault)
            checked.add_done_callback(lambda done: self._loop.call_soon_threadsafe(self._note_paths, done.result()))

    def _note_paths(self, fault: Fault | None) -> None:
        if self._has_check():
            return
        if fault is not None and is_gone(fault):
            if not self._fault_state.is_gone:
                self._fault_state.note(fault)
            return
        self._fault_state.mark(fault)
        self._fault_state.settle()
        if self._fault_state.fault is not None and not self._queue:
            # Nothing is being written that would detect the end of the fault.
            self._queue.append(Probe())
            if self._stage == "idle":
                self._schedule()

    def _has_check(self) -> bool:
        """Whether the paths are checked anyway, with a write."""
        return self._is_stopping or self._stage in ("writing", "holding", "pausing")
