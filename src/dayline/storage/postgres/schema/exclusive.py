"""Exclusive access to a database, as its owner."""

from collections.abc import Generator, Iterable
from contextlib import contextmanager
from time import monotonic, sleep
from typing import Final

import psycopg

from dayline.model.errors import StoreLocked, StoreUnusable, Unavailable
from dayline.storage.postgres.connection import FAULTS, Connection, connect, display_address, error_text
from dayline.storage.postgres.schema.migrate import check_server, refuse_too_new, status_of

_OTHERS: Final = """
SELECT count(*) FROM pg_stat_activity
WHERE datname = current_database() AND application_name = 'dayline' AND pid <> pg_backend_pid()
"""
_LOCK_WAIT: Final = "3s"
_ENDING_S: Final = 2.0  # after a server has stopped, PostgreSQL still shows its connections for a moment
_LOOK_S: Final = 0.05


@contextmanager
def opened(address: str) -> Generator[Connection]:
    """A connection to a database with the current schema. Raises Unavailable errors."""
    try:
        with connect(address, is_owner=True) as db:
            check_server(db)
            status = status_of(db)
            refuse_too_new(status, address)
            if status.state in ("empty", "old"):
                what = "has no Dayline tables yet" if status.state == "empty" else "has an older schema"
                verb = "init" if status.state == "empty" else "upgrade"
                raise StoreUnusable(f"{display_address(address)} {what}", hint=f"run: dayline database {verb}")
            yield db
    except FAULTS as error:
        raise Unavailable(
            f"{display_address(address)}: {error_text(error)}", hint="nothing was changed; retry later"
        ) from error


def refuse_others(db: Connection, address: str) -> None:
    """Raise StoreLocked while a server is connected, as far as this user can see that."""
    deadline = monotonic() + _ENDING_S
    while (row := db.execute(_OTHERS).fetchone()) is not None and row[0]:
        if monotonic() > deadline:
            raise StoreLocked(
                f"{display_address(address)} is in use: Dayline has {row[0]} other connections to it",
                hint="stop the servers first",
            )
        sleep(_LOOK_S)
        db.execute("SELECT pg_stat_clear_snapshot()")  # within a transaction, the same would be returned


def hold(db: Connection, address: str, tables: Iterable[str]) -> None:
    """Block writes of others to these tables until the end of the transaction. Raises StoreLocked."""
    try:
        db.execute(f"SET LOCAL lock_timeout = '{_LOCK_WAIT}'")
        db.execute(f"LOCK TABLE {', '.join(tables)} IN SHARE ROW EXCLUSIVE MODE".encode())
    except psycopg.errors.LockNotAvailable as error:
        raise StoreLocked(
            f"{display_address(address)} is in use", hint="stop the servers, or wait for another copy"
        ) from error
