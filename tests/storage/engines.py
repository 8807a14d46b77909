"""The engines that hold data, for tests that all of them have to pass."""

import asyncio
import itertools
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol

import apsw
import pytest

import dayline.storage.postgres.undoing as postgres_undoing
import dayline.storage.sqlite.undoing as sqlite_undoing
from dayline.model.timestamps import Microseconds, month_of
from dayline.storage.base import Database
from dayline.storage.postgres.connection import connect, transaction
from dayline.storage.postgres.database import PostgresDatabase
from dayline.storage.sqlite.database import SqliteDatabase
from dayline.storage.sqlite.schema import ORIGIN
from dayline.storage.trash import TrashSettings

_numbers = itertools.count(1)


class Engine(Protocol):
    """One person's data in one place. `forgets_tails`: after a restart heartbeats go on with the newest event.

    `servers` is how many use it at once. `undoing` is the module that undoes. `origin` is the moment from which the
    times in its rows count.
    """

    tenant: str
    forgets_tails: bool
    servers: int
    undoing: ModuleType
    origin: Microseconds

    def open(self, trash: TrashSettings | None = None) -> Database:
        """Open it, on the running event loop."""
        ...

    def select(self, query: str) -> list[tuple[Any, ...]]:
        """The rows of a query, which is one that every engine understands."""
        ...


def rows(engine: Engine, table: str) -> int:
    """How many rows a table has."""
    [(count,)] = engine.select(f"SELECT count(*) FROM {table}")
    return int(count)


def check_figures(engine: Engine) -> None:
    """What is kept of the months of every bucket agrees with the events in them."""
    counted: Counter[tuple[int, int]] = Counter()
    bounds = {
        (bucket, month): (longest, reach)
        for bucket, month, longest, reach in engine.select("SELECT bucket, month, longest, reach FROM month")
    }
    for bucket, start, duration in engine.select("SELECT bucket, start, duration FROM event"):
        place = bucket, month_of(start + engine.origin)
        counted[place] += 1
        longest, reach = bounds[place]
        assert duration <= longest
        assert start + duration <= reach
    months = engine.select("SELECT bucket, month, events FROM month WHERE events > 0")
    assert {(bucket, month): events for bucket, month, events in months} == counted


@contextmanager
def undoing_in_slices(engine: Engine, *, above: int) -> Generator[None]:
    """Acts of more events than this are undone in slices."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine.undoing, "AT_ONCE", above)
        yield


class SqliteEngine:
    """A file."""

    tenant = ""
    forgets_tails = True
    servers = 1
    undoing: ModuleType = sqlite_undoing
    origin = ORIGIN

    def __init__(self, folder: Path) -> None:
        self.path = folder / "days.db"

    def open(self, trash: TrashSettings | None = None) -> Database:
        return SqliteDatabase(self.path, asyncio.get_running_loop(), trash=trash)

    def select(self, query: str) -> list[tuple[Any, ...]]:
        db = apsw.Connection(str(self.path), flags=apsw.SQLITE_OPEN_READONLY)
        try:
            return db.execute(query).fetchall()
        finally:
            db.close()


class PostgresEngine:
    """A tenant that nobody else has, of a database that others use too."""

    forgets_tails = False
    undoing: ModuleType = postgres_undoing
    origin = 0

    def __init__(self, address: str, servers: int) -> None:
        self.servers = servers
        self.tenant = f"tenant {next(_numbers)}"
        self._address = address

    def open(self, trash: TrashSettings | None = None) -> Database:
        return PostgresDatabase(self._address, asyncio.get_running_loop(), trash=trash, read_connections=2)

    def select(self, query: str) -> list[tuple[Any, ...]]:
        # As a server does it: it sees the rows of the tenant alone.
        with connect(self._address) as db, transaction(db, self.tenant):
            return db.execute(query.encode()).fetchall()


class Engines:
    """Makes engines of one kind, each empty. For tests that need many."""

    def __init__(self, folder: Path, address: str | None) -> None:
        self._folder = folder
        self._address = address

    def new(self, servers: int = 1) -> Engine:
        if self._address is not None:
            return PostgresEngine(self._address, servers)
        folder = self._folder / str(next(_numbers))
        folder.mkdir()
        return SqliteEngine(folder)
