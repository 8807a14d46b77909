"""Downsampling in PostgreSQL: which events can be merged, and which server does it."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any, Final

from dayline.model.time import DAY, Microseconds
from dayline.storage.engine import EventRow, WriteTransaction
from dayline.storage.operations.background import SlicePace
from dayline.storage.postgres.connection import Readers
from dayline.storage.postgres.redaction.lease import check_lease, leased
from dayline.storage.postgres.rows.reader import bucket_key
from dayline.storage.postgres.upkeep.space import table_sizes
from dayline.storage.postgres.writing.transaction import PostgresTransaction
from dayline.storage.postgres.writing.writer import PostgresTenantWriter
from dayline.storage.retention.downsampling import HOUR, Fence, Span

SLICE_S: Final = 0.03  # target duration of a slice: a heartbeat waits for at most one

_OLD: Final = """
event WHERE tenant = %(tenant)s AND bucket = %(bucket)s AND start >= %(first)s AND start < %(after)s
AND duration >= 0
AND value NOT IN (SELECT value FROM redacted_value WHERE tenant = %(tenant)s AND bucket = %(bucket)s)
"""
_MONTHS: Final = "SELECT month, events FROM month WHERE tenant = %(tenant)s AND bucket = %(bucket)s ORDER BY month"
_DAYS: Final = f"""
SELECT DISTINCT start / {DAY} FROM (
    SELECT min(start) AS start FROM {_OLD} GROUP BY start / {HOUR}, value HAVING count(*) > 1
) AS hour ORDER BY 1
"""
_FEWER: Final = f"""
SELECT coalesce(sum(events - 1), 0)::bigint FROM (
    SELECT count(*) AS events FROM {_OLD} GROUP BY start / {HOUR}, value
) AS hour
"""
_EVENTS: Final = f"SELECT bucket, start, id, duration, value FROM {_OLD} ORDER BY start, id"


class PostgresDownsamplingReads:
    """See DownsamplingReads."""

    def __init__(self, readers: Readers, tenant: str) -> None:
        self._readers = readers
        self._tenant = tenant

    def bucket_key(self, bucket_id: str) -> int:
        with self._readers.transaction(self._tenant) as db:
            return bucket_key(db, self._tenant, bucket_id)

    def months(self, bucket: int) -> list[tuple[int, int]]:
        return self._rows(_MONTHS, bucket)

    def days(self, bucket: int, span: Span) -> list[Microseconds]:
        return [day * DAY for (day,) in self._rows(_DAYS, bucket, span)]

    def events(self, bucket: int, span: Span) -> list[EventRow]:
        return [EventRow(*row) for row in self._rows(_EVENTS, bucket, span)]

    def count_removed(self, bucket: int, span: Span) -> int:
        [(removed,)] = self._rows(_FEWER, bucket, span)
        return int(removed)

    def event_bytes(self) -> float:
        with self._readers.transaction(self._tenant) as db:
            return table_sizes(db, self._tenant).event_bytes

    def _rows(self, statement: str, bucket: int, span: Span = (0, 0)) -> list[tuple[Any, ...]]:
        place = {"tenant": self._tenant, "bucket": bucket, "first": span[0], "after": span[1]}
        with self._readers.transaction(self._tenant) as db:
            return db.execute(statement.encode(), place).fetchall()


class PostgresDownsampling:
    """See DownsamplingEngine. One server at a time applies rules of privacy or retention: see redaction/lease.py."""

    def __init__(self, tenant_writer: PostgresTenantWriter, readers: Readers) -> None:
        self.reads = PostgresDownsamplingReads(readers, tenant_writer.tenant)
        self._tenant_writer = tenant_writer

    @asynccontextmanager
    async def lease(self) -> AsyncGenerator[Fence]:
        async with leased(self._tenant_writer) as owner:

            def fence(tx: WriteTransaction) -> None:
                assert isinstance(tx, PostgresTransaction)
                check_lease(tx, owner)

            yield fence

    def new_pace(self) -> SlicePace:
        return SlicePace(seconds=SLICE_S)
