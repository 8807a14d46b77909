"""Downsampling in PostgreSQL: which events can be moved, and which server does it."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Final

from dayline.storage.engine import WriteTransaction
from dayline.storage.operations.background import SlicePace
from dayline.storage.postgres.connection import Readers
from dayline.storage.postgres.redaction.lease import check_lease, leased
from dayline.storage.postgres.rows.read_transaction import PostgresReaders
from dayline.storage.postgres.upkeep.space import table_sizes
from dayline.storage.postgres.writing.transaction import PostgresTransaction
from dayline.storage.postgres.writing.writer import PostgresTenantWriter
from dayline.storage.retention.downsampling import Fence

SLICE_S: Final = 0.03  # target duration of a slice: a heartbeat waits for at most one


class PostgresDownsampling:
    """See DownsamplingEngine. One server at a time applies rules of privacy or retention: see redaction/lease.py."""

    def __init__(self, tenant_writer: PostgresTenantWriter, readers: Readers) -> None:
        self.readers = PostgresReaders(readers, tenant_writer.tenant)
        self._tenant_writer = tenant_writer

    def event_bytes(self) -> float:
        with self.readers.transaction() as tx:
            return table_sizes(tx.db, tx.tenant).event_bytes

    @asynccontextmanager
    async def lease(self) -> AsyncGenerator[Fence]:
        async with leased(self._tenant_writer) as owner:

            def fence(tx: WriteTransaction) -> None:
                assert isinstance(tx, PostgresTransaction)
                check_lease(tx, owner)

            yield fence

    def new_pace(self) -> SlicePace:
        return SlicePace(seconds=SLICE_S)
