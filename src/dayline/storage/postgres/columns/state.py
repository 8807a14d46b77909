"""A snapshot of a tenant's data for the length of a query, on the primary or on a standby."""

import contextlib
import itertools
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from time import monotonic, sleep
from typing import Final, TypeVar

import psycopg
from psycopg.pq import TransactionStatus

from dayline.model.errors import ReplicaUnusable, StoreUnusable
from dayline.storage.postgres.connection import FAULTS, Connection, connect, connect_standby, error_text, within
from dayline.storage.postgres.replica.standby import Primary, misfit, primary_of, standby_of

T = TypeVar("T")

_CANCEL_S: Final = 0.1  # a process that does not cancel its query in time is killed

_BEGIN: Final = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"

WAIT_S: Final = 0.2  # for commits that have not reached the standby yet
_QUERY_LOOK_S: Final = 0.002
SILENT_S: Final = 5.0  # longer than a transaction takes to begin: the server was paused, another may be the primary
ANSWER_S: Final = 1.0  # longer than any wait: the standby hangs


class ReadState:
    """A connection whose transaction begins with the first read. After `release`, the next read begins a new one.

    `connections` counts how often the process had to connect. Data cached from another connection may be wrong even if
    versions agree: after a failover, the new server may have lost the last commits. `numbers` counts the connections of
    all states of one process.
    """

    fault: type[StoreUnusable] = StoreUnusable

    def __init__(self, address: str, tenant: str, *, numbers: Iterator[int] | None = None) -> None:
        self._address = address
        self._tenant = tenant
        self._db: Connection | None = None
        self.numbers = itertools.count(1) if numbers is None else numbers
        self.connections = 0

    @contextmanager
    def reading(self) -> Generator[Connection]:
        """The connection, inside its transaction. Raises StoreUnusable if the database cannot be read."""
        try:
            yield self._begun()
        except psycopg.Error as error:
            raise self.fault(f"the database cannot be read: {error_text(error)}") from error

    def ask(self, question: Callable[[Connection], T]) -> T:
        """Run a query outside of the snapshot. Raises StoreUnusable if the database cannot be read."""
        try:
            if self._db is not None:
                try:
                    return question(self._db)
                except FAULTS:
                    self.close()  # it was lost since the last query
            self._db = self._connected()
            return question(self._db)
        except psycopg.Error as error:
            raise self.fault(f"the database cannot be read: {error_text(error)}") from error

    def release(self) -> None:
        """End the transaction."""
        db = self._db
        if db is None or db.info.transaction_status == TransactionStatus.IDLE:
            return
        try:
            if db.info.transaction_status == TransactionStatus.ACTIVE:  # its query was cancelled
                db.cancel_safe(timeout=_CANCEL_S)
                self.close()
            else:
                db.rollback()
        except psycopg.Error:  # the connection was lost; the read has reported it
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
                with within(db, SILENT_S):
                    db.rollback()
                    self._begin(db)
                return db
            except FAULTS:
                self.close()  # it was lost since the last query, or its server was paused
        db = self._db = self._connected()
        self._begin(db)
        return db

    def _begin(self, db: Connection) -> None:
        db.execute(_BEGIN)

    def _open(self) -> Connection:
        return connect(self._address)

    def _connected(self) -> Connection:
        db = self._open()
        self.connections = next(self.numbers)
        try:
            # A connection keeps its tenant, which saves a round trip per query.
            db.execute("SELECT set_config('dayline.tenant', %s, false)", (f"={self._tenant}",))
            db.execute("SET jit = off")  # compiling costs more than our statements gain
        except BaseException:
            db.close()
            raise
        return db


class ReplicaState(ReadState):
    """A ReadState on a standby. Raises ReplicaUnusable: read from the primary then."""

    fault = ReplicaUnusable

    def __init__(self, address: str, tenant: str, primary: ReadState) -> None:
        super().__init__(address, tenant, numbers=primary.numbers)
        self._primary = primary
        self._patience_s = WAIT_S

    def _open(self) -> Connection:
        return connect_standby(self._address)

    def _begin(self, db: Connection) -> None:
        primary = self._primary.ask(primary_of)
        with within(db, ANSWER_S):
            self._wait(db, primary)
            super()._begin(db)

    def _wait(self, db: Connection, primary: Primary) -> None:
        """Wait until nothing is missing. After a timeout, the next query checks once without waiting."""
        end = monotonic() + self._patience_s
        while True:
            standby = standby_of(db)
            problem = misfit(primary, standby)
            if problem is not None:
                self.close()  # with several hosts, another may be the standby now
                raise ReplicaUnusable(f"the replica {problem}")
            if standby.has_all_of(primary):
                self._patience_s = WAIT_S
                return
            if monotonic() >= end:
                self._patience_s = 0
                raise ReplicaUnusable("the replica is behind")
            sleep(_QUERY_LOOK_S)
