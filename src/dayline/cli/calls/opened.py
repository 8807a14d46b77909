"""Calls made on the database itself when no server is running: the same handlers, in this process."""

import asyncio
import os
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from typing import Any, BinaryIO, Final

import click
import msgspec

from dayline.access.caller import LOCAL
from dayline.access.keyring import Keyring
from dayline.access.origins import HostRules
from dayline.access.peers import Seen
from dayline.api.http.inner import InnerCall, Trusted, call_within
from dayline.cli.calls.call import checked, decoded, path_with
from dayline.cli.options.backup_key import secret_of
from dayline.cli.options.options import OWNER_ONLY, postgres_library
from dayline.cli.options.settings import Settings
from dayline.cli.serve.assembly import Assembled, assemble
from dayline.cli.serve.data_folder import make_data_home
from dayline.maintenance.backups.before import BackupBefore
from dayline.maintenance.health import ClockWatch
from dayline.maintenance.health import told_damage as damage_text
from dayline.model.time import now_us
from dayline.query.processes.command import postgres_environment, postgres_query_command, query_command
from dayline.query.processes.workers import QueryWorkers
from dayline.runtime.logs import LogRecords
from dayline.storage.history.contract import TrashPolicy
from dayline.storage.sqlite.database import SqliteDatabase
from dayline.storage.sqlite.read_only import ReadOnlyDatabase, no_database
from dayline.storage.sqlite.repair.mark import read_mark
from dayline.storage.store import Database


def open_file(settings: Settings, clock: ClockWatch) -> SqliteDatabase:
    """Open the file exclusively. Called on the event loop. Raises Unavailable errors."""
    return SqliteDatabase(
        settings.database,
        asyncio.get_running_loop(),
        trash=TrashPolicy(days=settings.trash.days),
        ages=clock.for_ages,
        keep=BackupBefore(settings.backup, clock=now_us, secret=secret_of(settings.backup)).upgrade,
    )


def open_postgres(settings: Settings, address: str, clock: ClockWatch) -> Database:
    """Open the database at an address, which other servers may use. Raises Invalid if the extra is not installed."""
    with postgres_library():
        from dayline.storage.postgres.database import PostgresDatabase
    return PostgresDatabase(
        address,
        asyncio.get_running_loop(),
        folder=None,
        trash=TrashPolicy(days=settings.trash.days),
        ages=clock.for_ages,
    )


def open_to_read(settings: Settings) -> Database:
    """Open the database read-only: nothing is written, created or locked. Raises NotFound and Unavailable errors."""
    if settings.postgres is None:
        return ReadOnlyDatabase(settings.database, trash_policy=TrashPolicy(days=settings.trash.days))
    with postgres_library():
        from dayline.storage.postgres.read_only import ReadOnlyPostgres
    return ReadOnlyPostgres(settings.postgres, asyncio.get_running_loop(), trash=TrashPolicy(days=settings.trash.days))


def query_workers(settings: Settings, database: Database, *, is_still: bool = False) -> QueryWorkers:
    """The query processes of an open database."""
    if settings.postgres is not None:
        environment = postgres_environment(settings.postgres, settings.server.read_database)
        return QueryWorkers(postgres_query_command(settings.query), settings.query, environment=environment)
    path = getattr(database, "path", settings.database)  # the recovery file, if the database is damaged
    return QueryWorkers(query_command(path, settings.query, is_still=is_still), settings.query)


_CHUNK_BYTES: Final = 1 << 20


class OpenedFile:
    """The LocalServer of a database that this process has opened."""

    is_server = False
    url = None

    def __init__(self, run: asyncio.Runner, app: Any, *, check: Callable[[], None] = lambda: None) -> None:
        self._runner = run
        self._app = app
        self._check = check  # after every call: raises if the answer cannot be used

    def call(self, method: str, path: str, body: object = None, **query: object) -> Any:
        content = None if body is None else msgspec.json.encode(body)
        return decoded(*self._called(method, path_with(path, query), body=content))

    def read(self, path: str, **query: object) -> bytes:
        return checked(*self._called("GET", path_with(path, query)))

    def send(self, path: str, file: BinaryIO, **query: object) -> Any:
        chunks = iter(lambda: file.read(_CHUNK_BYTES), b"")
        return decoded(*self._called("POST", path_with(path, query), chunks=chunks))

    def _called(
        self, method: str, target: str, *, body: bytes | None = None, chunks: Iterable[bytes] | None = None
    ) -> tuple[int, bytes]:
        raw_path, _, raw_query = target.partition("?")
        seen = Seen(address="this machine", scheme="http", host=b"localhost")
        inner = InnerCall(
            method=method,
            path=raw_path,
            query=raw_query,
            body=body,
            chunks=chunks,
            trusted=Trusted(caller=LOCAL, seen=seen),
        )
        answer = self._runner.run(call_within(self._app, inner))
        self._check()
        return answer.status, answer.body


def check_exists(settings: Settings) -> None:
    """Raise NotFound if there is no database, before opening it would create one."""
    if settings.postgres is not None:
        with postgres_library():
            from dayline.storage.postgres.read_only import check_exists as check_tables
        check_tables(settings.postgres)
    elif not settings.database.exists() and read_mark(settings.database) is None:
        raise no_database(settings.database)


@contextmanager
def opened(settings: Settings) -> Generator[OpenedFile]:
    """Open the database exclusively for a command."""
    os.umask(OWNER_ONLY)
    make_data_home(settings)
    clock = ClockWatch()
    address = settings.postgres
    with asyncio.Runner() as runner:
        database: Database = runner.run(
            _on_loop(lambda: open_file(settings, clock) if address is None else open_postgres(settings, address, clock))
        )
        with _assembled(settings, runner, database, clock) as assembled:
            yield OpenedFile(runner, assembled.app)
            runner.run(assembled.services.jobs.close())
            runner.run(assembled.services.trail.close())


@contextmanager
def opened_to_read(settings: Settings) -> Generator[OpenedFile]:
    """Open the database for a command that only reads: not locked, not upgraded, and no file is created."""
    with asyncio.Runner() as runner:
        clock = ClockWatch()
        database: Database = runner.run(_on_loop(lambda: open_to_read(settings)))
        check = database.check_unchanged if isinstance(database, ReadOnlyDatabase) else lambda: None
        with _assembled(settings, runner, database, clock, is_still=True) as assembled:
            yield OpenedFile(runner, assembled.app, check=check)


@contextmanager
def _assembled(
    settings: Settings,
    runner: asyncio.Runner,
    database: Database,
    clock: ClockWatch,
    *,
    is_still: bool = False,
) -> Generator[Assembled]:
    if database.damage is not None:
        click.echo(damage_text(database.damage, settings.database), err=True)
    queries = query_workers(settings, database, is_still=is_still)
    try:
        assembled: Assembled = runner.run(
            _on_loop(
                lambda: assemble(
                    settings,
                    database,
                    queries,
                    Keyring(database.access),
                    clock=clock,
                    hosts=HostRules("localhost"),
                    port=settings.port,
                    needs_keys=False,
                    records=LogRecords(),
                    device="" if is_still else None,
                )
            )
        )
        try:
            yield assembled
        finally:
            # Before the loop ends: it cancels all tasks at once, and a process that is just being started would then be
            # waited for forever.
            runner.run(assembled.services.upkeep.close())
            runner.run(assembled.services.watcher_health.close())
    finally:
        runner.run(_closed(queries, database))


async def _on_loop(make: Any) -> Any:
    return make()


async def _closed(queries: Any, database: Any) -> None:
    await queries.close()
    await database.close()
