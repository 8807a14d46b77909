"""From the moment its file is known to be damaged, a database writes heartbeats to the recovery file alone."""

import asyncio
from pathlib import Path

import pytest

from dayline.model.audit import AuditFilter, AuditTally
from dayline.model.errors import StoreBusy, StoreUnusable
from dayline.model.health import Damage
from dayline.model.time import now_us
from dayline.storage.sqlite.database import SqliteDatabase
from dayline.storage.sqlite.repair.mark import recovery_path, write_mark
from tests.support.storage.opened import beat, bucket, events_of, opened, sent

TALLY = AuditTally(
    slot=0, who="local", key_id="", address="", call="get_events", bucket="", status=200, first=1, last=2, count=3
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A database with one event."""

    async def fill() -> None:
        async with opened(tmp_path / "days.db") as store:
            await store.create_bucket(bucket("window"))
            await sent(store, "window", beat(0))

    asyncio.run(fill())
    return tmp_path / "days.db"


def marked(path: Path) -> Damage:
    return write_mark(path, "malformed", now=now_us())


def files_of(path: Path) -> dict[str, bytes]:
    """The damaged file and its log."""
    return {suffix: path.with_name(f"{path.name}{suffix}").read_bytes() for suffix in ("", "-wal")}


def test_heartbeats_are_stored_in_the_recovery_file_and_other_changes_refused(path: Path) -> None:
    async def leave() -> None:
        database = SqliteDatabase(path, asyncio.get_running_loop())
        store = database.store()
        await sent(store, "window", beat(100))
        leaving = asyncio.ensure_future(database.leave_damaged(marked(path)))
        early = [sent(store, "window", beat(200 + 10 * number), pulsetime=0) for number in range(3)]
        await leaving
        before = files_of(path)

        await asyncio.gather(*early, sent(store, "window", beat(300)))
        with pytest.raises(StoreBusy):
            await store.insert("window", [beat(400)])
        await database.access.note([TALLY], [], forget_before=0)
        await database.close()

        assert files_of(path) == before

    asyncio.run(leave())

    async def read() -> None:
        database = SqliteDatabase(path, asyncio.get_running_loop())
        try:
            await database.recover()
            assert database.path == recovery_path(path)
            assert [event["timestamp"][14:19] for event in events_of(database.store(), "window")] == [
                "00:00", "01:40", "03:20", "03:30", "03:40", "05:00",
            ]  # fmt: skip
            assert "get_events" in [entry.call for entry in database.access.audit(AuditFilter())]
        finally:
            await database.close()

    asyncio.run(read())


def test_a_bucket_that_only_memory_knows_is_in_the_recovery_file(path: Path) -> None:
    async def leave() -> None:
        database = SqliteDatabase(path, asyncio.get_running_loop())
        await database.store().create_bucket(bucket("new"))
        for file in (path.with_name(f"{path.name}-wal"), path):
            with file.open("r+b") as overwritten:  # never empty: SQLite deletes the log of an empty file
                overwritten.write(bytes(file.stat().st_size))

        await database.leave_damaged(marked(path))

        await sent(database.store(), "new", beat(0))
        await database.close()

    asyncio.run(leave())

    async def read() -> None:
        async with opened(path) as store:
            assert store.buckets()["new"].type == "test.type"
            assert len(events_of(store, "new")) == 1

    asyncio.run(read())


def test_without_a_recovery_file_the_database_stays_in_use_and_tries_again(path: Path) -> None:
    async def leave() -> None:
        database = SqliteDatabase(path, asyncio.get_running_loop())
        store, damage = database.store(), marked(path)
        part = path.with_name(f"{recovery_path(path).name}.part")
        part.mkdir()
        with pytest.raises((OSError, StoreUnusable)):
            await database.leave_damaged(damage)
        await sent(store, "window", beat(100))
        part.rmdir()

        await database.leave_damaged(damage)

        await sent(store, "window", beat(200))
        await database.close()

    asyncio.run(leave())

    async def read() -> None:
        database = SqliteDatabase(path, asyncio.get_running_loop())
        try:
            await database.recover()
            assert len(events_of(database.store(), "window")) == 3
        finally:
            await database.close()

    asyncio.run(read())
