"""Downsampling in one file, and a preview."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, closing
from pathlib import Path

from dayline.model.time import Microseconds
from dayline.model.upkeep.retention import DownsamplingPreview
from dayline.storage.operations.background import SlicePace
from dayline.storage.retention.downsampling import Fence, preview
from dayline.storage.sqlite.file.connection import ReaderPool, open_without_trace
from dayline.storage.sqlite.rows.read_transaction import SqliteReaders
from dayline.storage.sqlite.upkeep.table_sizes import table_sizes


class SqliteDownsampling:
    """See DownsamplingEngine."""

    new_pace = SlicePace

    def __init__(self, pool: ReaderPool) -> None:
        self.readers = SqliteReaders(pool)
        self._pool = pool

    def event_bytes(self) -> float:
        with self._pool.connection() as db:
            events = int(db.execute("SELECT coalesce(sum(events), 0) FROM month").get)
            return table_sizes(db).of("event", "event_id") / events if events else 0.0

    @asynccontextmanager
    async def lease(self) -> AsyncGenerator[Fence]:
        """The lock of the file keeps other servers away."""
        yield lambda tx: None


def preview_file(database: Path, days: dict[str, int], now: Microseconds) -> list[DownsamplingPreview]:
    """What downsampling buckets at these ages would do. Takes a while: call it in a child process."""
    with closing(ReaderPool(database, opened=open_without_trace)) as pool:
        return preview(SqliteDownsampling(pool), days, now=now)
