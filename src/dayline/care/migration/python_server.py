"""The database of ActivityWatch's Python server (peewee): times as text, durations in seconds."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import apsw

from dayline.care.migration.source import LeftOut, SourceBucket, source_buckets, usable_event
from dayline.model.errors import Invalid
from dayline.model.event import Event, duration_of
from dayline.model.timestamps import parse_timestamp

# As bytes, because text that is not UTF-8 is to be counted, not to end the reading.
_EVENTS = """
SELECT CAST(timestamp AS BLOB), duration, CAST(datastr AS BLOB) FROM eventmodel WHERE bucket_id = ? ORDER BY timestamp
"""


class PythonServer:
    """A copy of that database, and the settings that lie in a file of their own."""

    kind = "Python server"

    def __init__(self, path: Path, db: apsw.Connection, settings: Mapping[str, Any]) -> None:
        self.path = path
        self.settings = settings
        self._db = db

    def buckets(self) -> list[SourceBucket]:
        columns = {str(row[1]) for row in self._db.execute("PRAGMA table_info(bucketmodel)")}
        data = "datastr" if "datastr" in columns else "NULL"  # before 0.12.3
        rows = self._db.execute(
            f"SELECT key, id, type, client, hostname, created, {data} FROM bucketmodel ORDER BY key"
        )
        return source_buckets(rows)

    def events(self, bucket: SourceBucket) -> Iterator[Event | LeftOut]:
        for timestamp, seconds, data in self._db.execute(_EVENTS, (bucket.number,)):
            yield _event(timestamp, seconds, data)


def _event(timestamp: object, seconds: object, data: object) -> Event | LeftOut:
    try:
        start = parse_timestamp(timestamp.decode()) if isinstance(timestamp, bytes) else None
        duration = duration_of(float(str(seconds)))
    except (ValueError, Invalid):
        return LeftOut.BAD_TIME
    return LeftOut.BAD_TIME if start is None else usable_event(start, duration, data)
