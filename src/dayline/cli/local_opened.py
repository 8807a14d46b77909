"""Calls of our own commands on the database itself, where no server runs: the same handlers, in this process."""

import asyncio
import os
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from typing import Any, BinaryIO, Final

import click
import msgspec

from dayline.access.caller import LOCAL
from dayline.access.hosts import HostRules
from dayline.access.keyring import Keyring
from dayline.access.peers import Seen
from dayline.api.inner import InnerCall, Trusted, call_within
from dayline.api.log_records import LogRecords
from dayline.care.clock_watch import ClockWatch
from dayline.care.damage import told_damage
from dayline.cli.assembly import Assembled, assemble
from dayline.cli.data_folder import make_data_home
from dayline.cli.local_call import checked, decoded, path_with
from dayline.cli.opening import open_file, open_postgres, open_to_read, query_workers
from dayline.cli.options import OURS_ALONE
from dayline.cli.postgres_library import postgres_library
from dayline.cli.settings import Settings
from dayline.storage.sqlite.read_only import ReadOnlyDatabase, no_database
from dayline.storage.sqlite.repair.mark import read_mark
from dayline.storage.store import Database

_CHUNK_BYTES: Final = 1 << 20


class OpenedFile:
    """The LocalServer of a database that this process has opened."""

    is_server = False
    url = None

    def __init__(self, run: asyncio.Runner, app: Any, *, check: Callable[[], None] = lambda: None) -> None:
        self._runner = run
        self._app = app
        self._check = check  # after every call: whether its answer can be used

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
    """The database, opened for this command alone."""
    os.umask(OURS_ALONE)
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
    """The database for a command that only reads: neither locked nor upgraded, and with nothing left beside it."""
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
        click.echo(told_damage(database.damage, settings.database), err=True)
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
            # Not left to the end of the loop, which cancels everything at once, also what starts a process: that one
            # would be waited for for ever.
            runner.run(assembled.services.upkeep.close())
            runner.run(assembled.services.watcher_health.close())
    finally:
        runner.run(_closed(queries, database))


async def _on_loop(make: Any) -> Any:
    return make()


async def _closed(queries: Any, database: Any) -> None:
    await queries.close()
    await database.close()
