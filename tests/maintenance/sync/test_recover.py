"""A restored backup: publishing stops, and `recover` merges both."""

import asyncio
import shutil
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from dayline.model.errors import Conflict, Unavailable
from dayline.storage.operations.background import SlicePace
from tests.maintenance.sync.devices import SyncedDevice, device_on, event
from tests.support.storage.engines import Engines, SqliteEngine


def titles(device: SyncedDevice, bucket_id: str = "window") -> list[str]:
    return sorted(each["data"]["title"] for each in device.events(bucket_id))


class Killed(Exception):
    """The process ends here."""


def killed_after(slices: int) -> Callable[..., Awaitable[object]]:
    """Long work that ends after some slices."""
    done = 0

    async def with_pause(pace: SlicePace, change: Awaitable[object], *, rows: int) -> object:
        nonlocal done
        done += 1
        result = await change
        if done == slices:
            raise Killed
        return result

    return with_pause


class Restorable:
    """A device whose file can be copied and restored while it is stopped."""

    def __init__(self, files: Engines) -> None:
        engine = files.new()
        assert isinstance(engine, SqliteEngine)
        self.engine = engine
        self.hours = 0

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[SyncedDevice]:
        async with device_on(self.engine) as device:
            self.hours += 1
            device.clock.now += self.hours * 3_600_000_000
            await device.sync.resume()
            yield device

    def back_up(self, name: str) -> None:
        shutil.copy(self.engine.path, self.engine.path.with_name(name))

    def restore(self, name: str) -> None:
        shutil.copy(self.engine.path.with_name(name), self.engine.path)


@pytest.mark.parametrize("kind", ["delete", "merge"])
def test_a_bucket_that_left_the_trash_after_the_backup_is_recovered(files: Engines, tmp_path: Path, kind: str) -> None:
    """Its events have the ids of those in the trash of the restored database."""
    laptop = Restorable(files)

    async def run() -> None:
        async with laptop.running() as device:
            await device.add("window", event("2026-01-02T08:00:00Z", title="first"))
            await device.add("other", event("2026-01-02T08:00:00Z", title="second"))
            await device.sync.start(str(tmp_path / "space"))
            if kind == "delete":
                await device.store.delete_bucket("window")
            else:
                await device.store.moves.merge("window", "other")
            await device.sync.run()
        laptop.back_up("backup")
        async with laptop.running() as device:
            await device.store.trash.undo(device.store.trash.all()[0].id)
            await device.sync.run()
        laptop.restore("backup")
        async with laptop.running() as device:
            await device.add("other", event("2026-01-06T08:00:00Z", title="after the restore"))
            assert (await device.sync.run()).is_behind
            recovered = await device.sync.recover()

            assert recovered.kept == 1
            found = [title for bucket_id in device.store.buckets() for title in titles(device, bucket_id)]
            assert sorted(found) == ["after the restore", "first", "second"]
            assert (await device.sync.run()).stopped is None
            assert (await device.sync.run(is_verifying=True)).is_identical

    asyncio.run(run())


def test_buckets_that_exchanged_their_ids_after_the_backup_are_recovered(files: Engines, tmp_path: Path) -> None:
    laptop = Restorable(files)

    async def run() -> None:
        async with laptop.running() as device:
            await device.add("a", event("2026-01-02T08:00:00Z", title="in a"))
            await device.add("b", event("2026-01-02T08:00:00Z", title="in b"))
            await device.sync.start(str(tmp_path / "space"))
        laptop.back_up("backup")
        async with laptop.running() as device:
            for old, new in (("a", "c"), ("b", "a"), ("c", "b")):
                await device.store.moves.rename(old, new, keeps_alias=False)
            await device.add("new", event("2026-01-02T08:00:00Z", title="in new"))
            await device.sync.run()
        laptop.restore("backup")
        async with laptop.running() as device:
            await device.sync.recover()

            found = {bucket_id: titles(device, bucket_id) for bucket_id in device.store.buckets()}
            assert found == {"a": ["in b"], "b": ["in a"], "new": ["in new"]}

    asyncio.run(run())


def test_a_restored_database_publishes_nothing_until_it_is_merged(files: Engines, tmp_path: Path) -> None:
    laptop = Restorable(files)

    async def run() -> None:
        async with laptop.running() as device:
            first, second = await device.add(
                "window", event("2026-01-02T08:00:00Z", title="first"), event("2026-01-03T08:00:00Z", title="second")
            )
            await device.sync.start(str(tmp_path))
        laptop.back_up("backup")
        async with laptop.running() as device:
            await device.store.delete_event("window", first.id)
            await device.add("window", event("2026-01-04T08:00:00Z", title="before the restore"))
            await device.add("later", event("2026-01-04T08:00:00Z", title="in a new bucket"))
            moved = event("2026-01-05T08:00:00Z", title="second", event_id=second.id)
            await device.store.insert("window", [moved])
            await device.sync.run()
        laptop.restore("backup")
        before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
        async with laptop.running() as device:
            # Its id is that of the event before the restore.
            await device.add("window", event("2026-01-06T08:00:00Z", title="after the restore"))

            report = await device.sync.run()
            assert report.stopped is not None
            assert "this database is older than what laptop has published" in report.stopped
            assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before

            recovered = await device.sync.recover()

            assert (recovered.restored, recovered.kept, recovered.removed) == (3, 1, 1)
            assert titles(device) == ["after the restore", "before the restore", "second"]
            assert titles(device, "later") == ["in a new bucket"]
            assert [each["timestamp"] for each in device.events("window") if each["data"]["title"] == "second"] == [
                "2026-01-05T08:00:00Z"
            ]
            assert (await device.sync.run()).stopped is None
            with pytest.raises(Conflict, match="there is nothing to recover"):
                await device.sync.recover()

            await device.store.trash.undo_group(recovered.group)
            assert titles(device) == ["after the restore", "first", "second"]

    asyncio.run(run())


def test_mirrors_follow_a_merged_database(files: Engines, tmp_path: Path) -> None:
    laptop = Restorable(files)

    async def run() -> None:
        async with device_on(files.new(), "desktop") as desktop:
            async with laptop.running() as device:
                await device.add("window", event("2026-01-02T08:00:00Z", title="first"))
                invite = await device.sync.start(str(tmp_path))
                await desktop.sync.join(str(tmp_path), invite.invite)
            laptop.back_up("backup")
            async with laptop.running() as device:
                await device.add("window", event("2026-01-04T08:00:00Z", title="published"))
                await device.sync.run()
                await desktop.sync.run()
            laptop.restore("backup")
            async with laptop.running() as device:
                await device.add("window", event("2026-01-06T08:00:00Z", title="recorded since"))
                await device.sync.run()
                assert titles(desktop, desktop.mirrors[0]) == ["first", "published"]

                await device.sync.recover()
                await device.sync.run()

                report = await desktop.sync.run()
                assert report.is_identical
                assert desktop.events(desktop.mirrors[0]) == device.events("window")

    asyncio.run(run())


def test_a_backup_between_a_restore_and_the_next_head_duplicates_nothing(files: Engines, tmp_path: Path) -> None:
    laptop = Restorable(files)

    async def run() -> None:
        async with laptop.running() as device:
            await device.add("window", event("2026-01-01T08:00:00Z", title="first"))
            await device.sync.start(str(tmp_path))
        async with laptop.running() as device:
            (second,) = await device.add("window", event("2026-01-02T08:00:00Z", title="second"))
        laptop.back_up("backup")  # of a session that has published nothing yet
        async with laptop.running() as device:
            await device.sync.run()
            await device.store.insert("window", [event("2026-01-09T08:00:00Z", title="second", event_id=second.id)])
            await device.sync.run()
        laptop.restore("backup")
        async with laptop.running() as device:
            await device.add("window", event("2026-01-03T08:00:00Z", title="third"))
            assert (await device.sync.run()).stopped is not None

            await device.sync.recover()

            assert titles(device) == ["first", "second", "third"]

    asyncio.run(run())


@pytest.mark.parametrize("slices", [1, 2, 3])
def test_a_merge_that_is_killed_loses_and_duplicates_nothing(
    files: Engines, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, slices: int
) -> None:
    laptop = Restorable(files)

    async def run() -> None:
        async with laptop.running() as device:
            await device.add("window", event("2026-01-01T08:00:00Z", title="first"))
            await device.sync.start(str(tmp_path))
        laptop.back_up("backup")
        async with laptop.running() as device:
            await device.add("window", *(event("2026-01-02T08:00:00Z", title=f"before {n:03}") for n in range(400)))
            await device.sync.run()
            published = titles(device)
        laptop.restore("backup")
        async with laptop.running() as device:
            recorded = [f"since {n:03}" for n in range(400)]
            await device.add("window", *(event("2026-01-03T08:00:00Z", title=title) for title in recorded))
            with monkeypatch.context() as patch:
                patch.setattr(SlicePace, "with_pause", killed_after(slices))
                with pytest.raises(Killed):
                    await device.sync.recover()
        async with laptop.running() as device:
            await device.sync.recover()

            assert titles(device) == sorted(published + recorded)

    asyncio.run(run())


def test_a_merge_needs_every_file(files: Engines, tmp_path: Path) -> None:
    laptop = Restorable(files)

    async def run() -> None:
        async with laptop.running() as device:
            await device.add("window", event("2026-01-01T08:00:00Z", title="first"))
            await device.sync.start(str(tmp_path))
        laptop.back_up("backup")
        async with laptop.running() as device:
            await device.add("window", event("2025-01-02T08:00:00Z", title="second"))
            known = set(tmp_path.rglob("*"))
            await device.sync.run()
        laptop.restore("backup")
        (pack,) = set(tmp_path.rglob("*")) - known
        pack.unlink()
        async with laptop.running() as device:
            with pytest.raises(Unavailable, match="1 file that laptop has published is not in"):
                await device.sync.recover()
            assert titles(device) == ["first"]

    asyncio.run(run())


def test_a_copied_disk_stops_one_of_the_two(files: Engines, tmp_path: Path) -> None:
    laptop, copy = Restorable(files), Restorable(files)

    async def run() -> None:
        async with laptop.running() as device:
            await device.add("window", event("2026-01-01T08:00:00Z", title="first"))
            await device.sync.start(str(tmp_path))
        shutil.copy(laptop.engine.path, copy.engine.path)
        async with laptop.running() as device:
            await device.add("window", event("2026-01-02T08:00:00Z", title="of the laptop"))
            await device.sync.run()
        async with copy.running() as device:
            await device.add("window", event("2026-01-02T08:00:00Z", title="of the copy"))
            report: Any = await device.sync.run()
            assert "it was restored, or runs twice" in report.stopped
            await device.sync.leave(keeps_mirrors=False)
            assert titles(device) == ["first", "of the copy"]

    asyncio.run(run())


def test_a_copied_disk_becomes_another_device(files: Engines, tmp_path: Path) -> None:
    laptop, copy = Restorable(files), Restorable(files)

    async def run() -> None:
        async with device_on(files.new(), "phone") as phone:
            async with laptop.running() as device:
                await device.add("window", event("2026-01-01T08:00:00Z", title="first"))
                invite = await device.sync.start(str(tmp_path))
                await phone.sync.join(str(tmp_path), invite.invite)
                await device.sync.run()
            shutil.copy(laptop.engine.path, copy.engine.path)
            async with laptop.running() as device:
                await device.add("window", event("2026-01-02T08:00:00Z", title="of the laptop"))
                await device.sync.run()
            async with copy.running() as device:
                await device.add("window", event("2026-01-02T08:00:00Z", title="of the copy"))
                assert (await device.sync.run()).stopped is not None

                report = await device.sync.renew_identity()

                assert report.is_identical
                assert {each.name for each in report.devices} == {"laptop", "phone"}
                assert titles(device) == ["first", "of the copy"]
                own = (await device.sync.status()).device
                assert own is not None
                original = next(each for each in device.mirrors if each.startswith("window@"))
                assert titles(device, original) == ["first", "of the laptop"]
            async with laptop.running() as device:
                assert (await device.sync.run()).is_identical
                assert titles(device, f"window@{own.id}") == ["first", "of the copy"]
            assert (await phone.sync.run()).is_identical
            assert sorted(titles(phone, each) for each in phone.mirrors) == [
                ["first", "of the copy"],
                ["first", "of the laptop"],
            ]

    asyncio.run(run())


def test_a_new_identity_that_cannot_be_published_changes_nothing(files: Engines, tmp_path: Path) -> None:
    async def run() -> None:
        async with device_on(files.new()) as laptop:
            await laptop.add("window", event("2026-01-01T08:00:00Z", title="first"))
            await laptop.sync.start(str(tmp_path / "space"))
            before = await laptop.sync.status()

            (tmp_path / "space").rename(tmp_path / "elsewhere")
            with pytest.raises(Unavailable):
                await laptop.sync.renew_identity()
            (tmp_path / "elsewhere").rename(tmp_path / "space")

            after = await laptop.sync.status()
            assert after.is_on
            assert (before.device, before.report) == (after.device, after.report)
            assert (await laptop.sync.run()).is_identical

    asyncio.run(run())


def test_buckets_that_were_renamed_or_deleted_since_the_backup(files: Engines, tmp_path: Path) -> None:
    laptop = Restorable(files)

    async def run() -> None:
        async with laptop.running() as device:
            await device.add("window", event("2026-01-01T08:00:00Z", title="first"))
            await device.add("old", event("2026-01-01T08:00:00Z", title="first"))
            await device.sync.start(str(tmp_path))
        laptop.back_up("backup")
        async with laptop.running() as device:
            await device.store.moves.rename("window", "windows", keeps_alias=False)
            await device.store.delete_bucket("old")
            await device.sync.run()
        laptop.restore("backup")
        async with laptop.running() as device:
            await device.add("new", event("2026-01-02T08:00:00Z", title="second"))
            recovered = await device.sync.recover()

            assert sorted(device.store.buckets()) == ["new", "windows"]
            await device.store.trash.undo_group(recovered.group)
            assert sorted(device.store.buckets()) == ["new", "old", "windows"]
            assert titles(device, "old") == ["first"]

    asyncio.run(run())


def test_a_session_that_is_too_old_for_the_head_restores_nothing(
    files: Engines, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dayline.maintenance.sync.state._MAX_SESSIONS", 1)
    laptop = Restorable(files)

    async def run() -> None:
        async with laptop.running() as device:
            await device.sync.start(str(tmp_path))
        async with laptop.running() as device:
            (first,) = await device.add("window", event("2026-01-01T08:00:00Z", title="first"))
            await device.sync.run()
        laptop.back_up("backup")
        async with laptop.running() as device:
            await device.store.delete_event("window", first.id)
            await device.sync.run()
        laptop.restore("backup")
        async with laptop.running() as device:
            await device.add("window", event("2026-01-02T08:00:00Z", title="since"))
            recovered = await device.sync.recover()

            assert (recovered.kept, recovered.removed) == (1, 1)
            assert titles(device) == ["since"]

    asyncio.run(run())
