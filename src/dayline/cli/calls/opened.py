"""Calls made on the database itself when no server is running: the same handlers, in this process."""

import asyncio
import os
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import partial
from typing import Any, BinaryIO, Final

import click

from dayline.access.keyring import Keyring
from dayline.access.origins import HostRules
from dayline.access.peers import RequestOrigin
from dayline.api.http.inner import InnerCall, Trusted, call_within
from dayline.cli.calls.call import LocalServer
from dayline.cli.options.backup_key import secret_of
from dayline.cli.options.encryption import prepare_encryption
from dayline.cli.options.options import OWNER_ONLY, postgres_library
from dayline.cli.options.settings import Settings, make_data_home
from dayline.cli.serve.assembly import Assembled, assemble
from dayline.maintenance.backups.before import BackupBefore
from dayline.maintenance.health import ClockWatch, damage_text
from dayline.model.access import LOCAL
from dayline.model.time import now_us
from dayline.query.processes.command import postgres_environment, postgres_query_command, query_command
from dayline.query.processes.workers import QueryWorkers
from dayline.runtime.logs import LogRecords
from dayline.storage.history.contract import TrashPolicy
from dayline.storage.opening import Database, Location, ReadOnly, check_exists, open_database, open_read_only


def open_for_server(settings: Settings, clock: ClockWatch) -> Database:
    """The database; a file is locked. Called on the event loop. Raises Unavailable errors, and SettingsInvalid if it
    cannot be opened with the configured key.
    """
    prepare_encryption(settings)
    with postgres_library():
        return open_database(
            _location(settings),
            trash=TrashPolicy(days=settings.trash.days),
            ages=clock.for_ages,
            keep=BackupBefore(settings.backup, clock=now_us, secret=secret_of(settings.backup)).upgrade,
        )


def open_to_read(settings: Settings) -> ReadOnly:
    """The database for reading: nothing is written, created or locked. Raises NotFound and Unavailable errors."""
    with postgres_library():
        return open_read_only(_location(settings), trash=TrashPolicy(days=settings.trash.days))


def _location(settings: Settings) -> Location:
    return settings.database if settings.postgres is None else settings.postgres


def query_workers(settings: Settings, database: Database, *, is_still: bool = False) -> QueryWorkers:
    """The query processes of an open database."""
    if settings.postgres is not None:
        environment = postgres_environment(settings.postgres, settings.server.read_database)
        return QueryWorkers(postgres_query_command(settings.query), settings.query, environment=environment)
    path = getattr(database, "path", settings.database)  # the recovery file, if the database is damaged
    return QueryWorkers(query_command(path, settings.query, is_still=is_still), settings.query)


_CHUNK_BYTES: Final = 1 << 20


class OpenedFile(LocalServer):
    """A database that this process has opened."""

    def __init__(self, run: asyncio.Runner, app: Any, *, check: Callable[[], None] = lambda: None) -> None:
        self._runner = run
        self._app = app
        self._check = check  # after every call: raises if the response cannot be used

    def _exchange(self, method: str, target: str, body: bytes | BinaryIO | None) -> tuple[int, bytes]:
        raw_path, _, raw_query = target.partition("?")
        origin = RequestOrigin(address="this machine", scheme="http", host=b"localhost")
        inner = InnerCall(
            method=method,
            path=raw_path,
            query=raw_query,
            body=body if isinstance(body, bytes) else None,
            chunks=None if body is None or isinstance(body, bytes) else iter(partial(body.read, _CHUNK_BYTES), b""),
            trusted=Trusted(caller=LOCAL, origin=origin),
        )
        answer = self._runner.run(call_within(self._app, inner))
        self._check()
        return answer.status, answer.body


def check_database(settings: Settings) -> None:
    """Raise NotFound if there is no database, before opening it would create one."""
    with postgres_library():
        check_exists(_location(settings))


@contextmanager
def opened(settings: Settings) -> Generator[OpenedFile]:
    """Open the database exclusively for a command."""
    os.umask(OWNER_ONLY)
    make_data_home(settings)
    clock = ClockWatch()
    with asyncio.Runner() as runner:
        database: Database = runner.run(_on_loop(lambda: open_for_server(settings, clock)))
        with _assembled(settings, runner, database, clock) as assembled:
            runner.run(assembled.services.sync.begin())
            yield OpenedFile(runner, assembled.app)
            runner.run(assembled.services.jobs.close())
            runner.run(assembled.services.audit_log.close())


@contextmanager
def opened_to_read(settings: Settings) -> Generator[OpenedFile]:
    """Open the database for a command that only reads: not locked, not upgraded, and no file is created."""
    with asyncio.Runner() as runner:
        clock = ClockWatch()
        database: ReadOnly = runner.run(_on_loop(lambda: open_to_read(settings)))
        with _assembled(settings, runner, database, clock, is_still=True) as assembled:
            yield OpenedFile(runner, assembled.app, check=database.check_unchanged)


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
