"""A process that runs an operation in slices and kills itself between two of them.

    python -m tests.storage.operations.killed_operation ORDER

It ends with status 0 if the operation is over before.
"""

import asyncio
import os
import signal
import sys
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from tests.storage.operations.pairs import OPERATIONS, Gate, Prepared, in_slices, opened_world, until_idle
from tests.support.processes.prepared import PreparedProcess
from tests.support.storage.engines import Engine, PostgresEngine, SqliteEngine
from tests.support.waiting import PATIENCE_S

_CODE: Final = "from tests.storage.operations.killed_operation import main\nmain()"


class KilledOperation(Struct, frozen=True):
    """An operation of OPERATIONS, and after how many changes its process is killed."""

    name: str
    after: int
    database: str
    tenant: str
    undo_ids: dict[str, int]

    @property
    def engine(self) -> Engine:
        if "://" not in self.database:
            return SqliteEngine(Path(self.database).parent)
        engine = PostgresEngine(self.database, 1)
        engine.tenant = self.tenant
        return engine


def run_until_killed(prepared: Prepared, name: str, *, after: int) -> None:
    place = prepared.engine.rows_place
    order = KilledOperation(name, after, place.database, place.tenant, prepared.undo_ids)
    process = PreparedProcess([msgspec.json.encode(order).decode()], os.environ, code=_CODE)
    status = process.wait(PATIENCE_S)
    assert status == -signal.SIGKILL, f"{name} is over after fewer than {after} changes: {process.errors.decode()}"


async def _run(killed: KilledOperation) -> None:
    async def kill() -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    async with opened_world(Prepared(killed.engine, killed.undo_ids, b"")) as world:
        await until_idle(world)
        with in_slices(Gate(killed.after, kill)):
            await OPERATIONS[killed.name].run(world)


def main() -> None:
    asyncio.run(_run(msgspec.json.decode(sys.argv[1], type=KilledOperation)))
