"""Sources of a migration, and the databases of both ActivityWatch servers."""

import os
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from operator import attrgetter, itemgetter
from pathlib import Path
from typing import Any, Final, Protocol, cast

import apsw
import msgspec
from msgspec import Struct

from dayline.maintenance.migration.finding import ServerKind
from dayline.maintenance.migration.model import LeftOut
from dayline.model.data import canonical_data, decode_json
from dayline.model.errors import DaylineError, Invalid
from dayline.model.event import Event, duration_of
from dayline.model.time import EARLIEST, LATEST, Microseconds, check_range, parse_timestamp
from dayline.runtime.untrusted import MORE_ROWS_THAN_FIT, RECOVER_HINT, check_schema
from dayline.storage.transfer.export_document import MAX_DECODED
from dayline.storage.transfer.staging import MAX_BUCKETS

_MIN_ROW_BYTES: Final = 6  # of a row in a file: two pointers, three lengths, and at least one byte


class SourceBucket(Struct, frozen=True, kw_only=True):
    """A bucket of the source; `number` is its key in the source's rows."""

    number: int
    id: str
    type: str
    client: str
    hostname: str
    created: str | None
    data: dict[str, Any]


class Source(Protocol):
    """A snapshot of a source, which can be read repeatedly."""

    @property
    def kind(self) -> str:
        """The kind of the source, for messages."""
        ...

    @property
    def path(self) -> Path:
        """The path of the source."""
        ...

    @property
    def settings(self) -> Mapping[str, Any]:
        """The settings of clients by key, including categories."""
        ...

    def buckets(self) -> list[SourceBucket]:
        """All buckets, in the order of the source."""
        ...

    def events(self, bucket: SourceBucket) -> Iterator[Event | LeftOut]:
        """The events of a bucket, in an order of the source, or why one is left out."""
        ...


class Survey(Struct, frozen=True, kw_only=True):
    """The contents of a bucket: the number of valid events, their range, and those left out."""

    bucket: str
    events: int
    start: Microseconds | None
    end: Microseconds | None
    left_out: dict[LeftOut, int]


def survey(source: Source, bucket: SourceBucket) -> Survey:
    """Read a whole bucket."""
    count, start, end = 0, LATEST, EARLIEST
    left_out: dict[LeftOut, int] = {}
    for event in source.events(bucket):
        if isinstance(event, LeftOut):
            left_out[event] = left_out.get(event, 0) + 1
            continue
        count += 1
        start, end = min(start, event.start), max(end, event.end)
    return Survey(
        bucket=bucket.id,
        events=count,
        start=start if count else None,
        end=end if count else None,
        left_out=left_out,
    )


def usable_event(start: Microseconds, duration: Microseconds, data: object) -> Event | LeftOut:
    """The event for a row of the source, or why it is left out. `data` is JSON as bytes."""
    if duration < 0:
        return LeftOut.NEGATIVE
    if start < EARLIEST or start + duration > LATEST:
        return LeftOut.OUTSIDE
    if not isinstance(data, bytes):
        return LeftOut.BAD_DATA
    try:
        return Event(start=start, duration=duration, data=canonical_data(data))
    except DaylineError:
        return LeftOut.BAD_DATA


def usable_moment(text: object) -> str | None:
    """The creation time of a bucket, or None if it is out of range."""
    try:
        check_range(parse_timestamp(str(text)), field="created")
    except (ValueError, DaylineError):
        return None
    return str(text)


def usable_object(text: object) -> dict[str, Any]:
    """The object in a text column of a bucket; empty if it is invalid."""
    if len(str(text)) > MAX_DECODED:
        raise Invalid(f"the data of a bucket has more than {MAX_DECODED >> 20} MiB")
    try:
        value = decode_json(str(text).encode())
    except (DaylineError, UnicodeEncodeError):
        return {}
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}  # JSON keys are strings


def kind_of_tables(db: apsw.Connection) -> ServerKind | None:
    """Which server's database it is; None if it is neither's. Raises Invalid if it has anything but plain tables."""
    names = {str(row[0]) for row in db.execute("SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')")}
    kind: ServerKind | None = (
        "aw-server" if names >= {"bucketmodel", "eventmodel"}
        else "aw-server-rust" if names >= {"buckets", "events"}
        else None
    )  # fmt: skip
    if kind is not None:
        check_schema(db)
    return kind


def _rows(db: apsw.Connection, query: str, *values: int) -> Iterator[tuple[Any, ...]]:
    """The rows of one table, unsorted: SQLite sorts in memory. Raises Invalid if they are more than fits into the file.

    Pages of a damaged file, or of one that was made for it, can contain each other: it has endless rows then, and
    SQLite does not notice.
    """
    left = sum(os.path.getsize(file) for file in (db.filename, db.filename_wal) if os.path.exists(file))
    for row in db.execute(query, values):
        left -= _MIN_ROW_BYTES + sum(len(value) for value in row if isinstance(value, bytes | str))
        if left < 0:
            raise Invalid(MORE_ROWS_THAN_FIT, hint=RECOVER_HINT)
        yield row


def source_buckets(rows: Iterable[tuple[object, ...]]) -> list[SourceBucket]:
    """Buckets from rows of number, id, type, client, hostname, creation time and data."""
    some = list(islice(rows, MAX_BUCKETS + 1))
    if len(some) > MAX_BUCKETS:
        raise Invalid(f"the database has more than {MAX_BUCKETS:,} buckets")
    try:
        return sorted(map(_source_bucket, some), key=attrgetter("number"))
    except ValueError as error:
        raise Invalid(f"a bucket has no number: {error}") from error


def _source_bucket(row: tuple[object, ...]) -> SourceBucket:
    number, bucket_id, kind, client, hostname, created, text = row
    return SourceBucket(
        number=int(str(number)),
        id=str(bucket_id),
        type=str(kind),
        client=str(client),
        hostname=str(hostname),
        created=usable_moment(created),
        data=usable_object(text),
    )


# The database of aw-server (Python, peewee): times as text, durations in seconds. Cast to bytes, because text that is
# not UTF-8 should be counted and not stop the migration.
_PYTHON_EVENTS = """
SELECT CAST(timestamp AS BLOB), duration, CAST(datastr AS BLOB) FROM eventmodel WHERE bucket_id = ?
"""


class PythonServer:
    """A copy of that database, and the settings of its settings file."""

    kind = "Python server"

    def __init__(self, path: Path, db: apsw.Connection, settings: Mapping[str, Any]) -> None:
        self.path = path
        self.settings = settings
        self._db = db

    def buckets(self) -> list[SourceBucket]:
        columns = {str(row[1]) for row in self._db.execute("PRAGMA table_info(bucketmodel)")}
        data = "datastr" if "datastr" in columns else "NULL"  # before 0.12.3
        query = f"SELECT key, id, type, client, hostname, created, {data} FROM bucketmodel"
        return source_buckets(_rows(self._db, query))

    def events(self, bucket: SourceBucket) -> Iterator[Event | LeftOut]:
        for timestamp, seconds, data in _rows(self._db, _PYTHON_EVENTS, bucket.number):
            yield _event(timestamp, seconds, data)


def _event(timestamp: object, seconds: object, data: object) -> Event | LeftOut:
    try:
        start = parse_timestamp(timestamp.decode()) if isinstance(timestamp, bytes) else None
        duration = duration_of(float(str(seconds)))
    except (ValueError, Invalid):
        return LeftOut.BAD_TIME
    return LeftOut.BAD_TIME if start is None else usable_event(start, duration, data)


# The database of aw-server-rust: starts and ends in nanoseconds since 1970. Cast to bytes, because text that is not
# UTF-8 should be counted and not stop the migration.
_PREFIX: Final = "settings."  # of the keys that clients have set; the others are internal
_RUST_EVENTS = "SELECT starttime, endtime, CAST(data AS BLOB) FROM events WHERE bucketrow = ?"


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
        query = f"SELECT id, name, type, client, hostname, created, {data} FROM buckets"
        return source_buckets(_rows(self._db, query))

    def events(self, bucket: SourceBucket) -> Iterator[Event | LeftOut]:
        for start, end, data in _rows(self._db, _RUST_EVENTS, bucket.number):
            if isinstance(start, int) and isinstance(end, int):
                # As everywhere in Dayline: the start is truncated to microseconds, the duration rounded.
                yield usable_event(start // 1000, (end - start + 500) // 1000, data)
            else:
                yield LeftOut.BAD_TIME

    def _read_settings(self) -> dict[str, Any]:
        has_table = self._db.execute("SELECT 1 FROM sqlite_master WHERE name = 'key_value'").fetchone() is not None
        settings: dict[str, Any] = {}
        rows = list(_rows(self._db, "SELECT key, value FROM key_value")) if has_table else []
        for key, value in sorted(msgspec.convert(rows, list[tuple[str, str | None]]), key=itemgetter(0)):
            if key.startswith(_PREFIX) and value is not None:
                if len(value) > MAX_DECODED:
                    raise Invalid(f"the setting {key[:100]!r} has more than {MAX_DECODED >> 20} MiB")
                try:
                    settings[key.removeprefix(_PREFIX)] = decode_json(value.encode())
                except DaylineError:
                    continue  # not readable by any client
        return settings
