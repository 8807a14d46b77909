"""Groups of items that are committed together: consecutive heartbeats, or one other change.

A group has a number, which its transaction stores in the database. If the connection is lost during the commit, its
outcome is unknown: it is retried with the same number, and refused if the first attempt was committed after all. The
result of a change is known from that attempt; the results of heartbeats are stored with the number.
"""

import asyncio
from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any, TypeVar

from msgspec import Struct

from dayline.model.errors import DaylineError
from dayline.storage.history.contract import HeartbeatDone
from dayline.storage.postgres.connection import Connection, transaction
from dayline.storage.postgres.writing.catalogue import Changed, message_of, send_messages
from dayline.storage.postgres.writing.heartbeats import (
    AlreadyCommitted,
    Beat,
    CommitMarker,
    TenantHeartbeats,
    attempt_of,
    beat,
    read_outcome,
    write_marker,
)
from dayline.storage.postgres.writing.transaction import PostgresTransaction
from dayline.storage.postgres.writing.values import ValueDictionary
from dayline.storage.writing.holding import PendingChange

T = TypeVar("T")


class Written(Struct, frozen=True, kw_only=True):
    """The result of a group: an outcome for each item, and the changes to announce."""

    outcomes: Sequence[object]
    changed: Sequence[Changed]


class QueuedBeat:
    """A queued heartbeat."""

    __slots__ = ("beat", "done", "submitted", "tenant")
    is_held = True

    def __init__(self, tenant: str, beat: Beat, done: HeartbeatDone) -> None:
        self.tenant = tenant
        self.beat = beat
        self.done = done
        self.submitted = perf_counter()

    def answer(self, outcome: Any) -> None:
        self.done(outcome)


class QueuedChange(PendingChange[T]):
    """Any other change: a function that runs in the transaction."""

    def __init__(self, tenant: str, change: Callable[[PostgresTransaction], T], result: "asyncio.Future[T]") -> None:
        super().__init__(result)
        self.tenant = tenant
        self.change = change


class Probe(QueuedChange[None]):
    """Changes nothing: checks whether the database can be written again."""

    def __init__(self, result: "asyncio.Future[None]") -> None:
        super().__init__("", lambda turn: None, result)

    def answer(self, outcome: Any) -> None:
        """Nothing waits for it."""


class Group:
    """Items that are committed together, retried until that succeeds."""

    def __init__(self, items: Sequence[QueuedBeat | QueuedChange[Any]], mark: CommitMarker) -> None:
        self.items = items
        self._mark = mark
        self._tries: list[Written] = []  # attempts that reached the commit
        self.is_in_doubt = False  # an attempt may have been committed

    @property
    def is_held(self) -> bool:
        return all(item.is_held for item in self.items)

    @property
    def submitted(self) -> float:
        return min(item.submitted for item in self.items)

    def write(self, db: Connection, values: ValueDictionary) -> Written:
        """Commit the group. Raises FAULTS: retry it then."""
        single = self.items[0]
        return self._change(db, single, values) if isinstance(single, QueuedChange) else self._beat(db)

    def _beat(self, db: Connection) -> Written:
        """All servers use the same order of tenants, to avoid deadlocks."""
        places: dict[str, list[int]] = {}
        for place, item in enumerate(self.items):
            places.setdefault(item.tenant, []).append(place)
        beats = [item.beat for item in self.items if isinstance(item, QueuedBeat)]
        tenants = sorted(places)
        parts = [TenantHeartbeats(tenant, [beats[place] for place in places[tenant]]) for tenant in tenants]
        self.is_in_doubt = True  # from now on: the statement includes the commit
        try:
            beaten = beat(db, self._mark, parts)
        except AlreadyCommitted:
            beaten = read_outcome(db, self._mark, parts)
        self.is_in_doubt = False
        outcomes = {
            place: outcome
            for tenant, each in zip(tenants, beaten, strict=True)
            for place, outcome in zip(places[tenant], each.outcomes, strict=True)
        }
        return Written(
            outcomes=[outcomes[place] for place in range(len(beats))], changed=[each.changed for each in beaten]
        )

    def _change(self, db: Connection, item: QueuedChange[Any], values: ValueDictionary) -> Written:
        turn = PostgresTransaction(db, item.tenant, values)
        try:
            with transaction(db, item.tenant):
                outcome = _changed(turn, item)
                turn.finish()
                changed = Changed(
                    tenant=turn.tenant,
                    buckets=turn.published,
                    aliases=turn.aliases,
                    notices=list(turn.notices),
                    is_access=turn.is_access,
                )
                write_marker(db, self._mark, attempt=len(self._tries))
                send_messages(db, [message_of(changed, server=self._mark.server)])
                self._tries.append(Written(outcomes=[outcome], changed=[changed]))
                self.is_in_doubt = True
        except AlreadyCommitted:
            attempt = attempt_of(db, self._mark)
            assert (
                attempt is not None
            )  # no other server has our numbers, and no higher one is assigned before this is over
            return self._tries[attempt]
        self.is_in_doubt = False
        turn.committed()
        return self._tries[-1]


def _changed(turn: PostgresTransaction, item: QueuedChange[Any]) -> object:
    """The result of a change, or the DaylineError that it raised, which rolls it back."""
    try:
        with turn.db.transaction():
            return item.change(turn)
    except DaylineError as error:
        turn.forget()
        return error
