"""Connections to PostgreSQL: role, timeouts, and the translation of its errors."""

import contextlib
import socket
import threading
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from time import monotonic
from typing import Any, Final, TypeAlias

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
    """An autocommit connection. Raises FAULTS."""
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


class Readers:
    """Connections for reads, on any thread."""

    def __init__(self, address: str, *, most: int) -> None:
        self._is_closed = False
        self._pool: ConnectionPool[Connection] = ConnectionPool(
            _conninfo(address),
            kwargs={"autocommit": True},
            configure=set_up,
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

    def close(self) -> None:
        self._is_closed = True
        self._pool.close()

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
    db = psycopg.connect(conninfo, autocommit=True)
    try:
        set_up(db, is_owner=is_owner)
    except BaseException:
        db.close()
        raise
    return db


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


def _same_socket(db: Connection) -> socket.socket:
    borrowed = socket.socket(fileno=db.fileno())
    try:
        return borrowed.dup()
    finally:
        borrowed.detach()


def _cut(ours: socket.socket) -> None:
    with contextlib.suppress(OSError):  # it is closed already
        ours.shutdown(socket.SHUT_RDWR)
