"""What a space in a folder keeps, deletes and does not read."""

import asyncio
import errno
import os
import time
from pathlib import Path
from typing import Any

import pytest

from dayline.runtime.files import new_name
from tests.maintenance.sync.devices import event
from tests.maintenance.sync.test_faults import device_id, two_devices
from tests.support.storage.engines import Engines

HOUR_S = 3600.0


def left(path: Path, *, hours: float) -> Path:
    """What a device that was killed some hours ago has left of a file."""
    unfinished = new_name(path)
    unfinished.write_bytes(b"a part")
    age = time.time() - hours * HOUR_S
    os.utime(unfinished, (age, age))
    return unfinished


def test_a_device_deletes_what_its_killed_passes_have_left(files: Engines, tmp_path: Path) -> None:
    async def run() -> None:
        async with two_devices(files, tmp_path) as (laptop, desktop):
            own, other = tmp_path / await device_id(laptop), tmp_path / await device_id(desktop)
            old = [left(own / name, hours=7) for name in ("head", "a" * 32)]
            kept = [
                left(own / "head", hours=5),
                left(own / "notes", hours=7),  # not a name of sync
                left(other / "head", hours=7),
                left(tmp_path / "head", hours=7),
            ]
            target = left(tmp_path / "a target", hours=7)
            link = new_name(own / "head")
            link.symlink_to(target)

            assert (await laptop.sync.run()).written == 0
            assert all(path.exists() for path in old)  # an idle pass looks for nothing
            await laptop.add("window", event("2026-03-18T15:10:00Z", title="new"))
            report = await laptop.sync.run()

            assert report.problem is None
            assert not any(path.exists() for path in old)
            assert all(path.exists() for path in [*kept, target, link])
            assert (await desktop.sync.run()).is_identical

    asyncio.run(run())


def test_a_leftover_that_cannot_be_deleted_stops_nothing(
    files: Engines, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def run() -> None:
        async with two_devices(files, tmp_path) as (laptop, desktop):
            unfinished = left(tmp_path / await device_id(laptop) / "head", hours=7)
            unlink = os.unlink

            def unlink_others(path: "os.PathLike[str] | str", **named: Any) -> None:
                if os.fspath(path) == str(unfinished):
                    raise PermissionError(errno.EACCES, "Permission denied")
                unlink(path, **named)

            monkeypatch.setattr(os, "unlink", unlink_others)
            await laptop.add("window", event("2026-03-18T15:10:00Z", title="new"))

            assert (await laptop.sync.run()).problem is None

            assert unfinished.exists()
            assert (await desktop.sync.run()).is_identical

    asyncio.run(run())
