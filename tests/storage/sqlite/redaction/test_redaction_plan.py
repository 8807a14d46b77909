"""The plan of a redaction: a file next to the database, which an earlier version may have left."""

import asyncio
from pathlib import Path

from tests.support.privacy import rule
from tests.support.storage.engines import SqliteEngine
from tests.support.storage.redacting import event, order, store_of


def test_the_file_of_the_plan_is_gone_when_it_was_carried_out(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with store_of(SqliteEngine(tmp_path), event(0, "secret")) as store:
            await store.redactions.apply(order(rule("secret")))

    asyncio.run(scenario())
    assert list(tmp_path.rglob("*redaction*")) == []
