"""The audit log stays small whatever is called, and loses nothing of its counts: with a clock that the test moves."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dayline.access.audit import OTHER, AuditLog
from dayline.access.keyring import Keyring
from dayline.model.access import ANONYMOUS, Caller
from dayline.model.audit import AuditEntry, AuditFilter
from dayline.model.bucket import MAX_ID_CHARACTERS
from dayline.model.time import SECOND, Microseconds
from dayline.runtime.background import BackgroundWorkers
from dayline.storage.access import AccessStore
from dayline.storage.sqlite.database import SqliteDatabase
from tests.support.waiting import eventually_async

HOUR: Microseconds = 3600 * SECOND
DAY: Microseconds = 24 * HOUR
MIDNIGHT: Microseconds = 20_000 * DAY
WATCHER = Caller(kind="key", scope="append", key_id="aaaaaaaa")


class Audited:
    """An audit log on a database of its own, and a clock."""

    def __init__(self, access: AccessStore, *, days: int) -> None:
        self.now: Microseconds = MIDNIGHT
        self.access = access
        keyring = Keyring(access, clock=lambda: self.now)
        # Nothing is written but when a test says so.
        self.log = AuditLog(access, keyring, days=days, clock=lambda: self.now, flush_s=3600)

    def note(
        self,
        caller: Caller = WATCHER,
        *,
        address: str = "127.0.0.1",
        call: str = "send_heartbeat",
        bucket: str = "b",
        status: int = 200,
    ) -> None:
        self.log.note(caller, address=address, call=call, bucket=bucket, status=status)

    async def lines(self) -> list[AuditEntry]:
        await self.log.flush()
        return self.access.audit(AuditFilter(limit=100_000))

    async def counts(self) -> list[int]:
        """The count of each line, the one begun first being first."""
        return [line.count for line in sorted(await self.lines(), key=lambda line: line.number)]


@asynccontextmanager
async def opened(folder: Path, *, days: int = 365) -> AsyncGenerator[Audited]:
    database = SqliteDatabase(folder / "days.db", asyncio.get_running_loop())
    audited = Audited(database.access, days=days)
    try:
        yield audited
    finally:
        await audited.log.close()
        await database.close()


def run(folder: Path, test: Callable[[Audited], Coroutine[None, None, None]], *, days: int = 365) -> None:
    async def opened_test() -> None:
        async with opened(folder, days=days) as audited:
            await test(audited)

    asyncio.run(opened_test())


def test_heartbeats_are_a_line_a_day(tmp_path: Path) -> None:
    async def test(audited: Audited) -> None:
        for _ in range(30 * 4):
            for _ in range(10):
                audited.note()
            await audited.log.flush()
            audited.now += DAY // 4

        assert await audited.counts() == [40] * 30

    run(tmp_path, test)


def test_rejections_are_a_line_an_hour(tmp_path: Path) -> None:
    async def test(audited: Audited) -> None:
        for _ in range(8):
            audited.note(ANONYMOUS, status=401)
            audited.now += HOUR // 4

        lines = await audited.lines()

        assert [(line.slot, line.first, line.last, line.count) for line in lines] == [
            (MIDNIGHT + HOUR, MIDNIGHT + HOUR, MIDNIGHT + HOUR * 7 // 4, 4),
            (MIDNIGHT, MIDNIGHT, MIDNIGHT + HOUR * 3 // 4, 4),
        ]

    run(tmp_path, test)


def test_acts_of_one_kind_are_a_line_each(tmp_path: Path) -> None:
    async def test(audited: Audited) -> None:
        for _ in range(5):
            await audited.log.note_operation(WATCHER, address="127.0.0.1", call="delete_event", bucket="b", status=200)
            audited.now += 1

        assert await audited.counts() == [1] * 5

    run(tmp_path, test)


@pytest.mark.parametrize("status", [200, 401])
def test_flood_of_addresses_and_buckets_between_two_flushes_stays_small_and_is_counted_whole(
    tmp_path: Path, status: int
) -> None:
    async def test(audited: Audited) -> None:
        for number in range(20_000):
            audited.note(ANONYMOUS, address=f"2001:db8::{number:x}", bucket=f"b{number}", status=status)

        lines = await audited.lines()

        assert len(lines) <= 5_001
        assert sum(line.count for line in lines) == 20_000
        assert [(line.address, line.bucket) for line in lines if line.count > 1] == [(OTHER, OTHER)]

    run(tmp_path, test)


def test_flood_of_rejections_that_continues_stays_small(tmp_path: Path) -> None:
    # Everybody who reaches the server can be refused, about any bucket: at 5,000 lines every ten seconds they could
    # fill the disk.
    async def test(audited: Audited) -> None:
        for number in range(30):
            for bucket in range(200):
                audited.note(ANONYMOUS, bucket=f"{number}-{bucket}", status=401)
            await audited.log.flush()
            audited.now += 10 * SECOND
        first_hour = await audited.lines()
        audited.now += HOUR
        audited.note(ANONYMOUS, bucket="another", status=401)

        assert len(first_hour) <= 1_001
        assert sum(line.count for line in first_hour) == 6_000
        assert (await audited.lines())[0].bucket == "another"

    run(tmp_path, test)


def test_invented_buckets_take_away_neither_the_address_nor_the_buckets_of_others(tmp_path: Path) -> None:
    # After 1,000 invented names in an hour every later rejection had neither address nor bucket.
    async def test(audited: Audited) -> None:
        for number in range(5_000):
            audited.note(ANONYMOUS, address="192.0.2.1", bucket=f"b{number}", status=401)
        audited.note(ANONYMOUS, address="192.0.2.2", bucket="watcher", status=401)
        audited.note(WATCHER, address="192.0.2.3", bucket="watcher", status=403)

        lines = await audited.lines()

        flood = [line for line in lines if line.address == "192.0.2.1"]
        assert sum(line.count for line in flood) == 5_000
        assert [line.count for line in flood if line.bucket == OTHER] == [4_950]
        assert {(line.address, line.bucket) for line in lines if line not in flood} == {
            ("192.0.2.2", "watcher"),
            ("192.0.2.3", "watcher"),
        }

    run(tmp_path, test)


def test_invented_addresses_take_away_nothing_from_callers_with_a_key(tmp_path: Path) -> None:
    async def test(audited: Audited) -> None:
        for number in range(5_000):
            audited.note(ANONYMOUS, address=f"2001:db8::{number:x}", bucket=f"b{number}", status=401)
        audited.note(WATCHER, address="192.0.2.3", bucket="watcher", status=403)

        lines = await audited.lines()

        assert len(lines) <= 752
        assert [(line.address, line.bucket) for line in lines if line.key_id] == [("192.0.2.3", "watcher")]

    run(tmp_path, test)


def test_invented_origins_of_a_key_are_few_lines(tmp_path: Path) -> None:
    async def test(audited: Audited) -> None:
        for number in range(500):
            audited.note(Caller(kind="key", scope="append", key_id="aaaaaaaa", origin=f"moz-extension://{number}"))

        lines = await audited.lines()

        assert len(lines) == 21
        assert [(line.who, line.count) for line in lines if line.count > 1] == [(f"key aaaaaaaa {OTHER}", 480)]

    run(tmp_path, test)


def test_rejections_with_their_own_line_keep_it_in_a_flood(tmp_path: Path) -> None:
    async def test(audited: Audited) -> None:
        audited.note(ANONYMOUS, bucket="watcher", status=401)
        for number in range(2_000):
            audited.note(ANONYMOUS, bucket=f"b{number}", status=401)
        await audited.log.flush()
        audited.note(ANONYMOUS, bucket="watcher", status=401)

        assert [line.count for line in await audited.lines() if line.bucket == "watcher"] == [2]

    run(tmp_path, test)


def test_name_of_a_bucket_that_cannot_be_is_cut(tmp_path: Path) -> None:
    async def test(audited: Audited) -> None:
        audited.note(ANONYMOUS, bucket="x" * 60_000, status=401)

        assert [len(line.bucket) for line in await audited.lines()] == [MAX_ID_CHARACTERS]

    run(tmp_path, test)


def test_lines_are_forgotten_after_their_days(tmp_path: Path) -> None:
    async def test(audited: Audited) -> None:
        audited.note(bucket="old")
        await audited.log.note_operation(WATCHER, address="127.0.0.1", call="delete_bucket", bucket="old", status=200)
        await audited.log.flush()
        audited.now += 7 * DAY
        audited.note(bucket="at the edge")
        assert {line.bucket for line in await audited.lines()} == {"old", "at the edge"}
        audited.now += 1
        audited.note(bucket="new")

        assert {line.bucket for line in await audited.lines()} == {"at the edge", "new"}

    run(tmp_path, test, days=7)


def test_many_old_lines_are_forgotten_little_by_little(tmp_path: Path) -> None:
    async def test(audited: Audited) -> None:
        for number in range(1_200):
            audited.note(bucket=f"b{number}")
        await audited.log.flush()
        audited.now += 8 * DAY
        left: list[int] = []
        for _ in range(3):
            audited.note(bucket="new")
            left.append(len(await audited.lines()))

        assert left == [701, 201, 1]

    run(tmp_path, test, days=7)


def test_call_does_not_fail_because_its_line_cannot_be_written(tmp_path: Path) -> None:
    async def test() -> None:
        database = SqliteDatabase(tmp_path / "days.db", asyncio.get_running_loop())
        audited = Audited(database.access, days=365)
        audited.note()
        await database.close()  # from here on every write is refused

        await audited.log.note_operation(WATCHER, address="127.0.0.1", call="delete_bucket", bucket="b", status=200)
        await audited.log.flush()

        database = SqliteDatabase(tmp_path / "days.db", asyncio.get_running_loop())
        assert database.access.audit(AuditFilter()) == []
        await audited.log.close()
        await database.close()

    asyncio.run(test())


@settings(max_examples=settings().max_examples // 4)
@given(
    steps=st.lists(st.tuples(st.sampled_from(["a", "b"]), st.sampled_from([200, 403]), st.integers(0, 40)), max_size=30)
)
def test_counts_agree_with_a_plain_count(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, int, int]]
) -> None:
    async def test(audited: Audited) -> None:
        expected: dict[tuple[str, int, int], int] = {}
        for bucket, status, half_hours in steps:
            audited.now += half_hours * HOUR // 2
            audited.note(bucket=bucket, status=status)
            unit = DAY if status == 200 else HOUR
            place = (bucket, status, audited.now // unit * unit)
            expected[place] = expected.get(place, 0) + 1
            if half_hours % 3 == 0:
                await audited.log.flush()

        found = {(line.bucket, line.status, line.slot): line.count for line in await audited.lines()}
        assert found == expected

    run(tmp_path_factory.mktemp("audit"), test)


def test_a_defect_of_the_store_loses_no_count_and_does_not_fail_the_closing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The counts of the flush were lost, and closing the log raised its error in the middle of a shutdown.
    async def test(audited: Audited) -> None:
        note, calls = audited.access.note, list[int]()

        async def failing_at_first(*details: Any, **more: Any) -> None:
            calls.append(1)
            if len(calls) == 1:
                raise ValueError("a defect")
            await note(*details, **more)

        monkeypatch.setattr(audited.access, "note", failing_at_first)
        workers = BackgroundWorkers(retry_s=0.01)
        keyring = Keyring(audited.access)
        log = AuditLog(audited.access, keyring, days=365, clock=lambda: audited.now, flush_s=0, background=workers)
        log.note(WATCHER, address="127.0.0.1", call="send_heartbeat", bucket="b", status=200)
        await eventually_async(lambda: len(calls) == 2)

        await log.close()

        assert await audited.counts() == [1]

    run(tmp_path, test)
