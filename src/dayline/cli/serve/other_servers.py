"""Updates keys and privacy rules in memory when other servers of the database change them."""

import asyncio
from collections.abc import Generator
from contextlib import contextmanager
from functools import partial
from typing import Final

from dayline.api.http.services import Tenants, TenantServices
from dayline.cli.options.settings import Settings
from dayline.model.privacy.rules import FILTERS_KEY, OWN_RULES_KEY
from dayline.model.time import now_us
from dayline.query.processes.workers import QueryWorkers
from dayline.runtime.background import for_each
from dayline.storage.opening import Database
from dayline.storage.postgres.database import PostgresDatabase
from dayline.storage.postgres.replica.watch import ReplicaWatch
from dayline.storage.postgres.writing.listener import RemoteChange
from dayline.storage.writing.notices import SettingNotice

_RETRY_S: Final = 1.0
_MAX_RETRY_S: Final = 10.0  # short, because a revoked key works until then


class OtherServers:
    """Listens from its creation until `close`."""

    def __init__(self, database: Database, tenants: Tenants) -> None:
        assert isinstance(database, PostgresDatabase)
        self._database = database
        self._tenants = tenants
        self._changed: set[str] = set()  # tenants whose privacy rules may have changed
        # Those whose services were being made then, which may have read former rules: the next complete read decides.
        self._missed = {tenants.own.name}  # of the default tenant, what was received before this listened
        task = partial(
            database.background.task,
            interval_s=None, initial_delay_s=None, retry_s=_RETRY_S, max_retry_s=_MAX_RETRY_S,
        )  # fmt: skip
        self._keys = task("reading keys that other servers changed", self._learn_access)
        self._rules = task("reading privacy rules that other servers changed", self._learn_rules)
        self._keys.start()
        self._rules.start()
        database.on_heard = self._heard

    async def close(self) -> None:
        await self._keys.close()
        await self._rules.close()

    def _heard(self, heard: RemoteChange) -> None:
        changed = {news.key for news in heard.notices if isinstance(news, SettingNotice)}
        if heard.is_access:
            self._keys.wake()
        is_due = heard.is_whole and heard.tenant in self._missed
        if heard.has_new_rules or is_due or changed & {FILTERS_KEY, OWN_RULES_KEY}:
            self._changed.add(heard.tenant)
            self._rules.wake()

    async def _learn_access(self) -> None:
        access, gate, read = self._database.access, self._tenants.own.server.gate, now_us()
        keys, sessions = await asyncio.to_thread(lambda: (access.all_keys(), access.sessions()))
        gate.keyring.learn(keys)
        gate.sessions.learn(sessions, read=read)

    async def _learn_rules(self) -> None:
        await for_each(list(self._changed), self._learn_rules_of)

    async def _learn_rules_of(self, tenant: str) -> None:
        self._changed.discard(tenant)
        services = self._tenants.at_hand(tenant)
        if services is None:
            self._missed.add(tenant)
            return
        self._missed.discard(tenant)
        try:
            await services.privacy.learn(services.access)
        except BaseException:
            self._changed.add(tenant)
            raise


@contextmanager
def watching_replica(settings: Settings, queries: QueryWorkers, services: TenantServices) -> Generator[None]:
    """Send queries to the replica, if there is one, while it can be read."""
    if settings.postgres is None or settings.server.read_database is None:
        yield
        return
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
