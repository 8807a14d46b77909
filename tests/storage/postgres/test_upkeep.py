"""Upkeep on PostgreSQL: of several servers one downsamples at a time, and no tenant sees anything of others."""

import asyncio
import random
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest
from click.testing import CliRunner

from dayline.cli.main import commands
from dayline.model.bucket import BucketChange
from dayline.model.errors import NotFound, Unavailable
from dayline.model.time import DAY
from dayline.storage.operations import background
from dayline.storage.postgres.connection import connect, transaction
from dayline.storage.postgres.database import PostgresDatabase
from dayline.storage.postgres.writing import lease
from dayline.storage.store import Store
from tests.support.postgres.servers import PostgresServer
from tests.support.storage.engine_upkeep import APPLIED_OFTEN
from tests.support.storage.file_upkeep import lasting
from tests.support.storage.opened import beat, bucket, events_of
from tests.support.waiting import PATIENCE_S, eventually

EVENTS = [lasting(minute / 10, 1, app=f"app {minute % 7}") for minute in range(1500)]
REMOVED = 1500 - 10 * 7  # quarters and apps
DOWNSAMPLING: Final = "thin_bucket"  # as in the API
DOWNSAMPLE = """
import asyncio, sys
from dayline.storage.operations import background
from dayline.storage.postgres.database import PostgresDatabase

async def main():
    background.SLICE_ROWS = 200  # so that it takes a while
    database = PostgresDatabase(sys.argv[1], asyncio.get_running_loop())
    print("now", flush=True)
    await database.upkeep.downsample({"window": 1})
    await database.close()

asyncio.run(main())
"""


@asynccontextmanager
async def opened(address: str) -> AsyncGenerator[PostgresDatabase]:
    """A server's part of the database."""
    database = PostgresDatabase(address, asyncio.get_running_loop(), read_connections=2)
    try:
        yield database
    finally:
        await database.close()


def play(address: str, scenario: Callable[[PostgresDatabase, PostgresDatabase], Awaitable[None]]) -> None:
    """Run a scenario with two servers, on a bucket `window`."""

    async def run() -> None:
        async with opened(address) as first, opened(address) as second:
            await first.store().create_bucket(bucket("window"))
            await first.store().insert("window", EVENTS)
            await scenario(first, second)

    asyncio.run(run())


def select(address: str, statement: str) -> list[tuple[Any, ...]]:
    with connect(address) as db, transaction(db, ""):
        return db.execute(statement.encode()).fetchall()


def test_of_two_servers_that_downsample_at_once_one_does_it(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lease, "_LEASE_US", DAY)  # a server that is held up keeps it

    async def scenario(first: PostgresDatabase, second: PostgresDatabase) -> None:
        both = await asyncio.gather(*(each.upkeep.downsample({"window": 1}) for each in (first, second)))
        assert sorted(downsampled.removed for [downsampled] in both) == [0, REMOVED]
        assert [item.kind for item in first.store().trash.all()] == [DOWNSAMPLING]

    play(address, scenario)


def test_who_loses_its_turn_stops_and_another_continues(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As where a server was held up, or lost the database, and came back."""
    monkeypatch.setattr(background, "SLICE_ROWS", 100)

    async def scenario(first: PostgresDatabase, second: PostgresDatabase) -> None:
        before = events_of(first.store(), "window")
        held_up = asyncio.ensure_future(first.upkeep.downsample({"window": 1}))
        async with asyncio.timeout(PATIENCE_S):
            while not await asyncio.to_thread(select, address, "SELECT 1 FROM operation_event LIMIT 1"):
                assert not held_up.done()
        with connect(address) as db, transaction(db, ""):
            db.execute("UPDATE redaction_owner SET owner = 'another', seen = 0")

        [rest] = await second.upkeep.downsample({"window": 1})
        with pytest.raises(Unavailable):
            await held_up

        assert 0 < rest.removed < REMOVED
        acts = second.store().trash.all()
        assert [(item.kind, item.state) for item in acts] == [(DOWNSAMPLING, "done")] * 2
        assert len(events_of(second.store(), "window")) == len(EVENTS) - REMOVED
        for item in acts:
            await second.store().trash.undo(item.id)
        assert events_of(second.store(), "window") == before

    play(address, scenario)


@pytest.mark.long
def test_downsampling_can_be_undone_whenever_a_server_was_killed(address: str) -> None:
    chance = random.Random(5)

    async def scenario(first: PostgresDatabase, second: PostgresDatabase) -> None:
        before = events_of(first.store(), "window")
        for _ in range(3):
            work = await asyncio.create_subprocess_exec(
                sys.executable, "-c", DOWNSAMPLE, address, cwd=Path(__file__).parents[3], stdout=asyncio.subprocess.PIPE
            )
            assert work.stdout is not None
            assert await work.stdout.readline() == b"now\n"
            await asyncio.sleep(chance.uniform(0, 0.4))
            work.kill()
            await work.wait()
            await second.upkeep.downsample({})  # what was cut off is done by then
            assert {item.state for item in second.store().trash.all()} <= {"done"}
            for item in second.store().trash.all():
                await second.store().trash.undo(item.id)
            assert events_of(second.store(), "window") == before
        [downsampled] = await second.upkeep.downsample({"window": 1})
        assert downsampled.removed == REMOVED

    play(address, scenario)


def test_what_undoes_something_is_numbered_for_each_tenant(address: str) -> None:
    async def change(store: Store, times: int) -> list[int]:
        await store.create_bucket(bucket("window"))
        return [await store.update_bucket("window", BucketChange(hostname=f"{n}")) for n in range(times)]

    async def run() -> None:
        async with opened(address) as database:
            ann, bob = database.store("ann"), database.store("bob")
            assert await change(ann, 3) == [1, 2, 3]
            assert await change(bob, 2) == [1, 2]
            with pytest.raises(NotFound):
                await bob.trash.undo(3)
            await ann.trash.undo(3)

    asyncio.run(run())


def test_each_tenant_sees_its_share_of_the_tables(address: str) -> None:
    async def fill(store: Store, events: int) -> None:
        await store.create_bucket(bucket("window"))
        for first in range(0, events, 1000):
            await store.insert("window", [beat(second, app=f"{second % 500}") for second in range(first, first + 1000)])

    async def run() -> tuple[int, int]:
        async with opened(address) as database:
            await fill(database.store("much"), 8000)
            await fill(database.store("little"), 2000)
            with connect(address, is_owner=True) as db:
                db.execute("ANALYZE")
            much, little = [(await database.upkeep_of(who).measure()).database for who in ("much", "little")]
            assert much.parts.events == pytest.approx(4 * little.parts.events, rel=0.1)
            return much.parts.events, little.parts.events

    much, little = asyncio.run(run())
    [(together,)] = select(
        address,
        "SELECT sum(pg_total_relation_size(inhrelid)) FROM pg_inherits WHERE inhparent = 'event'::regclass",
    )
    assert much + little == pytest.approx(int(together), rel=0.1)


def test_servers_apply_the_rules_by_themselves(address: str, tmp_path: Path) -> None:
    events = [{"timestamp": f"2026-01-01T10:{minute:02}:00Z", "duration": 30, "data": {"n": 1}} for minute in range(10)]
    (tmp_path / "other").mkdir()
    server, other = PostgresServer(address, tmp_path), PostgresServer(address, tmp_path / "other")
    server.constants = other.constants = APPLIED_OFTEN
    with server, other:
        server.create("window")
        server.post("/api/0/buckets/window/events", events)
        assert other.call("PUT", "/api/1/retention", [{"bucket": "*", "days": 1}]).status == 200

        eventually(lambda: server.get("/api/0/buckets/window/events/count").json == 1)

        assert [item["kind"] for item in server.get("/api/1/trash").json] == [DOWNSAMPLING]


def test_a_server_reports_disk_usage_and_which_server_compacts(address: str, tmp_path: Path) -> None:
    with PostgresServer(address, tmp_path) as server:
        server.create("window")
        server.post("/api/0/buckets/window/events", [{"timestamp": "2026-01-01T10:00:00Z", "data": {"n": 1}}])

        space = server.get("/api/1/space").json
        [found] = space["database"]["buckets"]
        assert (found["id"], found["events"], found["values"]) == ("window", 1, 1)
        assert space["total"] == space["database"]["file"] + space["segments"] > 0
        eventually(lambda: server.get("/api/1/buckets").json["buckets"][0]["bytes"] == found["bytes"])
        refused = server.post("/api/1/compact")
        assert (refused.status, "not on PostgreSQL" in refused.message) == (404, True)

        said = CliRunner(env={"HOME": str(tmp_path)}).invoke(commands, ["space", "--json", "--database", address])
        assert msgspec.json.decode(said.stdout)["database"]["buckets"] == [found]
