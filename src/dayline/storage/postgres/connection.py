"""Connections to PostgreSQL: their role, their deadlines, and its errors as our own."""

import contextlib
import socket
import threading
from collections.abc import Generator, Iterable, Mapping
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

# The database cannot take it now: it is gone, starting, read-only after a failover, out of room or of connections, or
# has ended one of two transactions that waited for each other. Anything else is the fault of one change.
FAULTS: Final = (psycopg.OperationalError, psycopg.InterfaceError, psycopg.errors.ReadOnlySqlTransaction)

_POOL_WAIT_S: Final = 0.5
_RECONNECT_S: Final = 1.0
READ_WAIT_S: Final = 10.0  # for a connection, before a read is told to come back later
# For a lock of somebody else, on a table that is being altered, say. Then reads are told to come back later, and the
# writer tries again.
_WAIT_FOR_LOCKS: Final = "SET lock_timeout = '10s'"

# A peer that has vanished without a word is noticed after some ten seconds rather than after hours.
_PATIENCE: Final = {
    "connect_timeout": "5",
    "keepalives_idle": "5",
    "keepalives_interval": "2",
    "keepalives_count": "3",
    "tcp_user_timeout": "10000",
    "application_name": "dayline",
    "target_session_attrs": "read-write",
}
# Of a standby sooner: then the primary is asked instead.
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
    """The address without its password, for people and logs."""
    parts = conninfo_to_dict(address)
    host, port, name = (str(parts.get(each) or "") for each in ("host", "port", "dbname"))
    user = f"{parts['user']}@" if parts.get("user") else ""
    hosts = ",".join(f"{each}:{number}" if number else each for each, number in _pairs(host, port))
    return f"postgresql://{user}{hosts}/{name}"


def connect(address: str, *, is_owner: bool = False) -> Connection:
    """A connection in which every statement is a transaction of its own, unless one is begun. Raises FAULTS."""
    return _set_up_at(_conninfo(address), is_owner=is_owner)


def connect_standby(address: str) -> Connection:
    """The same to a server that follows another one, and to none that takes writes. Raises FAULTS."""
    return _set_up_at(_conninfo(address, _LITTLE_PATIENCE))


def set_up(db: Connection, *, is_owner: bool = False) -> None:
    """Take the role that row security binds. Raises StoreUnusable where the user may not."""
    db.execute(sql.SQL("SET search_path = {}").format(sql.Identifier(SCHEMA)))
    db.execute("SET jit = off")  # it takes longer than most of what we ask
    if is_owner:
        return
    db.execute(_WAIT_FOR_LOCKS)
    try:
        db.execute(sql.SQL("SET ROLE {}").format(sql.Identifier(ROLE)))
    except (psycopg.errors.InsufficientPrivilege, psycopg.errors.InvalidParameterValue) as error:
        raise StoreUnusable(
            f"the database user {db.info.user!r} may not act as {ROLE!r}",
            hint=f"as the owner of the database: dayline database init; then GRANT {ROLE} TO {db.info.user}",
        ) from error


@contextmanager
def transaction(db: Connection, tenant: str, *, is_snapshot: bool = False) -> Generator[Connection]:
    """A transaction that sees the rows of one tenant; with one state of everything where it is a snapshot."""
    kind = " ISOLATION LEVEL REPEATABLE READ, READ ONLY" if is_snapshot else ""
    # Together, which is one round trip.
    begin = sql.SQL("BEGIN{}; SELECT set_config('dayline.tenant', {}, true)").format(sql.SQL(kind), f"={tenant}")
    try:
        db.execute(begin)
        yield db
    except BaseException:
        with contextlib.suppress(*FAULTS):  # then it is over anyway
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
            # By itself it would wait twice as long after each attempt, and after an outage longer than that has lasted.
            # Those who wait for a connection have it tried again.
            reconnect_timeout=_RECONNECT_S,
            open=True,
        )

    @contextmanager
    def transaction(self, tenant: str) -> Generator[Connection]:
        """One state of a tenant's rows. Raises StoreBusy where the database does not answer."""
        try:
            db = self._taken()
        except PoolTimeout as error:
            raise StoreBusy(
                f"no connection to the database could be had within {READ_WAIT_S:g} s",
                hint="send it again in a few seconds",
            ) from error
        except FAULTS as error:
            raise StoreBusy(f"the database cannot be read at present: {error_text(error)}") from error
        try:
            with transaction(db, tenant, is_snapshot=True):
                yield db
        except FAULTS as error:
            raise StoreBusy(f"the database cannot be read at present: {error_text(error)}") from error
        finally:
            self._pool.putconn(db)

    def close(self) -> None:
        self._is_closed = True
        self._pool.close()

    def _taken(self) -> Connection:
        """A connection that works. In short waits: who waits in a pool that is closed meanwhile is not told of it."""
        end = monotonic() + READ_WAIT_S
        while True:
            try:
                return self._pool.getconn(timeout=_POOL_WAIT_S)
            except PoolTimeout:
                if self._is_closed or monotonic() > end:
                    raise


def error_text(error: Exception) -> str:
    """What PostgreSQL or the network says, in one line."""
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
    """The address with our patience; what it says itself goes before."""
    given = {key: str(value) for key, value in conninfo_to_dict(address).items() if value is not None}
    return make_conninfo(**{**patience, **given})


def _pairs(hosts: str, ports: str) -> list[tuple[str, str]]:
    names, numbers = hosts.split(","), ports.split(",")
    return [(name, numbers[min(place, len(numbers) - 1)]) for place, name in enumerate(names)]


# Arrays as PostgreSQL reads them: four times as quick as lists, which psycopg looks through for the types in them.


def as_array(numbers: Iterable[int | None]) -> str:
    """Whole numbers; None for NULL."""
    return f"{{{','.join(map(str, numbers))}}}".replace("None", "NULL")


def as_text_array(texts: Iterable[str]) -> str:
    """Texts, at least one of them."""
    escaped = '","'.join([text.replace("\\", "\\\\").replace('"', '\\"') for text in texts])
    return f'{{"{escaped}"}}'


# A limit on how long the other end may take: no setting of PostgreSQL's own holds for a server that stands still.


@contextmanager
def within(db: Connection, seconds: float) -> Generator[None]:
    """Cut the connection where this takes longer: whoever waits for it gets an OperationalError."""
    # Of our own: the number of the connection's could be that of another file by the time it is cut.
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
    with contextlib.suppress(OSError):  # it has ended by itself
        ours.shutdown(socket.SHUT_RDWR)
