"""The plan of a redaction: a file next to the database, which an earlier version may have left."""

import asyncio
from pathlib import Path

import apsw
import msgspec

from dayline.storage.sqlite.redaction.plan_worker import PlanJob, plan
from tests.support.privacy import rule
from tests.support.storage.engines import SqliteEngine, rows
from tests.support.storage.opened import opened_on
from tests.support.storage.redacting import Rows, event, order, rows_of, store_of, titles
from tests.support.waiting import eventually_async


def test_the_file_of_the_plan_is_gone_when_it_was_carried_out(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with store_of(SqliteEngine(tmp_path), event(0, "secret")) as store:
            await store.redactions.apply(order(rule("secret")))

    asyncio.run(scenario())
    assert list(tmp_path.glob("*redaction*")) == []
