"""Takes a snapshot of a database that is being written, and verifies snapshots.

SQLite's backup API copies the pages within one read transaction, which also reads the statistics: both see the same
state, however much is written in between. Without that transaction the copy would restart with every commit of the
recording process. `VACUUM INTO` is consistent as well, but takes several times as long, and the write-ahead log cannot
be reset until it is done.
"""

import os
from pathlib import Path
from typing import Final

import apsw

from dayline.model.errors import Invalid
from dayline.runtime.sqlite_file import READ_ONLY, UNCHANGING, connect
from dayline.runtime.untrusted import check_schema, harden
from dayline.storage.sqlite.backup.encryption import DamagedSnapshot, Secret
from dayline.storage.sqlite.backup.file_format import Contents, Manifest, contents_of, unpack_snapshot
from dayline.storage.sqlite.file.connection import open_reader
from dayline.storage.sqlite.file.schema import PARTIAL_INDEX, version_of

_MAX_VALUE_BYTES: Final = 64 << 20  # twice the default limit of a request body
_PAGES_A_STEP: Final = 2048  # 8 MiB


def take_snapshot(database: Path, copy: Path) -> Contents:
    """Copy the database to a new file, as of one point in time. Returns the contents of the source at that time."""
    source = open_reader(database)
    try:
        source.execute("BEGIN")
        version_of(source)  # the transaction begins with the first read
        _copy(source, copy)
        return contents_of(source)
    finally:
        source.close()


def check_snapshot(path: Path, plain: Path, *, secret: Secret | None = None) -> Manifest:
    """Unpack a snapshot to a new file, and compare it with the recorded contents of the source.

    Raises DamagedSnapshot, and Invalid if it is encrypted and the secret is wrong.
    """
    manifest = unpack_snapshot(path, plain, secret=secret)
    try:
        db = open_unchanging(plain)
        try:
            # Before anything in it runs: a snapshot that is not encrypted can come from any source.
            harden(db, max_value_bytes=_MAX_VALUE_BYTES)
            check_schema(db, known=(PARTIAL_INDEX,))
            version_of(db)
            _check_integrity(db)
            contents = contents_of(db)
        finally:
            db.close()
    except Invalid as error:
        raise DamagedSnapshot(error.message) from error
    except (apsw.Error, UnicodeDecodeError) as error:
        raise DamagedSnapshot(f"the database in it cannot be read: {error}") from error
    _compare(manifest.contents, contents)
    return manifest


def open_unchanging(path: Path) -> apsw.Connection:
    """A connection to a file that no process writes; it creates no other files."""
    return connect(path, READ_ONLY, options=UNCHANGING)


def _copy(source: apsw.Connection, copy: Path) -> None:
    target = connect(copy)
    try:
        # An incomplete file is thrown away, so it needs no durability.
        for pragma in ("journal_mode", "synchronous"):
            target.pragma(pragma, "OFF")
        with target.backup("main", source, "main") as backup:
            while not backup.done:
                backup.step(_PAGES_A_STEP)
    finally:
        target.close()
    if not copy.exists() or os.path.getsize(copy) == 0:
        raise DamagedSnapshot("nothing was copied")


def _check_integrity(db: apsw.Connection) -> None:
    first = db.execute("PRAGMA integrity_check(1)").get
    if first != "ok":
        raise DamagedSnapshot(f"the database in it is damaged: {first}")


def _compare(source: Contents, found: Contents) -> None:
    if source == found:
        return
    for before, after in zip(source.buckets, found.buckets, strict=False):
        if before != after:
            raise DamagedSnapshot(
                f"bucket {before.id!r} has {after.events:,} events, {after.duration_us:,} µs, {after.checksum} in it; "
                f"the source had {before.events:,}, {before.duration_us:,} µs, {before.checksum}"
            )
    differing = [name for name, table in source.tables.items() if found.tables.get(name) != table]
    raise DamagedSnapshot(f"it differs from the source in {', '.join(differing) or 'its buckets, epoch or schema'}")
