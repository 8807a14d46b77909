"""The plan of a redaction in the tables of PostgreSQL."""

import asyncio

from tests.support.privacy import rule
from tests.support.storage.engines import Engines, rows
from tests.support.storage.redacting import event, order, store_of


def test_nothing_is_left_of_the_plan_in_the_database_when_it_was_carried_out(servers: Engines) -> None:
    engine = servers.new()

    async def scenario() -> None:
        async with store_of(engine, event(0, "secret"), event(1, "secret 2"), event(2, "drop")) as store:
            await store.redactions.apply(order(rule("secret"), rule("drop", action="drop")))

    asyncio.run(scenario())
    assert [rows(engine, table) for table in ("redaction_plan", "redaction_change")] == [0, 0]
