"""Opens the database that the settings name, whichever kind it is, and says how queries reach it."""

import asyncio

from dayline.care.backup_before import BackupBefore
from dayline.care.clock_watch import ClockWatch
from dayline.cli.backup_key import secret_of
from dayline.cli.postgres_library import postgres_library
from dayline.cli.query_command import postgres_environment, postgres_query_command, query_command
from dayline.cli.settings import Settings
from dayline.model.timestamps import now_us
from dayline.query.workers import QueryWorkers
from dayline.storage.sqlite.database import SqliteDatabase
from dayline.storage.sqlite.read_only import ReadOnlyDatabase
from dayline.storage.store import Database


def open_file(settings: Settings, clock: ClockWatch) -> SqliteDatabase:
    """The file, held by this process alone. Called on the event loop. Raises Unavailable errors."""
    return SqliteDatabase(
        settings.database,
        asyncio.get_running_loop(),
        segment_pace=settings.segments,
        trash=settings.trash,
        ages=clock.for_ages,
        keep=BackupBefore(settings.backup, clock=now_us, secret=secret_of(settings.backup)).upgrade,
    )


def open_postgres(settings: Settings, address: str, clock: ClockWatch) -> Database:
    """The database at an address, which others may use too. Raises Invalid where the extra is not installed."""
    with postgres_library():
        from dayline.storage.postgres.database import PostgresDatabase
    return PostgresDatabase(
        address,
        asyncio.get_running_loop(),
        folder=None,
        segment_pace=settings.segments,
        trash=settings.trash,
        ages=clock.for_ages,
    )


def open_to_read(settings: Settings) -> Database:
    """The database for reading alone: nothing is written, created or locked. Raises NotFound and Unavailable errors."""
    if settings.postgres is None:
        return ReadOnlyDatabase(settings.database, trash_settings=settings.trash)
    with postgres_library():
        from dayline.storage.postgres.read_only import ReadOnlyPostgres
    return ReadOnlyPostgres(settings.postgres, asyncio.get_running_loop(), trash=settings.trash)


def query_workers(settings: Settings, database: Database, *, is_still: bool = False) -> QueryWorkers:
    """The query processes of an open database."""
    if settings.postgres is not None:
        environment = postgres_environment(settings.postgres, settings.read_database)
        return QueryWorkers(postgres_query_command(settings.query), settings.query, environment=environment)
    path = getattr(database, "path", settings.database)  # of a damaged file, the one that is used in its place
    return QueryWorkers(query_command(path, settings.query, is_still=is_still), settings.query)
