"""The state that a query reads from a standby: one that has all that was acknowledged when the query began."""

from time import monotonic, sleep
from typing import Final

from dayline.model.errors import ReplicaUnusable
from dayline.storage.postgres.columns.read_state import ReadState
from dayline.storage.postgres.connections.connection import Connection, connect_standby
from dayline.storage.postgres.connections.deadline import within
from dayline.storage.postgres.replica.replica import Primary, misfit, primary_of, standby_of

WAIT_S: Final = 0.2  # for what is still on its way to the standby
_LOOK_S: Final = 0.002
_ANSWER_S: Final = 1.0  # more than any wait: the standby stands still


class ReplicaState(ReadState):
    """A ReadState on a standby. Raises ReplicaUnusable: what is asked is to be asked of the primary then."""

    fault = ReplicaUnusable

    def __init__(self, address: str, tenant: str, primary: ReadState) -> None:
        super().__init__(address, tenant, numbers=primary.numbers)
        self._primary = primary
        self._patience_s = WAIT_S

    def _open(self) -> Connection:
        return connect_standby(self._address)

    def _begin(self, db: Connection) -> None:
        primary = self._primary.ask(primary_of)
        with within(db, _ANSWER_S):
            self._wait(db, primary)
            super()._begin(db)

    def _wait(self, db: Connection, primary: Primary) -> None:
        """Return when nothing is missing. After a wait in vain the next query does not wait, but looks once."""
        end = monotonic() + self._patience_s
        while True:
            standby = standby_of(db)
            problem = misfit(primary, standby)
            if problem is not None:
                self.close()  # of several hosts another may be the standby now
                raise ReplicaUnusable(f"the replica {problem}")
            if standby.has_all_of(primary):
                self._patience_s = WAIT_S
                return
            if monotonic() >= end:
                self._patience_s = 0
                raise ReplicaUnusable("the replica has not got everything yet")
            sleep(_LOOK_S)
