"""A final redaction on PostgreSQL: the originals leave every table."""

import asyncio

import pytest

from dayline.model.privacy.rules import PrivacyRule
from dayline.storage.postgres.schema.tables import TENANT_TABLES
from tests.support.storage.building import ON_REQUEST, built_in_this_process
from tests.support.storage.engines import Engine, Engines, rows
from tests.support.storage.opened import bucket
from tests.support.storage.redacting import (
    LONG,
    PLANS,
    RULE_NAMES,
    RULES,
    event,
    months,
    order,
    planned_in_this_process,
    rows_of,
    secret_months,
)


@pytest.mark.parametrize("rules", RULES, ids=RULE_NAMES)
def test_the_texts_leave_every_table(servers: Engines, rules: list[PrivacyRule]) -> None:
    engine = servers.new()

    async def scenario() -> None:
        with built_in_this_process(), planned_in_this_process():
            database = engine.open(pace=ON_REQUEST)
            try:
                store = database.store(engine.tenant)
                await store.create_bucket(bucket("window"))
                await store.insert("window", [*months(), *secret_months(), event(1, f"secret plans: {LONG}")])
                await engine.build_segments(database)
                assert rows(engine, "pack")
                redaction = await store.redactions.apply(order(*rules))
                assert tables_with(engine, PLANS)
                expected = rows_of(store, "window")

                final = await store.redactions.make_final(redaction.id)

                assert final.state == "final"
                assert tables_with(engine, PLANS) == []
                assert [rows(engine, table) for table in ("pack", "word_places")] == [0, 0]
                assert rows_of(store, "window") == expected
            finally:
                await database.close()

    asyncio.run(scenario())


def tables_with(engine: Engine, text: str) -> list[str]:
    """The tables in which a text stands."""
    return [
        table
        for table in TENANT_TABLES
        if engine.select(f"SELECT 1 FROM {table} AS found WHERE found::text LIKE '%{text}%' LIMIT 1")
    ]
