"""A snapshot holds the database of one moment, whatever is written while it is made."""

import asyncio
from pathlib import Path

from dayline.storage.sqlite.backup.file_format import Manifest, contents_of, unpack_snapshot
from dayline.storage.sqlite.backup.messages import MakeJob
from dayline.storage.sqlite.backup.process import run_snapshot
from dayline.storage.sqlite.backup.snapshot import open_unchanging, take_snapshot
from dayline.storage.sqlite.file.connection import open_reader
from tests.support.maintenance.backups import events_in, filled, packed
from tests.support.storage.opened import beat, bucket, opened, sent
from tests.support.waiting import eventually_async

OLD = 4_000  # events before the first heartbeat


class Watchers:
    """Heartbeats without a pause, each in a commit of its own, in two buckets by turns: an event each."""

    def __init__(self) -> None:
        self.committed = 0
        self.is_stopping = False

    async def run(self, path: Path, ready: asyncio.Event, done: asyncio.Event) -> None:
        async with opened(path) as store:
            for name in ("left", "right"):
                await store.create_bucket(bucket(name))
            await store.insert("left", [beat(n, app=f"before {n}") for n in range(-OLD, 0)])
            ready.set()
            while not self.is_stopping:
                name = ("left", "right")[self.committed % 2]
                await sent(store, name, beat(self.committed, app=f"app {self.committed}"), pulsetime=0)
                self.committed += 1
            done.set()


def test_a_snapshot_under_load_holds_every_change_up_to_one_moment_and_none_after_it(tmp_path: Path) -> None:
    watchers = Watchers()

    async def run() -> tuple[int, Manifest, int]:
        ready, done = asyncio.Event(), asyncio.Event()
        load = asyncio.create_task(watchers.run(tmp_path / "days.db", ready, done))
        await ready.wait()
        await eventually_async(lambda: watchers.committed >= 100, during=load, pause_s=0)
        before = watchers.committed
        manifest = await run_snapshot(_job(tmp_path))
        after = watchers.committed
        watchers.is_stopping = True
        await load
        return before, manifest, after

    before, manifest, after = asyncio.run(run())

    unpack_snapshot(tmp_path / "made.zst", tmp_path / "then.db")
    left = [event["data"]["app"] for event in events_in(tmp_path / "then.db", "left")][OLD:]
    right = [event["data"]["app"] for event in events_in(tmp_path / "then.db", "right")]
    moment = len(left) + len(right)
    assert before <= moment <= after
    assert left == [f"app {n}" for n in range(0, moment, 2)]
    assert right == [f"app {n}" for n in range(1, moment, 2)]
    assert [each.events for each in manifest.contents.buckets] == [OLD + len(left), len(right)]


def test_its_figures_are_those_that_a_reader_saw_who_began_when_nothing_was_written(tmp_path: Path) -> None:
    filled(tmp_path / "days.db", "editor", "mail")
    reader = open_reader(tmp_path / "days.db")
    reader.execute("BEGIN")
    seen = contents_of(reader)

    manifest = packed(tmp_path / "days.db", tmp_path / "made.zst", work=tmp_path)
    reader.close()

    assert manifest.contents == seen


def test_the_figures_come_from_the_source_and_fit_the_copy(tmp_path: Path) -> None:
    filled(tmp_path / "days.db", "editor", "mail", "editor")

    contents = take_snapshot(tmp_path / "days.db", tmp_path / "copy.db")

    copy = open_unchanging(tmp_path / "copy.db")
    assert contents_of(copy) == contents
    copy.close()
    assert contents.events == 3


def test_a_single_changed_row_changes_the_figures_of_its_bucket_alone(tmp_path: Path) -> None:
    filled(tmp_path / "days.db", "editor", "mail")
    filled(tmp_path / "days.db", "editor", bucket_id="web")
    before = take_snapshot(tmp_path / "days.db", tmp_path / "one.db")

    filled(tmp_path / "days.db", "mail", bucket_id="web")
    after = take_snapshot(tmp_path / "days.db", tmp_path / "two.db")

    assert before.buckets[0] == after.buckets[0]
    assert before.buckets[1] != after.buckets[1]


def _job(folder: Path) -> MakeJob:
    (folder / "work").mkdir()
    return MakeJob(
        database=str(folder / "days.db"),
        snapshot=str(folder / "made.zst"),
        folder=str(folder / "work"),
        made=0,
        stamp=(),
    )
