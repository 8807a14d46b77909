"""Purging a bucket deletes everything that the trash kept of it."""

import asyncio
from functools import partial

from tests.support.storage.engines import Engine
from tests.support.storage.opened import beat, bucket, opened_on
from tests.support.waiting import eventually


def _is_empty(engine: Engine, table: str) -> bool:
    return engine.select(f"SELECT count(*) FROM {table}") == [(0,)]


def test_what_the_trash_kept_of_a_purged_bucket_goes_with_it(engine: Engine) -> None:
    # On SQLite it stayed until the next purge: it was looked for before the bucket was purged.
    async def scenario() -> None:
        async with opened_on(engine) as store:
            await store.create_bucket(bucket("window"))
            [stored] = (await store.insert("window", [beat(0)])).events
            await store.delete_event("window", stored.id)
            await store.trash.empty(await store.delete_bucket("window"))

            for table in ("bucket", "operation", "operation_event"):
                is_empty = partial(_is_empty, engine, table)
                await asyncio.to_thread(eventually, is_empty)

    asyncio.run(scenario())
