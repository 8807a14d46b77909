"""A store in this process, the least that is needed to write to it, and all that can be seen of it."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec

from dayline.model.bucket import Bucket
from dayline.model.data import canonical_json
from dayline.model.errors import DaylineError
from dayline.model.event import Event
from dayline.model.time import SECOND, Microseconds, parse_timestamp
from dayline.runtime.background import BackgroundWorkers
from dayline.storage.history.contract import TRASH_POLICY, TrashPolicy
from dayline.storage.sqlite.database import SqliteDatabase
from dayline.storage.store import Store
from tests.support.storage.engines import Engine

BEGIN: Microseconds = parse_timestamp("2026-01-01T10:00:00Z")


@asynccontextmanager
async def opened(
    path: Path, *, trash: TrashPolicy = TRASH_POLICY, background: BackgroundWorkers | None = None
) -> AsyncGenerator[Store]:
    """The store in a file, closed at the end as the server does it."""
    database = SqliteDatabase(path, asyncio.get_running_loop(), trash=trash, background=background)
    try:
        yield database.store()
    finally:
        await database.close()


@asynccontextmanager
async def opened_on(engine: Engine, *, trash: TrashPolicy = TRASH_POLICY) -> AsyncGenerator[Store]:
    """The store of an engine, closed at the end as the server does it."""
    database = engine.open(trash)
    try:
        yield database.store(engine.tenant)
    finally:
        await database.close()


def bucket(bucket_id: str) -> Bucket:
    return Bucket(id=bucket_id, type="test.type", client="test-client", hostname="laptop", created=BEGIN, data={})


def beat(second: float, *, app: str = "editor") -> Event:
    """A heartbeat this many seconds after the beginning."""
    return Event(start=BEGIN + round(second * SECOND), data=canonical_json({"app": app}))


def sent(store: Store, bucket_id: str, heartbeat: Event, *, pulsetime: float = 5) -> asyncio.Future[Event]:
    """Send a heartbeat; the future gets the event when it is committed."""
    answer: asyncio.Future[Event] = asyncio.get_running_loop().create_future()

    def done(outcome: Event | DaylineError) -> None:
        if isinstance(outcome, Event):
            answer.set_result(outcome)
        else:
            answer.set_exception(outcome)

    store.heartbeat(bucket_id, heartbeat, pulsetime=round(pulsetime * SECOND), done=done)
    return answer


def events_of(store: Store, bucket_id: str) -> list[dict[str, Any]]:
    """All events of a bucket, oldest first."""
    pages = b",".join(store.events(bucket_id, start=None, end=None, limit=None))
    newest_first = msgspec.json.decode(b"[%s]" % pages, type=list[dict[str, Any]])
    return newest_first[::-1]


def make_database(path: Path) -> None:
    """An empty database file, as a server leaves it that was stopped."""

    async def make() -> None:
        async with opened(path):
            pass

    asyncio.run(make())


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
