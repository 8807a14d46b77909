"""Privacy rules that another server of the database saves while this one opens the data of a tenant."""

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from dayline.access.privacy import Privacy
from dayline.api.http.services import Tenants, TenantServices
from dayline.cli.serve.other_servers import OtherServers
from dayline.model.data import canonical_json
from dayline.model.privacy.rules import OWN_RULES_KEY, PrivacyRule
from dayline.storage.postgres.database import PostgresDatabase
from dayline.storage.postgres.writing import listener
from dayline.storage.postgres.writing.listener import RemoteChange
from tests.storage.postgres.desk import access_at, desk
from tests.support.waiting import eventually_async

RULES = [PrivacyRule(field="title", pattern="secret", action="drop")]
DATA = b'{"title":"secret"}'


async def save_rules(address: str, tenant: str) -> None:
    async with desk(address, tenant=tenant) as other:
        await access_at(other).set_own_setting(OWN_RULES_KEY, canonical_json(RULES))


async def services_of(database: PostgresDatabase, tenant: str) -> Any:
    store, access = await database.open(tenant), database.access_of(tenant)
    privacy = await asyncio.to_thread(Privacy, store, access)
    return SimpleNamespace(name=tenant, access=access, privacy=privacy)


def test_rules_apply_that_were_saved_while_a_tenant_was_opened(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # The message arrived before the tenant was open, and the next complete read had the same rules as the one before:
    # the rules in memory stayed those from before the message.
    monkeypatch.setattr(listener, "_COMPARE_S", 0.0)

    async def scenario() -> None:
        database = PostgresDatabase(address, asyncio.get_running_loop())
        is_read, may_end = asyncio.Event(), asyncio.Event()

        async def open_tenant(tenant: str) -> TenantServices:
            services = await services_of(database, tenant)
            is_read.set()
            await may_end.wait()
            return services  # type: ignore[no-any-return]  # what privacy rules need

        tenants = Tenants(await services_of(database, ""), open_tenant)
        others = OtherServers(database, tenants)
        heard: list[RemoteChange] = []
        forward = database.on_heard

        def hear(change: RemoteChange) -> None:
            heard.append(change)
            forward(change)

        database.on_heard = hear
        opening = asyncio.create_task(tenants.find("ann"))
        await is_read.wait()
        await save_rules(address, "ann")
        await eventually_async(lambda: any(not each.is_whole and each.tenant == "ann" for each in heard))
        heard.clear()
        await eventually_async(
            lambda: sum(each.is_whole and not each.has_new_rules and each.tenant == "ann" for each in heard) > 1
        )
        may_end.set()
        services = await opening

        await eventually_async(lambda: services.privacy.rules.applied("window", DATA, own_id="window") is None)
        await others.close()
        await database.close()

    asyncio.run(scenario())


def test_rules_apply_that_were_saved_while_a_server_started(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listener, "_COMPARE_S", 0.0)

    async def scenario() -> None:
        database = PostgresDatabase(address, asyncio.get_running_loop())
        own, heard = await services_of(database, ""), list[RemoteChange]()
        database.on_heard = heard.append
        await save_rules(address, "")
        await eventually_async(lambda: any(not each.is_whole for each in heard))
        heard.clear()
        await eventually_async(lambda: sum(each.is_whole and not each.has_new_rules for each in heard) > 1)

        others = OtherServers(database, Tenants(own, services_never))

        await eventually_async(lambda: own.privacy.rules.applied("window", DATA, own_id="window") is None)
        await others.close()
        await database.close()

    asyncio.run(scenario())


async def services_never(tenant: str) -> TenantServices:
    raise AssertionError(f"{tenant} does not call here")
