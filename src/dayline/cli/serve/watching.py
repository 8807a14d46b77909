"""Background watches of a running server: its database file, or the other servers of its database."""

from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager, contextmanager

from dayline.api.http.services import Tenants, TenantServices
from dayline.cli.options.settings import Settings
from dayline.maintenance.file_watch import FileWatch
from dayline.model.time import now_us
from dayline.query.processes.workers import QueryWorkers
from dayline.storage.sqlite.database import SqliteDatabase
from dayline.storage.store import Database


@asynccontextmanager
async def watching(
    settings: Settings,
    database: Database,
    queries: QueryWorkers,
    tenants: Tenants,
    restart: Callable[[], None] | None,
) -> AsyncGenerator[None]:
    """Watch while the block runs. `restart` restarts the server; None after a restart."""
    if isinstance(database, SqliteDatabase):
        async with _watching_file(settings, database, queries, tenants.own, restart):
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
    if settings.postgres is None or settings.server.read_database is None:
        yield
        return
    from dayline.storage.postgres.replica import ReplicaWatch  # here, because it needs the extra

    watch = ReplicaWatch(
        settings.postgres,
        settings.server.read_database,
        max_lag_s=settings.server.max_read_lag_s,
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
    settings: Settings,
    database: SqliteDatabase,
    queries: QueryWorkers,
    services: TenantServices,
    restart: Callable[[], None] | None,
) -> AsyncGenerator[None]:
    watch = FileWatch(database, settings.database, settings.check, restart=restart, clock=now_us)
    queries.on_unreadable = watch.query_failed
    watch.start()
    if database.damage is None:
        services.server.backups.start()
        services.upkeep.start()
    try:
        yield
    finally:
        await watch.close()
