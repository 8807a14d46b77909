"""The read transaction of a tenant, with aliases and single events."""

from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from typing import Final

from dayline.model.bucket import Alias, Bucket
from dayline.model.errors import BucketNotFound
from dayline.model.event import Event, StoredEvent
from dayline.model.time import format_timestamp
from dayline.storage.engine import AliasHolder, AliasTarget, AliasTargets, Merge, MergePair
from dayline.storage.history.undo_log import Operation
from dayline.storage.postgres.connection import Connection, Readers
from dayline.storage.postgres.rows.access import AccessReads
from dayline.storage.postgres.rows.buckets import FIELDS, BucketRecord, bucket_of_row
from dayline.storage.postgres.rows.merging import merge_pairs
from dayline.storage.postgres.rows.reader import bucket_key
from dayline.storage.postgres.rows.scan import SelectionRows
from dayline.storage.postgres.rows.undo_log import UndoLog

_ALIASES: Final = """
SELECT alias.id, bucket.id, alias.made FROM alias
JOIN bucket ON bucket.tenant = alias.tenant AND bucket.key = alias.bucket
WHERE alias.tenant = %s AND bucket.deleted IS NULL AND NOT EXISTS (
    SELECT 1 FROM bucket AS own WHERE own.tenant = alias.tenant AND own.id = alias.id AND own.deleted IS NULL
) ORDER BY alias.id COLLATE "C"
"""
_OF_BUCKET: Final = 'SELECT id FROM alias WHERE tenant = %s AND bucket = %s ORDER BY id COLLATE "C"'
_PLACES: Final = "SELECT id, bucket, made FROM alias WHERE tenant = %s AND id = ANY(%s)"
_REMOVE: Final = "DELETE FROM alias WHERE tenant = %s AND id = ANY(%s)"
# Buckets that were purged are skipped.
_PUT: Final = """
INSERT INTO alias(tenant, id, bucket, made)
SELECT bucket.tenant, new.id, new.bucket, new.made
FROM unnest(%s::text[], %s::bigint[], %s::bigint[]) AS new(id, bucket, made)
JOIN bucket ON bucket.tenant = %s AND bucket.key = new.bucket
ON CONFLICT (tenant, id) DO UPDATE SET bucket = excluded.bucket, made = excluded.made
"""
_OWN: Final = f"SELECT {FIELDS} FROM bucket WHERE tenant = %s AND id = %s AND deleted IS NULL"
_BY_ALIAS: Final = f"""
SELECT {", ".join(f"bucket.{field}" for field in FIELDS.split(", "))}
FROM alias JOIN bucket ON bucket.tenant = alias.tenant AND bucket.key = alias.bucket
WHERE alias.tenant = %s AND alias.id = %s AND bucket.deleted IS NULL
"""
_HOLDER: Final = """
SELECT bucket.key, bucket.id, alias.made
FROM alias JOIN bucket ON bucket.tenant = alias.tenant AND bucket.key = alias.bucket
WHERE alias.tenant = %s AND alias.id = %s AND bucket.deleted IS NULL
"""
_EVENT: Final = """
SELECT start, duration, json FROM event
JOIN value ON value.tenant = event.tenant AND value.bucket = event.bucket AND value.key = event.value
WHERE event.tenant = %s AND event.id = %s AND event.bucket = %s
"""
# The event that heartbeats extend: the lowest id among those with the latest start.
_LAST: Final = "SELECT id FROM event WHERE tenant = %s AND bucket = %s ORDER BY start DESC, id LIMIT 1"


class AliasRows:
    """The part of a transaction that reads and writes aliases, and reads single events."""

    db: Connection
    tenant: str

    def all_aliases(self) -> list[Alias]:
        rows = self.db.execute(_ALIASES, (self.tenant,)).fetchall()
        return [Alias(id=alias, bucket=bucket_id, made=format_timestamp(made)) for alias, bucket_id, made in rows]

    def aliases_of(self, bucket: int) -> list[str]:
        return [alias for (alias,) in self.db.execute(_OF_BUCKET, (self.tenant, bucket)).fetchall()]

    def alias_holder(self, alias: str) -> AliasHolder | None:
        row = self.db.execute(_HOLDER, (self.tenant, alias)).fetchone()
        return None if row is None else AliasHolder(*row)

    def alias_targets(self, aliases: Iterable[str]) -> AliasTargets:
        wanted = list(aliases)
        rows = self.db.execute(_PLACES, (self.tenant, wanted)).fetchall()
        return dict.fromkeys(wanted) | {alias: (key, since) for alias, key, since in rows}

    def set_alias_targets(self, targets: Mapping[str, AliasTarget | None]) -> None:
        self.db.execute(_REMOVE, (self.tenant, list(targets)))
        kept = [(alias, *target) for alias, target in targets.items() if target is not None]
        if kept:
            columns = [list(column) for column in zip(*kept, strict=True)]
            self.db.execute(_PUT, (*columns, self.tenant))

    def is_own_id(self, bucket_id: str) -> bool:
        return "\0" not in bucket_id and self.db.execute(_OWN, (self.tenant, bucket_id)).fetchone() is not None

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

    def stored_event(self, bucket: int, event_id: int) -> StoredEvent | None:
        row = self.db.execute(_EVENT, (self.tenant, event_id, bucket)).fetchone()
        if row is None:
            return None
        start, duration, json = row
        event = Event(id=event_id, start=start, duration=duration, data=json.encode())
        return StoredEvent(event=event, is_last=self.last_event_id(bucket) == event_id)

    def merge_pairs(self, operation: Operation, merge: Merge, *, rows: int) -> list[MergePair]:
        return merge_pairs(self.db, self.tenant, operation.bucket_key or 0, merge, rows=rows)


class PostgresReadTransaction(UndoLog, AliasRows, SelectionRows, AccessReads):
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
