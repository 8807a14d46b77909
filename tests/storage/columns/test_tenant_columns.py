"""A query process that is asked about several people: each has columns of their own, and few are kept."""

from collections.abc import Generator
from contextlib import contextmanager

import pytest

from dayline.storage.columns.cache import ColumnCache, TenantColumns
from dayline.storage.columns.source import ColumnSource
from tests.support.query.tables import MemorySource


class Sized:
    """Something to keep."""

    def __init__(self, nbytes: int) -> None:
        self.nbytes = nbytes


class _Source(MemorySource):
    def __init__(self, cache: ColumnCache) -> None:
        super().__init__({})
        self._own = cache

    @property
    def cache(self) -> ColumnCache:
        return self._own


class Recorded:
    """Columns of one person, of which the test looks at what they were made for and whether they are open."""

    def __init__(self, tenant: str, made: "list[Recorded]") -> None:
        self.tenant = tenant
        self.is_open = True
        self.cache = ColumnCache(100)
        made.append(self)

    @contextmanager
    def snapshot(self, *, may_read_replica: bool = False) -> Generator[ColumnSource]:
        assert self.is_open
        try:
            yield _Source(self.cache)
        finally:
            self.cache.trim()

    def close(self) -> None:
        self.is_open = False


@pytest.fixture
def made() -> list[Recorded]:
    return []


def people(made: list[Recorded], *, most: int = 2) -> TenantColumns:
    return TenantColumns(lambda tenant: Recorded(tenant, made), cache_bytes=100, most=most)


def ask(columns: TenantColumns, tenant: str, *, nbytes: int = 0) -> None:
    with columns.snapshot(tenant) as source:
        if nbytes:
            source.cache.put("thing", Sized(nbytes))


def opened(made: list[Recorded]) -> list[str]:
    return [each.tenant for each in made if each.is_open]


def test_each_person_has_columns_of_their_own_that_are_kept(made: list[Recorded]) -> None:
    columns = people(made)
    for tenant in ("", "ann", "", "ann"):
        ask(columns, tenant)

    assert opened(made) == ["", "ann"]
    with columns.snapshot("ann") as source:
        source.cache.put("key", Sized(1))
    with columns.snapshot("") as source:
        assert source.cache.get("key", Sized) is None


def test_the_least_recently_used_tenant_is_released(made: list[Recorded]) -> None:
    columns = people(made)
    for tenant in ("", "ann", "", "bob"):
        ask(columns, tenant)

    assert opened(made) == ["", "bob"]


def test_all_of_them_keep_no_more_than_one_may(made: list[Recorded]) -> None:
    columns = people(made, most=10)
    for tenant in ("ann", "bob", "cleo"):
        ask(columns, tenant, nbytes=40)

    assert opened(made) == ["bob", "cleo"]
    ask(columns, "dora", nbytes=1000)  # of which a cache keeps nothing
    assert opened(made) == ["bob", "cleo", "dora"]


def test_a_query_that_fails_leaves_the_others_as_they_were(made: list[Recorded]) -> None:
    columns = people(made)
    ask(columns, "ann")
    with pytest.raises(ValueError, match="no"), columns.snapshot("bob"):
        raise ValueError("no")
    columns.close()

    assert [(each.tenant, each.is_open) for each in made] == [("ann", False), ("bob", False)]
