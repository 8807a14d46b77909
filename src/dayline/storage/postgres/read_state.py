"""One state of one tenant's data for the length of a query, on the one connection of a query process."""

import contextlib
from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

import psycopg
from psycopg.pq import TransactionStatus

from dayline.model.errors import StoreUnusable
from dayline.storage.postgres.connection import FAULTS, Connection, connect, told

_CANCEL_S: Final = 0.1  # a process that does not give up its query soon is killed

_BEGIN: Final = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"


class ReadState:
    """A connection whose transaction begins with the first read. When it has been let go, the next read sees anew.

    `connections` counts how often it had to connect. What was remembered from an earlier connection may not be true any
    more, whatever versions say: another server may have taken over that had lost the last commits of the one before.
    """

    def __init__(self, address: str, tenant: str) -> None:
        self._address = address
        self._tenant = tenant
        self._db: Connection | None = None
        self.connections = 0

    @contextmanager
    def reading(self) -> Generator[Connection]:
        """The connection, inside its transaction. Raises StoreUnusable where the database cannot be read."""
        try:
            yield self._begun()
        except psycopg.Error as error:
            raise StoreUnusable(f"the database cannot be read at present: {told(error)}") from error

    def let_go(self) -> None:
        """End the transaction."""
        db = self._db
        if db is None or db.info.transaction_status == TransactionStatus.IDLE:
            return
        try:
            if db.info.transaction_status == TransactionStatus.ACTIVE:  # its query was given up in the middle
                db.cancel_safe(timeout=_CANCEL_S)
                self.close()
            else:
                db.rollback()
        except psycopg.Error:  # the connection was lost: whoever read was told
            self.close()

    def close(self) -> None:
        db, self._db = self._db, None
        if db is not None:
            with contextlib.suppress(psycopg.Error):
                db.close()

    def _begun(self) -> Connection:
        db = self._db
        if db is not None and db.info.transaction_status == TransactionStatus.INTRANS:
            return db
        if db is not None:
            try:
                db.rollback()
                db.execute(_BEGIN)
                return db
            except FAULTS:
                self.close()  # it was lost since the last query
        db = self._db = self._connected()
        db.execute(_BEGIN)
        return db

    def _connected(self) -> Connection:
        db = connect(self._address)
        self.connections += 1
        try:
            # A connection has one tenant for good, so that a query needs one round trip less.
            db.execute("SELECT set_config('dayline.tenant', %s, false)", (f"={self._tenant}",))
            db.execute("SET jit = off")  # compiling takes longer than any of our statements gains by it
        except BaseException:
            db.close()
            raise
        return db
