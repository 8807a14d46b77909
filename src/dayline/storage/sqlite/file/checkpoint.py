"""Checkpoints the write-ahead log in the background, so that no commit waits for it.

   pages in the log    ▁▂▃▄▅▆▇█▁▂▃▄▅▁▂▃▄▅
                              ╰ MAX_PAGES  ╰ ENOUGH_PAGES, and PAUSE_S since the last checkpoint

A log that is reset overwrites itself, which is flushed far faster than a growing file.
"""

import logging
import math
import sys
import threading
from pathlib import Path
from time import monotonic, perf_counter, sleep
from typing import Final

import apsw

from dayline.model.errors import StoreBusy
from dayline.runtime.background import BackgroundWorkers
from dayline.storage.sqlite.file.connection import open_writer

ENOUGH_PAGES: Final = 1000  # of 4 KiB each: worth the two flushes of a checkpoint
MAX_PAGES: Final = 8000  # 32 MiB: checkpointed at once
PAUSE_S: Final = 0.5  # the same pages change repeatedly: fewer checkpoints write them less often
QUIET_S: Final = 5.0  # after this long without a commit, the rest of the log is checkpointed too
QUICK_S: Final = 0.1  # on a slower disk the writer does not wait for the end, and the log may grow ...
LIMIT_PAGES: Final = 2 * MAX_PAGES  # ... up to this: 64 MiB
HOLD_S: Final = 0.1  # how long a commit may be held when the log has reached that size
FEW_PAGES: Final = 100  # written during a checkpoint; with more, the writer is in the middle of an import
STALLED_PAGES: Final = 4 * MAX_PAGES  # a long-running reader prevents the log from being reset

_NEVER: Final = sys.maxsize  # pages
_ROUNDS: Final = 4
_TRIES: Final = 20
_BETWEEN_TRIES_S: Final = 0.0002

log = logging.getLogger(__name__)


class Checkpointer:
    """A thread with its own connection. `note` is the commit hook of the writing connection."""

    def __init__(self, path: Path, background: BackgroundWorkers) -> None:
        self._path = path
        self._db: apsw.Connection | None = None
        self._pages = 0
        self._wake_at = _NEVER
        self._quiet: tuple[int, float] | None = None  # pages in the log, and how long they may stay unchanged
        self._is_logged = False
        self._hold_at = LIMIT_PAGES
        self._is_holding = False
        self._resume = threading.Event()
        self._thread = background.thread(
            "write-ahead log checkpoint",
            self._run,
            interval_s=None,
            retry_s=PAUSE_S,
            max_retry_s=QUIET_S,
            on_stop=self._close,
        )

    def start(self) -> None:
        self._thread.start()

    def note(self, db: apsw.Connection, schema: str, pages: int) -> int:
        """Called by SQLite after every commit with the number of pages in the log."""
        self._pages = pages
        if pages >= self._wake_at:
            self._thread.wake()
        if self._is_holding:
            self._resume.wait(HOLD_S)
        return apsw.SQLITE_OK

    def close(self) -> None:
        self._thread.close()

    def _run(self) -> float:
        """Checkpoint if the log is large enough, or not empty and idle; returns the pause that follows."""
        self._wake_at = _NEVER  # a failed run is repeated after a pause, however much is written
        db = self._db
        if db is None:
            db = self._db = open_writer(self._path)
            db.set_busy_timeout(0)  # it gives way to all other connections
        if not self._pages:
            self._quiet = None
            return self._until(1, math.inf)
        if self._quiet is None or (self._pages < ENOUGH_PAGES and self._pages != self._quiet[0]):
            self._quiet = self._pages, monotonic() + QUIET_S
        rest_s = self._quiet[1] - monotonic()
        if self._pages < ENOUGH_PAGES and rest_s > 0:
            return self._until(ENOUGH_PAGES, rest_s)
        self._quiet = None
        self._checkpoint(db)
        # If a reader is in the way, repeating it at once would change nothing and keep the disk from commits.
        return self._until(self._pages + MAX_PAGES, PAUSE_S) if self._pages else self._until(1, math.inf)

    def _until(self, pages: int, seconds: float) -> float:
        """Wait until the log has this many pages, at most `seconds`."""
        self._wake_at = pages
        return 0.0 if self._pages >= pages else seconds

    def _close(self) -> None:
        if self._db is not None:
            self._db.close()

    def _checkpoint(self, db: apsw.Connection) -> None:
        """Checkpoint the log, then the few pages written during that, with the writer locked out briefly.

        Without the second step the log would never be empty under load, never be reset, and grow without limit. It is
        two flushes for which commits wait, so an import has it only when the log has reached its limit.
        """
        known = self._pages
        try:
            started = perf_counter()
            pages, moved = db.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
            if moved < pages:
                pass  # a reader is in the way; until it ends, the log cannot be reset
            elif self._pages >= self._hold_at:
                pages, moved = self._finish_with_the_writer_held(db, pages, moved)
            elif moved < self._pages and perf_counter() - started < QUICK_S and self._pages - known < FEW_PAGES:
                pages, moved = self._finish(db, pages, moved)
        except apsw.Error as error:
            raise StoreBusy(f"cannot checkpoint the write-ahead log of {self._path.name}: {error}") from error
        if pages == moved:
            if self._pages == known:
                self._pages = 0
            self._is_logged = False
        elif pages > STALLED_PAGES and not self._is_logged:
            log.warning(
                "The write-ahead log has grown to %d MiB: a long-running reader prevents its reset", pages * 4 // 1024
            )
            self._is_logged = True

    def _finish_with_the_writer_held(self, db: apsw.Connection, pages: int, moved: int) -> tuple[int, int]:
        """Checkpoint the rest while the writer is held: under load its pauses are too short for this thread.

        The writer is held in `note`, where it has no lock, once little is left.
        """
        for _ in range(_ROUNDS):
            before = self._pages
            pages, moved = db.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
            if self._pages - before < ENOUGH_PAGES:
                break
        self._resume.clear()
        self._is_holding = True
        try:
            deadline = perf_counter() + HOLD_S
            while perf_counter() < deadline:
                pages, moved = self._finish(db, pages, -1)
                if moved == pages:
                    self._pages = 0
                    break
                pages, moved = db.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
                if moved < pages:
                    break  # a reader has come; the writer need not wait for its end
        finally:
            self._is_holding = False
            self._resume.set()
        # If a reader is in the way, holding the writer again would not help.
        self._hold_at = LIMIT_PAGES + self._pages
        return pages, moved

    def _finish(self, db: apsw.Connection, pages: int, moved: int) -> tuple[int, int]:
        for _ in range(_TRIES):
            try:
                return db.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_FULL)
            except (apsw.BusyError, apsw.LockedError):
                sleep(_BETWEEN_TRIES_S)  # a transaction is running; they are short
        return pages, moved
