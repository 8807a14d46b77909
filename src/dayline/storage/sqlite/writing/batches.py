"""Batches of heartbeats and changes, each committed in one transaction; a change that fails, fails alone."""

import asyncio
import logging
from collections.abc import Callable
from time import perf_counter
from typing import Any, Final, Protocol, TypeVar

import apsw

from dayline.model.access import Once
from dayline.model.errors import DaylineError, StoreBusy
from dayline.model.event import Event
from dayline.model.time import Microseconds, now_us
from dayline.storage.disk_faults import Fault
from dayline.storage.history.contract import HeartbeatDone
from dayline.storage.sqlite.file.faults import STORAGE_FAULTS
from dayline.storage.sqlite.file.health import FilePaths
from dayline.storage.sqlite.writing.catalogue import BucketState, Catalogue
from dayline.storage.sqlite.writing.transaction import SqliteTransaction
from dayline.storage.sqlite.writing.values import ValueDictionary
from dayline.storage.writing.holding import PendingChange
from dayline.storage.writing.notices import ChangeNotice

T = TypeVar("T")

BetweenCommits = Callable[[apsw.Connection], None]  # for what a transaction does not allow, such as ATTACH


class Item(Protocol):
    """An item of a batch. `rows` is its weight; `is_held`: it is retried without a time limit."""

    @property
    def rows(self) -> int: ...
    @property
    def is_held(self) -> bool: ...
    @property
    def submitted(self) -> float: ...
    @property
    def before(self) -> BetweenCommits | None: ...

    def apply(self, changes: SqliteTransaction) -> object: ...

    def answer(self, outcome: Any) -> None: ...


class Beat:
    """A queued heartbeat."""

    __slots__ = ("beat", "bucket_id", "done", "pulsetime")
    rows = 1
    is_held = True
    before = None
    submitted = 0.0  # unused: it has no time limit

    def __init__(self, bucket_id: str, beat: Event, pulsetime: Microseconds, done: HeartbeatDone) -> None:
        self.bucket_id = bucket_id
        self.beat = beat
        self.pulsetime = pulsetime
        self.done = done

    def apply(self, changes: SqliteTransaction) -> Event:
        return changes.heartbeat(self.bucket_id, self.beat, self.pulsetime)

    @classmethod
    def only_once(
        cls, bucket_id: str, beat: Event, pulsetime: Microseconds, done: HeartbeatDone, once: tuple[Once, ...]
    ) -> "Beat":
        """A heartbeat with idempotency tokens."""
        made = _OnceBeat(bucket_id, beat, pulsetime, done)
        made.once = once
        return made

    def answer(self, outcome: Any) -> None:  # the event that apply returned, or the error that it raised
        self.done(outcome)


class _OnceBeat(Beat):
    __slots__ = ("once",)
    once: tuple[Once, ...]

    def apply(self, changes: SqliteTransaction) -> Event:
        changes.check_tokens(self.once)
        event = super().apply(changes)
        changes.keep_tokens(self.once)
        return event


class Change(PendingChange[T]):
    """Any other change: a function that runs inside the transaction."""

    def __init__(
        self,
        change: Callable[[SqliteTransaction], T],
        rows: int,
        before: BetweenCommits | None,
        result: asyncio.Future[T],
    ) -> None:
        super().__init__(result)
        self.rows = rows
        self.before = before
        self._change = change

    def apply(self, changes: SqliteTransaction) -> T:
        return self._change(changes)


class Probe:
    """Writes a page without changing anything, to check whether the file can be written."""

    rows = 1
    is_held = True
    before = None
    submitted = 0.0

    def apply(self, changes: SqliteTransaction) -> None:
        # Set to its current value; SQLite writes the page anyway.
        version = changes.db.pragma("user_version")
        changes.db.pragma("user_version", version)

    def answer(self, outcome: object) -> None:
        """Nothing waits for it."""


QUICK_COMMIT_S: Final = 0.004  # the loop may block this long; a flush to a healthy disk takes a tenth of it
QUICK_COMMITS_IN_A_ROW: Final = 8  # consecutive quick commits before one runs on the loop
IDLE_S: Final = 1.0  # after a pause this long, nothing is known about the disk


class Pace:
    """Whether recent commits were quick enough to run on the loop."""

    def __init__(self) -> None:
        self._quick_in_a_row = 0
        self._latest = 0.0

    def is_quick(self, now: float) -> bool:
        return self._quick_in_a_row >= QUICK_COMMITS_IN_A_ROW and now - self._latest < IDLE_S

    def note(self, started: float, ended: float) -> None:
        self._latest = ended
        self._quick_in_a_row = self._quick_in_a_row + 1 if ended - started < QUICK_COMMIT_S else 0


# The outcome of each item (its result or its error), the buckets to publish, the fault of the file's paths, if any
# (then the commit may be lost), and the notices for listeners.
Written = tuple[list[object], set[BucketState], Fault | None, dict[ChangeNotice, None]]

log = logging.getLogger(__name__)


class Batches:
    """The transactions of the writing connection, on the event loop or on the writer's thread."""

    def __init__(self, db: apsw.Connection, place: FilePaths) -> None:
        self._db = db
        self._cursor = db.cursor()
        self._place = place
        self._values = ValueDictionary(db)
        self._is_stale = False  # memory may contain rolled-back state
        # From the clock, so that it stays above its value before a restart; a commit takes longer than a microsecond.
        self.revision = now_us()
        self.catalogue = Catalogue(db)
        self.pace = Pace()

    def write(self, batch: list[Item]) -> Written:
        """Commit the batch.

        Raises one of STORAGE_FAULTS, or an error that cannot be attributed to a single change; nothing is changed then.
        """
        refused: dict[int, Exception] = {}
        while True:
            try:
                written = self._attempt(batch, refused)
            except _Refused as refusal:
                self._roll_back()
                refused[refusal.index] = refusal_of(batch[refusal.index], refusal.error)
            except BaseException:
                self._roll_back()
                raise
            else:
                return written

    def _attempt(self, batch: list[Item], refused: dict[int, Exception]) -> Written:
        outcomes: list[object] = []
        for item in batch:
            if item.before is not None:
                self._prepare(batch, refused)
                break
        self._cursor.execute("BEGIN IMMEDIATE")
        if self._is_stale:
            self._values.forget()
            self.catalogue.load()
            self._is_stale = False
        changes = SqliteTransaction(self._cursor, self.catalogue, self._values)
        for index, item in enumerate(batch):
            if refused and index in refused:
                outcomes.append(refused[index])
                continue
            try:
                outcomes.append(item.apply(changes))
            except DaylineError as error:
                outcomes.append(error)
            except STORAGE_FAULTS:
                raise
            except Exception as error:
                raise _Refused(index, error) from error
        changes.finish()
        started = perf_counter()
        self._cursor.execute("COMMIT")
        ended = perf_counter()
        if changes.unseen < len(batch):
            self.revision += 1
        self.pace.note(started, ended)
        return outcomes, changes.touched, self._place.fault_after(ended), changes.notices

    def _prepare(self, batch: list[Item], refused: dict[int, Exception]) -> None:
        """Run what changes need before the transaction. One that fails is refused; the others continue."""
        for index, item in enumerate(batch):
            if item.before is None or index in refused:
                continue
            try:
                item.before(self._db)
            except STORAGE_FAULTS as error:  # of a file that only this change needs
                refused[index] = StoreBusy(
                    f"cannot use a file that the change needs: {error}", hint="nothing was stored; retry the request"
                )
            except Exception as error:
                refused[index] = refusal_of(item, error)

    def _roll_back(self) -> None:
        self._is_stale = True
        if self._db.in_transaction:
            self._db.execute("ROLLBACK")


def refusal_of(item: Item, error: Exception) -> Exception:
    """The error for a change that failed unexpectedly."""
    if not item.is_held:
        return error
    log.error("Cannot store a heartbeat: %r", error, exc_info=error)
    return StoreBusy("the heartbeat could not be stored", hint="see the server's log for the cause")


class _Refused(Exception):
    """One change of a batch failed unexpectedly."""

    def __init__(self, index: int, error: Exception) -> None:
        super().__init__(index)
        self.index = index
        self.error = error
