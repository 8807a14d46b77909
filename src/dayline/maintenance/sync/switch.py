"""Loads sync when it is used: a server without sync loads nothing of it but this."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from dayline.storage.writing.mirrors import STATE_KEY

if TYPE_CHECKING:
    from dayline.maintenance.sync.service import Sync
    from dayline.maintenance.sync.spaces.storing import SpaceStorage
    from dayline.model.health import Problem
    from dayline.storage.store import Store


class SyncSwitch:
    """Sync of one tenant, and what the server stores for its devices. The functions import and create them."""

    def __init__(self, store: "Store", make: "Callable[[], Sync]", make_storage: "Callable[[], SpaceStorage]") -> None:
        self._store = store
        self._make = make
        self._make_storage = make_storage
        self._sync: Sync | None = None
        self._storage: SpaceStorage | None = None

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

    def problems(self) -> "list[Problem]":
        """What health reports about it. Reads memory."""
        return [] if self._sync is None else self._sync.problems()

    async def resume(self) -> None:
        """Continue if sync is on. Call it at the start of a server, before it records."""
        if self._store.mirrors.state(STATE_KEY) is not None:
            await self.sync.resume()

    async def close(self) -> None:
        if self._sync is not None:
            await self._sync.close()
