"""What a database holds, in figures: files of equal contents have equal figures, and a row that differs shows."""

from collections.abc import Iterable, Iterator
from hashlib import blake2b
from itertools import groupby, islice
from operator import itemgetter
from typing import Any, Final

import apsw
import msgspec
from msgspec import Struct

from dayline.model.errors import StoreUnusable
from dayline.storage.sqlite.derived.segment_file import WrongStamp, epoch_of

_ROWS_AT_ONCE: Final = 5000
_DIGEST_BYTES: Final = 16
# Rows of events are added up by SQLite itself: three times as quick as hashing them here, and the source has to be read
# within seconds. Each row counts as the product of two mixed numbers, one of its place and one of what stands there, so
# that what moves from one row to another shows. Every number stays below 2**63, the sum for 2**27 events of a bucket.
_EVENTS = """
SELECT count(*), coalesce(sum(duration), 0), coalesce(sum(
    (((start & 0x7FFFFFFF) * 1000000007 + (start >> 31) * 998244353 + id * 1000003 & 0x7FFFFFFF) | 1)
    * (((duration & 0x7FFFFFFF) * 1103515245 + (duration >> 31) * 754974721 + value * 786433 & 0x7FFFFFFF) | 1)
    >> 13 & 0xFFFFFFFFF
), 0)
FROM event WHERE bucket = ?
"""
_BUCKETS = "SELECT key, id FROM bucket ORDER BY key"
_TABLES = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN ('event', 'sqlite_stat1') ORDER BY name"


class BucketContents(Struct, frozen=True, kw_only=True):
    """The events of a bucket. `key` tells deleted ones apart, which may have the id of another."""

    key: int
    id: str
    events: int
    duration_us: int
    checksum: str  # over all columns of its events, and over the texts of its values


class TableContents(Struct, frozen=True, kw_only=True):
    """The rows of any other table."""

    rows: int
    checksum: str


class Contents(Struct, frozen=True, kw_only=True):
    """All that a database file holds."""

    schema: int
    epoch: int
    buckets: list[BucketContents]
    tables: dict[str, TableContents]

    @property
    def events(self) -> int:
        return sum(bucket.events for bucket in self.buckets)


def contents_of(db: apsw.Connection) -> Contents:
    """The figures of an open file. Begin a transaction before, where somebody may write meanwhile."""
    schema = int(db.pragma("user_version"))
    texts = _texts(db)
    keys = msgspec.convert(db.execute(_BUCKETS).fetchall(), list[tuple[int, str]])
    return Contents(
        schema=schema,
        epoch=_epoch(db) if schema > 1 else 0,  # the first schema had none
        buckets=[_bucket(db, key, bucket_id, texts.get(key)) for key, bucket_id in keys],
        tables={
            name: _table(db, name) for (name,) in msgspec.convert(db.execute(_TABLES).fetchall(), list[tuple[str]])
        },
    )


def _epoch(db: apsw.Connection) -> int:
    try:
        return epoch_of(db)
    except (WrongStamp, apsw.SQLError) as error:
        raise StoreUnusable(f"{db.filename} is no database of this program: {error}") from error


def _texts(db: apsw.Connection) -> dict[int, "blake2b"]:
    """A checksum under way for each bucket, over its values."""
    found: dict[int, blake2b] = {}
    rows = db.execute("SELECT bucket, key, hash, json FROM value ORDER BY key")
    for bucket, group in groupby(rows, key=itemgetter(0)):
        checksum = found.setdefault(msgspec.convert(bucket, int), blake2b(digest_size=_DIGEST_BYTES))
        for some in _pieces(group):
            checksum.update(msgspec.msgpack.encode(some))
    return found


def _bucket(db: apsw.Connection, key: int, bucket_id: str, texts: "blake2b | None") -> BucketContents:
    events, duration, mixed = msgspec.convert(db.execute(_EVENTS, (key,)).fetchone(), tuple[int, int, int])
    checksum = texts or blake2b(digest_size=_DIGEST_BYTES)
    checksum.update(mixed.to_bytes(8))
    return BucketContents(key=key, id=bucket_id, events=events, duration_us=duration, checksum=checksum.hexdigest())


def _table(db: apsw.Connection, name: str) -> TableContents:
    checksum, count = blake2b(digest_size=_DIGEST_BYTES), 0
    quoted = name.replace('"', '""')
    for rows in _pieces(db.execute(f'SELECT * FROM "{quoted}"')):
        checksum.update(msgspec.msgpack.encode(rows))
        count += len(rows)
    return TableContents(rows=count, checksum=checksum.hexdigest())


def _pieces(rows: Iterable[Any]) -> Iterator[list[Any]]:
    iterator = iter(rows)
    while some := list(islice(iterator, _ROWS_AT_ONCE)):
        yield some
