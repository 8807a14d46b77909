"""From a database file to the lines of an everything archive."""

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Final, TypeVar

import apsw
import msgspec
from msgspec import Struct

from dayline.model.timestamps import Microseconds, format_timestamp
from dayline.storage.sqlite.file.schema import ORIGIN
from dayline.storage.sqlite.rows.reader import DURATION, TIMESTAMP
from dayline.storage.sqlite.writing.catalogue import NEXT_EVENT_ID
from dayline.storage.transfer.archive_file import ArchiveTarget, ArchiveWriter
from dayline.storage.transfer.archive_lines import (
    FORMAT,
    TIMES,
    VERSION,
    AliasLine,
    AuditLine,
    BucketLine,
    Header,
    KeyLine,
    OnceLine,
    SettingHistoryLine,
    SettingLine,
    Trailer,
)

T = TypeVar("T", bound=Struct)

_EVENTS_AT_ONCE: Final = 1000
# As in reader.py: the database writes the JSON itself, and as a blob, which saves decoding the text and encoding it.
_EVENT: Final = (
    f"""id || ',"timestamp":"' || {TIMESTAMP} || '","duration":' || {DURATION} || ',"data":' || json || '}}'"""
)
_EVENTS: Final = f"""
SELECT CAST(:head || {_EVENT} AS BLOB) FROM (
    SELECT event.id, start + :origin AS moment, duration AS span, json
    FROM event JOIN value ON value.key = event.value
    WHERE event.bucket = (SELECT key FROM bucket WHERE bucket.id = :bucket AND deleted IS NULL)
    ORDER BY start, event.id
)
"""
_EVENT_COUNT: Final = (
    "SELECT coalesce(sum(events), 0) FROM month JOIN bucket ON bucket.key = month.bucket WHERE deleted IS NULL"
)
_BUCKETS: Final = (
    "SELECT id, type, client, hostname, created, creator, data FROM bucket WHERE deleted IS NULL ORDER BY key"
)
_ALIASES: Final = (
    "SELECT alias.id, bucket.id AS bucket, made FROM alias JOIN bucket ON bucket.key = alias.bucket "
    "WHERE deleted IS NULL ORDER BY alias.id"
)
# Without the key of its envelopes, which is a secret: whoever has it can read and make enveloped calls.
_KEYS: Final = (
    "SELECT id, name, scope, buckets, created, expires, revoked, salt, digest, last_used, last_address "
    "FROM access_key ORDER BY created, rowid"
)
_AUDIT: Final = (
    "SELECT number, slot, who, key_id, address, call, bucket, status, first, last, count FROM audit ORDER BY number"
)
_SETTINGS: Final = (("setting", False), ("own_setting", True))
_TEXTS: Final = {"data", "value", "buckets"}  # stored as JSON


def write_archive(
    db: apsw.Connection,
    file: ArchiveTarget,
    *,
    made: Microseconds,
    server: str,
    on_start: Callable[[int], object],
    on_events: Callable[[int], object],
) -> Trailer:
    """Write all that a database holds to an open file. Nobody may write to the database meanwhile.

    `on_start` gets the number of events that there are, and `on_events` that of those just written.
    """
    events = int(db.execute(_EVENT_COUNT).get)
    on_start(events)
    header = Header(
        format=FORMAT,
        version=VERSION,
        made=format_timestamp(made),
        schema=int(db.pragma("user_version")),
        server=server,
        events=events,
        next_event_id=int(db.execute(NEXT_EVENT_ID).get),
    )
    archive = ArchiveWriter(file, header)
    for bucket in _lines(db, _BUCKETS, BucketLine):
        archive.add("bucket", bucket)
        _add_events(db, archive, bucket.id, on_events)
    for alias in _lines(db, _ALIASES, AliasLine):
        archive.add("alias", alias)
    for table, is_own in _SETTINGS:
        _add_settings(db, archive, table, is_own)
    for key in _lines(db, _KEYS, KeyLine):
        archive.add("key", key)
    for call in _lines(db, _AUDIT, AuditLine):
        archive.add("audit", call)
    for once in _lines(db, "SELECT token, until FROM once ORDER BY token", OnceLine):
        archive.add("once", once)
    return archive.finish()


def _add_events(
    db: apsw.Connection, archive: ArchiveWriter, bucket_id: str, on_events: Callable[[int], object]
) -> None:
    head = f'{{"kind":"event","bucket":{msgspec.json.encode(bucket_id).decode()},"id":'
    rows = db.execute(_EVENTS, {"head": head, "origin": ORIGIN, "bucket": bucket_id})
    lines = (msgspec.convert(line, bytes) for (line,) in rows)
    while some := list(islice(lines, _EVENTS_AT_ONCE)):
        archive.add_encoded("event", b"\n".join(some) + b"\n", count=len(some))
        on_events(len(some))


def _add_settings(db: apsw.Connection, archive: ArchiveWriter, table: str, is_own: bool) -> None:
    for setting in _lines(db, f"SELECT key, json AS value FROM {table} ORDER BY key", SettingLine, own=is_own):
        archive.add("setting", setting)
    columns = "number, key, changed, json IS NULL AS deleted, coalesce(json, 'null') AS value"
    history = f"SELECT {columns} FROM {table}_history ORDER BY number"
    for change in _lines(db, history, SettingHistoryLine, own=is_own):
        archive.add("setting_history", change)


def _lines(db: apsw.Connection, statement: str, kind: type[T], **given: object) -> Iterator[T]:
    """A line for each row; the columns have the names of its fields."""
    cursor = db.execute(statement)
    names: tuple[str, ...] = ()
    for row in cursor:
        names = names or tuple(name for name, _ in cursor.get_description())  # a statement without rows has none
        yield kind(**{name: _field(name, value) for name, value in zip(names, row, strict=True)}, **given)


def _field(name: str, value: object) -> object:
    if name in TIMES and isinstance(value, int):
        return format_timestamp(value)
    if name in _TEXTS and isinstance(value, str):
        return msgspec.Raw(value.encode())
    return bool(value) if name == "deleted" else value
