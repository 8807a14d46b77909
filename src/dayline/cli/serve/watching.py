"""Background watches of a running server: its database file, or the other servers of its database."""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

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
    from dayline.cli.serve.other_servers import OtherServers, watching_replica  # here, because it needs the extra

    others = OtherServers(database, tenants)
    tenants.start_maintenance()
    try:
        with watching_replica(settings, queries, tenants.own):
            yield
    finally:
        await others.close()


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
