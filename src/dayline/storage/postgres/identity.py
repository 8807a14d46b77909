"""The identity of a PostgreSQL database, whatever its address."""

from typing import Final

from psycopg import pq

from dayline.model.errors import StoreUnusable
from dayline.storage.postgres.connection import FAULTS, connect, display_address, error_text
from dayline.storage.postgres.replica.standby import DATABASE
from dayline.storage.postgres.schema.migrate import status_of

_TARGET: Final = ("service", "host", "hostaddr", "port", "dbname")
_IDENTITY: Final = f"SELECT (SELECT system_identifier::text FROM pg_control_system()) || '/' || {DATABASE}"


def target_of(address: str) -> str:
    """The server and database that an address names, including PG* environment variables, without the user.

    Addresses with the same target reach the same database; different targets may reach the same one too.
    """
    given = {option.keyword: option.val for option in pq.Conninfo.parse(address.encode()) if option.val}
    usual = {option.keyword: option.val for option in pq.Conninfo.get_defaults() if option.val}
    found = {**usual, **given}
    named = {**found, b"dbname": found.get(b"dbname") or found.get(b"user", b"")}  # as libpq does
    return " ".join(f"{name}={named.get(name.encode(), b'').decode()}" for name in _TARGET)


def identity_of(address: str) -> str:
    """Identifies a database; empty if it has no tables of ours. Only a copy of all files of the server has the same
    one.

    It stays the same after a failover. Raises StoreUnusable if the database does not respond.
    """
    try:
        with connect(address, is_owner=True) as db:
            if status_of(db).state == "empty":
                return ""
            row = db.execute(_IDENTITY.encode()).fetchone()
    except FAULTS as error:
        raise StoreUnusable(
            f"{display_address(address)} does not respond: {error_text(error)}",
            hint="check the address, and that the database server is running",
        ) from error
    assert row is not None
    return str(row[0])
