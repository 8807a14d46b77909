"""The columns of several people in one query process. Nothing that is kept of one is ever looked at for another."""

from collections import OrderedDict
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from typing import Final, Protocol

from dayline.storage.columns.column_cache import ColumnCache
from dayline.storage.columns.columns import ColumnSource

MOST_PEOPLE: Final = 4  # each has a connection to the database


class OwnColumns(Protocol):
    """One person's store as a query process reads it."""

    def snapshot(self, *, may_read_replica: bool = False) -> AbstractContextManager[ColumnSource]:
        """One state of it, for one query. Raises ReplicaUnusable where there is a replica that cannot be read."""
        ...

    def close(self) -> None: ...


class PeopleColumns:
    """Those who were asked about last, each by columns of their own, and all of them within about `cache_bytes`."""

    def __init__(self, make: Callable[[str], OwnColumns], *, cache_bytes: int, most: int = MOST_PEOPLE) -> None:
        self._make = make
        self._cache_bytes = cache_bytes
        self._most = most
        self._columns: OrderedDict[str, OwnColumns] = OrderedDict()  # who was asked about last stands last
        self._kept: dict[str, int] = {}  # bytes of each

    @contextmanager
    def snapshot(self, tenant: str = "", *, may_read_replica: bool = False) -> Generator[ColumnSource]:
        columns = self._of(tenant)
        cache = None
        try:
            with columns.snapshot(may_read_replica=may_read_replica) as source:
                cache = source.cache
                yield source
        finally:
            if isinstance(cache, ColumnCache):
                self._kept[tenant] = cache.kept_bytes
            self._trim()

    def close(self) -> None:
        while self._columns:
            self._let_go()

    def _of(self, tenant: str) -> OwnColumns:
        columns = self._columns.get(tenant)
        if columns is None:
            while len(self._columns) >= self._most:
                self._let_go()
            columns = self._columns[tenant] = self._make(tenant)
        self._columns.move_to_end(tenant)
        return columns

    def _trim(self) -> None:
        while len(self._columns) > 1 and sum(self._kept.values()) > self._cache_bytes:
            self._let_go()

    def _let_go(self) -> None:
        """Of the one who was not asked about for the longest time."""
        tenant, columns = self._columns.popitem(last=False)
        self._kept.pop(tenant, None)
        columns.close()
