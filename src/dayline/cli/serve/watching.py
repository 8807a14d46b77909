"""What goes on beside a server for as long as it serves: the watch over its file, or over the other servers."""

from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager

from dayline.api.http.server import Server
from dayline.api.http.services import Tenants, TenantServices
from dayline.cli.options.settings import Settings
from dayline.maintenance.file_watch import FileWatch
from dayline.model.time import now_us
from dayline.query.processes.command import query_command
from dayline.query.processes.workers import QueryWorkers
from dayline.storage.sqlite.database import SqliteDatabase
from dayline.storage.store import Database


@asynccontextmanager
async def watching(
    settings: Settings, database: Database, queries: QueryWorkers, tenants: Tenants, server: Server
) -> AsyncGenerator[None]:
    """Begin it, and end it."""
    if isinstance(database, SqliteDatabase):
        async with _watching_file(settings, database, queries, tenants.own, server):
            yield
        return
    from dayline.cli.serve.other_servers import OtherServers  # here, because it needs the extra
    from dayline.storage.postgres.database import PostgresDatabase

    assert isinstance(database, PostgresDatabase)
    others = OtherServers(database, tenants)
    tenants.look_after()
    try:
        with _watching_replica(settings, queries, tenants.own):
            yield
    finally:
        await others.close()


@contextmanager
def _watching_replica(settings: Settings, queries: QueryWorkers, services: TenantServices) -> Generator[None]:
    """Send queries to the replica, if there is one, while it can be read."""
    if settings.postgres is None or settings.read_database is None:
        yield
        return
    from dayline.storage.postgres.replica import ReplicaWatch  # here, because it needs the extra

    watch = ReplicaWatch(
        settings.postgres,
        settings.read_database,
        most_lag_s=settings.read_lag_s,
        background=services.server.database.background,
    )
    services.server.health.add(watch.problems)
    queries.may_read_replica = watch.is_usable
    try:
        yield
    finally:
        watch.close()


@asynccontextmanager
async def _watching_file(
    settings: Settings, database: SqliteDatabase, queries: QueryWorkers, services: TenantServices, server: Server
) -> AsyncGenerator[None]:
    def on_damage() -> None:
        queries.use(query_command(database.path, settings.query))
        server.renew_headers()
        services.stream.begin_anew()

    watch = FileWatch(database, settings.database, settings.check, on_damage=on_damage, clock=now_us)
    queries.on_unreadable = watch.query_failed
    watch.start()
    if database.damage is None:
        services.server.backups.start()
        services.upkeep.start()
    try:
        yield
    finally:
        await watch.close()
