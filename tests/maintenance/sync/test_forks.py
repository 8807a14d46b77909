"""A database that was restored, and whose folder was emptied: what it had published is not known there any more."""

import asyncio
import shutil
from pathlib import Path

import pytest

from tests.maintenance.sync.devices import SyncedDevice, device_on, event
from tests.maintenance.sync.test_faults import device_id, only
from tests.maintenance.sync.test_recover import Restorable
from tests.support.storage.engines import Engines


async def started(laptop: Restorable, desktop: SyncedDevice, folder: Path) -> str:
    """Start a space with an event, which the desktop mirrors, and make a backup."""
    async with laptop.running() as device:
        await device.add("window", event("2026-01-02T08:00:00Z", title="first"))
        await desktop.sync.join(str(folder), (await device.sync.start(str(folder))).invite)
        own = await device_id(device)
    laptop.back_up("backup")
    return own


@pytest.mark.parametrize("has_seen_the_first", [True, False])
def test_a_fork_is_reported_also_by_the_heads_that_follow(
    files: Engines, tmp_path: Path, has_seen_the_first: bool
) -> None:
    laptop = Restorable(files)

    async def run() -> None:
        async with device_on(files.new(), "desktop") as desktop:
            own = await started(laptop, desktop, tmp_path)
            async with laptop.running() as device:
                await device.add("window", event("2026-01-04T08:00:00Z", title="before the restore"))
                await device.sync.run()
            await desktop.sync.run()
            before = desktop.events(desktop.mirrors[0])
            laptop.restore("backup")
            shutil.rmtree(tmp_path / own)

            async with laptop.running() as device:
                await device.sync.run()
                if has_seen_the_first:
                    assert only(await desktop.sync.run()).state == "forked"
                for day in (6, 7):
                    await device.add("window", event(f"2026-01-0{day}T08:00:00Z", title="after the restore"))
                    await device.sync.run()

                    assert only(await desktop.sync.run()).state == "forked"
                    assert desktop.events(desktop.mirrors[0]) == before

    asyncio.run(run())


def test_a_folder_that_was_emptied_twice_is_no_fork(files: Engines, tmp_path: Path) -> None:
    laptop = Restorable(files)

    async def run() -> None:
        async with device_on(files.new(), "desktop") as desktop:
            own = await started(laptop, desktop, tmp_path)
            async with laptop.running() as device:
                for day in (4, 5, 6):
                    shutil.rmtree(tmp_path / own)
                    await device.add("window", event(f"2026-01-0{day}T08:00:00Z"))
                    await device.sync.run()
                    if day != 5:
                        assert only(await desktop.sync.run()).state == "identical"

                assert desktop.events(desktop.mirrors[0]) == device.events("window")

    asyncio.run(run())
