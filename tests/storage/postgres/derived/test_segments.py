"""Segments on PostgreSQL: any one server builds them, whatever becomes of it, and they keep no text that is gone."""

import asyncio
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest

import dayline.storage.postgres.derived.engine as segment_engine
from dayline.model.privacy.rules import PrivacyRule
from dayline.model.time import month_of, parse_timestamp
from dayline.storage.columns.builder import PackBuilding
from dayline.storage.columns.segment_plan import BuildReport, SegmentKey, SegmentPace
from dayline.storage.columns.source import Codes, Ids, ReadReport
from dayline.storage.columns.value_packs import ValuePack
from dayline.storage.operations.children import ChildFailed, child_command, child_environment
from dayline.storage.postgres.columns.source import PostgresColumns
from dayline.storage.postgres.connection import connect, transaction
from dayline.storage.postgres.database import PostgresDatabase
from dayline.storage.postgres.derived.builder import build
from dayline.storage.postgres.derived.engine import run_builder
from dayline.storage.store import Store
from tests.support.calls.load import Watcher
from tests.support.maintenance.documents import document
from tests.support.postgres.servers import PostgresServer
from tests.support.privacy import rule
from tests.support.storage.building import ON_REQUEST, built_in_this_process, halted_postgres, months_of
from tests.support.storage.columns_read import CACHE_BYTES, read, stored
from tests.support.storage.opened import bucket
from tests.support.storage.redacting import order
from tests.support.waiting import eventually, eventually_async

MONTHS: Final = ("2024-01-10T00:00:00Z", "2024-02-10T00:00:00Z", "2024-03-10T00:00:00Z")
BUSY: Final = SegmentPace(initial_delay_s=0, interval_s=0.05, min_events=1)
_HELD: Final = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND classid = x'7365676D'::int AND granted"


class Servers:
    """Servers on one database, and what is in its tables of derived data."""

    def __init__(self, address: str, count: int, pace: SegmentPace) -> None:
        self.address = address
        loop = asyncio.get_running_loop()
        self.databases = [PostgresDatabase(address, loop, segment_pace=pace) for _ in range(count)]
        self._db = connect(address)  # one for everything that a test looks at: a connection costs a process

    @property
    def store(self) -> Store:
        return self.databases[0].store()

    async def fill(self, bucket_id: str = "window") -> None:
        await self.store.create_bucket(bucket(bucket_id))
        await self.store.insert(bucket_id, months_of(*MONTHS))

    async def build(self) -> None:
        holding = self.builders()
        await self.databases[0].build_segments()
        # PostgreSQL releases the lock of a builder when it notices that its connection is closed: a moment later.
        await eventually_async(lambda: self.builders() <= holding)

    async def close(self) -> None:
        self._db.close()
        for database in self.databases:
            await database.close()

    def do(self, statement: str) -> None:
        with transaction(self._db, ""):
            self._db.execute(statement.encode())

    def select(self, query: str) -> list[tuple[Any, ...]]:
        with transaction(self._db, ""):
            return self._db.execute(query.encode()).fetchall()

    def builders(self) -> int:
        """How many hold the lock of a builder."""
        return int(self.select(_HELD)[0][0])

    def count(self, table: str) -> int:
        return len(self.select(f"SELECT 1 FROM {table}"))

    def packed_titles(self) -> bytes:
        packs = self.select("SELECT bucket, first, packed FROM pack")
        parts = [ValuePack(packed, bucket=key, first=first).part("title") for key, first, packed in packs]
        return b"".join(part.heap for part in parts)

    def read(self, bucket_id: str = "window") -> ReadReport:
        """Where a read of everything takes its events from; they must be those of the rows."""
        columns = PostgresColumns(self.address, "", cache_bytes=CACHE_BYTES)
        with columns.snapshot() as source:
            events, report = read(source, bucket_id)
        columns.close()
        assert events == stored(self.store, bucket_id)
        return report


def play(
    address: str, scenario: Callable[[Servers], Awaitable[None]], *, count: int = 1, pace: SegmentPace = ON_REQUEST
) -> None:
    async def run() -> None:
        servers = Servers(address, count, pace)
        try:
            await scenario(servers)
        finally:
            await servers.close()

    asyncio.run(run())


def test_of_two_servers_one_builds_each_month(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    built: list[SegmentKey] = []

    async def run(*arguments: object, **named: Any) -> BuildReport:
        report = await run_builder(*arguments, **named)
        built.extend(report.built)
        return report

    monkeypatch.setattr(segment_engine, "run_builder", run)

    async def scenario(servers: Servers) -> None:
        await servers.fill()
        await eventually_async(lambda: servers.count("segment") == len(MONTHS))
        await asyncio.gather(*(database.build_segments() for database in servers.databases))

        assert servers.read().row_events == 0

    play(address, scenario, count=2, pace=BUSY)

    assert len(built) == len(set(built)) == len(MONTHS)


def test_nothing_is_built_while_another_builder_is_at_work(address: str) -> None:
    async def scenario(servers: Servers) -> None:
        await servers.fill()
        with connect(address) as other:
            other.execute("SELECT pg_advisory_lock(x'7365676D'::int, hashtext(''))")
            await servers.build()
            assert servers.count("segment") == 0
            other.execute("SELECT pg_advisory_unlock_all()")
        await servers.build()
        assert servers.count("segment") == len(MONTHS)

    with built_in_this_process():
        play(address, scenario)


def test_a_month_that_changed_since_it_was_sealed_is_skipped(address: str) -> None:
    async def scenario(servers: Servers) -> None:
        await servers.fill()
        await servers.build()
        await servers.store.insert("window", months_of(MONTHS[1], events=1))
        old = SegmentKey(1, month_of(parse_timestamp(MONTHS[1])), 0)
        servers.do("DELETE FROM segment")

        assert build(address, "", [old]).built == []

    with built_in_this_process():
        play(address, scenario)


TEXT_CHANGED: Final = """
UPDATE value SET json = replace(json, 'editor', 'hidden'), hash = hash + 1 WHERE bucket = 1;
UPDATE month SET is_sealed = false, changes = changes + 1 WHERE bucket = 1;
UPDATE bucket SET dictionary = dictionary + 1 WHERE key = 1
"""
TEXT_REMOVED: Final = "DELETE FROM value WHERE key = 1"
MONTH_CHANGED: Final = "UPDATE month SET is_sealed = false, changes = changes + 1"
BUCKET_DELETED: Final = "UPDATE bucket SET deleted = 1"


@pytest.mark.parametrize("change", [TEXT_CHANGED, MONTH_CHANGED, BUCKET_DELETED], ids=["text", "month", "bucket"])
def test_segments_of_a_bucket_that_changed_during_a_build_are_not_kept(address: str, change: str) -> None:
    read_codes = PackBuilding.codes

    def codes(packs: PackBuilding, keys: Ids) -> Codes:
        """Read the texts, and have something changed before they are kept."""
        found = read_codes(packs, keys)
        with connect(address) as db, transaction(db, ""):
            db.execute(change.encode())
        return found

    async def scenario(servers: Servers) -> None:
        await servers.fill()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(PackBuilding, "codes", codes)
            await servers.build()

        assert (servers.count("segment"), servers.count("pack")) == (0, 0)

    with built_in_this_process():
        play(address, scenario)


def test_packs_that_were_removed_during_a_build_are_not_restored(address: str) -> None:
    read_codes = PackBuilding.codes

    def codes(packs: PackBuilding, keys: Ids) -> Codes:
        found = read_codes(packs, keys)
        with connect(address) as db, transaction(db, ""):
            db.execute("DELETE FROM event WHERE value = 1")
            db.execute(TEXT_REMOVED)
        return found

    async def scenario(servers: Servers) -> None:
        await servers.store.create_bucket(bucket("window"))
        await servers.store.insert("window", months_of(MONTHS[0]))
        await servers.build()
        await servers.store.insert("window", months_of(MONTHS[1]))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(PackBuilding, "codes", codes)
            await servers.build()

        assert (servers.count("segment"), servers.count("pack")) == (0, 0)

    with built_in_this_process():
        play(address, scenario)


@pytest.mark.parametrize("change", [TEXT_CHANGED, TEXT_REMOVED], ids=["changed", "removed"])
def test_no_text_stays_packed_that_was_changed_or_removed(address: str, change: str) -> None:
    async def scenario(servers: Servers) -> None:
        await servers.fill()
        await servers.fill("other")
        await servers.build()

        servers.do(change)

        assert servers.select("SELECT DISTINCT bucket FROM pack") == [(2,)]
        assert servers.select("SELECT DISTINCT bucket FROM segment") == [(2,)]

    with built_in_this_process():
        play(address, scenario)


@pytest.mark.parametrize("change", [rule("00Z 1", replacement="hidden"), rule("00Z 1", action="drop")])
def test_no_text_stays_packed_that_was_redacted_for_good(address: str, change: PrivacyRule) -> None:
    async def scenario(servers: Servers) -> None:
        await servers.fill()
        await servers.build()
        assert b"00Z 1" in servers.packed_titles()
        redaction = await servers.store.redactions.apply(order(change))
        assert servers.read().segment_events == 0
        await servers.build()
        assert servers.read().row_events == 0
        await servers.store.redactions.make_final(redaction.id)
        await servers.build()

        assert servers.read().row_events == 0
        assert b"00Z 1" not in servers.packed_titles()

    with built_in_this_process():
        play(address, scenario)


def test_a_purged_bucket_leaves_nothing(address: str) -> None:
    async def scenario(servers: Servers) -> None:
        await servers.fill()
        await servers.build()
        await servers.store.delete_bucket("window")
        assert servers.count("segment") == len(MONTHS)
        await servers.store.trash.empty()
        await eventually_async(lambda: servers.count("bucket") == 0)

        assert (servers.count("segment"), servers.count("pack")) == (0, 0)

    with built_in_this_process():
        play(address, scenario)


ONE_BYTE: Final = "set_byte(packed, length(packed) / 2, 255 - get_byte(packed, length(packed) / 2))"


@pytest.mark.parametrize("table", ["segment", "pack"])
@pytest.mark.parametrize("damage", [ONE_BYTE, "''"], ids=["a byte", "all"])
def test_what_is_damaged_is_not_read_and_built_again(address: str, table: str, damage: str) -> None:
    async def scenario(servers: Servers) -> None:
        await servers.fill()
        await servers.build()
        servers.do(f"UPDATE {table} SET packed = {damage}")

        assert servers.read().segment_events == 0
        assert (servers.count("segment"), servers.count("pack")) == (0, 0)
        await servers.build()
        assert servers.read().row_events == 0

    with built_in_this_process():
        play(address, scenario)


def test_a_builder_notices_damage_too(address: str) -> None:
    async def scenario(servers: Servers) -> None:
        await servers.fill()
        await servers.build()
        servers.do("UPDATE pack SET packed = ''")
        await servers.store.insert("window", months_of(MONTHS[0], events=1, app="late"))
        await servers.build()
        await servers.build()

        assert servers.read().row_events == 0

    with built_in_this_process():
        play(address, scenario)


@pytest.mark.parametrize(("point", "stored_buckets"), [("first", 0), ("middle", 1), ("second", 2)])
def test_a_builder_that_is_killed_leaves_nothing_wrong(
    address: str, monkeypatch: pytest.MonkeyPatch, point: str, stored_buckets: int
) -> None:
    names = ("first", "second", "third")

    async def scenario(servers: Servers) -> None:
        for name in names:
            await servers.fill(name)
        monkeypatch.setattr(segment_engine, "run_builder", partial(halted_postgres, point))
        with pytest.raises(ChildFailed):
            await servers.build()

        assert [servers.read(name).row_events == 0 for name in names] == [n < stored_buckets for n in range(3)]
        with built_in_this_process():
            await eventually_async(lambda: servers.builders() == 0)
            await servers.build()
        assert all(servers.read(name).row_events == 0 for name in names)

    with built_in_this_process():  # the words too
        play(address, scenario)


@pytest.mark.long
def test_a_builder_that_is_killed_at_any_time_leaves_nothing_wrong(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ("first", "second")
    for name in names:
        (tmp_path / name).write_bytes(document(name, events=3_000, values=3_000))

    async def scenario(servers: Servers) -> None:
        await servers.store.import_files([tmp_path / name for name in names])
        for delay_s in (0.0, 0.15):
            monkeypatch.setattr(segment_engine, "run_builder", partial(kill_a_builder, delay_s=delay_s))
            with suppress(ChildFailed):
                await servers.build()
            for name in names:
                servers.read(name)
        with built_in_this_process():
            await eventually_async(lambda: held(address) == 0)
            await servers.build()
        assert all(servers.read(name).row_events == 0 for name in names)

    play(address, scenario)


def held(address: str) -> int:
    with connect(address) as db:
        row = db.execute(_HELD).fetchone()
    return 0 if row is None else int(row[0])


async def kill_a_builder(
    address: str, tenant: str, places: list[SegmentKey], *, min_events: int | None, delay_s: float
) -> BuildReport:
    """Start the process, and kill it so long after it has begun, whether it is done or not."""
    process = await asyncio.create_subprocess_exec(*BUILDER, stdin=PIPE, stdout=DEVNULL, env=child_environment())
    talk = asyncio.create_task(
        process.communicate(msgspec.json.encode([[address, tenant, places], {"min_events": min_events}]))
    )
    is_begun = lambda: process.returncode is not None or held(address) > 0  # noqa: E731
    await asyncio.to_thread(eventually, is_begun)
    await asyncio.sleep(delay_s)
    if process.returncode is None:
        process.kill()
    await talk
    raise ChildFailed("it was killed")


# With the priority of other processes, so that it comes to something in the time that it has.
BUILDER: Final = child_command(
    "dayline.storage.operations.child", "dayline.storage.postgres.derived.builder:build", "0"
)


def test_closing_the_database_ends_the_builder_at_once(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(segment_engine, "run_builder", partial(halted_postgres, "wait"))  # it never ends on its own

    async def scenario(servers: Servers) -> None:
        await servers.fill()
        await eventually_async(lambda: servers.builders() > 0)

    play(address, scenario, pace=BUSY)

    eventually(lambda: held(address) == 0)


@pytest.mark.long
def test_recording_continues_while_segments_are_built_and_loads_nothing_for_it(address: str, tmp_path: Path) -> None:
    with PostgresServer(address, tmp_path) as server:
        server.create("window")
        body = document("large", events=60_000, values=30_000)
        assert server.call("POST", "/api/0/import", raw=body).status == 200
        watcher = Watcher(server.port)
        watcher.start()
        try:
            eventually(lambda: segments_of(address) > 0)
        finally:
            watcher.is_stopping = True
            watcher.join()
        beats = server.get("/api/0/buckets/window/events").json
        loaded = Path(f"/proc/{server.pid}/maps").read_text() if Path("/proc/self/maps").exists() else ""

    assert watcher.statuses == {200}
    assert len(beats) == watcher.sent > 0
    assert "numpy" not in loaded
    assert "zstandard" not in loaded


def segments_of(address: str) -> int:
    with connect(address) as db, transaction(db, ""):
        return len(db.execute("SELECT 1 FROM segment").fetchall())
