"""Deleting a large bucket returns at once; without a trash its rows are removed in slices, also after a restart."""

import asyncio
import time
from pathlib import Path
from typing import Any, Final

import apsw
import pytest

from dayline.runtime.background import BackgroundWorkers
from dayline.storage.sqlite import writer
from dayline.storage.trash import TrashSettings
from tests.server import RunningServer
from tests.storage.disk import Disk
from tests.storage.documents import document
from tests.storage.opened import beat, bucket, opened
from tests.waiting import eventually

EVENTS: Final = 100_000
LARGE: Final = "/api/0/buckets/large"


class Story:
    """A large bucket is deleted and made anew, and the server is killed while it clears up."""

    def __init__(self, server: RunningServer) -> None:
        server.create("small")
        server.post("/api/0/buckets/small/events", [event("kept")])
        assert server.call("POST", "/api/0/import", raw=document("large", events=EVENTS)).json["imported"] == EVENTS

        begun = time.monotonic()
        assert server.call("DELETE", LARGE).status == 200
        self.delete_took_s = time.monotonic() - begun
        self.made_again = server.create("large")
        self.seen_meanwhile = (server.get(f"{LARGE}/events").json, server.get(f"{LARGE}/events/count").json)
        self.metadata_meanwhile = server.get(LARGE).json["metadata"]
        server.post(f"{LARGE}/events", [event("new")])
        samples: list[int] = []
        while len(set(samples)) < 4:  # that is, two slices at least
            samples.append(rows(server.database, "event"))
            assert samples[-1] > 2, "it was all removed in one go"
        server.kill()
        self.left_behind = rows(server.database, "event")

        server.start()
        eventually(lambda: rows(server.database, "bucket WHERE deleted IS NOT NULL") == 0)
        self.events: list[dict[str, Any]] = server.get(f"{LARGE}/events").json
        self.small: list[dict[str, Any]] = server.get("/api/0/buckets/small/events").json
        self.tables = {name: rows(server.database, name) for name in ("bucket", "event", "value", "month")}


def event(app: str) -> dict[str, Any]:
    return {"timestamp": "2026-01-01T10:00:00Z", "duration": 1, "data": {"app": app}}


def rows(database: Path, table: str) -> int:
    """How many rows a table of the file has now, whoever is writing to it."""
    db = apsw.Connection(str(database), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        return int(db.execute(f"SELECT count(*) FROM {table}").get)
    finally:
        db.close()


def without_trash(folder: Path) -> RunningServer:
    config = folder / "config.toml"
    config.write_text("[trash]\ndays = 0\n")
    return RunningServer(folder / "days.db", "--config", str(config))


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Story:
    with without_trash(tmp_path_factory.mktemp("purge")) as server:
        return Story(server)


def test_deleting_a_large_bucket_returns_at_once(story: Story) -> None:
    assert story.delete_took_s < 0.5


def test_a_new_bucket_of_the_same_id_is_empty_while_the_old_one_is_cleared_up(story: Story) -> None:
    assert story.made_again.status == 200
    assert story.seen_meanwhile == ([], 0)
    assert story.metadata_meanwhile == {"start": None, "end": None}


def test_clearing_up_goes_on_after_a_restart_where_it_was(story: Story) -> None:
    assert 2 < story.left_behind < EVENTS
    assert story.tables["event"] == 2


def test_nothing_of_the_deleted_bucket_stays_in_the_file(story: Story) -> None:
    assert story.tables == {"bucket": 2, "event": 2, "value": 2, "month": 2}


def test_clearing_up_leaves_other_buckets_alone(story: Story) -> None:
    assert [item["data"]["app"] for item in story.small] == ["kept"]
    assert [item["data"]["app"] for item in story.events] == ["new"]


def test_heartbeats_are_quick_while_a_large_bucket_is_cleared_up(tmp_path: Path) -> None:
    with without_trash(tmp_path) as server:
        server.create("window")
        server.call("POST", "/api/0/import", raw=document("large", events=30_000))
        server.call("DELETE", LARGE)

        slowest_s = 0.0
        while rows(server.database, "bucket WHERE deleted IS NOT NULL"):
            begun = time.monotonic()
            assert server.post("/api/0/buckets/window/heartbeat?pulsetime=5", event("beat")).status == 200
            slowest_s = max(slowest_s, time.monotonic() - begun)

        assert 0 < slowest_s < 0.5


def test_a_server_can_be_stopped_while_it_clears_up(tmp_path: Path) -> None:
    with without_trash(tmp_path) as server:
        server.call("POST", "/api/0/import", raw=document("large", events=30_000))
        server.call("DELETE", LARGE)

        assert server.stop() == 0

        server.start()
        eventually(lambda: rows(server.database, "bucket") == 0)


def test_clearing_up_goes_on_after_a_full_disk_without_a_restart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # It ended with an error that nobody saw, and so did every later one until the next start.
    monkeypatch.setattr(writer, "GIVE_UP_S", 0.1)
    disk = Disk(tmp_path / "disk")

    async def scenario() -> None:
        background = BackgroundWorkers(retry_s=0.05)
        async with opened(tmp_path / "days.db", trash=TrashSettings(days=0), background=background) as store:
            for bucket_id in ("first", "second"):
                await store.create_bucket(bucket(bucket_id))
                await store.insert(bucket_id, [beat(number) for number in range(3000)])
            await store.delete_bucket("first")
            disk.fill()
            await asyncio.sleep(1)
            disk.quick()
            await store.delete_bucket("second")
            deadline = time.monotonic() + 20
            while rows(tmp_path / "days.db", "bucket") and time.monotonic() < deadline:
                await asyncio.sleep(0.02)

    with disk.mounted():
        asyncio.run(scenario())

    assert rows(tmp_path / "days.db", "event") == 0
