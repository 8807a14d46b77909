"""Builds the application from settings and an open database, for the server and for commands without one.

Also starts what runs in the background of a server: the watch of its file, or of other servers of its database.
"""

import asyncio
import platform
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from dayline import __version__
from dayline.access.audit import AuditLog
from dayline.access.gate import FailedAttempts, Gate
from dayline.access.keyring import Keyring
from dayline.access.limits import BodyBudget, ConnectionCounts, KeyUsages
from dayline.access.local_users import LocalUsers, Lookup
from dayline.access.origins import LOOPBACK, HostRules, OriginRules
from dayline.access.peers import Peers
from dayline.access.privacy import Privacy
from dayline.access.revocations import RevocationJournal
from dayline.access.sessions import Sessions
from dayline.api.http.dispatch import make_app
from dayline.api.http.services import ServerServices, Tenants, TenantServices
from dayline.api.live.hub import Hub
from dayline.cli.options.backup_key import secret_of
from dayline.cli.options.settings import Settings, change_setting
from dayline.cli.serve.recording import watch_folder
from dayline.cli.serve.start import device_id
from dayline.client.watch.recorder import ComputerRecorder
from dayline.config.facts import ServerFacts, ServerSetting
from dayline.insight.now.known_categories import KnownCategories
from dayline.insight.now.watcher_health import WatcherHealth
from dayline.insight.now.watchers import Watchers
from dayline.maintenance.backups.scheduler import BackupScheduler
from dayline.maintenance.backups.views import backup_state_problems
from dayline.maintenance.file_watch import FileWatch
from dayline.maintenance.findings.inspector import Inspector
from dayline.maintenance.health import ClockWatch, Health, Readiness, backup_problems, damage_problems
from dayline.maintenance.jobs import Jobs
from dayline.maintenance.migration.finding import SourceDatabases
from dayline.maintenance.space import SpaceGauge, SpaceScheduler
from dayline.maintenance.sync.switch import SyncSwitch
from dayline.model.time import now_us
from dayline.query.processes.workers import QueryWorkers
from dayline.runtime.logs import LogRecords
from dayline.storage.opening import Database
from dayline.storage.sqlite.database import SqliteDatabase
from dayline.storage.store import Store
from dayline.storage.transfer.event_rows import RowsLocation

if TYPE_CHECKING:
    from dayline.api.http.connection import Connection
    from dayline.maintenance.sources.service import Sources
    from dayline.maintenance.sync.service import Sync
    from dayline.maintenance.sync.spaces.storing import SpaceStorage


class Assembled(Struct, frozen=True, kw_only=True):
    """The application and its parts. `services` belong to the tenant without a name."""

    services: TenantServices
    tenants: Tenants
    app: Callable[..., Any]
    protocol: Callable[[], "type[Connection]"]  # makes the class of its connections; commands need none


def assemble(
    settings: Settings,
    database: Database,
    queries: QueryWorkers,
    keyring: Keyring,
    *,
    journal: RevocationJournal | None = None,
    clock: ClockWatch,
    hosts: HostRules,
    port: int,
    addresses: Sequence[str] = LOOPBACK,
    needs_keys: bool,
    only_trusted: bool = False,
    user_lookup: Lookup | None = None,
    local_users: LocalUsers | None = None,
    records: LogRecords,
    device: str | None = None,
    facts: ServerFacts | None = None,
    store_id: str = "",
) -> Assembled:
    """Everything that answers calls. `keyring` comes from outside: whether there are keys decides whether to start.

    `store_id` is what a server proves to commands that it serves; without a server nothing has to be proved.
    """
    access = settings.access
    gate = Gate(
        keyring,
        Sessions(database.access, keyring, days=access.session_days, background=database.background, journal=journal),
        FailedAttempts(access.failed_keys_per_minute),
        needs_keys=needs_keys,
        needs_envelope=access.require_envelope,
        store_id=store_id,
    )
    backups = BackupScheduler(
        settings.database,
        settings.backup,
        clock=now_us,
        secret=secret_of(settings.backup),
        background=database.background,
        save=None if facts is None else partial(_save_setting, facts.settings_file),
    )
    connections = ConnectionCounts(settings.limits.connections_per_address)
    recorder = ComputerRecorder(
        database.background,
        folder=watch_folder(settings),
        enabled=settings.watch.enabled,
        save=partial(_save_setting, None if facts is None else facts.settings_file, "watch.enabled"),
    )
    server = ServerServices(
        database=database,
        peers=Peers(settings.server.trusted_proxies, only_trusted=only_trusted),
        hosts=hosts,
        origins=OriginRules(
            port=port,
            addresses=addresses,
            is_testing=settings.is_testing,
            trusted=access.origins,
            patterns=access.origin_patterns,
        ),
        gate=gate,
        backups=backups,
        health=Health(
            [
                *(partial(each, backups) for each in (backup_problems, backup_state_problems) if not settings.postgres),
                partial(damage_problems, database, settings.database),
                database.problems,
                clock.problems,
                connections.problems,
                recorder.problems,
            ],
            database.background,
        ),
        readiness=Readiness(database, is_tried=settings.postgres is not None),
        source_databases=SourceDatabases(settings.database.parent),
        recorder=recorder,
        facts=facts
        or ServerFacts(
            address=f"http://127.0.0.1:{port}",
            database=str(settings.database),
            started=now_us(),
            # What a migration reads, also if it runs without a server.
            settings=(ServerSetting(name="limits.event_kib", value=settings.limits.event_kib, source="file"),),
        ),
        base_path=settings.server.base_path,
        envelope_skew_s=access.envelope_skew_s,
        port=port,
        clock=now_us,
        limits=settings.limits,
        key_usages=KeyUsages(settings.limits),
        unproven_bodies=BodyBudget(),
        log_records=records,
        hostname=platform.node() or "unknown",
        device_id=device if device is not None else device_id(settings.database),
        version=__version__,
        is_testing=settings.is_testing,
        is_file=settings.postgres is None,
        web_path=settings.server.web_path,
        pages=settings.pages,
    )

    open_services = partial(_tenant_services, settings, server, queries, keyring, clock, asyncio.Lock())
    own = open_services("")

    async def open_tenant(tenant: str) -> TenantServices:
        await database.open(tenant)
        services = await asyncio.to_thread(open_services, tenant)
        await services.sync.resume()
        return services

    tenants = Tenants(own, open_tenant)

    def protocol() -> "type[Connection]":
        from dayline.api.http.fast_path import FastPath, protocol_for  # here, because commands do not load uvicorn

        lane = FastPath(tenants, hosts=hosts, peers=server.peers, gate=gate, connections=connections)
        return protocol_for(lane, user_lookup, local_users)

    return Assembled(services=own, tenants=tenants, app=make_app(tenants), protocol=protocol)


def _save_setting(settings_file: str | None, name: str, value: object) -> None:
    assert settings_file is not None  # a server has one; without a server nothing is changed
    change_setting(Path(settings_file), name, value)


def _tenant_services(
    settings: Settings,
    server: ServerServices,
    workers: QueryWorkers,
    keyring: Keyring,
    clock: ClockWatch,
    looking: asyncio.Lock,
    tenant: str,
) -> TenantServices:
    """Reads the database: to be called on a thread once the server serves other tenants."""
    database = server.database
    store, access, queries = database.store(tenant), database.access_of(tenant), workers.of(tenant)
    privacy = Privacy(store, access)
    upkeep, jobs = database.upkeep_of(tenant), Jobs(clock=now_us)
    watchers = Watchers(hostname=platform.node() or None, awake_since=clock.awake_since)
    return TenantServices(
        server=server,
        name=tenant,
        store=store,
        access=access,
        queries=queries,
        audit_log=AuditLog(
            access,
            keyring,
            days=settings.access.audit_days,
            ages=clock.for_ages,
            background=database.background,
            tenant=tenant,
        ),
        privacy=privacy,
        jobs=jobs,
        inspector=Inspector(
            RowsLocation(database=settings.postgres or str(settings.database), tenant=tenant),
            database.scratch,
            now_us,
            turn=looking,
        ),
        upkeep=SpaceScheduler(
            store,
            access,
            upkeep,
            SpaceGauge(upkeep, None if settings.postgres else server.backups.folder.path, clock=now_us),
            settings.space,
            clock=clock.for_ages,
            background=database.background,
            tenant=tenant,
        ),
        watchers=watchers,
        watcher_health=WatcherHealth(watchers, store, clock=now_us),
        categories=KnownCategories(queries),
        stream=Hub(settings.stream, database, jobs, version=__version__, tenant=tenant),
        sync=_sync_switch(server, store, tenant, lambda: privacy.learn(access)),
    )


def _sync_switch(
    server: ServerServices, store: Store, tenant: str, rules_changed: Callable[[], Awaitable[None]]
) -> SyncSwitch:
    def make() -> "Sync":
        from dayline.maintenance.sync.service import Sync  # here, because a server without sync does not load it

        return Sync(
            store,
            scratch=server.database.scratch,
            clock=server.clock,
            hostname=server.hostname,
            background=server.database.background,
            can_publish=lambda: server.database.damage is None,
            storage=lambda: switch.storage,
            rules_changed=rules_changed,
            tenant=tenant,
        )

    def make_storage() -> "SpaceStorage":
        from dayline.maintenance.sync.spaces.storing import SpaceStorage  # here, as above

        return SpaceStorage(server.database.sync_files(tenant), max_bytes=server.limits.sync_mib << 20)

    def make_sources() -> "Sources":
        from dayline.maintenance.sources.service import Sources  # here, as above

        return Sources(
            store,
            scratch=server.database.scratch,
            clock=server.clock,
            hostname=server.hostname,
            background=server.database.background,
            can_write=lambda: server.database.damage is None,
            tenant=tenant,
        )

    switch = SyncSwitch(store, make, make_storage, make_sources)
    return switch


@asynccontextmanager
async def background_watches(
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
    await tenants.own.sync.resume()
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
    await services.sync.resume()
    try:
        yield
    finally:
        await watch.close()
