"""A snapshot of the database for the length of a query, but at most five seconds (decision 12)."""

import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import Final

import apsw

from dayline.model.errors import StoreUnusable
from dayline.runtime.background import BackgroundWorkers
from dayline.runtime.worker import BackgroundThread
from dayline.storage.sqlite.file.connection import open_reader

MAX_READ_S: Final = 5.0  # a longer-running reader prevents the write-ahead log from being reset
LOOK_EVERY_S: Final = (
    0.5  # how often a thread looks for old transactions; a timer per query would cost more than a small query
)


class ReadState:
    """A connection whose transaction begins with the first read. After `release`, the next read begins a new one."""

    def __init__(self, path: Path, *, opened: Callable[[Path], apsw.Connection] = open_reader) -> None:
        self._path = path
        self._open = opened
        self._db: apsw.Connection | None = None
        self._lock = threading.RLock()
        self._begun = 0.0
        self.transactions = 0  # begun so far
        self._watcher: BackgroundThread | None = None

    @contextmanager
    def reading(self) -> Generator[apsw.Connection]:
        """The connection, inside its transaction. Raises StoreUnusable if the file cannot be read."""
        with self._lock:
            try:
                yield self._opened()
            except apsw.Error as error:
                raise StoreUnusable(f"the database cannot be read: {error}") from error

    def release(self) -> None:
        """End the transaction."""
        with self._lock:
            if self._db is not None and self._db.in_transaction:
                try:
                    self._db.execute("COMMIT")
                except apsw.Error:  # of a damaged file, for instance; the read has reported it
                    self._db.close()
                    self._db = None

    def close(self) -> None:
        if self._watcher is not None:
            self._watcher.begin_close()
        with self._lock:
            self.release()
            if self._db is not None:
                self._db.close()
                self._db = None

    def _opened(self) -> apsw.Connection:
        self._release_old()
        db = self._db
        if db is None:
            db = self._db = self._open(self._path)
        if not db.in_transaction:
            db.execute("BEGIN")
            self._begun = monotonic()
            self.transactions += 1
            self._be_watched()
        return db

    def _be_watched(self) -> None:
        """Register with the thread that ends old transactions: a query may compute for a long time between two
        reads.
        """
        if self._watcher is None:
            self._watcher = BackgroundWorkers().thread(
                "end of long read transactions",
                self._release_old,
                interval_s=LOOK_EVERY_S,
                initial_delay_s=LOOK_EVERY_S,
                max_retry_s=LOOK_EVERY_S,
            )
            self._watcher.start()

    def _release_old(self) -> None:
        with self._lock:
            if monotonic() - self._begun > MAX_READ_S - LOOK_EVERY_S:
                self.release()
