"""The read transaction of a tenant, with aliases and single events."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

from dayline.model.bucket import Bucket
from dayline.model.errors import BucketNotFound
from dayline.storage.engine.transaction import ReadTransaction
from dayline.storage.postgres.connection import Connection, Readers
from dayline.storage.postgres.rows.audit import AuditRows
from dayline.storage.postgres.rows.buckets import FIELDS, BucketRecord, bucket_of_row
from dayline.storage.postgres.rows.reader import bucket_key
from dayline.storage.postgres.rows.scan import SelectionRows
from dayline.storage.postgres.rows.tables import TenantRows
from dayline.storage.postgres.rows.undo_log import UndoLog

_OWN: Final = f"SELECT {FIELDS} FROM bucket WHERE tenant = %s AND id = %s AND deleted IS NULL"
_BY_ALIAS: Final = f"""
SELECT {", ".join(f"bucket.{field}" for field in FIELDS.split(", "))}
FROM alias JOIN bucket ON bucket.tenant = alias.tenant AND bucket.key = alias.bucket
WHERE alias.tenant = %s AND alias.id = %s AND bucket.deleted IS NULL
"""
# The event that heartbeats extend: the lowest id among those with the latest start.
_LAST: Final = "SELECT id FROM event WHERE tenant = %s AND bucket = %s ORDER BY start DESC, id LIMIT 1"


class EventRows(TenantRows):
    """The part of a transaction that reads buckets, single events, and pairs of a merge."""

    def bucket(self, bucket_id: str) -> Bucket:
        return self.bucket_record(bucket_id).bucket

    def bucket_key(self, bucket_id: str) -> int:
        return bucket_key(self.db, self.tenant, bucket_id)

    def bucket_record(self, bucket_id: str) -> BucketRecord:
        """The current bucket with this id or alias, not locked. Raises BucketNotFound."""
        if "\0" not in bucket_id:
            for statement in (_OWN, _BY_ALIAS):
                row = self.db.execute(statement, (self.tenant, bucket_id)).fetchone()
                if row is not None:
                    return bucket_of_row(row)
        raise BucketNotFound(bucket_id)

    def last_event_id(self, bucket: int) -> int | None:
        row = self.db.execute(_LAST, (self.tenant, bucket)).fetchone()
        return None if row is None else int(row[0])


class PostgresReadTransaction(UndoLog, EventRows, SelectionRows, AuditRows, ReadTransaction):
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
