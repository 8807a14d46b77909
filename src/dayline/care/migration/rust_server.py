"""The database of ActivityWatch's Rust server: starts and ends in nanoseconds since 1970."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import apsw
import msgspec

from dayline.care.migration.source import LeftOut, SourceBucket, source_buckets, usable_event
from dayline.model.data import decode_json
from dayline.model.errors import DaylineError
from dayline.model.event import Event

_PREFIX: Final = "settings."  # of the keys that clients have set; others are the server's own affair
# As bytes, because text that is not UTF-8 is to be counted, not to end the reading.
_EVENTS = "SELECT starttime, endtime, CAST(data AS BLOB) FROM events WHERE bucketrow = ? ORDER BY starttime"


class RustServer:
    """A copy of that database."""

    kind = "Rust server"

    def __init__(self, path: Path, db: apsw.Connection) -> None:
        self.path = path
        self._db = db
        self.settings: Mapping[str, Any] = self._read_settings()

    def buckets(self) -> list[SourceBucket]:
        columns = {str(row[1]) for row in self._db.execute("PRAGMA table_info(buckets)")}
        data = "data" if "data" in columns else "NULL"  # before its third schema
        rows = self._db.execute(f"SELECT id, name, type, client, hostname, created, {data} FROM buckets ORDER BY id")
        return source_buckets(rows)

    def events(self, bucket: SourceBucket) -> Iterator[Event | LeftOut]:
        for start, end, data in self._db.execute(_EVENTS, (bucket.number,)):
            if isinstance(start, int) and isinstance(end, int):
                # The start is cut to microseconds, the duration rounded to the nearest, as in all that Dayline reads.
                yield usable_event(start // 1000, (end - start + 500) // 1000, data)
            else:
                yield LeftOut.BAD_TIME

    def _read_settings(self) -> dict[str, Any]:
        has_table = self._db.execute("SELECT 1 FROM sqlite_master WHERE name = 'key_value'").fetchone() is not None
        found: dict[str, Any] = {}
        rows = self._db.execute("SELECT key, value FROM key_value ORDER BY key").fetchall() if has_table else []
        for key, value in msgspec.convert(rows, list[tuple[str, str | None]]):
            if key.startswith(_PREFIX) and value is not None:
                try:
                    found[key.removeprefix(_PREFIX)] = decode_json(value.encode())
                except DaylineError:
                    continue  # no client could have read it
        return found
