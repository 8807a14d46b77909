"""What a space in a folder keeps, deletes and does not read."""

import asyncio
import errno
import os
import time
from pathlib import Path
from secrets import token_hex
from typing import Any

import pytest

from dayline.maintenance.sync import publishing
from dayline.maintenance.sync.spaces.views import MAX_FILE_BYTES
from dayline.runtime.files import new_name
from tests.maintenance.sync.devices import event
from tests.maintenance.sync.test_faults import device_id, only, two_devices
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


def test_a_pack_that_is_too_large_is_rejected_without_being_read(files: Engines, tmp_path: Path) -> None:
    async def run() -> None:
        async with two_devices(files, tmp_path) as (laptop, desktop):
            mirror, own = desktop.mirrors[0], tmp_path / await device_id(laptop)
            before, known = desktop.events(mirror), set(own.iterdir())
            await laptop.add("window", event("2026-01-05T08:00:00Z", title="new"))
            await laptop.sync.run()
            (pack,) = set(own.iterdir()) - known
            whole = pack.read_bytes()
            os.truncate(pack, MAX_FILE_BYTES + 1)

            report = only(await desktop.sync.run())

            assert report.state == "waiting"
            assert report.text == f"{own.name}/{pack.name} cannot be used: it is larger than 32 MiB"
            assert desktop.events(mirror) == before
            os.truncate(pack, MAX_FILE_BYTES)
            assert "larger than" not in only(await desktop.sync.run()).text  # it is read, and is damaged
            pack.write_bytes(whole)
            assert only(await desktop.sync.run()).state == "identical"

    asyncio.run(run())


def test_a_device_does_not_publish_what_others_would_reject(
    files: Engines, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def run() -> None:
        async with two_devices(files, tmp_path) as (laptop, desktop):
            monkeypatch.setattr(publishing, "MAX_FILE_BYTES", 4000)
            before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
            added = await laptop.add("window", event("2026-01-05T08:00:00Z", title=token_hex(4000)))

            report = await laptop.sync.run()

            assert report.stopped is not None
            assert report.stopped.startswith("the file with the events of window in 2026-01 cannot be published")
            assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before
            assert (await desktop.sync.run()).is_identical
            await laptop.store.delete_event("window", added[0].id)
            await laptop.add("window", event("2026-01-05T08:00:00Z", title="small"))
            assert (await laptop.sync.run()).stopped is None
            assert (await desktop.sync.run()).is_identical
            assert desktop.events(desktop.mirrors[0]) == laptop.events("window")

    asyncio.run(run())
