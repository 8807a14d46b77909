"""A database for somebody who has to be alone with it, as its owner."""

from collections.abc import Generator, Iterable
from contextlib import contextmanager
from typing import Final

import psycopg

from dayline.model.errors import StoreLocked, StoreUnusable, Unavailable
from dayline.storage.postgres.connections.connection import FAULTS, Connection, connect, shown, told
from dayline.storage.postgres.schema.migrating import check_server, refuse_too_new, status_of

_OTHERS: Final = """
SELECT count(*) FROM pg_stat_activity
WHERE datname = current_database() AND application_name = 'dayline' AND pid <> pg_backend_pid()
"""
_LOCK_WAIT: Final = "3s"


@contextmanager
def opened(address: str) -> Generator[Connection]:
    """A connection to a database with tables of today. Raises Unavailable errors."""
    try:
        with connect(address, is_owner=True) as db:
            check_server(db)
            status = status_of(db)
            refuse_too_new(status, address)
            if status.state in ("empty", "old"):
                what = "has no tables of Dayline yet" if status.state == "empty" else "has tables of an older Dayline"
                verb = "init" if status.state == "empty" else "upgrade"
                raise StoreUnusable(f"{shown(address)} {what}", hint=f"dayline database {verb} makes them")
            yield db
    except FAULTS as error:
        raise Unavailable(f"{shown(address)}: {told(error)}", hint="nothing was changed; try it again later") from error


def refuse_others(db: Connection, address: str) -> None:
    """Raise StoreLocked while a server is connected, as far as this user may see that."""
    row = db.execute(_OTHERS).fetchone()
    if row is not None and row[0]:
        raise StoreLocked(
            f"{shown(address)} is in use: Dayline has {row[0]} other connections to it", hint="stop the servers first"
        )


def hold(db: Connection, address: str, tables: Iterable[str]) -> None:
    """Let nobody else write to these until the end of the transaction. Raises StoreLocked."""
    try:
        db.execute(f"SET LOCAL lock_timeout = '{_LOCK_WAIT}'")
        db.execute(f"LOCK TABLE {', '.join(tables)} IN SHARE ROW EXCLUSIVE MODE".encode())
    except psycopg.errors.LockNotAvailable as error:
        raise StoreLocked(f"{shown(address)} is in use", hint="stop the servers, or wait for another copy") from error
