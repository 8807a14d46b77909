"""Downsampling in one file: which events can be moved, and a preview."""

from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import AbstractContextManager, asynccontextmanager, closing, contextmanager, nullcontext
from pathlib import Path
from typing import TypeAlias

import apsw
import msgspec

from dayline.model.time import Microseconds
from dayline.model.upkeep import DownsamplingPreview
from dayline.storage.operations.background import SlicePace
from dayline.storage.retention.downsampling import Fence, preview
from dayline.storage.sqlite.file.connection import open_without_trace
from dayline.storage.sqlite.rows.read_transaction import SqliteReadTransaction
from dayline.storage.sqlite.rows.scan import SqliteEventRows
from dayline.storage.sqlite.upkeep.space import table_sizes
from dayline.storage.transfer.event_rows import BucketRow

OpenConnection: TypeAlias = Callable[[], AbstractContextManager[apsw.Connection]]


class SqliteDownsamplingReads:
    """See DownsamplingReads."""

    def __init__(self, connection: OpenConnection) -> None:
        self._connection = connection

    @contextmanager
    def transaction(self) -> Generator[SqliteReadTransaction]:
        with self._connection() as db:
            yield SqliteReadTransaction(db)

    def buckets(self) -> list[BucketRow]:
        with self._connection() as db:
            return SqliteEventRows(db).buckets()

    def months(self, bucket: int) -> list[int]:
        with self._connection() as db:
            rows = db.execute("SELECT month FROM month WHERE bucket = ? AND events > 0 ORDER BY month", (bucket,))
            return [month for (month,) in msgspec.convert(rows.fetchall(), list[tuple[int]])]

    def redacted(self) -> set[int]:
        with self._connection() as db:
            rows = db.execute("SELECT value FROM redacted_value")
            return {value for (value,) in msgspec.convert(rows.fetchall(), list[tuple[int]])}

    def event_bytes(self) -> float:
        with self._connection() as db:
            events = int(db.execute("SELECT coalesce(sum(events), 0) FROM month").get)
            return table_sizes(db).of("event", "event_id") / events if events else 0.0


class SqliteDownsampling:
    """See DownsamplingEngine."""

    new_pace = SlicePace

    def __init__(self, connection: OpenConnection) -> None:
        self.reads = SqliteDownsamplingReads(connection)

    @asynccontextmanager
    async def lease(self) -> AsyncGenerator[Fence]:
        """The lock of the file keeps other servers away."""
        yield lambda tx: None


def preview_file(database: Path, days: dict[str, int], now: Microseconds) -> list[DownsamplingPreview]:
    """What downsampling buckets at these ages would do. Takes a while: call it in a child process."""
    with closing(open_without_trace(database)) as db:
        return preview(SqliteDownsamplingReads(lambda: nullcontext(db)), days, now=now)
