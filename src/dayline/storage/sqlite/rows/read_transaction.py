"""The read transaction of a file, with aliases and single events."""

from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from typing import Final

import apsw
import msgspec

from dayline.model.bucket import Alias, Bucket
from dayline.model.event import Event, StoredEvent
from dayline.model.time import format_timestamp
from dayline.storage.engine import AliasHolder, AliasTarget, AliasTargets, Merge, MergePair
from dayline.storage.history.undo_log import Operation
from dayline.storage.sqlite.file.connection import ReaderPool
from dayline.storage.sqlite.file.schema import ORIGIN
from dayline.storage.sqlite.rows.access import AccessReads
from dayline.storage.sqlite.rows.buckets import FileRows, bucket_key
from dayline.storage.sqlite.rows.merging import merge_pairs
from dayline.storage.sqlite.rows.scan import SelectionRows
from dayline.storage.sqlite.rows.undo_log import UndoLog
from dayline.storage.sqlite.writing.catalogue import read_bucket

_ALIASES: Final = """
SELECT alias.id, bucket.id, alias.made FROM alias JOIN bucket ON bucket.key = alias.bucket
WHERE bucket.deleted IS NULL
AND NOT EXISTS (SELECT 1 FROM bucket AS own WHERE own.id = alias.id AND own.deleted IS NULL)
ORDER BY alias.id
"""
_HOLDER: Final = """
SELECT bucket.key, bucket.id, alias.made FROM alias JOIN bucket ON bucket.key = alias.bucket
WHERE alias.id = ? AND bucket.deleted IS NULL
"""
_PUT: Final = "INSERT INTO alias(id, bucket, made) SELECT ?1, key, ?3 FROM bucket WHERE key = ?2"
_EVENT: Final = """
SELECT start, duration, json FROM event JOIN value ON value.key = event.value WHERE event.id = ? AND event.bucket = ?
"""
_LAST: Final = "SELECT id FROM event WHERE bucket = ? ORDER BY start DESC, id LIMIT 1"


class AliasRows(FileRows):
    """The part of a transaction that reads and writes aliases, and reads single events."""

    def all_aliases(self) -> list[Alias]:
        rows = msgspec.convert(self.db.execute(_ALIASES).fetchall(), list[tuple[str, str, int]])
        return [Alias(id=alias, bucket=bucket_id, made=format_timestamp(made)) for alias, bucket_id, made in rows]

    def aliases_of(self, bucket: int) -> list[str]:
        rows = self.db.execute("SELECT id FROM alias WHERE bucket = ? ORDER BY id", (bucket,)).fetchall()
        return [alias for (alias,) in msgspec.convert(rows, list[tuple[str]])]

    def alias_holder(self, alias: str) -> AliasHolder | None:
        row = self.db.execute(_HOLDER, (alias,)).fetchone()
        return None if row is None else msgspec.convert(row, AliasHolder)

    def alias_targets(self, aliases: Iterable[str]) -> AliasTargets:
        targets: AliasTargets = {}
        for alias in aliases:
            row = self.db.execute("SELECT bucket, made FROM alias WHERE id = ?", (alias,)).fetchone()
            targets[alias] = None if row is None else msgspec.convert(row, AliasTarget)
        return targets

    def set_alias_targets(self, targets: Mapping[str, AliasTarget | None]) -> None:
        self.db.executemany("DELETE FROM alias WHERE id = ?", [(alias,) for alias in targets])
        self.db.executemany(_PUT, [(alias, *target) for alias, target in targets.items() if target is not None])

    def last_event_id(self, bucket: int) -> int | None:
        found = self.db.execute(_LAST, (bucket,)).get
        return found if isinstance(found, int) else None

    def stored_event(self, bucket: int, event_id: int) -> StoredEvent | None:
        row = self.db.execute(_EVENT, (event_id, bucket)).fetchone()
        if row is None:
            return None
        start, duration, json = msgspec.convert(row, tuple[int, int, str])
        event = Event(id=event_id, start=start + ORIGIN, duration=duration, data=json.encode())
        return StoredEvent(event=event, is_last=self.last_event_id(bucket) == event_id)

    def merge_pairs(self, operation: Operation, merge: Merge, *, rows: int) -> list[MergePair]:
        return merge_pairs(self.db, operation.bucket_key or 0, merge, rows=rows)


class SqliteReadTransaction(UndoLog, AliasRows, SelectionRows, AccessReads):
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

    def is_own_id(self, bucket_id: str) -> bool:
        return self._db.execute("SELECT 1 FROM bucket WHERE id = ? AND deleted IS NULL", (bucket_id,)).get is not None


class SqliteReaders:
    """The TenantReaders of one file."""

    def __init__(self, pool: ReaderPool) -> None:
        self._pool = pool

    @contextmanager
    def transaction(self) -> Generator[SqliteReadTransaction]:
        with self._pool.transaction() as db:
            yield SqliteReadTransaction(db)
