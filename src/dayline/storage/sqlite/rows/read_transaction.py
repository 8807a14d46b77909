"""The read transaction of a file."""

from collections.abc import Generator
from contextlib import contextmanager

import apsw

from dayline.model.bucket import Bucket
from dayline.storage.engine.transaction import ReadTransaction
from dayline.storage.sqlite.file.connection import ReaderPool
from dayline.storage.sqlite.rows.audit import AuditRows
from dayline.storage.sqlite.rows.buckets import bucket_key
from dayline.storage.sqlite.rows.scan import SelectionRows
from dayline.storage.sqlite.rows.undo_log import UndoLog
from dayline.storage.sqlite.writing.catalogue import read_bucket


class SqliteReadTransaction(UndoLog, SelectionRows, AuditRows, ReadTransaction):
    """A snapshot of the file."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    @property
    def db(self) -> apsw.Connection:
        return self._db

    def bucket(self, bucket_id: str) -> Bucket:
        return read_bucket(self._db, bucket_key(self._db, bucket_id))


class SqliteReaders:
    """The TenantReaders of one file."""

    def __init__(self, pool: ReaderPool) -> None:
        self._pool = pool

    @contextmanager
    def transaction(self) -> Generator[SqliteReadTransaction]:
        with self._pool.transaction() as db:
            yield SqliteReadTransaction(db)
