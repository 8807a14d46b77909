"""A key of a value is never assigned again, whatever deletes the value: derived data knows values by key."""

import asyncio

from tests.support.storage.engines import Engine
from tests.support.storage.opened import beat, bucket, opened_on
from tests.support.waiting import eventually


def test_keys_of_a_purged_bucket_are_not_assigned_again_after_a_restart(engine: Engine) -> None:
    async def record_and_purge() -> None:
        async with opened_on(engine) as store:
            for bucket_id in ("kept", "purged"):
                await store.create_bucket(bucket(bucket_id))
            await store.insert("kept", [beat(0, app="first")])
            await store.insert("purged", [beat(second, app=f"app {second}") for second in range(1200)])
            await store.trash.empty(await store.delete_bucket("purged"))
            await asyncio.to_thread(eventually, lambda: engine.select("SELECT id FROM bucket") == [("kept",)])

    async def record() -> None:
        async with opened_on(engine) as store:
            await store.insert("kept", [beat(9, app="second")])

    asyncio.run(record_and_purge())
    [(bucket_key,)] = engine.select("SELECT key FROM bucket")
    asyncio.run(record())

    [first, second] = sorted(key for (key,) in engine.select(f"SELECT key FROM value WHERE bucket = {bucket_key}"))
    assert second > first + 1200
