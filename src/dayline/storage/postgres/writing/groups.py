"""What is committed together: heartbeats that arrived one after the other, or one change of another kind.

A group has a number, which its transaction leaves in the database. Where the connection is lost while it commits,
nobody knows whether it did: so it is tried again with the same number, and refused where it had been committed after
all. What a change came to is known from the try that was; what heartbeats came to stands beside the number.
"""

import asyncio
from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any, Generic, Protocol, TypeVar

from msgspec import Struct

from dayline.model.access import Once
from dayline.model.errors import DaylineError
from dayline.model.time import now_us
from dayline.storage.postgres.connection import Connection, transaction
from dayline.storage.postgres.writing.catalogue import Changed, news_of, send_news
from dayline.storage.postgres.writing.heartbeats import Beat, MadeBefore, Mark, Part, attempt_of, beat, leave, recall
from dayline.storage.postgres.writing.transaction import PostgresTransaction
from dayline.storage.postgres.writing.values import Values
from dayline.storage.store import HeartbeatDone

T = TypeVar("T")


class Written(Struct, frozen=True, kw_only=True):
    """What a group came to: an outcome for each of its items, and what there is to tell of it."""

    outcomes: Sequence[object]
    changed: Sequence[Changed]


class Item(Protocol):
    """Something to be written. `is_held`: it waits for as long as it takes."""

    @property
    def tenant(self) -> str: ...
    @property
    def is_held(self) -> bool: ...
    @property
    def submitted(self) -> float: ...

    def answer(self, outcome: Any) -> None: ...


class QueuedBeat:
    """A heartbeat on its way."""

    __slots__ = ("beat", "done", "submitted", "tenant")
    is_held = True

    def __init__(self, tenant: str, beat: Beat, done: HeartbeatDone) -> None:
        self.tenant = tenant
        self.beat = beat
        self.done = done
        self.submitted = perf_counter()

    def answer(self, outcome: Any) -> None:
        self.done(outcome)


class QueuedChange(Generic[T]):
    """Any other change: a function that runs in the transaction, and the future that gets its result."""

    is_held = False

    def __init__(self, tenant: str, change: Callable[[PostgresTransaction], T], result: "asyncio.Future[T]") -> None:
        self.tenant = tenant
        self.change = change
        self.submitted = perf_counter()
        self._result = result

    def answer(self, outcome: Any) -> None:
        if self._result.done():  # the client has gone; the change is committed all the same
            return
        if isinstance(outcome, BaseException):
            self._result.set_exception(outcome)
        else:
            self._result.set_result(outcome)


class Probe(QueuedChange[None]):
    """A change that changes nothing: whether the database takes writes again, where nobody else would find out."""

    def __init__(self, result: "asyncio.Future[None]") -> None:
        super().__init__("", lambda turn: None, result)

    def answer(self, outcome: Any) -> None:
        """Nobody waits for it."""


class Group:
    """Items that are committed together, again and again until that succeeds."""

    def __init__(self, items: Sequence[QueuedBeat | QueuedChange[Any]], mark: Mark) -> None:
        self.items = items
        self._mark = mark
        self._tries: list[Written] = []  # those that came as far as to be committed
        self.is_in_doubt = False  # a try may have been committed

    @property
    def is_held(self) -> bool:
        return all(item.is_held for item in self.items)

    @property
    def submitted(self) -> float:
        return min(item.submitted for item in self.items)

    def write(self, db: Connection, values: Values) -> Written:
        """Commit it. Raises FAULTS: then it is to be tried again."""
        single = self.items[0]
        return self._change(db, single, values) if isinstance(single, QueuedChange) else self._beat(db)

    def _beat(self, db: Connection) -> Written:
        """In one order of tenants on all servers, or two of them would wait for each other."""
        places: dict[str, list[int]] = {}
        for place, item in enumerate(self.items):
            places.setdefault(item.tenant, []).append(place)
        beats = [item.beat for item in self.items if isinstance(item, QueuedBeat)]
        tenants = sorted(places)
        parts = [Part(tenant, [beats[place] for place in places[tenant]]) for tenant in tenants]
        self.is_in_doubt = True  # from now on, for the commit comes with it
        try:
            beaten = beat(db, self._mark, parts)
        except MadeBefore:
            beaten = recall(db, self._mark, parts)
        self.is_in_doubt = False
        outcomes = {
            place: outcome
            for tenant, each in zip(tenants, beaten, strict=True)
            for place, outcome in zip(places[tenant], each.outcomes, strict=True)
        }
        return Written(
            outcomes=[outcomes[place] for place in range(len(beats))], changed=[each.changed for each in beaten]
        )

    def _change(self, db: Connection, item: QueuedChange[Any], values: Values) -> Written:
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
                leave(db, self._mark, attempt=len(self._tries))
                send_news(db, [news_of(changed, server=self._mark.server)])
                self._tries.append(Written(outcomes=[outcome], changed=[changed]))
                self.is_in_doubt = True
        except MadeBefore:
            attempt = attempt_of(db, self._mark)
            assert attempt is not None  # nobody else has our numbers, and none above it is given before it is over
            return self._tries[attempt]
        self.is_in_doubt = False
        turn.committed()
        return self._tries[-1]


def _changed(turn: PostgresTransaction, item: QueuedChange[Any]) -> object:
    """What a change returns, or the error of our family that refuses it: then nothing of it stays."""
    try:
        with turn.db.transaction():
            return item.change(turn)
    except DaylineError as error:
        turn.forget()
        return error


def use_tokens(turn: PostgresTransaction, tokens: Sequence[Once]) -> bool:
    """Keep tokens of a change; False where one of them was used before."""
    for once in tokens:
        added = turn.db.execute(
            "INSERT INTO once(tenant, token, until) VALUES(%s, %s, %s) ON CONFLICT DO NOTHING",
            (turn.tenant, once.token, once.until),
        ).rowcount
        if not added:
            return False
    # More than come, so that those whose time is over do not gather.
    turn.db.execute(
        "DELETE FROM once WHERE tenant = %(tenant)s AND token IN (SELECT token FROM once "
        "WHERE tenant = %(tenant)s AND until < %(now)s ORDER BY until LIMIT 4 FOR UPDATE SKIP LOCKED)",
        {"tenant": turn.tenant, "now": now_us()},
    )
    return True
