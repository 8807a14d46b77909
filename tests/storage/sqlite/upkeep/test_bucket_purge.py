"""Deleting a large bucket returns at once; without a trash its rows are removed in slices, also after a restart."""

import asyncio
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import apsw
import pytest

from dayline.runtime.background import BackgroundWorkers
from dayline.storage.history import purge
from dayline.storage.history.contract import TrashPolicy
from dayline.storage.sqlite.writing.transaction import SqliteTransaction
from dayline.storage.writing import holding
from tests.support.maintenance.documents import document
from tests.support.server import RunningServer
from tests.support.storage.opened import beat, bucket, events_of, opened, sent
from tests.support.storage.slow_disk import Disk
from tests.support.waiting import eventually, eventually_async

EVENTS: Final = 200
SLICE_ROWS: Final = 20
SLICES: Final = 3  # after this many the purge of the test comes no further


class HeldPurge:
    """A purge that makes some slices and then none, however long it runs."""

    def __init__(self) -> None:
        self.left: list[int] = []  # events of the bucket after each slice
        self.idle = 0  # looks after the last slice

    @contextmanager
    def installed(self) -> Generator[None]:
        purge_events = purge._purge_events  # pyright: ignore[reportPrivateUsage]

        def some(tx: SqliteTransaction, key: int) -> purge.Left:
            if len(self.left) == SLICES:
                self.idle += 1
                return "more"
            purge_events(tx, key)
            self.left.append(int(tx.db.execute("SELECT count(*) FROM event WHERE bucket = ?", (key,)).get))
            return "more"

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(purge, "SLICE_ROWS", SLICE_ROWS)
            patch.setattr(purge, "_purge_events", some)
            yield


class Story:
    """A large bucket is deleted and made again, and the database is closed while it purges."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.purge = HeldPurge()
        asyncio.run(self._delete())
        self.left_behind = rows(path, "event")
        asyncio.run(self._finish())
        self.tables = {name: rows(path, name) for name in ("bucket", "event", "value", "month")}

    async def _delete(self) -> None:
        with self.purge.installed():
            async with opened(self._path, trash=TrashPolicy(days=0)) as store:
                for bucket_id in ("small", "large"):
                    await store.create_bucket(bucket(bucket_id))
                await store.insert("small", [beat(0, app="kept")])
                await store.insert("large", [beat(number, app=f"app {number % 50}") for number in range(EVENTS)])
                await store.delete_bucket("large")
                self.left_by_deleting = rows(self._path, "event")
                await store.create_bucket(bucket("large"))
                self.seen_during = events_of(store, "large"), store.count("large", start=None, end=None)
                self.range_during = store.bucket("large").start, store.bucket("large").end
                await store.insert("large", [beat(0, app="new")])
                await eventually_async(lambda: self.purge.idle > 0)
                # The purge is under way, and will not end: a heartbeat is committed between two of its transactions.
                self.beaten = [(await sent(store, "small", beat(number, app="beat"))).id for number in (10, 20)]

    async def _finish(self) -> None:
        async with opened(self._path, trash=TrashPolicy(days=0)) as store:
            await eventually_async(lambda: rows(self._path, "bucket WHERE deleted IS NOT NULL") == 0)
            self.events = [event["data"]["app"] for event in events_of(store, "large")]
            self.small = [event["data"]["app"] for event in events_of(store, "small")]


def rows(database: Path, table: str) -> int:
    """How many rows a table of the file has now, even while it is written."""
    db = apsw.Connection(str(database), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        return int(db.execute(f"SELECT count(*) FROM {table}").get)
    finally:
        db.close()


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Story:
    return Story(tmp_path_factory.mktemp("purge") / "days.db")


def test_deleting_a_bucket_removes_no_event_before_it_returns(story: Story) -> None:
    assert story.left_by_deleting >= EVENTS + 1 - SLICES * SLICE_ROWS


def test_events_are_removed_in_slices(story: Story) -> None:
    assert story.purge.left == [EVENTS - SLICE_ROWS * number for number in range(1, SLICES + 1)]


def test_heartbeats_are_committed_while_a_bucket_is_cleared_up(story: Story) -> None:
    assert len(set(story.beaten)) == 2


def test_a_new_bucket_of_the_same_id_is_empty_while_the_old_one_is_cleared_up(story: Story) -> None:
    assert story.seen_during == ([], 0)
    assert story.range_during == (None, None)


def test_clearing_up_continues_after_a_restart_where_it_was(story: Story) -> None:
    assert story.left_behind == EVENTS - SLICES * SLICE_ROWS + 4
    assert story.tables["event"] == 4


def test_nothing_of_the_deleted_bucket_stays_in_the_file(story: Story) -> None:
    assert story.tables == {"bucket": 2, "event": 4, "value": 3, "month": 2}


def test_clearing_up_leaves_other_buckets_alone(story: Story) -> None:
    assert story.small == ["kept", "beat", "beat"]
    assert story.events == ["new"]


@pytest.mark.long
def test_clearing_up_continues_after_the_server_was_killed(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text("[trash]\ndays = 0\n")
    with RunningServer(tmp_path / "days.db", "--config", str(config)) as server:
        server.call("POST", "/api/0/import", raw=document("large", events=100_000))
        server.call("DELETE", "/api/0/buckets/large")
        eventually(lambda: rows(server.database, "event") < 100_000)
        server.kill()

        server.start()
        eventually(lambda: rows(server.database, "bucket") == 0)
        assert rows(server.database, "event") == 0
        assert rows(server.database, "value WHERE bucket <> 0") == 0  # one without a bucket reserves the keys


def test_clearing_up_continues_after_a_full_disk_without_a_restart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # It ended with an error that no one saw, and so did every later one until the next start.
    monkeypatch.setattr(holding, "GIVE_UP_S", 0.1)
    disk = Disk(tmp_path / "disk")

    async def scenario() -> None:
        background = BackgroundWorkers(retry_s=0.05)
        async with opened(tmp_path / "days.db", trash=TrashPolicy(days=0), background=background) as store:
            for bucket_id in ("first", "second"):
                await store.create_bucket(bucket(bucket_id))
                await store.insert(bucket_id, [beat(number) for number in range(3000)])
            await store.delete_bucket("first")
            disk.fill()
            await eventually_async(lambda: any(work.last_error for work in background.states()))
            disk.quick()
            await store.delete_bucket("second")
            await eventually_async(lambda: not rows(tmp_path / "days.db", "bucket"))

    with disk.mounted():
        asyncio.run(scenario())

    assert rows(tmp_path / "days.db", "event") == 0
