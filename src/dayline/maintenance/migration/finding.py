"""Finds ActivityWatch databases in the default folders, without changing or copying anything."""

import tempfile
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from time import monotonic
from typing import Final, Literal, TypeAlias

import apsw
import msgspec
import platformdirs
from msgspec import Struct

from dayline.maintenance.migration.snapshot import (
    Stamp,
    beside,
    has_log,
    open_to_read,
    snapshot,
    stamp_of,
)
from dayline.model.errors import DaylineError, Invalid
from dayline.model.event import duration_of
from dayline.model.time import Microseconds, parse_timestamp
from dayline.runtime.read_through import FileContent, connect_to
from dayline.runtime.spool import is_spool, open_input
from dayline.runtime.sqlite_file import connect

_FAMILY: Final = "activitywatch"
_PYTHON: Final = Path("aw-server", "peewee-sqlite.v2.db")
_RUST: Final = Path("aw-server-rust", "sqlite.db")


def usual_databases() -> list[Path]:
    """The existing databases, the Python server's first."""
    return [folder / name for name in (_PYTHON, _RUST) for folder in _data_folders() if (folder / name).is_file()]


def settings_file_of(database: Path) -> Path | None:
    """The settings file of the Python server with this database; None if there is none.

    It is in the config folder, or next to the database in a copy of both.
    """
    candidates = [database.with_name("settings.json")]
    if database.resolve() in [path.resolve() for path in usual_databases()]:
        candidates.append(Path(platformdirs.user_config_dir(_FAMILY), "aw-server", "settings.json"))
    return next((path for path in candidates if path.is_file()), None)


def _data_folders() -> Iterator[Path]:
    # On Windows the Python server's folder includes the author's name, the Rust server's does not; elsewhere they are
    # the same.
    yield from dict.fromkeys(Path(platformdirs.user_data_dir(_FAMILY, author)) for author in (None, False))


# The contents of the databases, read in place.


ServerKind: TypeAlias = Literal["aw-server", "aw-server-rust"]

CACHE_S: Final = 5.0  # a running server changes its file with every heartbeat, so counts are cached
_BUSY_TIMEOUT_MS: Final = 1000
_COPY_HINT: Final = "import peewee-sqlite.v2.db or sqlite.db of ActivityWatch, a JSON export, or an archive"
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


class FoundBucket(Struct, frozen=True, kw_only=True):
    """A bucket of the source, its number of events, and the start of the first one."""

    id: str
    events: int
    first: Microseconds | None


class FoundDatabase(Struct, frozen=True, kw_only=True):
    """A database of an ActivityWatch server. `problem` says why it cannot be read, if that is so."""

    path: Path
    kind: ServerKind
    bytes: int
    buckets: tuple[FoundBucket, ...] = ()
    first: Microseconds | None = None
    last: Microseconds | None = None
    problem: str | None = None

    @property
    def events(self) -> int:
        return sum(bucket.events for bucket in self.buckets)


class _CachedDatabase(Struct, frozen=True, kw_only=True):
    stamp: Stamp
    at: float
    database: FoundDatabase


class SourceDatabases:
    """Finds databases and caches their contents. `scratch` is for a copy, which is needed only in one case."""

    def __init__(self, scratch: Path, *, places: Callable[[], Sequence[Path]] = usual_databases) -> None:
        self._scratch = scratch
        self._places = places
        self._cache: dict[Path, _CachedDatabase] = {}

    def look(self) -> list[FoundDatabase]:
        """The existing databases. Reads the disk: call it in a thread."""
        databases = [self._read(path) for path in self._places()]
        return [one for one in databases if one is not None]

    def _read(self, path: Path) -> FoundDatabase | None:
        try:
            stamp, now = stamp_of(path), monotonic()
            cached = self._cache.get(path)
            if cached is None or (cached.stamp != stamp and now - cached.at > CACHE_S):
                database = look_into(path, self._scratch)
                cached = self._cache[path] = _CachedDatabase(stamp=stamp, at=now, database=database)
        except OSError:
            return None  # deleted since we listed it
        return cached.database


def look_into(path: Path, scratch: Path, *, kind: ServerKind | None = None) -> FoundDatabase:
    """The contents of a database, by default of the kind of its folder. Raises OSError if it cannot be accessed."""
    kind = kind or ("aw-server-rust" if path.parent.name == "aw-server-rust" else "aw-server")
    empty = FoundDatabase(path=path, kind=kind, bytes=sum(size for size, _ in filter(None, stamp_of(path))))
    try:
        with _open_database(path, scratch) as db:
            return _rust(db, empty) if kind == "aw-server-rust" else _python(db, empty)
    except (apsw.Error, msgspec.ValidationError, ValueError) as error:
        return msgspec.structs.replace(empty, problem=f"cannot read it: {error}")
    except DaylineError as error:
        return msgspec.structs.replace(empty, problem=error.message)


def look_into_copy(path: Path, scratch: Path) -> FoundDatabase:
    """The contents of a database with any name. Raises Invalid if it is not one of an ActivityWatch server."""
    try:
        with _open_database(path, scratch) as db:
            tables = {str(row[0]) for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    except apsw.Error as error:
        raise Invalid(f"the file cannot be read as a database: {error}", hint=_COPY_HINT) from error
    kind: ServerKind | None = (
        "aw-server" if tables >= {"bucketmodel", "eventmodel"}
        else "aw-server-rust" if tables >= {"buckets", "events"}
        else None
    )  # fmt: skip
    if kind is None:
        raise Invalid("the file is not the database of an ActivityWatch server", hint=_COPY_HINT)
    found = look_into(path, scratch, kind=kind)
    if found.problem is not None:
        raise Invalid(f"the database cannot be imported: {found.problem}", hint=_COPY_HINT)
    return found


@contextmanager
def _open_database(path: Path, scratch: Path) -> Generator[apsw.Connection]:
    if is_spool(path):  # it was sent to us, and is encrypted
        with open_input(path) as file, closing(connect_to(FileContent(file))) as content:
            yield content
        return
    try:
        db = _open_in_place(path)
    except _FAILS:
        # The log can be read only with its index, and creating that would change the source folder.
        with tempfile.TemporaryDirectory(prefix="dayline-look-", dir=scratch, ignore_cleanup_errors=True) as folder:
            copy = connect(snapshot(path, Path(folder)))
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
    names = msgspec.convert(db.execute(_RUST_BUCKETS).fetchall(), list[tuple[int, str]])
    rows = msgspec.convert(db.execute(_RUST_EVENTS).fetchall(), list[tuple[int, int, int, int]])
    extents = {number: (count, start // 1000, end // 1000) for number, count, start, end in rows}
    return msgspec.structs.replace(
        found,
        buckets=tuple(
            FoundBucket(id=name, events=extents[number][0], first=extents[number][1])
            if number in extents
            else FoundBucket(id=name, events=0, first=None)
            for number, name in names
        ),
        first=min((start for _, start, _ in extents.values()), default=None),
        last=max((end for _, _, end in extents.values()), default=None),
    )


def _python(db: apsw.Connection, found: FoundDatabase) -> FoundDatabase:
    names = msgspec.convert(db.execute(_PYTHON_BUCKETS).fetchall(), list[tuple[int, str]])
    rows = msgspec.convert(db.execute(_PYTHON_EVENTS).fetchall(), list[tuple[int, int, int]])
    counts = {number: (count, first) for number, count, first in rows}
    ends = msgspec.convert(db.execute(_PYTHON_ENDS).fetchall(), list[tuple[str, float]], strict=False)
    return msgspec.structs.replace(
        found,
        buckets=tuple(
            FoundBucket(id=name, events=counts[number][0], first=_first(db, counts[number][1]))
            if number in counts
            else FoundBucket(id=name, events=0, first=None)
            for number, name in names
        ),
        first=_parse_time(ends[0][0]) if ends else None,
        last=_end(*ends[1]) if ends else None,
    )


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
