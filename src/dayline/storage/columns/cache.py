"""The cache of query processes between queries, per tenant. Only query processes import this."""

from collections import Counter, OrderedDict
from collections.abc import Callable, Generator, Hashable, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Final, Protocol

from dayline.storage.columns.source import Cacheable, ColumnSource, K

MAX_TENANTS: Final = 4  # each has a connection to the database


class ColumnCache:
    """Objects by key. The object of a key never changes: a new state of a bucket has new keys."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._kept: OrderedDict[Hashable, Cacheable] = OrderedDict()
        self.kept_bytes = 0  # after the last query

    def get(self, key: Hashable, kind: type[K]) -> K | None:
        kept = self._kept.get(key)
        if not isinstance(kept, kind):
            return None
        self._kept.move_to_end(key)
        return kept

    def put(self, key: Hashable, thing: Cacheable) -> None:
        self._kept[key] = thing

    def trim(self) -> None:
        """Evict the least recently used entries. Call it between queries: only then are the sizes known."""
        holders = Counter(id(shared) for thing in self._kept.values() for shared in _shared(thing))
        counted = {id(shared): shared for thing in self._kept.values() for shared in _shared(thing)}
        total = sum(thing.nbytes for thing in (*self._kept.values(), *counted.values()))
        while self._kept and total > self._max_bytes:
            _, thing = self._kept.popitem(last=False)
            total -= thing.nbytes
            for shared in _shared(thing):
                holders[id(shared)] -= 1
                total -= 0 if holders[id(shared)] else shared.nbytes
        self.kept_bytes = total


def _shared(thing: Cacheable) -> Sequence[Cacheable]:
    shares: Sequence[Cacheable] = getattr(thing, "shares", ())  # an isinstance check against a protocol is slower
    return shares


class TenantSource(Protocol):
    """One tenant's store as a query process reads it."""

    def snapshot(self, *, may_read_replica: bool = False) -> AbstractContextManager[ColumnSource]:
        """One state of the store, for one query. Raises ReplicaUnusable if a configured replica cannot be read."""
        ...

    def close(self) -> None: ...


class TenantColumns:
    """The columns of the most recently queried tenants, together within about `cache_bytes`."""

    def __init__(self, make: Callable[[str], TenantSource], *, cache_bytes: int, most: int = MAX_TENANTS) -> None:
        self._make = make
        self._cache_bytes = cache_bytes
        self._most = most
        self._columns: OrderedDict[str, TenantSource] = OrderedDict()  # most recently used last
        self._kept: dict[str, int] = {}  # bytes per tenant

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
            self._evict()

    def _of(self, tenant: str) -> TenantSource:
        columns = self._columns.get(tenant)
        if columns is None:
            while len(self._columns) >= self._most:
                self._evict()
            columns = self._columns[tenant] = self._make(tenant)
        self._columns.move_to_end(tenant)
        return columns

    def _trim(self) -> None:
        while len(self._columns) > 1 and sum(self._kept.values()) > self._cache_bytes:
            self._evict()

    def _evict(self) -> None:
        """Close the least recently used tenant."""
        tenant, columns = self._columns.popitem(last=False)
        self._kept.pop(tenant, None)
        columns.close()
