"""Finds ActivityWatch databases in the default folders, without changing or copying anything.

A child process opens them: nothing that another program made is parsed in the process that records.
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from time import monotonic
from typing import Final, Literal, TypeAlias

import platformdirs
from msgspec import Struct

from dayline.maintenance.migration.snapshot import Stamp, stamp_of
from dayline.model.errors import Invalid
from dayline.model.time import Microseconds
from dayline.storage.operations.children import ChildFailed, ChildFunction

_FAMILY: Final = "activitywatch"
_PYTHON: Final = Path("aw-server", "peewee-sqlite.v2.db")
_RUST: Final = Path("aw-server-rust", "sqlite.db")

ServerKind: TypeAlias = Literal["aw-server", "aw-server-rust"]

CACHE_S: Final = 5.0  # a running server changes its file with every heartbeat, so counts are cached
COPY_HINT: Final = "import peewee-sqlite.v2.db or sqlite.db of ActivityWatch, a JSON export, or an archive"


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


class Inspection(Struct, frozen=True, kw_only=True):
    """What the child process found: a database, or why it cannot be imported."""

    found: FoundDatabase | None = None
    message: str = ""
    hint: str | None = None


run_inspection = ChildFunction("dayline.maintenance.migration.inspecting:inspect", Inspection, niceness=10)


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


def look_into(path: Path, scratch: Path) -> FoundDatabase:
    """The contents of a database of the kind of its folder, read in a child process. Raises OSError."""
    kind: ServerKind = "aw-server-rust" if path.parent.name == "aw-server-rust" else "aw-server"
    size = sum(size for size, _ in filter(None, stamp_of(path)))
    try:
        inspection = run_inspection.wait(path, scratch)
    except ChildFailed as error:
        inspection = Inspection(message=f"cannot read it: {error}")
    return inspection.found or FoundDatabase(path=path, kind=kind, bytes=size, problem=inspection.message)


async def look_into_upload(path: Path, scratch: Path) -> FoundDatabase:
    """The contents of a database with any name. Raises Invalid if it is not one of an ActivityWatch server."""
    try:
        inspection = await run_inspection(path, scratch)
    except ChildFailed as error:
        raise Invalid(f"the file cannot be read as a database: {error}", hint=COPY_HINT) from error
    if inspection.found is None:
        raise Invalid(inspection.message, hint=inspection.hint)
    return inspection.found
