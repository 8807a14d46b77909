"""Moves the write-ahead log into the database file, in the background, so that no commit ever waits for it."""

import logging
import threading
from pathlib import Path
from time import perf_counter, sleep
from typing import Final

import apsw

from dayline.storage.sqlite.connection import open_writer

PAGES: Final = 1000  # of 4 KiB: the log is begun anew after this many, and a log that does not grow is the quickest
QUIET_S: Final = 5.0  # after so long without a commit, what is left in the log is moved too
QUICK_S: Final = 0.05  # on a slower disk the writer is not made to wait, and the log may grow
STALLED_PAGES: Final = 16 * PAGES  # 64 MiB: a reader that stays too long; the log cannot begin anew

_TRIES: Final = 20
_PAUSE_S: Final = 0.0002

log = logging.getLogger(__name__)


class Checkpointer:
    """A thread with a connection of its own. `note` is the writing connection's hook."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._pages = 0
        self._is_told = False
        self._is_closing = False
        self._wake = threading.Event()
        self._thread = threading.Thread(target=self._run, name="checkpoint", daemon=True)
        self._thread.start()

    def note(self, db: apsw.Connection, schema: str, pages: int) -> int:
        """Called by SQLite after every commit, with the pages that the log holds."""
        is_first = self._pages == 0
        self._pages = pages
        if pages >= PAGES or is_first:
            self._wake.set()
        return apsw.SQLITE_OK

    def close(self) -> None:
        self._is_closing = True
        self._wake.set()
        self._thread.join()

    def _run(self) -> None:
        db = open_writer(self._path)
        db.set_busy_timeout(0)  # it gives way to everybody else
        try:
            while True:
                # With nothing in the log there is nothing to wait for but the next commit.
                self._wake.wait(QUIET_S if self._pages else None)
                if self._is_closing:
                    return
                if self._is_due():
                    self._checkpoint(db)
        finally:
            db.close()

    def _is_due(self) -> bool:
        was_woken = self._wake.is_set()
        self._wake.clear()
        return not was_woken or self._pages >= PAGES

    def _checkpoint(self, db: apsw.Connection) -> None:
        """Move all that is in the log, then, with the writer held for a moment, the little that came in meanwhile.

        Without the second step the log would never be empty under load, never begin anew, and grow without end.
        """
        try:
            started = perf_counter()
            pages, moved = db.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
            if moved < pages and perf_counter() - started < QUICK_S:
                pages, moved = self._finish(db, pages, moved)
        except apsw.Error as error:
            log.error("cannot move the write-ahead log into %s: %s", self._path.name, error)
            return
        if pages == moved:
            self._pages = 0
            self._is_told = False
        elif pages > STALLED_PAGES and not self._is_told:
            log.warning("the write-ahead log has grown to %d MiB: a reader holds it back", pages * 4 // 1024)
            self._is_told = True

    def _finish(self, db: apsw.Connection, pages: int, moved: int) -> tuple[int, int]:
        for _ in range(_TRIES):
            try:
                return db.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_FULL)
            except (apsw.BusyError, apsw.LockedError):
                sleep(_PAUSE_S)  # a transaction is under way; they are short
        return pages, moved
