"""The services that handlers use: those of the server, and those of each tenant, opened on first use."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

from msgspec import Struct

from dayline.access.audit import AuditLog
from dayline.access.gate import Gate
from dayline.access.keyring import Clock
from dayline.access.limits import BodyBudget, KeyUsages
from dayline.access.origins import HostRules, OriginRules
from dayline.access.peers import Peers
from dayline.access.privacy import Privacy
from dayline.api.live.hub import Hub
from dayline.client.watch.recorder import ComputerRecorder
from dayline.config.facts import ServerFacts
from dayline.config.sections import Limits
from dayline.insight.now.known_categories import KnownCategories
from dayline.insight.now.watcher_health import WatcherHealth
from dayline.insight.now.watchers import Watchers
from dayline.maintenance.backups.scheduler import BackupScheduler
from dayline.maintenance.findings.inspector import Inspector
from dayline.maintenance.health import Health, Readiness
from dayline.maintenance.jobs import Jobs
from dayline.maintenance.migration.finding import SourceDatabases
from dayline.maintenance.space import SpaceScheduler
from dayline.maintenance.sync.switch import SyncSwitch
from dayline.model.errors import Unavailable
from dayline.query.processes.workers import Queries
from dayline.runtime.logs import LogRecords
from dayline.storage.access import AccessStore
from dayline.storage.opening import Database
from dayline.storage.store import Store


class ServerServices(Struct, frozen=True, kw_only=True):
    """Services shared by all tenants."""

    database: Database
    peers: Peers
    hosts: HostRules
    origins: OriginRules
    gate: Gate
    backups: BackupScheduler
    health: Health
    readiness: Readiness
    source_databases: SourceDatabases
    recorder: ComputerRecorder
    facts: ServerFacts
    base_path: str
    envelope_skew_s: int
    port: int
    clock: Clock
    limits: Limits
    key_usages: KeyUsages
    unproven_bodies: BodyBudget
    log_records: LogRecords
    hostname: str
    device_id: str
    version: str
    is_testing: bool
    is_file: bool  # the data is in a SQLite file, which this server maintains
    web_path: Path | None
    pages: Mapping[str, Path]


class TenantServices(Struct, frozen=True, kw_only=True):
    """The services of one tenant. The only tenant of a SQLite file has an empty name."""

    server: ServerServices
    name: str
    store: Store
    access: AccessStore
    queries: Queries
    audit_log: AuditLog
    privacy: Privacy
    jobs: Jobs
    inspector: Inspector
    upkeep: SpaceScheduler
    watchers: Watchers
    watcher_health: WatcherHealth
    categories: KnownCategories
    stream: Hub
    sync: SyncSwitch


class Tenants:
    """The services of all tenants. Use on the event loop only.

    `own` are those of the unnamed tenant, which are open from the start.
    """

    def __init__(self, own: TenantServices, open_tenant: Callable[[str], Awaitable[TenantServices]]) -> None:
        self.own = own
        self._open_tenant = open_tenant
        self._services = {own.name: own}
        self._opening: dict[str, asyncio.Task[TenantServices]] = {}
        self._is_maintaining = False
        self._is_stopping = False

    def at_hand(self, tenant: str) -> TenantServices | None:
        """The services of a tenant if its data is open, else None."""
        return self._services.get(tenant)

    def all(self) -> list[TenantServices]:
        """The services of all tenants whose data is open."""
        return list(self._services.values())

    async def find(self, tenant: str) -> TenantServices:
        """The services of a tenant. Raises Unavailable, and Invalid if the database has no tenants."""
        services = self._services.get(tenant)
        if services is not None:
            return services
        if self._is_stopping:
            raise Unavailable("the server is stopping", hint="retry in a few seconds")
        opening = self._opening.get(tenant)
        if opening is None:
            opening = self._opening[tenant] = asyncio.get_running_loop().create_task(self._open(tenant))
            opening.add_done_callback(_retrieve_error)
        # Shielded: other callers may wait for the same task.
        return await asyncio.shield(opening)

    def start_maintenance(self) -> None:
        """Start maintenance for all tenants, including those opened later."""
        self._is_maintaining = True
        for services in self.all():
            services.upkeep.start()

    def tick(self) -> None:
        """Call this once a second."""
        for services in self.all():
            services.stream.tick()

    def stop(self) -> None:
        """End long-lived streams, and open no more tenants."""
        self._is_stopping = True
        for services in self.all():
            services.stream.stop()

    async def close(self) -> None:
        """Stop, and finish the work of all tenants."""
        self.stop()
        if self._opening:
            await asyncio.wait(list(self._opening.values()))
        for services in self.all():
            await services.stream.close()
            await services.sync.close()
            await services.watcher_health.close()
            await services.jobs.close()
            await services.inspector.close()
            await services.upkeep.close()
            await services.audit_log.close()

    async def _open(self, tenant: str) -> TenantServices:
        try:
            services = self._services[tenant] = await self._open_tenant(tenant)
            if self._is_maintaining:
                services.upkeep.start()
            return services
        finally:
            del self._opening[tenant]


def _retrieve_error(opening: "asyncio.Task[TenantServices]") -> None:
    """Retrieve the exception, so that asyncio does not log it if every caller has disconnected."""
    if not opening.cancelled():
        opening.exception()
