"""Finds ActivityWatch data in the usual places, without changing or copying anything."""

import tempfile
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
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
    open_snapshot,
    open_to_read,
    snapshot,
    stamp_of,
)
from dayline.model.errors import DaylineError, Invalid
from dayline.model.event import duration_of
from dayline.model.time import Microseconds, parse_timestamp

_FAMILY: Final = "activitywatch"
_PYTHON: Final = Path("aw-server", "peewee-sqlite.v2.db")
_RUST: Final = Path("aw-server-rust", "sqlite.db")


def usual_databases() -> list[Path]:
    """The databases that are there, the Python server's first."""
    return [folder / name for name in (_PYTHON, _RUST) for folder in _data_folders() if (folder / name).is_file()]


def settings_file_of(database: Path) -> Path | None:
    """The settings file of the Python server whose database that is; None where there is none.

    It lies in the config folder; in a copy that somebody made of both, beside the database.
    """
    places = [database.with_name("settings.json")]
    if database.resolve() in [place.resolve() for place in usual_databases()]:
        places.append(Path(platformdirs.user_config_dir(_FAMILY), "aw-server", "settings.json"))
    return next((place for place in places if place.is_file()), None)


def _data_folders() -> Iterator[Path]:
    # On Windows the Python server's library puts the author's name before that of the program, the Rust server's does
    # not; elsewhere both are the same.
    yield from dict.fromkeys(Path(platformdirs.user_data_dir(_FAMILY, author)) for author in (None, False))


# What the existing servers have in the usual places, looked at without copying it and without changing a byte.


ServerKind: TypeAlias = Literal["aw-server", "aw-server-rust"]

FRESH_S: Final = 5.0  # a running server changes its file with every heartbeat: it is not counted anew for each call
_BUSY_TIMEOUT_MS: Final = 1000
_FAILS: Final = (apsw.CantOpenError, apsw.ReadOnlyError, apsw.BusyError)

# Each of them reads an index alone, so that years of events are counted in a moment.
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
    """A bucket of theirs, how many events it has, and when the first of them began."""

    id: str
    events: int
    first: Microseconds | None


class FoundDatabase(Struct, frozen=True, kw_only=True):
    """A database of theirs. `problem` says why nothing is known of what is in it, where that is so."""

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


class _Seen(Struct, frozen=True, kw_only=True):
    stamp: Stamp
    at: float
    found: FoundDatabase


class SourceDatabases:
    """Finds them, and remembers what was in them. `scratch` is where a copy is made in the one case that needs it."""

    def __init__(self, scratch: Path, *, places: Callable[[], Sequence[Path]] = usual_databases) -> None:
        self._scratch = scratch
        self._places = places
        self._seen: dict[Path, _Seen] = {}

    def look(self) -> list[FoundDatabase]:
        """Those that are there. It reads the disk: for a thread."""
        found = [self._looked(path) for path in self._places()]
        return [one for one in found if one is not None]

    def _looked(self, path: Path) -> FoundDatabase | None:
        try:
            stamp, now = stamp_of(path), monotonic()
            seen = self._seen.get(path)
            if seen is None or (seen.stamp != stamp and now - seen.at > FRESH_S):
                seen = self._seen[path] = _Seen(stamp=stamp, at=now, found=look_into(path, self._scratch))
        except OSError:
            return None  # it has gone meanwhile
        return seen.found


def look_into(path: Path, scratch: Path) -> FoundDatabase:
    """What is in one of them. Raises OSError where it cannot be reached at all."""
    kind: ServerKind = "aw-server-rust" if path.parent.name == "aw-server-rust" else "aw-server"
    empty = FoundDatabase(path=path, kind=kind, bytes=sum(size for size, _ in filter(None, stamp_of(path))))
    try:
        with _opened(path, scratch) as db:
            return _rust(db, empty) if kind == "aw-server-rust" else _python(db, empty)
    except (apsw.Error, msgspec.ValidationError, ValueError) as error:
        return msgspec.structs.replace(empty, problem=f"it cannot be read: {error}")
    except DaylineError as error:
        return msgspec.structs.replace(empty, problem=error.message)


@contextmanager
def _opened(path: Path, scratch: Path) -> Generator[apsw.Connection]:
    try:
        db = _open_in_place(path)
    except _FAILS:
        # What is in the log can only be read where its index is, and to make that would change their folder.
        with tempfile.TemporaryDirectory(prefix="dayline-look-", dir=scratch, ignore_cleanup_errors=True) as folder:
            copy = open_snapshot(snapshot(path, Path(folder)))
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
        first=_moment(ends[0][0]) if ends else None,
        last=_end(*ends[1]) if ends else None,
    )


def _first(db: apsw.Connection, event_id: int) -> Microseconds | None:
    """When the one began that was recorded first, which is the earliest but where somebody has imported others."""
    return _moment(str(db.execute(_PYTHON_FIRST, (event_id,)).get))


def _moment(text: str) -> Microseconds | None:
    try:
        return parse_timestamp(text)
    except ValueError:
        return None


def _end(text: str, seconds: float) -> Microseconds | None:
    start = _moment(text)
    try:
        return None if start is None else start + max(0, duration_of(seconds))
    except Invalid:
        return start
