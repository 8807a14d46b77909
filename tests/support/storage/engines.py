"""The engines that hold data, for tests that all of them have to pass: the fixture `engine` is each of them."""

import asyncio
import itertools
import threading
from collections import Counter
from collections.abc import Generator, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any, Final, Protocol

import pytest

import dayline.storage.history.undoing as undoing
import dayline.storage.postgres.redaction.engine as postgres_redactions
import dayline.storage.sqlite.redaction.engine as sqlite_redactions
from dayline.model.time import Microseconds, month_of
from dayline.runtime.background import BackgroundWorkers
from dayline.runtime.sqlite_file import READ_ONLY
from dayline.runtime.sqlite_file import connect as open_file
from dayline.storage.columns.segment_plan import SEGMENT_PACE, SegmentPace
from dayline.storage.columns.source import ColumnSource
from dayline.storage.history.contract import TRASH_POLICY, TrashPolicy
from dayline.storage.opening import Database
from dayline.storage.postgres.columns.source import PostgresColumns
from dayline.storage.postgres.connection import Connection, connect, transaction
from dayline.storage.postgres.database import PostgresDatabase
from dayline.storage.postgres.writing import listener
from dayline.storage.sqlite.columns.source import SqliteColumns
from dayline.storage.sqlite.database import SqliteDatabase
from dayline.storage.sqlite.derived.file import derived_path, remove_derived
from dayline.storage.sqlite.file.schema import ORIGIN
from dayline.storage.transfer.event_rows import RowsLocation
from tests.support.postgres.cluster import Cluster
from tests.support.storage.encrypting import encrypting

CACHE_BYTES: Final = 64 << 20  # of a query process

_numbers = itertools.count(1)


class Columns(Protocol):
    """What a query process has of an engine."""

    def snapshot(self) -> AbstractContextManager[ColumnSource]: ...

    def close(self) -> None: ...


class Engine(Protocol):
    """One person's data in one place. `forgets_tails`: after a restart heartbeats continue with the newest event.

    `servers` is how many use it at once. `redactions` is the module of them. `origin` is the
    moment from which the times in its rows count.
    """

    tenant: str
    forgets_tails: bool
    servers: int
    redactions: ModuleType
    origin: Microseconds

    def open(self, trash: TrashPolicy = TRASH_POLICY, *, pace: SegmentPace = SEGMENT_PACE) -> Database:
        """Open it, on the running event loop."""
        ...

    def columns(self) -> Columns:
        """A query process that has just begun."""
        ...

    async def build_segments(self, database: Database) -> None:
        """Have all segments built that are missing."""
        ...

    @property
    def rows_place(self) -> RowsLocation:
        """Where anyone who looks through all events finds them."""
        ...

    def segments(self) -> set[tuple[int, int, int]]:
        """Bucket, month and version of every segment that there is."""
        ...

    def drop_segments(self) -> None:
        """Remove them, and all that belongs to them."""
        ...

    def select(self, query: str) -> list[tuple[Any, ...]]:
        """The rows of a query, which is one that every engine understands."""
        ...

    def change(self, statement: str) -> None:
        """Change rows behind the back of anyone who has it open."""
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
        patch.setattr(undoing, "AT_ONCE", above)
        yield


class SqliteEngine:
    """A file."""

    tenant = ""
    forgets_tails = True
    servers = 1
    redactions: ModuleType = sqlite_redactions
    origin = ORIGIN

    def __init__(self, folder: Path, *, retry_s: float = 10) -> None:
        self.path = folder / "days.db"
        self._retry_s = retry_s  # how soon background work is repeated that failed

    def open(self, trash: TrashPolicy = TRASH_POLICY, *, pace: SegmentPace = SEGMENT_PACE) -> Database:
        background = BackgroundWorkers(retry_s=self._retry_s)
        loop = asyncio.get_running_loop()
        return SqliteDatabase(self.path, loop, trash=trash, segment_pace=pace, background=background)

    def columns(self) -> Columns:
        return SqliteColumns(self.path, cache_bytes=CACHE_BYTES)

    async def build_segments(self, database: Database) -> None:
        assert isinstance(database, SqliteDatabase)
        await database.build_segments()

    @property
    def rows_place(self) -> RowsLocation:
        return RowsLocation(database=str(self.path))

    def segments(self) -> set[tuple[int, int, int]]:
        if not derived_path(self.path).exists():
            return set()
        db = open_file(derived_path(self.path), READ_ONLY)
        try:
            return set(db.execute("SELECT bucket, month, version FROM segment"))
        finally:
            db.close()

    def drop_segments(self) -> None:
        remove_derived(self.path)

    def select(self, query: str) -> list[tuple[Any, ...]]:
        db = open_file(self.path, READ_ONLY)
        try:
            return db.execute(query).fetchall()
        finally:
            db.close()

    def change(self, statement: str) -> None:
        db = open_file(self.path)
        try:
            db.execute(statement)
        finally:
            db.close()


_SEGMENTS: Final = "SELECT bucket, month, version FROM segment"


_looking: Final = threading.Lock()
_connections: Final[dict[str, Connection]] = {}  # by address: a test looks often, and each connection is a process


def _connection(address: str) -> Connection:
    found = _connections.get(address)
    if found is None or found.closed:
        found = _connections[address] = connect(address)
    return found


def close_connections() -> None:
    """Those through which tests have looked at engines."""
    for db in _connections.values():
        db.close()
    _connections.clear()


class PostgresEngine:
    """A tenant that no one else has, of a database that others use too."""

    forgets_tails = False
    redactions: ModuleType = postgres_redactions
    origin = 0

    def __init__(self, address: str, servers: int) -> None:
        self.servers = servers
        self.tenant = f"tenant {next(_numbers)}"
        self._address = address

    @contextmanager
    def _transaction(self) -> Generator[Connection]:
        """As a server does it: it sees the rows of the tenant alone."""
        with _looking, transaction(_connection(self._address), self.tenant) as db:
            yield db

    def open(self, trash: TrashPolicy = TRASH_POLICY, *, pace: SegmentPace = SEGMENT_PACE) -> Database:
        return PostgresDatabase(
            self._address, asyncio.get_running_loop(), trash=trash, segment_pace=pace, read_connections=2
        )

    def columns(self) -> Columns:
        return PostgresColumns(self._address, self.tenant, cache_bytes=CACHE_BYTES)

    async def build_segments(self, database: Database) -> None:
        assert isinstance(database, PostgresDatabase)
        await database.build_segments(self.tenant)

    @property
    def rows_place(self) -> RowsLocation:
        return RowsLocation(database=self._address, tenant=self.tenant)

    def segments(self) -> set[tuple[int, int, int]]:
        return {(bucket, month, version) for bucket, month, version in self.select(_SEGMENTS)}

    def drop_segments(self) -> None:
        with self._transaction() as db:
            for table in ("segment", "pack", "word_mark", "word_places"):
                db.execute(f"DELETE FROM {table}".encode())

    def select(self, query: str) -> list[tuple[Any, ...]]:
        with self._transaction() as db:
            return db.execute(query.encode()).fetchall()

    def change(self, statement: str) -> None:
        with self._transaction() as db:
            db.execute(statement.encode())


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


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> Engines:
    """SQLite files."""
    return Engines(tmp_path_factory.mktemp("engines"), None)


@pytest.fixture(scope="session")
def servers(postgres: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engines]:
    """Tenants of a PostgreSQL database, whose servers hear of each other ten times as soon as they otherwise do."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(listener, "_SEND_S", 0.01)
        yield Engines(tmp_path_factory.mktemp("engines"), postgres.new_database())


@pytest.fixture(params=["sqlite", "postgres", "encrypted"])
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    """One of them, empty. Only tests marked `encrypted` also run on an encrypted file."""
    made: Engines = request.getfixturevalue("servers" if request.param == "postgres" else "files")
    if request.param == "encrypted":
        with encrypting():
            yield made.new()
    else:
        yield made.new()
