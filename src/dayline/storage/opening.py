"""Opens databases: what is open, and the one module that names both engines.

A location is the path of a SQLite file, or the address of a PostgreSQL database as text. The engine is imported when it
is needed: psycopg is an extra, and without it every function here raises ModuleNotFoundError for an address.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeAlias, TypeVar

from dayline.storage.postgres.address import is_postgres

if TYPE_CHECKING:  # so that a query process loads no event loop
    from dayline.model.health import Damage, Problem
    from dayline.model.time import Microseconds
    from dayline.runtime.background import BackgroundWorkers
    from dayline.storage.access import AccessStore
    from dayline.storage.engine.sync_files import SyncFiles
    from dayline.storage.history.contract import TrashPolicy
    from dayline.storage.postgres.columns.source import PostgresColumns
    from dayline.storage.retention.upkeep import Upkeep
    from dayline.storage.sqlite.columns.source import SqliteColumns
    from dayline.storage.store import Store
    from dayline.storage.transfer.copying import Copied, CopyTarget
    from dayline.storage.transfer.event_rows import EventRows, RowsLocation
    from dayline.storage.writing.notices import OnCommit

Location: TypeAlias = Path | str
T = TypeVar("T")


class Database(Protocol):
    """A SQLite file or a PostgreSQL database with the stores of its tenants."""

    def store(self, tenant: str = "") -> "Store":
        """The store of one tenant. Raises Invalid if the backend has a single tenant."""
        ...

    async def open(self, tenant: str) -> "Store":
        """Like `store`, loading the tenant off the event loop on first use."""
        ...

    @property
    def access(self) -> "AccessStore":
        """Keys and sessions, and the audit log and settings of the unnamed tenant."""
        ...

    def access_of(self, tenant: str) -> "AccessStore":
        """Like `access`, for another tenant. Raises Invalid if the backend has a single tenant."""
        ...

    @property
    def damage(self) -> "Damage | None":
        """The damage of the database, while a recovery file is used instead."""
        ...

    @property
    def upkeep(self) -> "Upkeep":
        """Disk space and downsampling of the unnamed tenant."""
        ...

    def upkeep_of(self, tenant: str) -> "Upkeep":
        """Like `upkeep`, for another tenant. Raises Invalid if the backend has a single tenant."""
        ...

    def sync_files(self, tenant: str = "") -> "SyncFiles":
        """The files of devices that sync through this server. Raises Invalid if the backend has a single tenant."""
        ...

    def scratch(self) -> Path:
        """A folder for temporary files of one call. Raises Unavailable."""
        ...

    @property
    def background(self) -> "BackgroundWorkers":
        """The background workers of this database; the server adds its own."""
        ...

    def problems(self) -> "list[Problem]":
        """Problems that currently prevent writes. Call it from any thread."""
        ...

    def listen(self, on_commit: "OnCommit | None", *, tenant: str = "") -> None:
        """Call `on_commit` for every commit of a tenant from now on, on the loop, after its responses; None stops that.

        It must return quickly: heartbeats wait for it.
        """
        ...

    def stop_holding(self) -> None:
        """Stop queuing writes: the server is shutting down, and writes that cannot be committed now fail."""
        ...

    async def close(self) -> None:
        """Finish accepted work, then close everything."""
        ...


class ReadOnly(Database, Protocol):
    """A database that was opened for reading."""

    def check_unchanged(self) -> None:
        """Raise StoreBusy if what was read since it was opened may be of two states."""
        ...


def open_database(
    location: Location,
    *,
    trash: "TrashPolicy",
    ages: "Callable[[], Microseconds]",
    keep: Callable[[Path], None],
) -> Database:
    """The database of a server; a file is locked. Call it on the event loop. Raises Unavailable errors.

    `ages` is the time that decides what has expired. `keep` backs up a file before it is upgraded.
    """
    import asyncio  # here, because query processes need no event loop

    loop = asyncio.get_running_loop()
    if isinstance(location, Path):
        from dayline.storage.sqlite.database import SqliteDatabase

        return SqliteDatabase(location, loop, trash=trash, ages=ages, keep=keep)
    from dayline.storage.postgres.database import PostgresDatabase

    return PostgresDatabase(location, loop, trash=trash, ages=ages)


def open_read_only(location: Location, *, trash: "TrashPolicy") -> ReadOnly:
    """The database for reading: nothing is written, created or locked. Raises NotFound and Unavailable errors."""
    if isinstance(location, Path):
        from dayline.storage.sqlite.read_only import ReadOnlyDatabase

        return ReadOnlyDatabase(location, trash_policy=trash)
    import asyncio

    from dayline.storage.postgres.read_only import ReadOnlyPostgres

    return ReadOnlyPostgres(location, asyncio.get_running_loop(), trash=trash)


def open_folder(file: Path) -> None:
    """Create the folder of a process that has no database file, or only a queue. Raises StoreUnusable."""
    from dayline.storage.sqlite.file import former_layout

    former_layout.open_folder(file)


def check_exists(location: Location) -> None:
    """Raise NotFound if there is no database, before opening it would create one."""
    if isinstance(location, Path):
        from dayline.storage.sqlite.read_only import no_database
        from dayline.storage.sqlite.repair.mark import read_mark

        if not location.exists() and read_mark(location) is None:
            raise no_database(location)
        return
    from dayline.storage.postgres.read_only import check_exists as check_tables

    check_tables(location)


def open_rows(place: "RowsLocation") -> "AbstractContextManager[EventRows]":
    """All rows of a tenant, for one thread. Raises Unavailable errors."""
    if is_postgres(place.database):
        from dayline.storage.postgres.rows.scan import postgres_rows

        return postgres_rows(place.database, place.tenant)
    from dayline.storage.sqlite.rows.scan import sqlite_rows

    return sqlite_rows(Path(place.database))


def open_columns(
    location: Location, tenant: str, *, cache_bytes: int, is_still: bool = False, replica: str | None = None
) -> "SqliteColumns | PostgresColumns":
    """The columns of a tenant, for a query process. `is_still`: nothing writes to the file."""
    if isinstance(location, Path):
        from dayline.storage.sqlite.columns.source import SqliteColumns
        from dayline.storage.sqlite.file.errors import refuse_tenant

        refuse_tenant(tenant)
        return SqliteColumns(location, cache_bytes=cache_bytes, is_still=is_still)
    from dayline.storage.postgres.columns.source import PostgresColumns

    return PostgresColumns(location, tenant, cache_bytes=cache_bytes, replica=replica)


def open_copy_source(location: Location, tenant: str) -> "AbstractContextManager[Copied]":
    """The data of a tenant, to be copied to another database."""
    if isinstance(location, Path):
        from dayline.storage.sqlite.transfer.copying import copied_file

        return copied_file(location.absolute())
    from dayline.storage.postgres.transfer.copying import copied_tenant

    return copied_tenant(location, tenant)


def open_archive_source(location: Location, tenant: str) -> "AbstractContextManager[Copied]":
    """The data of a tenant as of one point in time; a server may keep recording."""
    if isinstance(location, Path):
        from dayline.storage.sqlite.transfer.archive import archived_file

        return archived_file(location.absolute())
    from dayline.storage.postgres.transfer.copying import archived_tenant

    return archived_tenant(location, tenant)


def restore_copy(
    location: Location, tenant: str, fill: "Callable[[CopyTarget], T]", *, now: "Microseconds"
) -> "tuple[T, Path | None]":
    """Create a file or a tenant with `fill`, or replace an empty one; returns its result, and where a file was kept.

    Raises Conflict if it is not empty, and StoreLocked while a server uses it. If `fill` raises, nothing is changed.
    """
    if isinstance(location, Path):
        from dayline.storage.sqlite.transfer.archive import restore_file

        return restore_file(location, fill, now=now)
    with open_copy_target(location, tenant) as target:
        result = fill(target)
        target.keep()
        return result, None


def open_copy_target(location: Location, tenant: str) -> "AbstractContextManager[CopyTarget]":
    """A new file, or a new tenant of a database. It is removed at the end unless it is kept."""
    if isinstance(location, Path):
        from dayline.storage.sqlite.transfer.copying import new_file

        return new_file(location.absolute())
    from dayline.storage.postgres.transfer.copying import new_tenant

    return new_tenant(location, tenant)
