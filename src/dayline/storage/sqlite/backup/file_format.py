"""The format of a snapshot file: its header, its pages, and the digest of its contents."""

import os
import struct
from collections.abc import Iterable, Iterator
from contextlib import closing
from hashlib import blake2b
from itertools import groupby, islice
from operator import itemgetter
from pathlib import Path
from typing import IO, Any, Final, Protocol, cast

import apsw
import msgspec
from msgspec import Struct

from dayline.model.errors import NotADatabase
from dayline.model.time import Microseconds
from dayline.runtime.encrypted_file import DatabaseKey
from dayline.runtime.encryption import active_key, find_key, key_of
from dayline.storage.sqlite.backup.encryption import (
    DamagedSnapshot,
    Decrypting,
    EncryptedHead,
    Encrypting,
    FromDatabase,
    FromDatabaseKey,
    Secret,
    is_encrypted,
    read_encrypted_head,
)
from dayline.storage.sqlite.derived.file import WrongStamp, epoch_of
from dayline.storage.sqlite.file.conversion import DatabaseWriter, plain_pages
from dayline.storage.transfer.expansion import MAX_WINDOW, check_space

_ROWS_AT_ONCE: Final = 5000
_CONTENT_DIGEST_BYTES: Final = 16
# SQLite adds up the rows of events: three times as fast as hashing them here, and the source has to be read within
# seconds. Each row counts as the product of two mixed numbers, one of its position and one of its contents, so that
# contents moved from one row to another are detected. Every number stays below 2**63, the sum for 2**27 events of a
# bucket.
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
    """The events of a bucket. `key` identifies it: a deleted bucket may have the id of another."""

    key: int
    id: str
    events: int
    duration_us: int
    checksum: str  # over all columns of its events and the texts of its values


class TableContents(Struct, frozen=True, kw_only=True):
    """The rows of any other table."""

    rows: int
    checksum: str


class Contents(Struct, frozen=True, kw_only=True):
    """The contents of a database file."""

    schema: int
    epoch: int
    buckets: list[BucketContents]
    tables: dict[str, TableContents]

    @property
    def events(self) -> int:
        return sum(bucket.events for bucket in self.buckets)


def contents_of(db: apsw.Connection) -> Contents:
    """The counts and checksums of an open file. Begin a transaction first if others may write."""
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
        raise NotADatabase(f"{db.filename} is not a Dayline database: {error}") from error


def _texts(db: apsw.Connection) -> dict[int, "blake2b"]:
    """A running checksum per bucket over its values."""
    checksums: dict[int, blake2b] = {}
    rows = db.execute("SELECT bucket, key, hash, json FROM value ORDER BY key")
    for bucket, group in groupby(rows, key=itemgetter(0)):
        checksum = checksums.setdefault(msgspec.convert(bucket, int), blake2b(digest_size=_CONTENT_DIGEST_BYTES))
        for some in _pieces(group):
            checksum.update(msgspec.msgpack.encode(some))
    return checksums


def _bucket(db: apsw.Connection, key: int, bucket_id: str, texts: "blake2b | None") -> BucketContents:
    events, duration, mixed = msgspec.convert(db.execute(_EVENTS, (key,)).fetchone(), tuple[int, int, int])
    checksum = texts or blake2b(digest_size=_CONTENT_DIGEST_BYTES)
    checksum.update(mixed.to_bytes(8))
    return BucketContents(key=key, id=bucket_id, events=events, duration_us=duration, checksum=checksum.hexdigest())


def _table(db: apsw.Connection, name: str) -> TableContents:
    checksum, count = blake2b(digest_size=_CONTENT_DIGEST_BYTES), 0
    quoted = name.replace('"', '""')
    for rows in _pieces(db.execute(f'SELECT * FROM "{quoted}"')):
        checksum.update(msgspec.msgpack.encode(rows))
        count += len(rows)
    return TableContents(rows=count, checksum=checksum.hexdigest())


def _pieces(rows: Iterable[Any]) -> Iterator[list[Any]]:
    iterator = iter(rows)
    while some := list(islice(iterator, _ROWS_AT_ONCE)):
        yield some


# A snapshot as one file: what it holds, the database compressed, and a checksum over both.
#
#     ┌ skippable frame ─┬ zstd frame ────────┬ skippable frame ─┐
#     │ manifest (JSON)  │ the database file  │ BLAKE2b of all   │
#     └──────────────────┴────────────────────┴──────────────────┘
#
# It is a Zstandard file like any other: `zstd -d` makes the database of it, in whatever year that is needed. One that
# is encrypted holds the same within (encryption.py).


FORMAT: Final = 1
_LEVEL: Final = 3  # higher ones take several times as long and save a tenth
_FRAME: Final = struct.Struct("<II")  # magic number, number of bytes that follow
_HEAD_MAGIC: Final = 0x184D2A5D
_TAIL_MAGIC: Final = 0x184D2A5E
_DIGEST_BYTES: Final = 32
_TAIL_BYTES: Final = _FRAME.size + _DIGEST_BYTES
_MAX_HEAD_BYTES: Final = 16 << 20  # 100,000 buckets
_PIECE: Final = 1 << 17
_FLUSH: Final = 4 << 20


class Manifest(Struct, frozen=True, kw_only=True):
    """Describes a snapshot. `contents` was read from the source in the same transaction as the pages."""

    format: int
    made: Microseconds
    stamp: tuple[int, ...]  # of the source, taken before: as long as it is equal, nothing was written
    size: int  # bytes of the database
    contents: Contents


def write_snapshot(plain: Path, target: Path, manifest: Manifest, *, secret: Secret | None = None) -> None:
    """Compress a database file, encrypt it if there is a secret, and flush it to disk.

    The pages of an encrypted database are decrypted first: they could not be compressed. They are in memory only.
    """
    import zstandard  # imported here: the recording process imports this module and must not load it

    key = key_of(plain)
    if secret is None and key is not None:
        secret = FromDatabase()  # a plain snapshot of an encrypted database would expose it
    head = msgspec.json.encode(manifest)
    digest = blake2b(digest_size=_DIGEST_BYTES)
    with plain.open("rb") as source, target.open("xb") as file:
        pages = plain_pages(source, key)
        mark = mark_of(manifest.stamp)
        sealed = None if secret is None else Encrypting(file, secret, made=manifest.made, source=mark)
        put = file.write if sealed is None else sealed.write

        def write(data: bytes) -> None:
            digest.update(data)
            put(data)

        write(_FRAME.pack(_HEAD_MAGIC, len(head)) + head)
        compressor = zstandard.ZstdCompressor(level=_LEVEL, write_checksum=True).compressobj(size=manifest.size)
        flushed = 0
        for piece in pages:
            write(compressor.compress(piece))
            if file.tell() - flushed > _FLUSH:
                # Flush in small steps: a commit of the recording process waits for a large flush.
                flushed = file.tell()
                file.flush()
                os.fsync(file.fileno())
        write(compressor.flush())
        put(_FRAME.pack(_TAIL_MAGIC, _DIGEST_BYTES) + digest.digest())
        if sealed is not None:
            sealed.finish()
        file.flush()
        os.fsync(file.fileno())
        if hasattr(os, "posix_fadvise"):
            # The verification must read from the disk, not from the page cache.
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def read_head(path: Path) -> Manifest | EncryptedHead:
    """The header of a snapshot, unverified and without a key. Raises DamagedSnapshot or OSError."""
    with path.open("rb") as file:
        if is_encrypted(file):
            return read_encrypted_head(file)
        return _head(_Plain(file))[0]


def read_manifest(path: Path, *, secret: Secret | None = None) -> Manifest:
    """The manifest of a snapshot, unverified. Raises DamagedSnapshot, Invalid (wrong key) or OSError."""
    with path.open("rb") as file:
        return _head(_opened(file, secret))[0]


def snapshot_key(path: Path) -> DatabaseKey | None:
    """The key of the database that a snapshot was made from, if it is encrypted with that key and we can find it."""
    try:
        head = read_head(path)
    except (DamagedSnapshot, OSError):  # reported when it is read
        return None
    is_ours = isinstance(head, EncryptedHead) and isinstance(head.kdf, FromDatabaseKey)
    return find_key() if is_ours else None


def unpack_snapshot(path: Path, target: Path, *, secret: Secret | None = None) -> Manifest:
    """Write the database in a snapshot to a new file, without flushing it.

    The file is encrypted if this process has a key, or if the snapshot is encrypted with the key of its database.

    Raises DamagedSnapshot if any byte of the snapshot was changed, and Invalid if it is encrypted and the secret is
    wrong.
    """
    import zstandard  # imported here: the recording process imports this module and must not load it

    key = active_key() or snapshot_key(path)
    with path.open("rb") as file, closing(DatabaseWriter(target, key)) as plain:
        source = _opened(file, secret)
        manifest, head = _head(source)
        digest = blake2b(head, digest_size=_DIGEST_BYTES)
        check_space(target.parent, manifest.size, reserved=0)
        packed = _Hashed(source, digest, source.size - len(head) - _TAIL_BYTES)
        decompressor = zstandard.ZstdDecompressor(max_window_size=MAX_WINDOW)
        written = 0
        try:
            # In pieces of the result: a few bytes of the snapshot can expand to gigabytes.
            with decompressor.stream_reader(cast("IO[bytes]", packed), closefd=False) as pages:
                while written <= manifest.size and (piece := pages.read(_PIECE)):
                    written += plain.write(piece)
        except zstandard.ZstdError as error:
            raise DamagedSnapshot(f"it cannot be decompressed: {error}") from error
        if written > manifest.size:
            raise DamagedSnapshot(f"it contains more than the {manifest.size:,} bytes that its header says")
        while packed.read(_PIECE):
            pass
        if source.read(_TAIL_BYTES + 1) != _FRAME.pack(_TAIL_MAGIC, _DIGEST_BYTES) + digest.digest():
            raise DamagedSnapshot("its checksum is wrong")
        if written != manifest.size:
            raise DamagedSnapshot(f"it contains {written:,} bytes instead of {manifest.size:,}")
        plain.finish()
    return manifest


def mark_of(stamp: tuple[int, ...]) -> str:
    """A short text for a stamp, equal for equal stamps, that reveals nothing else."""
    return blake2b(msgspec.json.encode(stamp), digest_size=8).hexdigest()


class _Source(Protocol):
    """The bytes of a plain snapshot, from its start."""

    size: int

    def read(self, count: int, /) -> bytes: ...


class _Plain:
    """A file that is not encrypted."""

    def __init__(self, file: IO[bytes]) -> None:
        self.size = os.fstat(file.fileno()).st_size
        self.read = file.read


class _Hashed:
    """The next `left` bytes of a source, which are added to a digest as they are read."""

    def __init__(self, source: _Source, digest: "blake2b", left: int) -> None:
        self._source = source
        self._digest = digest
        self._left = left

    def read(self, count: int) -> bytes:
        piece = self._source.read(min(count, max(self._left, 0)))
        self._digest.update(piece)
        self._left -= len(piece)
        return piece


def _opened(file: IO[bytes], secret: Secret | None) -> _Source:
    return Decrypting(file, secret) if is_encrypted(file) else _Plain(file)


def _head(source: _Source) -> tuple[Manifest, bytes]:
    """The manifest, and all bytes up to its end."""
    start = source.read(_FRAME.size)
    if len(start) < _FRAME.size:
        raise DamagedSnapshot("it is truncated")
    magic, length = _FRAME.unpack(start)
    if magic != _HEAD_MAGIC or length > _MAX_HEAD_BYTES:
        raise DamagedSnapshot("it is not a backup file")
    try:
        text = source.read(length)
        manifest = msgspec.json.decode(text, type=Manifest)
    except msgspec.DecodeError as error:
        raise DamagedSnapshot(f"its header cannot be read: {error}") from error
    except UnicodeDecodeError as error:
        raise DamagedSnapshot("its header cannot be read") from error
    if manifest.format != FORMAT:
        raise DamagedSnapshot(f"its format version {manifest.format} is not supported (supported: {FORMAT})")
    return manifest, start + text
