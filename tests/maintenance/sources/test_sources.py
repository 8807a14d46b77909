"""Folders of aw-sync: their devices are mirrored, and the folders are only read."""

import asyncio
import shutil
from pathlib import Path

import pytest

from dayline.maintenance.sources.state import device_id
from dayline.model.errors import Conflict, Invalid, MirrorReadOnly, NotFound
from dayline.model.time import DAY
from tests.maintenance.sources.folders import SourceDevice, computer, sample
from tests.maintenance.sync.devices import device_on, event
from tests.support.maintenance.aw_sync import BUCKET, PHONE, add, database, minute
from tests.support.maintenance.migrating import FEW
from tests.support.storage.engines import Engine, Engines

DEVICE = device_id(PHONE)
MIRROR = f"{BUCKET}@{DEVICE}"
FIRST = (minute(0), 30.0, "Maps")
SECOND = (minute(5), 60.0, "Mail")


@pytest.fixture(params=["files", "servers"])
def engines(request: pytest.FixtureRequest) -> Engines:
    found: Engines = request.getfixturevalue(request.param)
    return found


@pytest.fixture
def engine(engines: Engines) -> Engine:
    """An empty database: a file, or one of PostgreSQL."""
    return engines.new()


def contents(folder: Path) -> dict[Path, tuple[bytes, int]]:
    """Everything below a folder."""
    return {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in folder.rglob("*") if path.is_file()}


def apps(device: SourceDevice, bucket_id: str = MIRROR) -> list[str]:
    return sorted(each["data"]["app"] for each in device.events(bucket_id))


@pytest.mark.parametrize("layout", [PHONE, f"phone/{PHONE}"], ids=["by device", "by host name"])
def test_a_phone_appears_from_either_layout(engine: Engine, tmp_path: Path, layout: str) -> None:
    async def run() -> None:
        file = database(tmp_path / layout / "test.db", [FIRST, SECOND])
        before = contents(tmp_path)
        async with computer(engine) as laptop:
            report = await laptop.sources.add(str(tmp_path))

            (device,) = report.devices
            assert (device.id, device.state, device.buckets, device.events) == (DEVICE, "current", 1, 2)
            assert laptop.mirrors == [MIRROR]
            assert apps(laptop) == ["Mail", "Maps"]
            assert apps(laptop, BUCKET) == ["Mail", "Maps"]  # also under its plain id
            assert laptop.store.buckets()[MIRROR].hostname == "phone"
        assert contents(tmp_path) == before
        assert sorted(file.parent.iterdir()) == [file]

    asyncio.run(run())


def test_an_event_that_was_stored_550_times_is_one(engine: Engine, tmp_path: Path) -> None:
    async def run() -> None:
        database(tmp_path / PHONE / "test.db", [FIRST] * 550 + [SECOND, (minute(5), 61.0, "Mail")])
        async with computer(engine) as laptop:
            report = await laptop.sources.add(str(tmp_path))

            assert apps(laptop) == ["Mail", "Mail", "Maps"]
            assert report.devices[0].repeated == 549

    asyncio.run(run())


def test_the_database_of_a_running_server_is_read_with_its_log(engine: Engine, tmp_path: Path) -> None:
    async def run() -> None:
        sample(tmp_path / "space")
        before = contents(tmp_path / "space")
        async with computer(engine) as laptop:
            report = await laptop.sources.add(str(tmp_path / "space"))

            assert (report.devices[0].state, report.devices[0].events) == ("current", FEW)
        assert contents(tmp_path / "space") == before

    asyncio.run(run())


def test_events_that_are_new_or_longer_arrive_and_keep_their_ids(engine: Engine, tmp_path: Path) -> None:
    async def run() -> None:
        file = database(tmp_path / PHONE / "test.db", [FIRST])
        async with computer(engine) as laptop:
            await laptop.sources.add(str(tmp_path))
            (before,) = laptop.events_with_ids(MIRROR)

            file.unlink()
            database(file, [(minute(0), 90.0, "Maps"), SECOND, ("2025-01-02T08:00:00Z", 5.0, "Old")])
            await laptop.sources.run()

            assert apps(laptop) == ["Mail", "Maps", "Old"]
            (after,) = [each for each in laptop.events_with_ids(MIRROR) if each.start == before.start]
            assert (after.id, after.duration) == (before.id, 90_000_000)

    asyncio.run(run())


def test_what_is_missing_is_not_deleted(engine: Engine, tmp_path: Path) -> None:
    async def run() -> None:
        folder = tmp_path / "space"
        file = database(folder / PHONE / "test.db", [FIRST, SECOND])
        async with computer(engine) as laptop:
            await laptop.sources.add(str(folder))

            file.unlink()
            database(file, [(minute(9), 5.0, "New")])  # the phone was set up again
            await laptop.sources.run()
            assert apps(laptop) == ["Mail", "Maps", "New"]

            shutil.rmtree(folder / PHONE)
            (report,) = await laptop.sources.run()
            assert report.faults == [
                f"there is no database in {folder}: is it mounted?",
                f"{PHONE}: its files are missing; what was read of them stays",
            ]
            folder.rmdir()
            (report,) = await laptop.sources.run()
            assert report.problem == f"there is no folder {folder}: is it mounted?"
            assert apps(laptop) == ["Mail", "Maps", "New"]

    asyncio.run(run())


def test_two_files_of_a_device_are_one_bucket(engine: Engine, tmp_path: Path) -> None:
    async def run() -> None:
        database(tmp_path / PHONE / "test.db", [FIRST, (minute(5), 10.0, "Mail")])
        database(tmp_path / "phone" / PHONE / "test.db", [FIRST, SECOND])  # newer: the event has grown
        async with computer(engine) as laptop:
            await laptop.sources.add(str(tmp_path))

            assert [each.duration for each in laptop.events_with_ids(MIRROR)] == [60_000_000, 30_000_000]

    asyncio.run(run())


def test_a_damaged_file_is_named_and_read_when_it_changes(engine: Engine, tmp_path: Path) -> None:
    async def run() -> None:
        file = database(tmp_path / "phone" / PHONE / "test.db", [FIRST] + [(minute(n), 1.0, "x") for n in range(500)])
        database(tmp_path / "tablet" / "other" / "test.db", [FIRST], hostname="tablet", bucket="aw-tablet")
        whole = file.read_bytes()
        file.write_bytes(whole[: len(whole) // 2])
        async with computer(engine) as laptop:
            report = await laptop.sources.add(str(tmp_path))

            states = {device.name: device for device in report.devices}
            assert states["tablet"].state == "current"
            assert states["phone"].state == "waiting"
            assert states["phone"].text == f"phone/{PHONE}/test.db: it is damaged, or being written"
            assert laptop.mirrors == [f"aw-tablet@{device_id('other')}"]

            file.write_bytes(whole)
            (report,) = await laptop.sources.run()
            assert {device.state for device in report.devices} == {"current"}
            assert len(apps(laptop)) == 501

    asyncio.run(run())


def test_a_conflict_copy_and_a_file_of_something_else_are_not_read(engine: Engine, tmp_path: Path) -> None:
    async def run() -> None:
        file = database(tmp_path / PHONE / "test.db", [FIRST])
        shutil.copy(file, file.with_name("test.sync-conflict-20261119-094107-ABCDEFG.db"))
        (file.parent / "notes.txt").write_text("mine")
        (file.parent / "notes.db").write_text("mine")
        async with computer(engine) as laptop:
            report = await laptop.sources.add(str(tmp_path))

            assert report.ignored == [f"{PHONE}/test.sync-conflict-20261119-094107-ABCDEFG.db"]
            (device,) = report.devices
            assert (device.state, device.events) == ("waiting", 1)
            assert device.text.startswith(f"{PHONE}/notes.db: ")

    asyncio.run(run())


def test_buckets_that_aw_sync_took_from_others_and_this_computer_are_left_out(engine: Engine, tmp_path: Path) -> None:
    async def run() -> None:
        database(tmp_path / "a" / "test.db", [FIRST], bucket="window_desk-synced-from-desk", hostname="desk")
        database(tmp_path / "b" / "test.db", [FIRST], bucket="window_laptop", hostname="laptop")
        async with computer(engine) as laptop:
            await laptop.add("window_laptop", event(minute(0)))
            report = await laptop.sources.add(str(tmp_path))

            assert laptop.mirrors == []
            states = {device.name: (device.state, device.text) for device in report.devices}
            assert states == {"a": ("current", ""), "b": ("skipped", "it is this computer, which records itself")}

    asyncio.run(run())


def test_a_mirror_is_read_only_and_stays_until_it_is_deleted(engine: Engine, tmp_path: Path) -> None:
    async def run() -> None:
        database(tmp_path / PHONE / "test.db", [FIRST])
        async with computer(engine) as laptop:
            await laptop.sources.add(str(tmp_path))
            with pytest.raises(MirrorReadOnly):
                await laptop.store.insert(MIRROR, [event(minute(9))])
            with pytest.raises(MirrorReadOnly):
                await laptop.store.delete_bucket(MIRROR)

            await laptop.sources.remove(str(tmp_path), deletes_mirrors=False)
            assert (await laptop.sources.reports(), laptop.mirrors) == ([], [MIRROR])
            with pytest.raises(NotFound):
                await laptop.sources.remove(str(tmp_path), deletes_mirrors=False)

            await laptop.sources.remove(str(tmp_path), deletes_mirrors=True)
            assert laptop.mirrors == []
            await laptop.sources.add(str(tmp_path))
            assert apps(laptop) == ["Maps"]

    asyncio.run(run())


def test_a_device_that_was_adopted_is_not_mirrored_again_until_that_is_undone(engine: Engine, tmp_path: Path) -> None:
    # Nothing was read after any adoption: its mark was read with the type that it had before.
    async def run() -> None:
        database(tmp_path / PHONE / "test.db", [FIRST])
        async with computer(engine) as laptop:
            await laptop.sources.add(str(tmp_path))
            with pytest.raises(Conflict, match="is still mirrored from"):
                await laptop.sync.adopt(DEVICE, is_dry_run=False)
            await laptop.sources.remove(str(tmp_path), deletes_mirrors=False)
            adoption = await laptop.sync.adopt(DEVICE, is_dry_run=False)

            add(tmp_path / PHONE / "test.db", [SECOND])
            report = await laptop.sources.add(str(tmp_path))

            assert f"{BUCKET} was adopted here" in report.devices[0].text
            assert (laptop.mirrors, apps(laptop, BUCKET)) == ([], ["Maps"])

            assert adoption.group is not None
            await laptop.store.trash.undo_group(adoption.group)
            await laptop.sources.run()

            assert (laptop.mirrors, apps(laptop)) == ([MIRROR], ["Mail", "Maps"])

    asyncio.run(run())


def test_other_devices_do_not_get_the_mirrors(engines: Engines, tmp_path: Path) -> None:
    async def run() -> None:
        space = tmp_path / "space"
        database(tmp_path / "aw" / PHONE / "test.db", [FIRST])
        async with computer(engines.new()) as laptop, device_on(engines.new(), "desktop") as desktop:
            await laptop.add("window", event(minute(0)))
            invite = await laptop.sync.start(str(space))
            await laptop.sources.add(str(tmp_path / "aw"))
            await laptop.sync.run()
            await desktop.add("window", event(minute(1)), hostname="desktop")
            await desktop.sync.join(str(space), invite.invite)
            await laptop.sync.run()

            assert [bucket.partition("@")[0] for bucket in desktop.mirrors] == ["window"]
            assert len(laptop.mirrors) == 2
            await laptop.sync.leave(keeps_mirrors=False)
            assert laptop.mirrors == [MIRROR]

    asyncio.run(run())


def test_wrong_paths_are_rejected_and_change_nothing(engine: Engine, tmp_path: Path) -> None:
    async def run() -> None:
        empty = tmp_path / "empty"
        empty.mkdir()
        file = database(tmp_path / "aw" / PHONE / "test.db", [FIRST])
        async with computer(engine) as laptop:
            for path in ("relative", str(empty), str(tmp_path / "nowhere"), str(file), "/a\0b"):
                with pytest.raises(Invalid):
                    await laptop.sources.add(path)
            assert await laptop.sources.reports() == []
            await laptop.sources.add(str(tmp_path / "aw"))
            for folder in (tmp_path / "aw", tmp_path):
                with pytest.raises(Conflict):
                    await laptop.sources.add(str(folder))

    asyncio.run(run())


def test_an_unchanged_folder_is_not_read_again_also_after_a_restart(engine: Engine, tmp_path: Path) -> None:
    async def run() -> None:
        file = database(tmp_path / PHONE / "test.db", [FIRST])
        async with computer(engine) as laptop:
            first = await laptop.sources.add(str(tmp_path))
        async with computer(engine) as laptop:
            laptop.clock.now += DAY
            assert await laptop.sources.run() == [first]
            add(file, [SECOND])
            (second,) = await laptop.sources.run()
            assert second.devices[0].read != first.devices[0].read
            assert apps(laptop) == ["Mail", "Maps"]

    asyncio.run(run())
