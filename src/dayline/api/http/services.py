"""What handlers work with: the services of the server, and those of each tenant, opened with its first call."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

from msgspec import Struct

from dayline.access.audit import AuditTrail
from dayline.access.gate import Gate
from dayline.access.keyring import Clock
from dayline.access.limits import BodyBudget, KeyUsages
from dayline.access.origins import HostRules, OriginRules
from dayline.access.peers import Peers
from dayline.access.privacy import Privacy
from dayline.api.live.hub import Hub
from dayline.config.sections import Limits, ServerFacts
from dayline.insight.now.known import KnownCategories
from dayline.insight.now.watchers import WatcherHealth, Watchers
from dayline.maintenance.backups.keeper import BackupKeeper
from dayline.maintenance.findings.inspector import Inspector
from dayline.maintenance.health import Health, Readiness
from dayline.maintenance.jobs import Jobs
from dayline.maintenance.migration.finding import TheirDatabases
from dayline.maintenance.space import SpaceKeeper
from dayline.model.errors import Unavailable
from dayline.query.processes.workers import Queries
from dayline.runtime.logs import LogRecords
from dayline.storage.access import AccessStore
from dayline.storage.store import Database, Store


class ServerServices(Struct, frozen=True, kw_only=True):
    """What all tenants share."""

    database: Database
    peers: Peers
    hosts: HostRules
    origins: OriginRules
    gate: Gate
    backups: BackupKeeper
    health: Health
    readiness: Readiness
    their_databases: TheirDatabases
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
    is_file: bool  # the data are in a file, which this server looks after
    web_path: Path | None
    pages: Mapping[str, Path]


class TenantServices(Struct, frozen=True, kw_only=True):
    """What knows anything of one tenant's data. The name of the only tenant of a file is empty."""

    server: ServerServices
    name: str
    store: Store
    access: AccessStore
    queries: Queries
    trail: AuditTrail
    privacy: Privacy
    jobs: Jobs
    inspector: Inspector
    upkeep: SpaceKeeper
    watchers: Watchers
    watcher_health: WatcherHealth
    categories: KnownCategories
    stream: Hub


class Tenants:
    """The services of each tenant. Used on the event loop.

    `own` are those of the tenant without a name, which are open from the start.
    """

    def __init__(self, own: TenantServices, open_tenant: Callable[[str], Awaitable[TenantServices]]) -> None:
        self.own = own
        self._open_tenant = open_tenant
        self._services = {own.name: own}
        self._opening: dict[str, asyncio.Task[TenantServices]] = {}
        self._is_looking_after = False
        self._is_stopping = False

    def at_hand(self, tenant: str) -> TenantServices | None:
        """The services of somebody whose data are open; None where they are not yet."""
        return self._services.get(tenant)

    def all(self) -> list[TenantServices]:
        """Those that are open."""
        return list(self._services.values())

    async def find(self, tenant: str) -> TenantServices:
        """The services of somebody. Raises Unavailable errors, and Invalid where the data are one person's alone."""
        found = self._services.get(tenant)
        if found is not None:
            return found
        if self._is_stopping:
            raise Unavailable("the server is stopping", hint="send it again when it is back")
        opening = self._opening.get(tenant)
        if opening is None:
            opening = self._opening[tenant] = asyncio.get_running_loop().create_task(self._opened(tenant))
            opening.add_done_callback(_hear)
        # Others may wait for the same: whoever goes away does not stop it.
        return await asyncio.shield(opening)

    def look_after(self) -> None:
        """Begin with the upkeep of everybody's data, also of those who come later."""
        self._is_looking_after = True
        for services in self.all():
            services.upkeep.start()

    def tick(self) -> None:
        """To be called once a second."""
        for services in self.all():
            services.stream.tick()

    def stop(self) -> None:
        """End what is open for long, and open nobody's data any more."""
        self._is_stopping = True
        for services in self.all():
            services.stream.stop()

    async def close(self) -> None:
        """Finish everybody's work."""
        self.stop()
        if self._opening:
            await asyncio.wait(list(self._opening.values()))
        for services in self.all():
            await services.stream.close()
            await services.watcher_health.close()
            await services.jobs.close()
            await services.inspector.close()
            await services.upkeep.close()
            await services.trail.close()

    async def _opened(self, tenant: str) -> TenantServices:
        try:
            services = self._services[tenant] = await self._open_tenant(tenant)
            if self._is_looking_after:
                services.upkeep.start()
            return services
        finally:
            del self._opening[tenant]


def _hear(opening: "asyncio.Task[TenantServices]") -> None:
    """Take note of an error, though everybody who waited may have gone."""
    if not opening.cancelled():
        opening.exception()
