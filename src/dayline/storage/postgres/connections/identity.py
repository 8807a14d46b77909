"""Which PostgreSQL database an address means, and which one it reaches."""

from typing import Final

from psycopg import pq

from dayline.model.errors import StoreUnusable
from dayline.storage.postgres.connections.connection import FAULTS, connect, shown, told
from dayline.storage.postgres.replica.replica import DATABASE
from dayline.storage.postgres.schema.migrating import status_of

_TARGET: Final = ("service", "host", "hostaddr", "port", "dbname")
_IDENTITY: Final = f"SELECT (SELECT system_identifier::text FROM pg_control_system()) || '/' || {DATABASE}"


def target_of(address: str) -> str:
    """The server and the database that an address names, with the PG* variables of the environment; without its user.

    Two addresses with the same target reach the same database; two with different ones may do so, too.
    """
    given = {option.keyword: option.val for option in pq.Conninfo.parse(address.encode()) if option.val}
    usual = {option.keyword: option.val for option in pq.Conninfo.get_defaults() if option.val}
    found = {**usual, **given}
    named = {**found, b"dbname": found.get(b"dbname") or found.get(b"user", b"")}  # as libpq does
    return " ".join(f"{name}={named.get(name.encode(), b'').decode()}" for name in _TARGET)


def identity_of(address: str) -> str:
    """Identifies a database; empty if there are no tables of ours. Only a copy of all files of the server has the same.

    It stays the same when a standby takes over. Raises StoreUnusable if the database does not answer.
    """
    try:
        with connect(address, is_owner=True) as db:
            if status_of(db).state == "empty":
                return ""
            row = db.execute(_IDENTITY.encode()).fetchone()
    except FAULTS as error:
        raise StoreUnusable(
            f"{shown(address)} does not answer: {told(error)}", hint="does the database server run there?"
        ) from error
    assert row is not None
    return str(row[0])
