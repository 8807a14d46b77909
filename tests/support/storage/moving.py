"""A store with some buckets to rename, merge and move, and all that can be seen of it."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec

from dayline.storage.history.contract import TRASH_POLICY, TrashPolicy
from dayline.storage.store import Store
from tests.support.storage.engines import Engine
from tests.support.storage.opened import beat, bucket, events_of, opened_on

Scenario = Callable[[Store], Awaitable[None]]


def play(engine: Engine, *scenarios: Scenario, trash: TrashPolicy = TRASH_POLICY) -> None:
    """Run scenarios, with a restart between two, on the buckets `old` and `other`, with events in `old`."""

    async def run(scenario: Scenario, *, is_first: bool) -> None:
        async with opened_on(engine, trash=trash) as store:
            if is_first:
                await fill(store)
            await scenario(store)

    for number, scenario in enumerate(scenarios):
        asyncio.run(run(scenario, is_first=number == 0))


async def fill(store: Store) -> None:
    for bucket_id in ("old", "other"):
        await store.create_bucket(bucket(bucket_id))
    await store.insert("old", [beat(second, app=f"app {second}") for second in range(5)])


def everything(store: Store) -> Any:
    """All that a client can see, but for what the trash has."""
    aliases = [(alias.id, alias.bucket) for alias in store.moves.aliases()]
    return aliases, [
        (bucket_id, msgspec.to_builtins(found), events_of(store, bucket_id), exported(store, bucket_id))
        for bucket_id, found in store.buckets().items()
    ]


def exported(store: Store, bucket_id: str) -> bytes:
    return b",".join(store.exported_events(bucket_id))
