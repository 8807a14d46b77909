"""A JSON export of any ActivityWatch server, copied to a file that can be read by bucket."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from dayline.maintenance.migration.model import LeftOut
from dayline.maintenance.migration.sources import SourceBucket, usable_event, usable_moment
from dayline.model.bucket import BUCKET_FIELDS
from dayline.model.errors import Invalid
from dayline.model.event import Event, HeartbeatBody, duration_of
from dayline.model.time import parse_timestamp
from dayline.runtime.spool import open_input
from dayline.runtime.sqlite_file import connect
from dayline.storage.transfer.export_document import ExportDocument, Head
from dayline.storage.transfer.staging import bucket_of

_TABLE = "CREATE TABLE event(bucket INTEGER, start INTEGER, duration INTEGER, data BLOB, fault TEXT)"
_INDEX = "CREATE INDEX event_start ON event(bucket, start)"
_INSERT = "INSERT INTO event VALUES(?, ?, ?, ?, ?)"
_EXPORTED_EVENTS = "SELECT start, duration, data, fault FROM event WHERE bucket = ? ORDER BY start"

_Row = tuple[int, int | None, int | None, bytes | None, str | None]


class ExportFile:
    """The document at `path`; it has no settings."""

    kind = "JSON export"

    def __init__(self, path: Path, folder: Path) -> None:
        """Raises Malformed or Invalid if it is not an export document."""
        self.path = path
        self.settings: Mapping[str, Any] = {}
        self._buckets: list[SourceBucket] = []
        self._db = connect(folder / "export.db")
        # A temporary file, which is deleted after a failure: it needs no durability.
        self._db.pragma("journal_mode", "OFF")
        self._db.pragma("synchronous", "OFF")
        with self._db, open_input(path) as file:
            self._db.execute(_TABLE)
            document = ExportDocument(file)
            invalid = 0
            for key, head in document.read(self._add):
                number = len(self._buckets)
                shapeless = document.invalid - invalid
                self._db.executemany(_INSERT, [(number, None, None, None, LeftOut.BAD_TIME)] * shapeless)
                invalid = document.invalid
                self._buckets.append(_bucket(number, key, head))
            self._db.execute(_INDEX)

    def buckets(self) -> list[SourceBucket]:
        return list(self._buckets)

    def events(self, bucket: SourceBucket) -> Iterator[Event | LeftOut]:
        for start, duration, data, fault in self._db.execute(_EXPORTED_EVENTS, (bucket.number,)):
            if isinstance(start, int) and isinstance(duration, int):
                yield usable_event(start, duration, data)
            else:
                yield LeftOut(str(fault))

    def _add(self, bodies: list[HeartbeatBody]) -> None:
        self._db.executemany(_INSERT, [_row(len(self._buckets), body) for body in bodies])


def _row(bucket: int, body: HeartbeatBody) -> _Row:
    try:
        return bucket, parse_timestamp(body.timestamp), duration_of(body.duration), bytes(body.data), None
    except (ValueError, Invalid):
        return bucket, None, None, None, LeftOut.BAD_TIME


def _bucket(number: int, key: str, head: Head) -> SourceBucket:
    created = usable_moment(head.get("created"))
    bucket = bucket_of(key, {**head, "created": created})
    facts: dict[str, Any] = {name: getattr(bucket, name) for name in ("id", *BUCKET_FIELDS)}
    return msgspec.convert({**facts, "number": number, "created": created}, SourceBucket)
