"""What can go wrong with a space: each is reported, and loses nothing."""

import asyncio
import os
import shutil
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from dayline.maintenance.sync.keys import invite_of, new_space_key, parse_invite
from dayline.maintenance.sync.report import DeviceReport, PassReport
from dayline.maintenance.sync.spaces.folder import FolderSpace
from dayline.model.errors import Conflict, Invalid, Unavailable
from dayline.model.time import SECOND
from dayline.storage.writing.mirrors import Mirrors
from tests.maintenance.sync.devices import SyncedDevice, device_on, event
from tests.support.storage.engines import Engines


@asynccontextmanager
async def two_devices(files: Engines, folder: Path) -> AsyncGenerator[tuple[SyncedDevice, SyncedDevice]]:
    """A laptop with two events, and a desktop that mirrors it."""
    async with device_on(files.new()) as laptop, device_on(files.new(), "desktop") as desktop:
        await laptop.add("window", event("2025-11-02T08:00:00Z", title="old"), event("2026-03-18T15:00:00Z"))
        invite = await laptop.sync.start(str(folder))
        await desktop.sync.join(str(folder), invite.invite)
        yield laptop, desktop


async def device_id(device: SyncedDevice) -> str:
    own = (await device.sync.status()).device
    assert own is not None
    return own.id


def only(report: PassReport) -> DeviceReport:
    (device,) = report.devices
    return device


def test_another_invite_opens_nothing_and_writes_nothing(files: Engines, tmp_path: Path) -> None:
    async def run() -> None:
        async with device_on(files.new()) as laptop, device_on(files.new()) as desktop:
            await laptop.sync.start(str(tmp_path))
            before = sorted(tmp_path.rglob("*"))

            with pytest.raises(Invalid, match="this invite does not open the space in"):
                await desktop.sync.join(str(tmp_path), invite_of(new_space_key()))

            assert sorted(tmp_path.rglob("*")) == before
            assert not (await desktop.sync.status()).is_on

    asyncio.run(run())


@pytest.mark.parametrize("text", ["", "dayline-sync_", "hello"])
def test_a_text_that_is_no_invite_is_rejected(text: str) -> None:
    with pytest.raises(Invalid, match="this is not an invite"):
        parse_invite(text)


def test_an_invite_with_a_missing_or_changed_character_is_rejected() -> None:
    invite = invite_of(new_space_key())
    assert parse_invite(f" {invite}\n").space_id == invite[13:21]

    for wrong in (invite[:-1], invite[:30] + ("A" if invite[30] != "A" else "B") + invite[31:]):
        with pytest.raises(Invalid, match="this is not an invite"):
            parse_invite(wrong)
    other = invite_of(new_space_key())
    with pytest.raises(Invalid, match="this invite was changed"):
        parse_invite(other[:22] + invite[22:])


def test_a_second_space_is_not_started_over_the_first(files: Engines, tmp_path: Path) -> None:
    async def run() -> None:
        async with device_on(files.new()) as laptop, device_on(files.new()) as desktop:
            await laptop.sync.start(str(tmp_path))
            with pytest.raises(Conflict, match="has a sync space already"):
                await desktop.sync.start(str(tmp_path))

    asyncio.run(run())


@pytest.mark.parametrize("damage", ["emptied", "missing"])
def test_an_emptied_folder_changes_nothing_until_it_is_filled_again(
    files: Engines, tmp_path: Path, damage: str
) -> None:
    folder = tmp_path / "space"
    folder.mkdir()

    async def run() -> None:
        async with two_devices(files, folder) as (laptop, desktop):
            mirror = desktop.mirrors[0]
            before = desktop.events(mirror)
            shutil.rmtree(folder)
            if damage == "emptied":
                folder.mkdir()

            for device in (laptop, desktop):
                report = await device.sync.run()
                assert report.problem == f"no sync space in {folder}: is it mounted?"
            assert desktop.events(mirror) == before
            assert list(tmp_path.rglob("*")) == ([folder] if damage == "emptied" else [])

            folder.mkdir(exist_ok=True)
            await laptop.sync.start(str(folder))
            report = await desktop.sync.run()
            assert only(report).state == "identical"
            assert desktop.events(mirror) == before

    asyncio.run(run())


def test_a_space_that_was_never_there_leaves_sync_off(files: Engines, tmp_path: Path) -> None:
    async def run() -> None:
        async with device_on(files.new()) as laptop:
            with pytest.raises(Invalid, match="there is no folder"):
                await laptop.sync.start(str(tmp_path / "nowhere" / "Sync"))
            assert not (await laptop.sync.status()).is_on
            assert not (tmp_path / "nowhere").exists()

    asyncio.run(run())


@pytest.mark.parametrize("damage", ["truncated", "changed", "missing"])
def test_a_pack_that_is_not_whole_is_waited_for(files: Engines, tmp_path: Path, damage: str) -> None:
    async def run() -> None:
        async with two_devices(files, tmp_path) as (laptop, desktop):
            mirror, own = desktop.mirrors[0], tmp_path / await device_id(laptop)
            before = desktop.events(mirror)
            known = set(own.iterdir())
            await laptop.add("window", event("2026-01-05T08:00:00Z", title="new"))
            await laptop.sync.run()
            (pack,) = set(own.iterdir()) - known
            whole = pack.read_bytes()
            if damage == "missing":
                pack.unlink()
            else:
                pack.write_bytes(whole[:-20] if damage == "truncated" else whole[:-1] + bytes([whole[-1] ^ 1]))

            report = only(await desktop.sync.run())

            assert (report.state, report.waiting) == ("waiting", 1)
            assert desktop.events(mirror) == before
            pack.write_bytes(whole)
            assert only(await desktop.sync.run()).state == "identical"
            assert desktop.events(mirror) == laptop.events("window")

    asyncio.run(run())


def test_a_forged_head_is_rejected(files: Engines, tmp_path: Path) -> None:
    async def run() -> None:
        async with two_devices(files, tmp_path) as (laptop, desktop):
            mirror, file = desktop.mirrors[0], tmp_path / await device_id(laptop) / "head"
            before, whole = desktop.events(mirror), file.read_bytes()
            other = tmp_path / await device_id(desktop) / "head"

            for forged, reason in (
                (whole[:-10], "damaged, or of another space"),
                (other.read_bytes(), "that of another device"),
                (b"x" * (5 << 20), "larger than 4 MiB"),
            ):
                file.write_bytes(forged)
                report = only(await desktop.sync.run())
                assert report.state == "rejected"
                assert reason in report.text
                assert desktop.events(mirror) == before
            file.write_bytes(whole)
            assert only(await desktop.sync.run()).state == "identical"

    asyncio.run(run())


def test_an_older_head_changes_nothing(files: Engines, tmp_path: Path) -> None:
    async def run() -> None:
        async with two_devices(files, tmp_path) as (laptop, desktop):
            file = tmp_path / await device_id(laptop) / "head"
            old = file.read_bytes()
            await laptop.add("window", event("2026-03-18T15:20:00Z", title="new"))
            await laptop.sync.run()
            await desktop.sync.run()
            after = desktop.events(desktop.mirrors[0])

            file.write_bytes(old)
            report = only(await desktop.sync.run())

            assert report.state == "waiting"
            assert "an older head" in report.text
            assert desktop.events(desktop.mirrors[0]) == after

    asyncio.run(run())


def test_files_of_others_are_ignored_and_named(files: Engines, tmp_path: Path) -> None:
    async def run() -> None:
        async with two_devices(files, tmp_path) as (laptop, desktop):
            own = await device_id(laptop)
            copy = tmp_path / own / "head.sync-conflict-20261119-101010-ABCDEFG"
            copy.write_bytes(b"x")
            (tmp_path / ".stfolder").mkdir()

            report = await desktop.sync.run()

            assert report.ignored == [".stfolder", f"{own}/{copy.name}"]
            assert report.is_identical

    asyncio.run(run())


def test_a_clock_that_is_ahead_is_a_warning(files: Engines, tmp_path: Path) -> None:
    async def run() -> None:
        async with two_devices(files, tmp_path) as (laptop, desktop):
            laptop.clock.now += 3600 * SECOND
            await laptop.add("window", event("2026-03-18T15:20:00Z", title="new"))
            await laptop.sync.run()

            report = await desktop.sync.run()

            assert report.is_identical
            assert len(report.warnings) == 1
            assert "more than five minutes" in report.warnings[0]

    asyncio.run(run())


def test_a_database_that_is_repaired_publishes_nothing(files: Engines, tmp_path: Path) -> None:
    async def run() -> None:
        async with two_devices(files, tmp_path) as (laptop, desktop):
            laptop.can_publish = False
            await laptop.store.delete_bucket("window")

            report = await laptop.sync.run()
            await desktop.sync.run()

            assert report.stopped is not None
            assert len(desktop.mirrors) == 1

    asyncio.run(run())


def test_the_space_shows_no_text(files: Engines, tmp_path: Path) -> None:
    async def run() -> None:
        async with device_on(files.new(), "secret-name") as laptop:
            await laptop.add("secret-bucket", event("2026-03-18T15:00:00Z", title="secret-title"))
            await laptop.sync.start(str(tmp_path))

    asyncio.run(run())
    stored = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(stored) == 2
    assert not any(b"secret" in path.read_bytes() or "secret" in str(path.relative_to(tmp_path)) for path in stored)


def test_nothing_is_written_into_the_space_of_another_user(files: Engines, tmp_path: Path) -> None:
    folder, other = tmp_path / "own", tmp_path / "other"
    folder.mkdir()
    other.mkdir()

    async def run() -> None:
        async with two_devices(files, folder) as (laptop, _), device_on(files.new(), "stranger") as stranger:
            await stranger.sync.start(str(other))
            shutil.rmtree(folder)
            shutil.copytree(other, folder)
            before = sorted(folder.rglob("*"))

            report = await laptop.sync.run()

            assert report.problem == f"the sync space in {folder} is another one than that of this device"
            assert sorted(folder.rglob("*")) == before

    asyncio.run(run())


@pytest.mark.parametrize("kind", ["link", "folder", "pipe"])
@pytest.mark.parametrize("name", ["head", "pack"])
def test_what_is_no_file_is_ignored_and_stops_no_other_device(
    files: Engines, tmp_path: Path, kind: str, name: str
) -> None:
    async def run() -> None:
        async with two_devices(files, tmp_path) as (laptop, desktop), device_on(files.new(), "phone") as phone:
            await phone.sync.join(str(tmp_path), (await laptop.sync.invite()).invite)
            own, whole = tmp_path / await device_id(laptop), set(tmp_path.rglob("*"))
            await laptop.add("window", event("2026-01-05T08:00:00Z", title="new"))
            await laptop.sync.run()
            pack = (set(tmp_path.rglob("*")) - whole).pop()
            place = own / "head" if name == "head" else pack
            place.rename(tmp_path / "elsewhere")
            if kind == "link":
                place.symlink_to(tmp_path / "elsewhere")
            elif kind == "folder":
                place.mkdir()
            else:
                os.mkfifo(place)
            await phone.add("phone", event("2026-01-05T08:00:00Z"))
            await phone.sync.run()

            reports = {device.name: device for device in (await desktop.sync.run()).devices}

            assert reports["laptop"].state == "waiting"
            assert reports["phone"].state == "identical"
            assert reports["phone"].events == 1

    asyncio.run(run())


def test_a_mirror_that_is_busy_stops_no_other_device(files: Engines, tmp_path: Path) -> None:
    async def run() -> None:
        async with two_devices(files, tmp_path) as (laptop, desktop), device_on(files.new(), "phone") as phone:
            await phone.sync.join(str(tmp_path), (await laptop.sync.invite()).invite)
            await phone.add("phone", event("2026-01-05T08:00:00Z"))
            await laptop.add("window", event("2026-01-05T08:00:00Z"))
            for device in (laptop, phone):
                await device.sync.run()

            async def apply(*args: Any, **named: Any) -> None:
                raise Conflict("another operation works on this bucket")

            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(Mirrors, "apply", apply)
                report = await desktop.sync.run()
            assert report.problem is None
            assert [device.state for device in report.devices] == ["waiting", "waiting"]

            assert (await desktop.sync.run()).is_identical

    asyncio.run(run())


def test_a_device_writes_its_damaged_files_again_when_it_verifies(files: Engines, tmp_path: Path) -> None:
    async def run() -> None:
        async with two_devices(files, tmp_path) as (laptop, _), device_on(files.new(), "phone") as phone:
            packs = [path for path in (tmp_path / await device_id(laptop)).iterdir() if path.name != "head"]
            for pack in packs:
                pack.write_bytes(pack.read_bytes()[:-10])
            await phone.sync.join(str(tmp_path), (await laptop.sync.invite()).invite)
            assert not (await phone.sync.run()).is_identical

            report = await laptop.sync.run(is_verifying=True)

            assert report.written == len(packs) == 2
            assert (await phone.sync.run()).is_identical
            assert (await laptop.sync.run(is_verifying=True)).written == 0

    asyncio.run(run())


def test_a_report_names_some_of_many_other_files(files: Engines, tmp_path: Path) -> None:
    async def run() -> None:
        async with two_devices(files, tmp_path) as (laptop, _):
            for number in range(25):
                (tmp_path / f"other {number:02}").touch()

            report = await laptop.sync.run()

            assert report.ignored == [*(f"other {number:02}" for number in range(20)), "and 5 others"]

    asyncio.run(run())


def test_a_device_that_could_not_join_is_not_waited_for(
    files: Engines, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put = FolderSpace.put

    def put_packs_only(space: FolderSpace, device: str, name: str, source: Path) -> None:
        put(space, device, name, source)
        raise Unavailable("the disk is full")

    async def run() -> None:
        async with two_devices(files, tmp_path) as (laptop, desktop), device_on(files.new(), "phone") as phone:
            invite, known = (await laptop.sync.invite()).invite, set(tmp_path.iterdir())
            await phone.add("phone", event("2026-01-05T08:00:00Z"))
            with monkeypatch.context() as patch:
                patch.setattr(FolderSpace, "put", put_packs_only)
                with pytest.raises(Unavailable):
                    await phone.sync.join(str(tmp_path), invite)
            (left,) = set(tmp_path.iterdir()) - known

            report = await desktop.sync.run()
            assert report.is_identical
            assert report.ignored == [f"{left.name}/"]

            await phone.sync.join(str(tmp_path), invite)
            assert {device.name: device.events for device in (await desktop.sync.run()).devices} == {
                "laptop": 2,
                "phone": 1,
            }

    asyncio.run(run())


def test_a_device_that_joined_during_a_repair_stays_in_its_space(files: Engines, tmp_path: Path) -> None:
    folder = tmp_path / "space"
    folder.mkdir()

    async def run() -> None:
        async with two_devices(files, folder) as (laptop, _), device_on(files.new(), "phone") as phone:
            phone.can_publish = False
            await phone.sync.join(str(folder), (await laptop.sync.invite()).invite)
            own = await device_id(phone)

            folder.rename(tmp_path / "not mounted")
            assert (await phone.sync.run()).problem == f"no sync space in {folder}: is it mounted?"
            (tmp_path / "not mounted").rename(folder)

            assert await device_id(phone) == own
            phone.can_publish = True
            assert (await phone.sync.run()).has_new_head

    asyncio.run(run())
