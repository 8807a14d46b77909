"""Reads the databases of one device of aw-sync into a file of ours, in a child process.

aw-sync may store an event hundreds of times: events with equal start, duration and data are one. A device can have
several databases; of an event that was still growing when an older one was written, the newer one counts.
"""

from collections.abc import Iterable, Iterator
from contextlib import closing
from hashlib import blake2b
from itertools import groupby
from pathlib import Path
from typing import Final

import apsw
import msgspec
from msgspec import Struct

from dayline.config.data_folder import DataFile, scratch_folder
from dayline.maintenance.migration.model import LeftOut
from dayline.maintenance.migration.snapshot import snapshot
from dayline.maintenance.migration.sources import PythonServer, RustServer, Source, kind_of_tables
from dayline.maintenance.sources.contents import DeviceReading, FileProblem
from dayline.model.errors import DaylineError, Invalid, Unavailable
from dayline.model.event import Event
from dayline.model.time import month_of, parse_timestamp
from dayline.runtime.sqlite_file import READ_WRITE, connect, connect_copy
from dayline.runtime.untrusted import IMPORT_MEMORY_MIB, OUT_OF_MEMORY, limit_import

_COPIED: Final = "-synced-from-"  # in the ids of buckets that aw-sync took from other devices
_DAMAGED: Final = "it is damaged, or being written"
_SCHEMA: Final = """
CREATE TABLE bucket (id TEXT PRIMARY KEY, type TEXT, client TEXT, hostname TEXT, created INTEGER, data TEXT);
CREATE TABLE event (
    bucket TEXT, start INTEGER, data BLOB, duration INTEGER, file INTEGER,
    PRIMARY KEY (bucket, start, data, duration)
) WITHOUT ROWID;
CREATE TABLE month (bucket TEXT, month INTEGER, digest BLOB, events INTEGER, PRIMARY KEY (bucket, month));
"""
_PUT_EVENT: Final = """
INSERT OR IGNORE INTO event SELECT ?1, ?2, ?3, ?4, ?5
WHERE NOT EXISTS (SELECT 1 FROM event WHERE bucket = ?1 AND start = ?2 AND data = ?3 AND file < ?5)
"""
_EVENTS: Final = "SELECT start, duration, data FROM event WHERE bucket = ? ORDER BY start, data, duration"


def read(files: list[Path], target: Path, scratch: Path) -> DeviceReading:
    """Read databases, the newest first, into the new file `target`. Limits this process, which does nothing else."""
    limit_import(size=sum(_size(file) for file in files))
    problems: list[FileProblem] = []
    with closing(connect(target)) as db:
        db.execute(_SCHEMA)
        counts = _Counts()
        for number, file in enumerate(files):
            db.execute("BEGIN")
            try:
                _read_file(db, file, number, scratch, counts)
            except OUT_OF_MEMORY:
                problems.append(_problem(file, f"reading it takes more than {IMPORT_MEMORY_MIB} MiB of memory"))
            except apsw.Error:
                problems.append(_problem(file, _DAMAGED))
            except DaylineError as error:
                message = _DAMAGED if isinstance(error.__cause__, apsw.Error) else error.message
                problems.append(_problem(file, message, is_temporary=isinstance(error, Unavailable)))
            else:
                db.execute("COMMIT")
                continue
            db.execute("ROLLBACK")  # nothing of a file that cannot be read as a whole
        _add_months(db)
        (events,) = db.execute("SELECT count(*) FROM event").fetchone() or (0,)
    return DeviceReading(
        events=events,
        repeated=counts.valid - events,
        invalid=counts.invalid,
        problems=problems,
    )


class _Counts(Struct):
    valid: int = 0
    invalid: int = 0


def _read_file(db: apsw.Connection, file: Path, number: int, scratch: Path, counts: _Counts) -> None:
    own = _Counts()
    with (
        scratch_folder(DataFile.IMPORT, scratch) as folder,
        closing(connect_copy(snapshot(file, folder), READ_WRITE)) as copy,
    ):
        source = _source(file, copy)
        for bucket in source.buckets():
            if _COPIED in bucket.id:
                continue
            created = None if bucket.created is None else parse_timestamp(bucket.created)
            db.execute(
                "INSERT OR IGNORE INTO bucket VALUES (?, ?, ?, ?, ?, ?)",
                (
                    bucket.id, bucket.type, bucket.client, bucket.hostname, created,
                    msgspec.json.encode(bucket.data).decode(),
                ),
            )  # fmt: skip
            db.executemany(_PUT_EVENT, _rows(source.events(bucket), bucket.id, number, own))
    counts.valid += own.valid
    counts.invalid += own.invalid


def _source(file: Path, copy: apsw.Connection) -> Source:
    kind = kind_of_tables(copy)
    if kind is None:
        raise Invalid("it is not a database of ActivityWatch")
    # A page of another file can look like rows. They would stay: nothing that is missing later is deleted.
    if copy.execute("PRAGMA quick_check(1)").get != "ok":
        raise Invalid(_DAMAGED)
    return RustServer(file, copy) if kind == "aw-server-rust" else PythonServer(file, copy, {})


def _rows(
    events: Iterable[Event | LeftOut], bucket: str, number: int, counts: _Counts
) -> Iterator[tuple[str, int, bytes, int, int]]:
    for event in events:
        if isinstance(event, LeftOut):
            counts.invalid += 1
        else:
            counts.valid += 1
            yield bucket, event.start, event.data, event.duration, number


def _add_months(db: apsw.Connection) -> None:
    for (bucket,) in db.execute("SELECT id FROM bucket").fetchall():
        for month, rows in groupby(db.execute(_EVENTS, (bucket,)), lambda row: month_of(row[0])):
            digest, events = blake2b(digest_size=16), 0
            for start, duration, data in rows:
                digest.update(b"%d %d %b\n" % (start, duration, data))
                events += 1
            db.execute("INSERT INTO month VALUES (?, ?, ?, ?)", (bucket, month, digest.digest(), events))


def _problem(file: Path, message: str, *, is_temporary: bool = False) -> FileProblem:
    message = message.replace(str(file), "it")
    return FileProblem(path=str(file), message=message, is_temporary=is_temporary)


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError:
        return 0  # deleted since it was listed: reading it fails, and is reported
