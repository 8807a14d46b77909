"""A preview of downsampling one file."""

from contextlib import closing
from pathlib import Path

from dayline.model.time import Microseconds
from dayline.model.upkeep.retention import DownsamplingPreview
from dayline.storage.retention.downsampling import preview
from dayline.storage.sqlite.file.connection import ReaderPool, open_without_trace
from dayline.storage.sqlite.rows.read_transaction import SqliteReaders
from dayline.storage.sqlite.upkeep.table_sizes import table_sizes


def preview_file(database: Path, days: dict[str, int], now: Microseconds) -> list[DownsamplingPreview]:
    """What downsampling buckets at these ages would do. Takes a while: call it in a child process."""
    with closing(ReaderPool(database, opened=open_without_trace)) as pool:
        with pool.connection() as db:
            events = int(db.execute("SELECT coalesce(sum(events), 0) FROM month").get)
            event_bytes = table_sizes(db).of("event", "event_id") / events if events else 0.0
        return preview(SqliteReaders(pool), days, now=now, event_bytes=event_bytes)
