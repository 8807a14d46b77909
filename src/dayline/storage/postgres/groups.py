"""What is committed together: heartbeats that arrived one after the other, or one change of another kind.

A group has a number, which its transaction leaves in the database. Where the connection is lost while it commits,
nobody knows whether it did: so it is tried again with the same number, and refused where it had been committed after
all. What it came to is known from the try that was.
"""

import asyncio
from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any, Generic, Protocol, TypeVar

import psycopg
from msgspec import Struct

from dayline.model.audit import Once
from dayline.model.errors import AlreadyDone, DaylineError
from dayline.model.timestamps import now_us
from dayline.storage.base import HeartbeatDone
from dayline.storage.postgres.changed import Changed, news_of, send_news
from dayline.storage.postgres.connection import Connection, transaction
from dayline.storage.postgres.heartbeats import Beat, Tail, Tails, beat
from dayline.storage.postgres.turn import Turn
from dayline.storage.postgres.values import Values

T = TypeVar("T")

_MARK = "INSERT INTO commit_mark(server, number, try) VALUES(%s, %s, %s)"
_UNMARK = "DELETE FROM commit_mark WHERE server = %s AND number < %s"
_TRY = "SELECT try FROM commit_mark WHERE server = %s AND number = %s"


class Memory(Struct, frozen=True, kw_only=True):
    """What a writer remembers from one commit to the next."""

    tails: Tails
    values: Values


class Mark(Struct, frozen=True, kw_only=True):
    """Whose commit it is, and which."""

    server: str
    number: int


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

    __slots__ = ("beat", "done", "once", "submitted", "tenant")
    is_held = True

    def __init__(self, tenant: str, beat: Beat, done: HeartbeatDone, once: tuple[Once, ...]) -> None:
        self.tenant = tenant
        self.beat = beat
        self.done = done
        self.once = once
        self.submitted = perf_counter()

    def answer(self, outcome: Any) -> None:
        self.done(outcome)


class QueuedChange(Generic[T]):
    """Any other change: a function that runs in the transaction, and the future that gets its result."""

    is_held = False

    def __init__(self, tenant: str, change: Callable[[Turn], T], result: "asyncio.Future[T]") -> None:
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

    def write(self, db: Connection, memory: Memory) -> Written:
        """Commit it. Raises FAULTS: then it is to be tried again."""
        turns: list[Turn] = []
        kept: list[tuple[str, dict[int, Tail]]] = []
        try:
            with transaction(db, self.items[0].tenant):
                written = self._apply(db, memory, turns, kept)
                db.execute(_MARK, (self._mark.server, self._mark.number, len(self._tries)))
                db.execute(_UNMARK, (self._mark.server, self._mark.number - 1))
                if isinstance(self.items[0], QueuedChange):
                    send_news(db, [news_of(each, server=self._mark.server) for each in written.changed])
                self._tries.append(written)
                self.is_in_doubt = True
        except psycopg.errors.UniqueViolation as error:
            if error.diag.constraint_name != "commit_mark_pkey":
                raise
            row = db.execute(_TRY, (self._mark.server, self._mark.number)).fetchone()
            if row is None:
                raise
            number: int = row[0]
            return self._tries[number]
        self.is_in_doubt = False
        for turn in turns:
            turn.committed()
        for tenant, tails in kept:
            memory.tails.keep(tenant, tails)
        return written

    def _apply(
        self, db: Connection, memory: Memory, turns: list[Turn], kept: list[tuple[str, dict[int, Tail]]]
    ) -> Written:
        outcomes: dict[int, object] = {}
        tenants = dict.fromkeys(item.tenant for item in self.items)
        for tenant in tenants:
            if len(tenants) > 1:
                db.execute("SELECT set_config('dayline.tenant', %s, true)", (f"={tenant}",))
            turn = Turn(db, tenant, memory.values)
            mine = [(place, item) for place, item in enumerate(self.items) if item.tenant == tenant]
            first = mine[0][1]
            if isinstance(first, QueuedChange):
                outcomes[mine[0][0]] = _changed(turn, first)
            else:
                beats = [(place, item) for place, item in mine if isinstance(item, QueuedBeat)]
                outcomes |= _beaten(turn, beats, memory.tails, kept)
            turn.finish()
            turns.append(turn)
        return Written(
            outcomes=[outcomes[place] for place in range(len(self.items))],
            changed=[
                Changed(
                    tenant=turn.tenant,
                    buckets=turn.published,
                    aliases=turn.aliases,
                    told=list(turn.told),
                    is_access=turn.is_access,
                )
                for turn in turns
            ],
        )


def _changed(turn: Turn, item: QueuedChange[Any]) -> object:
    """What a change returns, or the error of our family that refuses it: then nothing of it stays."""
    try:
        with turn.db.transaction():
            return item.change(turn)
    except DaylineError as error:
        turn.forget()
        return error


def _beaten(
    turn: Turn, items: Sequence[tuple[int, QueuedBeat]], tails: Tails, kept: list[tuple[str, dict[int, Tail]]]
) -> dict[int, object]:
    outcomes: dict[int, object] = {}
    fresh: list[tuple[int, QueuedBeat]] = []
    for place, item in items:
        if item.once and not use_tokens(turn, item.once):
            outcomes[place] = AlreadyDone()
        else:
            fresh.append((place, item))
    events, after = beat(turn, [item.beat for _, item in fresh], tails)
    kept.append((turn.tenant, after))
    for (place, item), event in zip(fresh, events, strict=True):
        outcomes[place] = event
        if item.once and isinstance(event, DaylineError):  # it may be made again when the reason is gone
            turn.db.execute("DELETE FROM once WHERE token = ANY(%s)", ([once.token for once in item.once],))
    return outcomes


def use_tokens(turn: Turn, tokens: Sequence[Once]) -> bool:
    """Keep tokens of a change; False where one of them was used before."""
    for once in tokens:
        added = turn.db.execute(
            "INSERT INTO once(token, until) VALUES(%s, %s) ON CONFLICT DO NOTHING", (once.token, once.until)
        ).rowcount
        if not added:
            return False
    # More than come, so that those whose time is over do not gather.
    turn.db.execute(
        "DELETE FROM once WHERE token IN "
        "(SELECT token FROM once WHERE until < %s ORDER BY until LIMIT 4 FOR UPDATE SKIP LOCKED)",
        (now_us(),),
    )
    return True
