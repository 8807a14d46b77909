"""A device that is gone: another one adopts its mirrors."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from msgspec import structs

from dayline.model.errors import Conflict, MirrorReadOnly, NotFound
from tests.maintenance.sync.devices import SyncedDevice, bucket, device_on, event
from tests.maintenance.sync.test_faults import device_id
from tests.maintenance.sync.test_recover import Restorable, titles
from tests.support.storage.engines import Engine, Engines
from tests.support.waiting import eventually_async

Three = tuple[SyncedDevice, SyncedDevice, SyncedDevice]


@pytest.fixture(params=["files", "servers"])
def engines(request: pytest.FixtureRequest) -> tuple[Engine, Engine, Engine]:
    found: Engines = request.getfixturevalue(request.param)
    return found.new(), found.new(), found.new()


@asynccontextmanager
async def three_devices(engines: tuple[Engine, Engine, Engine], folder: Path) -> AsyncGenerator[Three]:
    """A laptop with two buckets, and two devices that mirror it."""
    async with (
        device_on(engines[0]) as laptop,
        device_on(engines[1], "desktop") as desktop,
        device_on(engines[2], "phone") as phone,
    ):
        await laptop.add("window", event("2025-11-02T08:00:00Z", title="old"), event("2026-03-18T15:00:00Z"))
        await laptop.add("afk", event("2026-03-18T14:00:00Z", title="afk"))
        invite = await laptop.sync.start(str(folder))
        for device in (desktop, phone):
            await device.sync.join(str(folder), invite.invite)
        await desktop.sync.run()
        yield laptop, desktop, phone


def states(device_report: object) -> dict[str, str]:
    return {each.name: each.state for each in getattr(device_report, "devices")}  # noqa: B009


def all_titles(device: SyncedDevice) -> list[str]:
    """The titles of the events of all buckets."""
    return sorted(title for bucket_id in device.store.buckets() for title in titles(device, bucket_id))


def test_mirrors_become_buckets_of_this_device(engines: tuple[Engine, Engine, Engine], tmp_path: Path) -> None:
    async def run() -> None:
        async with three_devices(engines, tmp_path) as (laptop, desktop, phone):
            await desktop.store.create_bucket(bucket("window", "desktop"))
            await desktop.add("window", event("2026-03-18T15:05:00Z", title="own"))
            before = {each: desktop.events_with_ids(each) for each in desktop.mirrors}
            preview = await desktop.sync.adopt("laptop", is_dry_run=True)
            assert [(each.into, each.is_new, each.events) for each in preview.buckets] == [
                ("window", False, 2),
                ("afk", True, 1),
            ]
            assert (preview.group, preview.events, len(desktop.mirrors)) == (None, 3, 2)

            adoption = await desktop.sync.adopt("laptop", is_dry_run=False)

            assert adoption.group is not None
            assert desktop.mirrors == []
            assert titles(desktop) == ["Mail", "old", "own"]
            assert desktop.events("afk") == laptop.events("afk")
            assert desktop.store.bucket("afk").creator is None
            report = await desktop.sync.run()
            assert states(report) == {"laptop": "adopted", "phone": "identical"}
            assert report.is_identical

            await phone.sync.run()  # applies what the desktop has adopted, and deletes its own mirrors of the laptop
            report = await phone.sync.run()
            assert states(report) == {"laptop": "adopted", "desktop": "identical"}
            assert all_titles(phone) == ["Mail", "afk", "old", "own"]
            assert (await phone.sync.run(is_verifying=True)).is_identical

            await desktop.store.trash.undo_group(adoption.group)

            assert {each: desktop.events_with_ids(each) for each in desktop.mirrors} == before
            assert sorted(each for each in desktop.store.buckets() if "@" not in each) == ["window"]
            assert titles(desktop) == ["own"]
            for device in (desktop, phone, phone):
                report = await device.sync.run()
            assert states(report) == {"laptop": "identical", "desktop": "identical"}
            assert all_titles(phone) == ["Mail", "afk", "old", "own"]
            assert len(phone.mirrors) == 3
            assert (await desktop.sync.run(is_verifying=True)).is_identical

    asyncio.run(run())


def test_a_device_that_was_adopted_publishes_nothing(engines: tuple[Engine, Engine, Engine], tmp_path: Path) -> None:
    async def run() -> None:
        async with three_devices(engines, tmp_path) as (laptop, desktop, _):
            await desktop.sync.adopt("laptop", is_dry_run=False)
            await desktop.sync.run()
            await laptop.add("window", event("2026-03-18T15:10:00Z", title="later"))

            await laptop.sync.run()
            report = await laptop.sync.run()

            assert report.stopped == "this device was adopted by desktop, which has its events now"
            await desktop.sync.run()
            assert "later" not in all_titles(desktop)

    asyncio.run(run())


def test_a_plain_id_that_another_kind_of_bucket_has(files: Engines, tmp_path: Path) -> None:
    async def run() -> None:
        async with device_on(files.new()) as laptop, device_on(files.new(), "desktop") as desktop:
            await laptop.add("window", event("2026-03-18T15:00:00Z"))
            invite = await laptop.sync.start(str(tmp_path))
            await desktop.sync.join(str(tmp_path), invite.invite)
            await desktop.store.create_bucket(structs.replace(bucket("window"), type="other"))
            (mirror,) = desktop.mirrors

            adoption = await desktop.sync.adopt(mirror[-8:], is_dry_run=False)

            assert [each.into for each in adoption.buckets] == [f"window_{mirror[-8:]}"]
            assert titles(desktop, f"window_{mirror[-8:]}") == ["Mail"]
            assert titles(desktop) == []

    asyncio.run(run())


def test_what_cannot_be_adopted(files: Engines, tmp_path: Path) -> None:
    async def run() -> None:
        async with three_devices((files.new(), files.new(), files.new()), tmp_path) as (_, desktop, phone):
            with pytest.raises(NotFound, match="no device is named 'nowhere'"):
                await desktop.sync.adopt("nowhere", is_dry_run=False)
            with pytest.raises(Conflict, match="there are no mirrors of phone here"):
                await desktop.sync.adopt("phone", is_dry_run=False)
            await desktop.sync.adopt("laptop", is_dry_run=False)
            with pytest.raises(Conflict, match="there are no mirrors of laptop here"):
                await desktop.sync.adopt("laptop", is_dry_run=False)
            await desktop.sync.run()
            await phone.sync.run()
            with pytest.raises(Conflict, match="there are no mirrors of laptop here"):
                await phone.sync.adopt("laptop", is_dry_run=False)

    asyncio.run(run())


def test_two_devices_that_adopt_the_same_one_are_reported(files: Engines, tmp_path: Path) -> None:
    async def run() -> None:
        async with three_devices((files.new(), files.new(), files.new()), tmp_path) as (_, desktop, phone):
            for device in (desktop, phone):
                await device.sync.adopt("laptop", is_dry_run=False)
            await desktop.sync.run()

            report = await phone.sync.run()

            assert report.warnings == [
                "laptop was adopted here and by desktop: its events are on both. Undo one of the adoptions"
            ]

    asyncio.run(run())


def test_an_adopted_bucket_that_is_deleted_does_not_come_back(files: Engines, tmp_path: Path) -> None:
    async def run() -> None:
        async with three_devices((files.new(), files.new(), files.new()), tmp_path) as (_, desktop, phone):
            await desktop.sync.adopt("laptop", is_dry_run=False)
            await desktop.store.delete_bucket("window")
            for device in (desktop, phone, desktop, phone):
                assert (await device.sync.run()).is_identical

            assert all_titles(desktop) == all_titles(phone) == ["afk"]

    asyncio.run(run())


def test_all_devices_lost_and_one_new(files: Engines, tmp_path: Path) -> None:
    async def run() -> None:
        async with three_devices((files.new(), files.new(), files.new()), tmp_path) as (laptop, desktop, phone):
            await desktop.add("window", event("2026-03-18T15:05:00Z", title="desktop"))
            await phone.add("phone", event("2026-03-18T15:05:00Z", title="phone"))
            for device in (desktop, phone):
                await device.sync.run()
            printed = (await laptop.sync.invite()).invite
        async with device_on(files.new(), "new") as new:
            preview = await new.sync.preview(str(tmp_path), printed)
            assert sorted(each.name for each in preview.devices) == ["desktop", "laptop", "phone"]
            await new.sync.join(str(tmp_path), printed)

            for name in ("laptop", "desktop", "phone"):
                await new.sync.adopt(name, is_dry_run=False)

            assert new.mirrors == []
            assert all_titles(new) == ["Mail", "afk", "desktop", "old", "phone"]
            report = await new.sync.run(is_verifying=True)
            assert set(states(report).values()) == {"adopted"}

    asyncio.run(run())


def test_a_device_that_adopts_one_which_has_adopted_another(files: Engines, tmp_path: Path) -> None:
    async def run() -> None:
        async with three_devices((files.new(), files.new(), files.new()), tmp_path) as (laptop, desktop, phone):
            await desktop.sync.adopt("laptop", is_dry_run=False)
            await desktop.sync.run()
            await phone.sync.run()
            await phone.sync.adopt("desktop", is_dry_run=False)
            await phone.sync.run()
            printed = (await laptop.sync.invite()).invite
            async with device_on(files.new(), "new") as new:
                await new.sync.join(str(tmp_path), printed)
                report = await new.sync.run()

                assert all_titles(new) == ["Mail", "afk", "old"]
                assert states(report)["phone"] == "identical"
                assert {state for name, state in states(report).items() if name != "phone"} <= {"adopted"}
                assert new.mirrors == [f"{each}@{await device_id(phone)}" for each in ("window", "afk")]

    asyncio.run(run())


def test_a_device_that_leaves_does_not_mirror_again_what_it_has_adopted(files: Engines, tmp_path: Path) -> None:
    async def run() -> None:
        async with three_devices((files.new(), files.new(), files.new()), tmp_path) as (laptop, desktop, _):
            await desktop.sync.leave(keeps_mirrors=True)
            await desktop.sync.adopt("laptop", is_dry_run=False)
            printed = (await laptop.sync.invite()).invite

            report = await desktop.sync.join(str(tmp_path), printed)

            assert states(report) == {"phone": "identical"}
            assert all_titles(desktop) == ["Mail", "afk", "old"]

    asyncio.run(run())


def test_a_restored_database_adopts_again(files: Engines, tmp_path: Path) -> None:
    desktop = Restorable(files)

    async def run() -> None:
        async with device_on(files.new()) as laptop, device_on(files.new(), "phone") as phone:
            await laptop.add("window", event("2026-03-18T15:00:00Z", title="of the laptop"))
            invite = await laptop.sync.start(str(tmp_path))
            async with desktop.running() as device:
                await device.sync.join(str(tmp_path), invite.invite)
            desktop.back_up("backup")
            async with desktop.running() as device:
                await device.sync.adopt("laptop", is_dry_run=False)
                await device.sync.run()
            desktop.restore("backup")
            async with desktop.running() as device:
                assert (await device.sync.run()).stopped is not None

                recovered = await device.sync.recover()

                assert (device.mirrors, titles(device)) == ([], ["of the laptop"])
                assert (await device.sync.run()).is_identical
                await phone.sync.join(str(tmp_path), invite.invite)
                await phone.sync.run()
                assert all_titles(phone) == ["of the laptop"]
                await device.store.trash.undo_group(recovered.group)
                assert all_titles(device) == ["of the laptop"]
                assert len(device.mirrors) == 1

    asyncio.run(run())


def test_an_interrupted_adoption_can_be_repeated(files: Engines, tmp_path: Path) -> None:
    desktop = Restorable(files)

    async def run() -> None:
        async with device_on(files.new()) as laptop:
            await laptop.add("window", *(event("2026-03-18T15:00:00Z", title=f"{each}") for each in range(3000)))
            await laptop.add("afk", event("2026-03-18T14:00:00Z", title="afk"))
            invite = await laptop.sync.start(str(tmp_path))
        async with desktop.running() as device:
            await device.sync.join(str(tmp_path), invite.invite)
        for turns in (5, 40, 160, 640):
            async with desktop.running() as device:
                task = asyncio.ensure_future(device.sync.adopt("laptop", is_dry_run=False))
                for _ in range(turns):
                    await asyncio.sleep(0)
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)
        async with desktop.running() as device:
            if device.mirrors:
                await device.sync.adopt("laptop", is_dry_run=False)
            assert device.mirrors == []
            await eventually_async(lambda: len(all_titles(device)) == 3001)  # the merge is resumed
            report = await device.sync.run()
            assert states(report) == {"laptop": "adopted"}

    asyncio.run(run())


def test_a_change_of_a_mirror_names_the_command(files: Engines, tmp_path: Path) -> None:
    async def run() -> None:
        async with three_devices((files.new(), files.new(), files.new()), tmp_path) as (_, desktop, _):
            with pytest.raises(MirrorReadOnly) as raised:
                await desktop.store.delete_bucket(desktop.mirrors[0])

            assert raised.value.message == "this bucket belongs to laptop; delete it there, or adopt it"
            assert raised.value.hint == "to make it a bucket of this device: dayline sync adopt laptop"

    asyncio.run(run())
