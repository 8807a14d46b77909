"""A PostgreSQL database that is in use: its writer, its readers, and what hears of other servers."""

import asyncio
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

from dayline.model.errors import StoreUnusable
from dayline.model.health import Problem
from dayline.model.timestamps import Microseconds, now_us
from dayline.storage.news import Commit, OnCommit
from dayline.storage.postgres.access import PostgresAccess
from dayline.storage.postgres.catalogue import Catalogue, read_all
from dayline.storage.postgres.changed import Changed
from dayline.storage.postgres.connection import FAULTS, Readers, connect, shown, told, transaction
from dayline.storage.postgres.listener import Heard, Listener
from dayline.storage.postgres.migrating import check_server, migrate, refuse_too_new, status_of
from dayline.storage.postgres.scribe import Scribe
from dayline.storage.postgres.store import PostgresStore
from dayline.storage.postgres.trash import PostgresTrash
from dayline.storage.postgres.turn import read_aliases
from dayline.storage.postgres.upkeep import PostgresUpkeep
from dayline.storage.postgres.writer import Writer
from dayline.storage.trash import TrashSettings

READ_CONNECTIONS: Final = 8


class PostgresDatabase:
    """One of any number of servers on a database. Made and used on the event loop.

    `ages` is the time by which something is let go for its age. `folder` is where files are put for the length of a
    call. `on_heard` is called when another server has changed something, or may have.
    """

    damage = None

    def __init__(
        self,
        address: str,
        loop: asyncio.AbstractEventLoop,
        *,
        folder: Path | None = None,
        trash: TrashSettings | None = None,
        ages: Callable[[], Microseconds] = now_us,
        read_connections: int = READ_CONNECTIONS,
    ) -> None:
        prepare(address)
        self._address = address
        self._loop = loop
        self._folder = folder
        self._trash_settings, self._ages = trash or TrashSettings(), ages
        self._on_commit: OnCommit | None = None
        self.on_heard: Callable[[Heard], None] = lambda heard: None
        # From the time, so that it goes on above what it was before a restart, here or on another server.
        self._revision = now_us()
        self._catalogues: dict[str, Catalogue] = {}
        self._trashes: dict[str, PostgresTrash] = {}
        self._stores: dict[str, PostgresStore] = {}
        self._readers = Readers(address, most=read_connections)
        self._writer = Writer(address, loop, self._changed)
        self.upkeep = PostgresUpkeep()
        self.access = PostgresAccess(Scribe(self._writer, ""), self._readers)
        self.store()
        self._listener = Listener(
            address, self._writer.server, tenants=lambda: list(self._catalogues), hear=self._heard_on_thread
        )

    def store(self, tenant: str = "") -> PostgresStore:
        if tenant not in self._stores:
            catalogue = Catalogue()
            if tenant:
                self._make_tenant(tenant)
            with self._readers.transaction(tenant) as db:
                catalogue.take(read_all(db, tenant), read_aliases(db, tenant))
            scribe = Scribe(self._writer, tenant)
            trash = PostgresTrash(scribe, self._readers, self._trash_settings, self._ages)
            trash.start()
            self._catalogues[tenant], self._trashes[tenant] = catalogue, trash
            self._stores[tenant] = PostgresStore(
                scribe, self._readers, catalogue, trash, revision=lambda: self._revision, scratch=self.scratch
            )
        return self._stores[tenant]

    def _make_tenant(self, tenant: str) -> None:
        with connect(self._address) as db, transaction(db, tenant):
            db.execute("INSERT INTO tenant(id) VALUES(%s) ON CONFLICT DO NOTHING", (tenant,))

    def scratch(self) -> Path:
        return Path(tempfile.mkdtemp(prefix="dayline-scratch-", dir=self._folder))

    def problems(self) -> list[Problem]:
        return self._writer.problems()

    def listen(self, on_commit: OnCommit | None) -> None:
        self._on_commit = on_commit

    def stop_holding(self) -> None:
        self._writer.stop_holding()

    async def close(self) -> None:
        for trash in self._trashes.values():
            await trash.close()
        await self._writer.close()
        await asyncio.to_thread(self._listener.close)
        await asyncio.to_thread(self._readers.close)

    def _changed(self, changed: Changed) -> None:
        """We have committed something."""
        if not (changed.buckets or changed.told or changed.is_access):
            return
        self._revision += 1
        catalogue = self._catalogues.get(changed.tenant)
        if catalogue is not None:
            catalogue.take(changed.buckets, changed.aliases)
        if changed.buckets and not changed.told:
            self._listener.recorded(changed.tenant, [state.key for state in changed.buckets])
        if self._on_commit is not None and (changed.buckets or changed.told):
            # After the answers, which are given at the end of this turn of the loop.
            recorded = [state.bucket.id for state in changed.buckets if not state.is_deleted]
            commit = Commit(self._revision, recorded, list(changed.told))
            self._loop.call_soon(partial(self._tell, commit))

    def _tell(self, commit: Commit) -> None:
        if self._on_commit is not None:
            self._on_commit(commit)

    def _heard_on_thread(self, heard: Heard) -> None:
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._heard, heard)

    def _heard(self, heard: Heard) -> None:
        """Another server has committed something."""
        catalogue = self._catalogues.get(heard.tenant)
        is_new = True
        if catalogue is not None and heard.is_whole:
            is_new = catalogue.replace(heard.buckets, heard.aliases or {}, read=heard.read)
        elif catalogue is not None:
            catalogue.take(heard.buckets, heard.aliases)
        self.on_heard(heard)
        if is_new:
            self._revision += 1
            recorded = [state.bucket.id for state in heard.buckets if not state.is_deleted]
            self._tell(Commit(self._revision, recorded, list(heard.told)))


def prepare(address: str) -> None:
    """See that the tables are there and up to date, and make them where we may. Raises Unavailable errors."""
    try:
        with connect(address, is_owner=True) as db:
            check_server(db)
            status = status_of(db)
    except FAULTS as error:
        raise StoreUnusable(
            f"{shown(address)} does not answer: {told(error)}",
            hint="does the database server run there?",
        ) from error
    refuse_too_new(status, address)
    if status.state in ("empty", "old"):
        migrate(address)
