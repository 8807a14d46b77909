"""The read transaction of a tenant, and its buckets."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

from dayline.model.bucket import Bucket
from dayline.model.errors import BucketNotFound
from dayline.storage.engine.transaction import ReadTransaction
from dayline.storage.postgres.connection import Connection, Readers
from dayline.storage.postgres.rows.audit import AuditRows
from dayline.storage.postgres.rows.buckets import FIELDS, BucketRecord, bucket_of_row
from dayline.storage.postgres.rows.scan import SelectionRows
from dayline.storage.postgres.rows.tables import TenantRows
from dayline.storage.postgres.rows.undo_log import UndoLog

_OWN: Final = f"SELECT {FIELDS} FROM bucket WHERE tenant = %s AND id = %s AND deleted IS NULL"
_BY_ALIAS: Final = f"""
SELECT {", ".join(f"bucket.{field}" for field in FIELDS.split(", "))}
FROM alias JOIN bucket ON bucket.tenant = alias.tenant AND bucket.key = alias.bucket
WHERE alias.tenant = %s AND alias.id = %s AND bucket.deleted IS NULL
"""


class BucketReads(TenantRows):
    """The part of a transaction that reads buckets."""

    def bucket(self, bucket_id: str) -> Bucket:
        return self.bucket_record(bucket_id).bucket

    def bucket_record(self, bucket_id: str) -> BucketRecord:
        """The current bucket with this id or alias, not locked. Raises BucketNotFound."""
        if "\0" not in bucket_id:
            for statement in (_OWN, _BY_ALIAS):
                row = self.db.execute(statement, (self.tenant, bucket_id)).fetchone()
                if row is not None:
                    return bucket_of_row(row)
        raise BucketNotFound(bucket_id)


class PostgresReadTransaction(UndoLog, BucketReads, SelectionRows, AuditRows, ReadTransaction):
    """A snapshot of a tenant's data."""

    def __init__(self, db: Connection, tenant: str) -> None:
        self.db = db
        self.tenant = tenant


class PostgresReaders:
    """The TenantReaders of one tenant."""

    def __init__(self, readers: Readers, tenant: str) -> None:
        self._readers = readers
        self._tenant = tenant

    @contextmanager
    def transaction(self) -> Generator[PostgresReadTransaction]:
        with self._readers.transaction(self._tenant) as db:
            yield PostgresReadTransaction(db, self._tenant)
