"""Downsampling in PostgreSQL: which events can be moved, and which server does it."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Final

from dayline.storage.engine import WriteTransaction
from dayline.storage.operations.background import SlicePace
from dayline.storage.postgres.connection import Readers
from dayline.storage.postgres.redaction.lease import check_lease, leased
from dayline.storage.postgres.rows.read_transaction import PostgresReaders
from dayline.storage.postgres.rows.scan import PostgresEventRows
from dayline.storage.postgres.upkeep.space import table_sizes
from dayline.storage.postgres.writing.transaction import PostgresTransaction
from dayline.storage.postgres.writing.writer import PostgresTenantWriter
from dayline.storage.retention.downsampling import Fence
from dayline.storage.transfer.event_rows import BucketRow

SLICE_S: Final = 0.03  # target duration of a slice: a heartbeat waits for at most one

_MONTHS: Final = "SELECT month FROM month WHERE tenant = %s AND bucket = %s AND events > 0 ORDER BY month"


class PostgresDownsamplingReads:
    """See DownsamplingReads."""

    def __init__(self, readers: Readers, tenant: str) -> None:
        self._readers = readers
        self._tenant = tenant
        self.transaction = PostgresReaders(readers, tenant).transaction

    def buckets(self) -> list[BucketRow]:
        with self._readers.transaction(self._tenant) as db:
            return PostgresEventRows(db, self._tenant).buckets()

    def months(self, bucket: int) -> list[int]:
        with self._readers.transaction(self._tenant) as db:
            return [month for (month,) in db.execute(_MONTHS, (self._tenant, bucket)).fetchall()]

    def redacted(self) -> set[int]:
        with self._readers.transaction(self._tenant) as db:
            rows = db.execute("SELECT value FROM redacted_value WHERE tenant = %s", (self._tenant,))
            return {value for (value,) in rows.fetchall()}

    def event_bytes(self) -> float:
        with self._readers.transaction(self._tenant) as db:
            return table_sizes(db, self._tenant).event_bytes


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
