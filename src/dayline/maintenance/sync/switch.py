"""Loads sync when it is used: a server without sync loads nothing of it but this."""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

from dayline.model.errors import DaylineError
from dayline.storage.writing.mirrors import SOURCES_KEY, STATE_KEY
from dayline.storage.writing.shared_items import ITEMS_KEY

if TYPE_CHECKING:
    from dayline.maintenance.sources.service import Sources
    from dayline.maintenance.sync.service import Sync
    from dayline.maintenance.sync.spaces.storing import SpaceStorage
    from dayline.model.health import Problem
    from dayline.model.settings.history import Owner
    from dayline.storage.store import Store


class SyncSwitch:
    """Sync of one tenant, its sources, and what the server stores for its devices. The functions import and create
    them.
    """

    def __init__(
        self,
        store: "Store",
        make: "Callable[[], Sync]",
        make_storage: "Callable[[], SpaceStorage]",
        make_sources: "Callable[[], Sources]",
    ) -> None:
        self._store = store
        self._make = make
        self._make_storage = make_storage
        self._make_sources = make_sources
        self._sync: Sync | None = None
        self._storage: SpaceStorage | None = None
        self._sources: Sources | None = None

    @property
    def sync(self) -> "Sync":
        if self._sync is None:
            self._sync = self._make()
        return self._sync

    @property
    def storage(self) -> "SpaceStorage":
        if self._storage is None:
            self._storage = self._make_storage()
        return self._storage

    async def begin(self) -> None:
        """If the database was restored, what a command records from here on can be recognized, as after `resume`."""
        if self._store.mirrors.state(STATE_KEY) is not None:
            from dayline.maintenance.sync.state import with_session  # here, because most databases are not synced

            with suppress(DaylineError):  # a database that cannot be written: nothing is recorded either
                await self._store.mirrors.edit(STATE_KEY, with_session)

    @property
    def sources(self) -> "Sources":
        if self._sources is None:
            self._sources = self._make_sources()
        return self._sources

    @property
    def has_sources(self) -> bool:
        """Whether folders of ActivityWatch are mirrored, or were."""
        return self._store.mirrors.state(SOURCES_KEY) is not None

    def setting_origins(self) -> "Mapping[tuple[Owner, int], str]":
        """The names of devices from which changes in the history of settings came, by owner and number.

        Call it on a thread.
        """
        state = self._store.mirrors.state(ITEMS_KEY)
        if state is None:  # and nothing of sync is loaded
            return {}
        from dayline.maintenance.sync.items.ledger import ledger_of, origins_of

        return origins_of(ledger_of(state))

    def problems(self) -> "list[Problem]":
        """What health reports about it. Reads memory."""
        return [] if self._sync is None else self._sync.problems()

    async def resume(self) -> None:
        """Continue if sync is on. Call it when a server opens the data of a tenant, before it records."""
        if await asyncio.to_thread(self._store.mirrors.state, STATE_KEY) is not None:
            await self.sync.resume()
        if await asyncio.to_thread(lambda: self.has_sources):
            self.sources.resume()

    async def close(self) -> None:
        if self._sync is not None:
            await self._sync.close()
        if self._sources is not None:
            await self._sources.close()
