"""The upkeep of any engine, on a bucket `window`: the rows that it leaves, and the space that they take."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final, NamedTuple

from msgspec import Struct

from dayline.model.upkeep.space import FileSpace
from dayline.storage.history.contract import TRASH_POLICY, TrashPolicy
from dayline.storage.opening import Database
from dayline.storage.retention.upkeep import Upkeep
from dayline.storage.store import Store
from tests.support.storage.engines import Engine, check_figures
from tests.support.storage.opened import beat, bucket

APPLIED_OFTEN: Final = {  # constants of a server that applies retention rules all the time
    "dayline.maintenance.space:SpaceScheduler.initial_delay_s": 0,
    "dayline.maintenance.space:SpaceScheduler.interval_s": 0.1,
    "dayline.maintenance.space:SpaceScheduler.downsampling_interval_s": 0.03,
}


class Keeping(Struct, frozen=True, eq=False):
    """A database that is open, and what one person has of it."""

    database: Database
    store: Store
    upkeep: Upkeep


Scenario = Callable[[Keeping], Awaitable[None]]


class Row(NamedTuple):
    """An event as the table has it."""

    id: int
    start: int
    duration: int
    json: str


def play(engine: Engine, scenario: Scenario, *, trash: TrashPolicy = TRASH_POLICY) -> None:
    """Open the database, make the bucket where it is new, and do something with it."""

    async def run() -> None:
        database = engine.open(trash)
        try:
            store = database.store(engine.tenant)
            if "window" not in store.buckets():
                await store.create_bucket(bucket("window"))
            await scenario(Keeping(database, store, database.upkeep_of(engine.tenant)))
        finally:
            await database.close()

    asyncio.run(run())


def rows_of(engine: Engine) -> list[Row]:
    """The events of the bucket with their texts, in order of their ids."""
    rows = engine.select(
        "SELECT event.id, start, duration, json FROM event JOIN bucket ON bucket.key = event.bucket "
        "JOIN value ON value.bucket = event.bucket AND value.key = event.value "
        "WHERE bucket.id = 'window' AND deleted IS NULL ORDER BY event.id"
    )
    return [Row(event_id, start + engine.origin, duration, json) for event_id, start, duration, json in rows]


def check(engine: Engine) -> None:
    """Every event has its text, also those that the trash keeps, and the figures of the months hold for the rows."""
    for table in ("event", "operation_event"):
        lost = f"SELECT 1 FROM {table} WHERE value NOT IN (SELECT key FROM value) LIMIT 1"
        assert engine.select(lost) == []
    check_figures(engine)


async def fill_bucket(store: Store, bucket_id: str, events: int) -> None:
    await store.create_bucket(bucket(bucket_id))
    for first in range(0, events, 500):
        some = [beat(60 * number, app=f"{bucket_id} {number % 997}") for number in range(first, first + 500)]
        await store.insert(bucket_id, some[: events - first])


def together(space: FileSpace) -> int:
    parts = space.parts
    return (
        parts.events + parts.values + parts.trash + parts.redactions
        + parts.audit + parts.unused + parts.free + parts.other
    )  # fmt: skip
