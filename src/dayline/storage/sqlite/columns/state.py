"""One state of the database for the length of a query, but for five seconds at most (decision 12)."""

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

LONGEST_S: Final = 5.0  # a reader that stays longer keeps the write-ahead log from beginning anew
LOOK_EVERY_S: Final = 0.5  # how often a thread looks for one: a timer for each query would cost more than a small one


class ReadState:
    """A connection whose transaction begins with the first read. When it has been let go, the next read sees anew."""

    def __init__(self, path: Path, *, opened: Callable[[Path], apsw.Connection] = open_reader) -> None:
        self._path = path
        self._open = opened
        self._db: apsw.Connection | None = None
        self._lock = threading.RLock()
        self._begun = 0.0
        self._watcher: BackgroundThread | None = None

    @contextmanager
    def reading(self) -> Generator[apsw.Connection]:
        """The connection, inside its transaction. Raises StoreUnusable where the file cannot be read."""
        with self._lock:
            try:
                yield self._opened()
            except apsw.Error as error:
                raise StoreUnusable(f"the database cannot be read at present: {error}") from error

    def let_go(self) -> None:
        """End the transaction."""
        with self._lock:
            if self._db is not None and self._db.in_transaction:
                try:
                    self._db.execute("COMMIT")
                except apsw.Error:  # of a damaged file, say: whoever read it was told
                    self._db.close()
                    self._db = None

    def close(self) -> None:
        if self._watcher is not None:
            self._watcher.begin_close()
        with self._lock:
            self.let_go()
            if self._db is not None:
                self._db.close()
                self._db = None

    def _opened(self) -> apsw.Connection:
        self._let_go_of_old()
        db = self._db
        if db is None:
            db = self._db = self._open(self._path)
        if not db.in_transaction:
            db.execute("BEGIN")
            self._begun = monotonic()
            self._be_watched()
        return db

    def _be_watched(self) -> None:
        """Not only the next read should end an old transaction: a query may go on computing for a long time."""
        if self._watcher is None:
            self._watcher = BackgroundWorkers().thread(
                "end of long read transactions",
                self._let_go_of_old,
                interval_s=LOOK_EVERY_S,
                initial_delay_s=LOOK_EVERY_S,
                max_retry_s=LOOK_EVERY_S,
            )
            self._watcher.start()

    def _let_go_of_old(self) -> None:
        with self._lock:
            if monotonic() - self._begun > LONGEST_S - LOOK_EVERY_S:
                self.let_go()
