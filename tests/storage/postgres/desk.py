"""What writes to a database and reads from it, without a server around it; several of them are several servers."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TypeVar

from msgspec import Struct

from dayline.storage.access import AccessStore
from dayline.storage.postgres.connection import Readers
from dayline.storage.postgres.rows.read_transaction import PostgresReaders
from dayline.storage.postgres.writing.catalogue import Changed
from dayline.storage.postgres.writing.writer import PostgresTenantWriter, Writer
from dayline.storage.writing.notices import ChangeNotice

T = TypeVar("T")


class Desk(Struct, frozen=True, eq=False):
    """One server's way to the data of one tenant, and the notices of its own commits."""

    tenant_writer: PostgresTenantWriter
    readers: Readers
    changes: list[Changed]

    @property
    def notices(self) -> list[ChangeNotice]:
        return [each for changed in self.changes for each in changed.notices]


def access_at(at: Desk) -> AccessStore:
    """Keys, sessions, the audit log and settings at a desk."""
    return AccessStore(at.tenant_writer, PostgresReaders(at.readers, at.tenant_writer.tenant))


@asynccontextmanager
async def desk(address: str, *, tenant: str = "") -> AsyncGenerator[Desk]:
    changes: list[Changed] = []
    writer = Writer(address, asyncio.get_running_loop(), changes.append)
    readers = Readers(address, most=4)
    try:
        yield Desk(PostgresTenantWriter(writer, tenant), readers, changes)
    finally:
        await writer.close()
        readers.close()


def at_a_desk(address: str, work: Callable[[Desk], Awaitable[T]]) -> T:
    """Do something at one desk."""

    async def run() -> T:
        async with desk(address) as made:
            return await work(made)

    return asyncio.run(run())
