"""The read transaction of a file, with aliases and single events."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

import apsw

from dayline.model.bucket import Bucket
from dayline.storage.engine.transaction import ReadTransaction
from dayline.storage.sqlite.file.connection import ReaderPool
from dayline.storage.sqlite.rows.audit import AuditRows
from dayline.storage.sqlite.rows.buckets import FileRows, bucket_key
from dayline.storage.sqlite.rows.scan import SelectionRows
from dayline.storage.sqlite.rows.undo_log import UndoLog
from dayline.storage.sqlite.writing.catalogue import read_bucket

_LAST: Final = "SELECT id FROM event WHERE bucket = ? ORDER BY start DESC, id LIMIT 1"


class EventRows(FileRows):
    """The part of a transaction that reads single events, and pairs of a merge."""

    def last_event_id(self, bucket: int) -> int | None:
        found = self.db.execute(_LAST, (bucket,)).get
        return found if isinstance(found, int) else None


class SqliteReadTransaction(UndoLog, EventRows, SelectionRows, AuditRows, ReadTransaction):
    """A snapshot of the file."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    @property
    def db(self) -> apsw.Connection:
        return self._db

    def bucket(self, bucket_id: str) -> Bucket:
        return read_bucket(self._db, bucket_key(self._db, bucket_id))

    def bucket_key(self, bucket_id: str) -> int:
        return bucket_key(self._db, bucket_id)


class SqliteReaders:
    """The TenantReaders of one file."""

    def __init__(self, pool: ReaderPool) -> None:
        self._pool = pool

    @contextmanager
    def transaction(self) -> Generator[SqliteReadTransaction]:
        with self._pool.transaction() as db:
            yield SqliteReadTransaction(db)
