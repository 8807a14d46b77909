"""A trash on a desk, with its clearing up or without, and what is left in the tables."""

import tempfile
from collections.abc import AsyncGenerator
from contextlib import AbstractContextManager, asynccontextmanager, nullcontext
from pathlib import Path

import psycopg

from dayline.model.time import now_us
from dayline.runtime.background import BackgroundWorkers
from dayline.storage.history.contract import TrashPolicy
from dayline.storage.history.merges import Merges
from dayline.storage.history.trash import Trash
from dayline.storage.postgres.database import history_of
from dayline.storage.postgres.redaction.engine import redactions_of
from dayline.storage.redaction.redactions import Redactions
from tests.storage.postgres.desk import Desk, desk
from tests.support.waiting import eventually_async


def history_at(at: Desk, policy: TrashPolicy | None = None) -> tuple[Merges, Trash]:
    """The merges and the trash of a desk, without their background work."""
    background = BackgroundWorkers()
    return history_of(at.tenant_writer, at.readers, redactions_at(at), policy or TrashPolicy(), now_us, background)


def trash_at(at: Desk, policy: TrashPolicy | None = None) -> Trash:
    """A trash that expires nothing automatically."""
    return history_at(at, policy)[1]


class NothingDerived:
    """Nothing is derived from events."""

    def redaction_under_way(self) -> AbstractContextManager[None]:
        return nullcontext()


def redactions_at(at: Desk, address: str = "") -> Redactions:
    """Those of a desk, which continue with nothing by themselves."""
    return redactions_of(
        address,
        at.tenant_writer,
        at.readers,
        NothingDerived(),
        lambda: Path(tempfile.mkdtemp(prefix="dayline-plan-")),
        BackgroundWorkers(),
    )


@asynccontextmanager
async def server(address: str, policy: TrashPolicy | None = None) -> AsyncGenerator[tuple[Desk, Trash]]:
    """One that clears up for as long as it lives."""
    async with desk(address) as at:
        _, trash = history_at(at, policy)
        trash.start()
        try:
            yield at, trash
        finally:
            await trash.close()


def rows(address: str, table: str) -> int:
    """How many rows a table has, of whatever tenant."""
    with psycopg.connect(address, autocommit=True) as db:
        found = db.execute(f"SELECT count(*) FROM dayline.{table}".encode()).fetchone()
    assert found is not None
    return int(found[0])


async def empty(address: str, *tables: str) -> None:
    """Wait until nothing is left in these tables."""
    await eventually_async(lambda: not any(rows(address, table) for table in tables))
