"""Looks into a database of ActivityWatch, in a child process."""

from collections.abc import Generator
from contextlib import closing, contextmanager
from itertools import islice
from pathlib import Path
from typing import Final

import apsw
import msgspec

from dayline.config.data_folder import DataFile, beside, scratch_folder
from dayline.maintenance.migration.finding import (
    COPY_HINT,
    FoundBucket,
    FoundDatabase,
    Inspection,
)
from dayline.maintenance.migration.snapshot import has_log, open_to_read, snapshot, stamp_of
from dayline.maintenance.migration.sources import kind_of_tables
from dayline.model.errors import DaylineError, Invalid
from dayline.model.event import duration_of
from dayline.model.time import Microseconds, parse_timestamp
from dayline.runtime.read_through import FileContent, connect_to
from dayline.runtime.spool import is_spool, open_input
from dayline.runtime.sqlite_file import READ_WRITE, connect_copy
from dayline.runtime.untrusted import (
    INSPECTION_MEMORY_MIB,
    OUT_OF_MEMORY,
    harden,
    limit_inspection,
)
from dayline.storage.transfer.staging import MAX_BUCKETS

_BUSY_TIMEOUT_MS: Final = 1000
_FAILS: Final = (apsw.CantOpenError, apsw.ReadOnlyError, apsw.BusyError)

# Each query reads only an index, so that years of events are counted quickly.
_RUST_BUCKETS: Final = "SELECT id, name FROM buckets ORDER BY id"
_RUST_EVENTS: Final = "SELECT bucketrow, count(*), min(starttime), max(endtime) FROM events GROUP BY bucketrow"
_PYTHON_BUCKETS: Final = "SELECT key, id FROM bucketmodel ORDER BY key"
_PYTHON_EVENTS: Final = "SELECT bucket_id, count(*), min(id) FROM eventmodel GROUP BY bucket_id"
_PYTHON_FIRST: Final = "SELECT CAST(timestamp AS TEXT) FROM eventmodel WHERE id = ?"
_PYTHON_ENDS: Final = """
SELECT * FROM (SELECT CAST(timestamp AS TEXT), duration FROM eventmodel ORDER BY timestamp LIMIT 1) UNION ALL
SELECT * FROM (SELECT CAST(timestamp AS TEXT), duration FROM eventmodel ORDER BY timestamp DESC LIMIT 1)
"""


def inspect(path: Path, scratch: Path) -> Inspection:
    """What is in a database, or why it cannot be imported. Messages say `the file`: an upload has a name of ours.

    `scratch` is for a copy, which is needed only in one case. Limits this process, which does nothing else.
    """
    limit_inspection()
    try:
        with _open_database(path, scratch) as db:
            return Inspection(found=_contents(db, path))
    except OUT_OF_MEMORY:
        return Inspection(message=f"reading the file takes more than {INSPECTION_MEMORY_MIB} MiB of memory")
    except (apsw.Error, msgspec.ValidationError, ValueError) as error:
        return Inspection(message=f"cannot read the file as a database: {error}", hint=COPY_HINT)
    except DaylineError as error:
        return Inspection(message=error.message.replace(str(path), "the file"), hint=error.hint)


def _contents(db: apsw.Connection, path: Path) -> FoundDatabase:
    kind = kind_of_tables(db)
    if kind is None:
        raise Invalid("the file is not the database of an ActivityWatch server", hint=COPY_HINT)
    empty = FoundDatabase(path=path, kind=kind, bytes=sum(size for size, _ in filter(None, stamp_of(path))))
    return _rust(db, empty) if kind == "aw-server-rust" else _python(db, empty)


def _fetch_some(db: apsw.Connection, query: str) -> list[tuple[object, ...]]:
    """The rows of a query, one for each bucket. Raises Invalid if there are too many."""
    rows = list(islice(db.execute(query), MAX_BUCKETS + 1))
    if len(rows) > MAX_BUCKETS:
        raise Invalid(f"the database has more than {MAX_BUCKETS:,} buckets")
    return rows


@contextmanager
def _open_database(path: Path, scratch: Path) -> Generator[apsw.Connection]:
    if is_spool(path):  # it was sent to us, and is encrypted
        with open_input(path) as file, closing(connect_to(FileContent(file))) as content:
            harden(content)
            yield content
        return
    try:
        db = _open_in_place(path)
    except _FAILS:
        # The log can be read only with its index, and creating that would change the source folder.
        with scratch_folder(DataFile.LOOK, scratch) as folder:
            copy = connect_copy(snapshot(path, folder), READ_WRITE)
            try:
                yield copy
            finally:
                copy.close()
        return
    try:
        yield db
    finally:
        db.close()


def _open_in_place(path: Path) -> apsw.Connection:
    is_served = not has_log(path) or beside(path, "-shm").exists()
    log = beside(path, "-wal")
    if not is_served and log.exists() and log.stat().st_size:
        raise apsw.CantOpenError("its log has no index")
    db = open_to_read(path, is_still=not is_served)
    try:
        db.set_busy_timeout(_BUSY_TIMEOUT_MS)
        db.execute("SELECT count(*) FROM sqlite_master").fetchall()
    except BaseException:
        db.close()
        raise
    return db


def _rust(db: apsw.Connection, found: FoundDatabase) -> FoundDatabase:
    names = msgspec.convert(_fetch_some(db, _RUST_BUCKETS), list[tuple[int, str]])
    rows = msgspec.convert(_fetch_some(db, _RUST_EVENTS), list[tuple[int, int, int, int]])
    return msgspec.structs.replace(
        found,
        buckets=_buckets(names, {number: (count, start // 1000) for number, count, start, _ in rows}),
        first=min((start // 1000 for _, _, start, _ in rows), default=None),
        last=max((end // 1000 for _, _, _, end in rows), default=None),
    )


def _python(db: apsw.Connection, found: FoundDatabase) -> FoundDatabase:
    names = msgspec.convert(_fetch_some(db, _PYTHON_BUCKETS), list[tuple[int, str]])
    rows = msgspec.convert(_fetch_some(db, _PYTHON_EVENTS), list[tuple[int, int, int]])
    ends = msgspec.convert(db.execute(_PYTHON_ENDS).fetchall(), list[tuple[str, float]], strict=False)
    return msgspec.structs.replace(
        found,
        buckets=_buckets(names, {number: (count, _first(db, first)) for number, count, first in rows}),
        first=_parse_time(ends[0][0]) if ends else None,
        last=_end(*ends[1]) if ends else None,
    )


def _buckets(
    names: list[tuple[int, str]], contents: dict[int, tuple[int, Microseconds | None]]
) -> tuple[FoundBucket, ...]:
    """The buckets, with the number of their events and the start of the first one."""
    listed = [(name, contents.get(number, (0, None))) for number, name in names]
    return tuple(FoundBucket(id=name, events=events, first=first) for name, (events, first) in listed)


def _first(db: apsw.Connection, event_id: int) -> Microseconds | None:
    """The start of the event with the lowest id, which is the earliest unless older events were imported later."""
    return _parse_time(str(db.execute(_PYTHON_FIRST, (event_id,)).get))


def _parse_time(text: str) -> Microseconds | None:
    try:
        return parse_timestamp(text)
    except ValueError:
        return None


def _end(text: str, seconds: float) -> Microseconds | None:
    start = _parse_time(text)
    try:
        return None if start is None else start + max(0, duration_of(seconds))
    except Invalid:
        return start
