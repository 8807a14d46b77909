"""A diary, which is a plain model, and the real store given the same input: what tests of both have in common."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Any, Protocol

from dayline.model.data import canonical_json
from dayline.model.event import Event
from dayline.model.time import SECOND, parse_timestamp
from dayline.storage.opening import Database
from dayline.storage.store import Store
from tests.support.storage.engines import Engine, undoing_in_slices
from tests.support.storage.models import Entry
from tests.support.storage.opened import bucket


class DiaryPair(Protocol):
    """Takes steps on both sides, and compares them after each."""

    database: Database

    @property
    def store(self) -> Store: ...

    async def step(self, kind: str, *details: Any) -> None: ...


def event_of(entry: Entry, event_id: int = 0) -> Event:
    """An entry of the diary as the store gets it."""
    return Event(id=event_id, start=entry.start, duration=entry.duration, data=canonical_json(entry.data))


def entry_of(event: dict[str, Any]) -> Entry:
    """An event of the store as the diary would have it."""
    return Entry(parse_timestamp(event["timestamp"]), round(event["duration"] * SECOND), event["data"])


def play(
    make: Callable[[Engine], DiaryPair], engine: Engine, steps: Sequence[tuple[Any, ...]], *, in_slices: bool
) -> None:
    """Take the steps with a pair that has a bucket, `window`, and nothing in it.

    In slices: every act of more than one event is undone in some.
    """

    async def run() -> None:
        pair = make(engine)
        try:
            await pair.store.create_bucket(bucket("window"))
            for step in steps:
                await pair.step(*step)
        finally:
            await pair.database.close()

    with undoing_in_slices(engine, above=1) if in_slices else nullcontext():
        asyncio.run(run())
