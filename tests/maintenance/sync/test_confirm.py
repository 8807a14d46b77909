"""A device that joins is new for the others until they confirm it."""

import asyncio
from pathlib import Path

import pytest

from dayline.model.errors import NotFound
from tests.maintenance.sync.devices import device_on
from tests.maintenance.sync.test_adopt import three_devices
from tests.support.storage.engines import Engines


def test_a_newcomer_is_new_until_it_is_confirmed(files: Engines, tmp_path: Path) -> None:
    async def run() -> None:
        async with three_devices((files.new(), files.new(), files.new()), tmp_path) as (laptop, desktop, phone):
            report = await phone.sync.run()
            assert [device.is_new for device in report.devices] == [False, False]  # they were there when it joined
            report = await desktop.sync.run()
            assert {device.name: device.is_new for device in report.devices} == {"laptop": False, "phone": True}
            (problem,) = desktop.sync.problems()
            assert problem.message.endswith("has joined the devices that sync")

            status = await desktop.sync.confirm("phone")

            assert status.report is not None
            assert not any(device.is_new for device in status.report.devices)
            assert desktop.sync.problems() == []
            report = await desktop.sync.run()
            assert not any(device.is_new for device in report.devices)
            report = await laptop.sync.run()
            assert [device.is_new for device in report.devices] == [True, True]
            await laptop.sync.remove("phone", deletes_mirrors=False)
            assert len(laptop.sync.problems()) == 1

    asyncio.run(run())


def test_what_cannot_be_confirmed(files: Engines, tmp_path: Path) -> None:
    async def run() -> None:
        async with device_on(files.new()) as laptop:
            await laptop.sync.start(str(tmp_path))
            with pytest.raises(NotFound, match="no device is named 'phone'"):
                await laptop.sync.confirm("phone")

    asyncio.run(run())
