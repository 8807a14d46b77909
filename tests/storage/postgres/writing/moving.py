"""Buckets to rename, merge and move in PostgreSQL, and all that can be seen of them."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

import msgspec
from msgspec import Struct

from dayline.model.event import Event
from dayline.model.time import SECOND, month_of, now_us
from dayline.model.upkeep.undo import Undone
from dayline.storage.engine.tenant import TenantWriter
from dayline.storage.guard import FULL_ACCESS
from dayline.storage.history.buckets import delete_bucket
from dayline.storage.history.contract import Inserted
from dayline.storage.history.edits import delete_event
from dayline.storage.history.merges import Merges
from dayline.storage.history.moves import Moves
from dayline.storage.history.trash import Trash
from dayline.storage.history.undo_log import Operation
from dayline.storage.postgres.rows.read_transaction import PostgresReaders
from dayline.storage.postgres.writing.catalogue import read_all
from dayline.storage.postgres.writing.transaction import read_aliases
from tests.storage.postgres.desk import Desk, desk
from tests.storage.postgres.writing.trashing import history_at
from tests.support.storage.opened import beat, bucket

Row = tuple[int, int, int, str]  # id, start, duration, app


class Shop(Struct, frozen=True, eq=False):
    """One server's buckets, moves and trash."""

    at: Desk
    merges: Merges
    trash: Trash

    @property
    def readers(self) -> PostgresReaders:
        return PostgresReaders(self.at.readers, "")

    @property
    def moves(self) -> Moves:
        return self.moves_of(self.at.tenant_writer)

    def moves_of(self, tenant_writer: TenantWriter) -> Moves:
        return Moves(
            tenant_writer,
            self.readers,
            self.merges,
            self.trash.expire_if_disabled,
            FULL_ACCESS,
        )

    def read(self, operation: int) -> Operation:
        with self.readers.transaction() as tx:
            found = tx.operation(operation)
        assert found is not None
        return found

    async def create(self, bucket_id: str, **fields: str) -> None:
        made = msgspec.structs.replace(bucket(bucket_id), **fields)
        await self.at.tenant_writer.change(lambda turn: turn.create_bucket(made))

    async def delete(self, bucket_id: str) -> int:
        return await self.at.tenant_writer.change(lambda turn: delete_bucket(turn, bucket_id, now=now_us()))

    async def insert(self, bucket_id: str, events: Sequence[Event]) -> Inserted:
        return await self.at.tenant_writer.change(lambda turn: turn.insert(bucket_id, events, now=now_us()))

    async def delete_event(self, bucket_id: str, event_id: int) -> int | None:
        return await self.at.tenant_writer.change(lambda turn: delete_event(turn, bucket_id, event_id, now=now_us()))

    async def beat(self, bucket_id: str, event: Event, *, pulsetime: float = 5) -> Event:
        answer: asyncio.Future[Event] = asyncio.get_running_loop().create_future()

        def done(outcome: Any) -> None:
            if isinstance(outcome, Event):
                answer.set_result(outcome)
            else:
                answer.set_exception(outcome)

        self.at.tenant_writer.heartbeat(bucket_id, event, round(pulsetime * SECOND), done)
        return await answer

    async def undo(self, act: int | None) -> Undone:
        return await self.trash.undo(act or 0)

    def rows(self, bucket_id: str) -> list[Row]:
        """The events that are found under an id, in order."""
        with self.at.readers.transaction("") as db:
            found = db.execute(
                "SELECT event.id, start, duration, json::json ->> 'app' FROM event "
                "JOIN value ON value.tenant = event.tenant AND value.bucket = event.bucket AND value.key = event.value "
                "JOIN bucket ON bucket.tenant = event.tenant AND bucket.key = event.bucket "
                "WHERE bucket.id = %s AND bucket.deleted IS NULL ORDER BY start, event.id",
                (self.own_id(bucket_id),),
            ).fetchall()
        return [(event_id, start, duration, app) for event_id, start, duration, app in found]

    def apps(self, bucket_id: str) -> list[str]:
        return [app for *_, app in self.rows(bucket_id)]

    def own_id(self, bucket_id: str) -> str:
        with self.at.readers.transaction("") as db:
            return read_aliases(db, [""])[""].get(bucket_id, bucket_id)

    def ids(self) -> list[str]:
        with self.at.readers.transaction("") as db:
            return [state.bucket.id for state in read_all(db, [""])[""]]

    def everything(self) -> Any:
        """All that a client can see, but for what the trash has; and what the figures say agrees with it."""
        with self.at.readers.transaction("") as db:
            states = read_all(db, [""])[""]
            months = db.execute("SELECT bucket, month, events, longest, reach FROM month WHERE events > 0").fetchall()
        seen = [(state.bucket, self.rows(state.bucket.id)) for state in states]
        for state, (found, rows) in zip(states, seen, strict=True):
            assert found.start == min((start for _, start, *_ in rows), default=None)
            assert found.end == max((start + duration for _, start, duration, _ in rows), default=None)
            figures = {month: tuple(rest) for key, month, *rest in months if key == state.key}
            assert {month: count for month, (count, *_) in figures.items()} == _counted(rows)
            for _, start, duration, _ in rows:
                _, longest, reach = figures[month_of(start)]
                assert duration <= longest
                assert start + duration <= reach
        return [(alias.id, alias.bucket) for alias in self.moves.aliases()], seen


@asynccontextmanager
async def shop(address: str) -> AsyncGenerator[Shop]:
    async with desk(address) as at:
        yield Shop(at, *history_at(at))


def play(address: str, scenario: Callable[[Shop], Awaitable[None]]) -> None:
    """Run a scenario on the buckets `old`, with five events, and `other`."""

    async def run() -> None:
        async with shop(address) as made:
            for bucket_id in ("old", "other"):
                await made.create(bucket_id)
            await made.insert("old", [beat(second, app=f"app {second}") for second in range(5)])
            await scenario(made)

    asyncio.run(run())


def many(count: int) -> list[Event]:
    """Events of some months and lengths; of every text there are a few."""
    step = 7200  # seconds
    return [
        msgspec.structs.replace(beat(100 + number * step, app=f"many {number % 97}"), duration=number % 5 * SECOND)
        for number in range(count)
    ]


def _counted(rows: Sequence[Row]) -> dict[int, int]:
    months: dict[int, int] = {}
    for _, start, *_ in rows:
        months[month_of(start)] = months.get(month_of(start), 0) + 1
    return months
