"""Connections to PostgreSQL: role, timeouts, and the translation of its errors."""

import contextlib
import os
import socket
import threading
import weakref
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import partial
from queue import SimpleQueue
from time import monotonic, sleep
from typing import Any, Final, Self, TypeAlias, TypeVar

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg_pool import ConnectionPool, PoolTimeout

from dayline.model.errors import StoreBusy, StoreUnusable
from dayline.storage.postgres.schema.step import ROLE, SCHEMA

Connection: TypeAlias = "psycopg.Connection[tuple[Any, ...]]"

# The database is temporarily unusable: it is down, starting, read-only after a failover, out of disk space or
# connections, or has aborted one of two deadlocked transactions. Any other error fails one change.
FAULTS: Final = (psycopg.OperationalError, psycopg.InterfaceError, psycopg.errors.ReadOnlySqlTransaction)

_POOL_WAIT_S: Final = 0.5
_RECONNECT_S: Final = 1.0
_ASK_AGAIN_S: Final = 0.5
READ_WAIT_S: Final = 10.0  # for a connection, before a read fails with 503
# For a lock of another connection, for instance on a table being altered. Then reads fail with 503, and the writer
# retries.
_WAIT_FOR_LOCKS: Final = "SET lock_timeout = '10s'"

# An unreachable peer is noticed after some ten seconds instead of hours.
_PATIENCE: Final = {
    "connect_timeout": "5",
    "keepalives_idle": "5",
    "keepalives_interval": "2",
    "keepalives_count": "3",
    "tcp_user_timeout": "10000",
    "application_name": "dayline",
    "target_session_attrs": "read-write",
}
# Sooner for a standby: the primary is used instead.
_LITTLE_PATIENCE: Final = {
    **_PATIENCE,
    "connect_timeout": "2",
    "keepalives_idle": "1",
    "keepalives_interval": "1",
    "keepalives_count": "2",
    "tcp_user_timeout": "2000",
    "target_session_attrs": "standby",
}


def display_address(address: str) -> str:
    """The address without its password, for messages and logs."""
    parts = conninfo_to_dict(address)
    host, port, name = (str(parts.get(each) or "") for each in ("host", "port", "dbname"))
    user = f"{parts['user']}@" if parts.get("user") else ""
    hosts = ",".join(f"{each}:{number}" if number else each for each, number in _pairs(host, port))
    return f"postgresql://{user}{hosts}/{name}"


def connect(address: str, *, is_owner: bool = False) -> Connection:
    """An autocommit connection to the primary. Raises FAULTS."""
    return _set_up_at(_conninfo(address), is_owner=is_owner)


def connect_standby(address: str) -> Connection:
    """A connection to a standby, never to a primary. Raises FAULTS."""
    return _set_up_at(_conninfo(address, _LITTLE_PATIENCE))


def set_up(db: Connection, *, is_owner: bool = False) -> None:
    """Switch to the role that row security applies to. Raises StoreUnusable if the user may not."""
    db.execute(sql.SQL("SET search_path = {}").format(sql.Identifier(SCHEMA)))
    db.execute("SET jit = off")  # compiling costs more than most of our statements take
    if is_owner:
        return
    db.execute(_WAIT_FOR_LOCKS)
    try:
        db.execute(sql.SQL("SET ROLE {}").format(sql.Identifier(ROLE)))
    except (psycopg.errors.InsufficientPrivilege, psycopg.errors.InvalidParameterValue) as error:
        raise StoreUnusable(
            f"the database user {db.info.user!r} may not use the role {ROLE!r}",
            hint=f"as the owner of the database, run dayline database init, then GRANT {ROLE} TO {db.info.user}",
        ) from error


@contextmanager
def transaction(db: Connection, tenant: str, *, is_snapshot: bool = False) -> Generator[Connection]:
    """A transaction that sees the rows of one tenant; `is_snapshot`: with a consistent view."""
    kind = " ISOLATION LEVEL REPEATABLE READ, READ ONLY" if is_snapshot else ""
    # In one round trip.
    begin = sql.SQL("BEGIN{}; SELECT set_config('dayline.tenant', {}, true)").format(sql.SQL(kind), f"={tenant}")
    try:
        db.execute(begin)
        yield db
    except BaseException:
        with contextlib.suppress(*FAULTS):  # it is over anyway
            db.rollback()
        raise
    db.commit()


def server_start(db: Connection) -> datetime:
    """When the server of a connection started, which distinguishes it from every other one."""
    row = db.execute("SELECT pg_postmaster_start_time()").fetchone()
    assert row is not None
    started: datetime = row[0]
    return started


class Readers:
    """Connections for reads, on any thread."""

    def __init__(self, address: str, *, most: int) -> None:
        self._is_closed = False
        self._servers: weakref.WeakKeyDictionary[Connection, datetime] = weakref.WeakKeyDictionary()
        self._pool: ConnectionPool[Connection] = ConnectionPool(
            _conninfo(address),
            connection_class=_PrimaryConnection,
            kwargs={"autocommit": True},
            configure=self._configure,
            check=ConnectionPool.check_connection,
            min_size=1,
            max_size=most,
            # The pool would double its wait after each attempt, and wait long after an outage. Callers waiting for a
            # connection trigger the retry instead.
            reconnect_timeout=_RECONNECT_S,
            open=True,
        )

    @contextmanager
    def transaction(self, tenant: str) -> Generator[Connection]:
        """A snapshot of a tenant's rows. Raises StoreBusy if the database does not respond."""
        try:
            db = self._taken()
        except PoolTimeout as error:
            raise StoreBusy(
                f"no database connection available within {READ_WAIT_S:g} s",
                hint="retry in a few seconds",
            ) from error
        except FAULTS as error:
            raise StoreBusy(f"the database cannot be read: {error_text(error)}") from error
        try:
            with transaction(db, tenant, is_snapshot=True):
                yield db
        except FAULTS as error:
            raise StoreBusy(f"the database cannot be read: {error_text(error)}") from error
        finally:
            self._pool.putconn(db)

    def leave(self, primary: datetime) -> None:
        """Interrupt the connections to other servers than this one, by its start: a paused one never responds."""
        for db, started in list(self._servers.items()):
            if started != primary:
                interrupt(db)

    def close(self) -> None:
        self._is_closed = True
        self._pool.close()

    def _configure(self, db: Connection) -> None:
        set_up(db)
        self._servers[db] = server_start(db)

    def _taken(self) -> Connection:
        """A working connection. Waits in short steps: a waiter is not notified when the pool is closed."""
        end = monotonic() + READ_WAIT_S
        while True:
            try:
                return self._pool.getconn(timeout=_POOL_WAIT_S)
            except PoolTimeout:
                if self._is_closed or monotonic() > end:
                    raise


def error_text(error: Exception) -> str:
    """The message of PostgreSQL or the network, on one line."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0] if lines else type(error).__name__


def _set_up_at(conninfo: str, *, is_owner: bool = False) -> Connection:
    db = _PrimaryConnection.connect(conninfo, autocommit=True)
    try:
        set_up(db, is_owner=is_owner)
    except BaseException:
        db.close()
        raise
    return db


class _PrimaryConnection(psycopg.Connection[tuple[Any, ...]]):
    """Asks all hosts at once which one is the primary, so that one that does not respond delays nothing."""

    @classmethod
    def connect(cls, conninfo: str = "", **options: Any) -> Self:
        open_one = super().connect
        attempts = [partial(open_one, each, **options) for each in _of_each_host(conninfo)]
        return attempts[0]() if len(attempts) == 1 else _first(attempts)


_C = TypeVar("_C", bound=Connection)


def _first(attempts: Sequence[Callable[[], _C]]) -> _C:
    """The first connection of several attempts on threads; the others are closed.

    A host that refuses is asked again while another one has not responded: it may become the primary until then.
    """
    outcomes: SimpleQueue[_C | Exception] = SimpleQueue()
    lock, silent, taken = threading.Lock(), set(range(len(attempts))), list[_C]()

    def attempt(host: int) -> None:
        while True:
            try:
                db = attempts[host]()
            except Exception as error:
                with lock:
                    silent.discard(host)
                    is_over = bool(taken or not silent)
                if is_over:
                    outcomes.put(error)
                    return
                sleep(_ASK_AGAIN_S)
                continue
            with lock:
                taken.append(db)
            if taken[0] is db:
                outcomes.put(db)
            else:
                db.close()
            return

    for host in range(len(attempts)):
        threading.Thread(target=attempt, args=(host,), daemon=True).start()
    for left in reversed(range(len(attempts))):
        outcome = outcomes.get()
        if not isinstance(outcome, Exception):
            return outcome
        if not left:
            raise outcome
    raise AssertionError("there is at least one host")


def _of_each_host(conninfo: str) -> list[str]:
    """One address per host, if only the primary is wanted: no more than one of them accepts the connection."""
    given = {key: str(value) for key, value in conninfo_to_dict(conninfo).items()}
    hosts = given.get("host", "")
    if "," not in hosts or "hostaddr" in given or given["target_session_attrs"] not in ("read-write", "primary"):
        return [conninfo]
    pairs = _pairs(hosts, given.pop("port", ""))
    return [make_conninfo(**{**given, "host": host, **({"port": port} if port else {})}) for host, port in pairs]


def _conninfo(address: str, patience: Mapping[str, str] = _PATIENCE) -> str:
    """The address with our default timeouts; its own settings take precedence."""
    given = {key: str(value) for key, value in conninfo_to_dict(address).items() if value is not None}
    return make_conninfo(**{**patience, **given})


def _pairs(hosts: str, ports: str) -> list[tuple[str, str]]:
    names, numbers = hosts.split(","), ports.split(",")
    return [(name, numbers[min(place, len(numbers) - 1)]) for place, name in enumerate(names)]


@contextmanager
def within(db: Connection, seconds: float) -> Generator[None]:
    """Close the socket if this takes longer: the waiting call raises OperationalError."""
    # A duplicate of the descriptor: the original number could belong to another file by then.
    with _same_socket(db) as ours:
        timer = threading.Timer(seconds, _cut, (ours,))
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
            timer.join()


def interrupt(db: Connection) -> None:
    """Close the socket, from any thread: the waiting call raises OperationalError."""
    with contextlib.suppress(*FAULTS, OSError), _same_socket(db) as ours:  # unless it is closed
        _cut(ours)


def _same_socket(db: Connection) -> socket.socket:
    # Not with socket.dup, which makes both descriptors blocking: libpq would wait for more than there is.
    return socket.socket(fileno=os.dup(db.fileno()))


def _cut(ours: socket.socket) -> None:
    with contextlib.suppress(OSError):  # it is closed already
        ours.shutdown(socket.SHUT_RDWR)
