"""A database in this process whose upkeep is tried, and what its file holds, read past the store."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

import msgspec

from dayline.model.data import canonical_json
from dayline.model.event import Event
from dayline.model.time import SECOND
from dayline.runtime.sqlite_file import READ_ONLY, connect
from dayline.storage.history.contract import TRASH_POLICY, TrashPolicy
from dayline.storage.sqlite.database import SqliteDatabase
from tests.support.storage.opened import BEGIN, bucket

Scenario = Callable[[SqliteDatabase], Awaitable[None]]


class Row(NamedTuple):
    """An event as the file has it, the start since 2026."""

    id: int
    start: int
    duration: int
    json: str


@asynccontextmanager
async def opened_database(path: Path, *, trash: TrashPolicy = TRASH_POLICY) -> AsyncGenerator[SqliteDatabase]:
    """The database of a file, closed at the end as the server does it."""
    database = SqliteDatabase(path, asyncio.get_running_loop(), trash=trash)
    try:
        yield database
    finally:
        await database.close()


def play(path: Path, scenario: Scenario, *, trash: TrashPolicy = TRASH_POLICY) -> None:
    """Open the database, make a bucket where it is new, and do something with it."""

    async def run() -> None:
        async with opened_database(path, trash=trash) as database:
            if "window" not in database.store().buckets():
                await database.store().create_bucket(bucket("window"))
            await scenario(database)

    asyncio.run(run())


def lasting(minute: float, seconds: float, *, app: str = "editor") -> Event:
    """An event this many minutes after the beginning."""
    data = canonical_json({"app": app})
    return Event(start=BEGIN + round(60 * minute * SECOND), duration=round(seconds * SECOND), data=data)


def rows_of(path: Path, bucket_id: str = "window") -> list[Row]:
    """The events of a bucket with their texts, in order of their ids."""
    sql = (
        "SELECT event.id, start, duration, json FROM event JOIN bucket ON bucket.key = event.bucket "
        "JOIN value ON value.key = event.value WHERE bucket.id = ? AND deleted IS NULL ORDER BY event.id"
    )
    rows = msgspec.convert(read(path, sql, bucket_id), list[tuple[int, int, int, str]])
    return [Row(*row) for row in rows]


def read(path: Path, sql: str, *values: str) -> list[tuple[object, ...]]:
    db = connect(path, READ_ONLY)
    try:
        return [*db.execute(sql, values)]
    finally:
        db.close()


def check_file(path: Path) -> None:
    """Nothing is wrong with the file, every event has its text, and the figures of the months hold for the rows."""
    assert read(path, "PRAGMA integrity_check") == [("ok",)]
    assert read(path, "SELECT 1 FROM event WHERE value NOT IN (SELECT key FROM value) LIMIT 1") == []
    assert read(path, "SELECT 1 FROM operation_event WHERE value NOT IN (SELECT key FROM value) LIMIT 1") == []
    wrong = """
    SELECT month.bucket, month.month, month.events, count(event.id) FROM month LEFT JOIN event
        ON event.bucket = month.bucket AND month.month = (
            (strftime('%Y', (start / 1000000 + 1767225600), 'unixepoch') - 1970) * 12
            + strftime('%m', (start / 1000000 + 1767225600), 'unixepoch') - 1)
    WHERE month.bucket IN (SELECT key FROM bucket WHERE deleted IS NULL)
    GROUP BY month.bucket, month.month
    HAVING month.events <> count(event.id) OR month.longest < max(duration) OR month.reach < max(start + duration)
    """
    assert read(path, wrong) == []
