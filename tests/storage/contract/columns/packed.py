"""A server that builds segments when a test says so, and a query process that has been there all the while."""

import asyncio
from collections.abc import Awaitable, Callable

from dayline.storage.columns.segment_plan import SegmentPace
from dayline.storage.columns.source import ReadReport
from dayline.storage.history.contract import TRASH_POLICY, TrashPolicy
from dayline.storage.opening import Database
from dayline.storage.store import Store
from tests.support.storage.building import ON_REQUEST, built_in_this_process
from tests.support.storage.columns_read import read, stored
from tests.support.storage.engines import Columns, Engine
from tests.support.waiting import eventually


class Packed:
    """One engine in use."""

    def __init__(self, engine: Engine, database: Database) -> None:
        self.engine = engine
        self.database = database
        self.warm = engine.columns()

    @property
    def store(self) -> Store:
        return self.database.store(self.engine.tenant)

    async def build(self) -> None:
        await self.engine.build_segments(self.database)

    async def until(self, is_so: Callable[[], bool]) -> None:
        """Wait for what the server does on its own."""
        await asyncio.to_thread(eventually, is_so)

    def read(self, bucket_id: str = "window") -> ReadReport:
        """Where a read of everything takes its events from; they must be those of the rows, for a new process too."""
        new = self.engine.columns()
        try:
            self._read(new, bucket_id)
        finally:
            new.close()
        return self._read(self.warm, bucket_id)

    def _read(self, columns: Columns, bucket_id: str) -> ReadReport:
        with columns.snapshot() as source:
            events, report = read(source, bucket_id)
        assert events == stored(self.store, bucket_id)
        return report


def play(
    engine: Engine,
    scenario: Callable[[Packed], Awaitable[None]],
    *,
    pace: SegmentPace = ON_REQUEST,
    trash: TrashPolicy = TRASH_POLICY,
) -> None:
    """Run a scenario; no process is started for what it builds."""

    async def run() -> None:
        packed = Packed(engine, engine.open(trash, pace=pace))
        try:
            await scenario(packed)
        finally:
            packed.warm.close()
            await packed.database.close()

    with built_in_this_process():
        asyncio.run(run())
