"""Removing a device: the others get a new key, and it can read nothing that is published later."""

import asyncio
import secrets
from pathlib import Path

import pytest
from msgspec import structs

from dayline.maintenance.sync.devices.generations import KeyFileRejected, decrypted_key, next_generation, read_key_file
from dayline.maintenance.sync.heads import HeadRejected, read_head
from dayline.maintenance.sync.keys import new_exchange_key, new_signing_key, new_space_key, to_text
from dayline.maintenance.sync.packs import PackDamaged, read_pack
from dayline.maintenance.sync.spaces.views import NO_ACCESS
from dayline.maintenance.sync.state import Peer, SyncState, encoded, new_state, read_state
from dayline.model.errors import Conflict, Invalid
from tests.maintenance.sync.devices import SyncedDevice, device_on, event
from tests.maintenance.sync.test_adopt import all_titles, engines, states, three_devices
from tests.maintenance.sync.test_faults import device_id
from tests.support.storage.engines import Engine, Engines

__all__ = ["engines"]  # the fixture

Folder = dict[str, bytes]


def state_of(device: SyncedDevice) -> SyncState:
    state = read_state(device.store.mirrors)
    assert state is not None
    return state


def files_in(folder: Path) -> Folder:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_removed_device_cannot_read_what_is_published_later(
    engines: tuple[Engine, Engine, Engine], tmp_path: Path
) -> None:
    async def run() -> None:
        async with three_devices(engines, tmp_path) as (laptop, desktop, phone):
            before, stolen = files_in(tmp_path), state_of(laptop)
            await desktop.sync.remove("laptop", deletes_mirrors=False)
            await desktop.add("work", event("2026-03-18T15:20:00Z", title="later"))
            for device in (phone, desktop):
                await device.sync.run()

            assert states(await phone.sync.run()) == {"laptop": "removed", "desktop": "identical"}
            assert all_titles(phone) == ["Mail", "afk", "later", "old"]
            new = {name: content for name, content in files_in(tmp_path).items() if before.get(name) != content}
            assert len(new) == 4  # the key, two heads, and a pack
            for name, content in new.items():
                owner, _, file = name.partition("/")
                if file == "head":
                    with pytest.raises(HeadRejected):
                        read_head(content, stolen.space_keys, device=owner)
                elif owner != "keys":
                    for key in stolen.space_keys:
                        with pytest.raises(PackDamaged), (tmp_path / name).open("rb") as pack:
                            read_pack(pack, key, digest="x" * 32)
                else:
                    opened = read_key_file(content, stolen, int(file))
                    assert sorted(opened.keys) == sorted([await device_id(desktop), await device_id(phone)])
                    for message in opened.keys.values():
                        with pytest.raises(KeyFileRejected):
                            decrypted_key(message, stolen)

            report = await laptop.sync.run()
            assert report.stopped == "this device was removed by desktop"
            await laptop.add("window", event("2026-03-18T15:25:00Z", title="of the removed one"))
            await laptop.sync.run()
            assert (await desktop.sync.run()).is_identical
            assert "of the removed one" not in all_titles(desktop)

    asyncio.run(run())


def test_an_old_invite_is_rejected_and_a_new_one_gets_everything(files: Engines, tmp_path: Path) -> None:
    async def run() -> None:
        async with three_devices((files.new(), files.new(), files.new()), tmp_path) as (laptop, desktop, phone):
            old = (await laptop.sync.invite()).invite
            await desktop.add("work", event("2025-03-18T15:20:00Z", title="long ago"))
            await desktop.sync.remove("laptop", deletes_mirrors=False)
            await phone.sync.run()
            async with device_on(files.new(), "new") as new:
                before = files_in(tmp_path)
                with pytest.raises(Invalid, match="this invite is not valid any more: a device was removed since"):
                    await new.sync.join(str(tmp_path), old)
                assert files_in(tmp_path) == before

                invite = (await desktop.sync.invite()).invite
                await new.sync.join(str(tmp_path), invite)
                report = await new.sync.run()

                assert states(report) == {"desktop": "identical", "phone": "identical"}
                assert all_titles(new) == ["long ago"]
                assert (await phone.sync.invite()).invite == (await new.sync.invite()).invite == invite
                await desktop.sync.run()
                adoption = await desktop.sync.adopt("laptop", is_dry_run=False)
                await desktop.sync.run()
                await new.sync.run()
                assert all_titles(new) == ["Mail", "afk", "long ago", "old"]
                assert adoption.events == 3

    asyncio.run(run())


def test_closed_months_are_not_published_again(files: Engines, tmp_path: Path) -> None:
    async def run() -> None:
        async with three_devices((files.new(), files.new(), files.new()), tmp_path) as (_, desktop, phone):
            await desktop.add("work", event("2025-03-18T15:20:00Z", title="long ago"))
            await desktop.add("work", event("2026-03-18T15:20:00Z", title="today"))
            await desktop.sync.run()
            own = await device_id(desktop)
            before, folder = files_in(tmp_path / own), tmp_path / own
            await desktop.sync.remove("laptop", deletes_mirrors=False)
            new = [name for name in files_in(folder) if name not in before]
            assert len(new) == 1  # today
            await desktop.add("work", event("2025-03-19T15:20:00Z", title="edited later"))
            await desktop.sync.run()
            after = [name for name in files_in(folder) if name not in before and name not in new]
            key = state_of(desktop).space_key
            head = read_head((folder / "head").read_bytes(), [key], device=own)
            assert after == [key.pack_name(head.buckets[0].spans["2025-03"])]
            assert (head.former, head.buckets[0].former) == ({}, {})
            assert (await desktop.sync.run(is_verifying=True)).is_identical
            await phone.sync.run()
            assert "edited later" in all_titles(phone)

    asyncio.run(run())


def test_a_pack_with_a_former_key_that_is_damaged_is_written_again(files: Engines, tmp_path: Path) -> None:
    async def run() -> None:
        async with three_devices((files.new(), files.new(), files.new()), tmp_path) as (_, desktop, phone):
            await desktop.add("work", event("2025-03-18T15:20:00Z", title="long ago"))
            await desktop.sync.run()
            folder, packs = tmp_path / await device_id(desktop), set(files_in(tmp_path / await device_id(desktop)))
            await desktop.sync.remove("laptop", deletes_mirrors=False)
            await desktop.sync.remove(await device_id(phone), deletes_mirrors=False)
            for name in packs - {"head"}:
                (folder / name).write_bytes(b"damaged")
            await desktop.sync.run(is_verifying=True)

            async with device_on(files.new(), "new") as new:
                await new.sync.join(str(tmp_path), (await desktop.sync.invite()).invite)
                assert all_titles(new) == ["long ago"]

    asyncio.run(run())


def test_a_device_that_was_away_gets_the_new_key(files: Engines, tmp_path: Path) -> None:
    async def run() -> None:
        async with three_devices((files.new(), files.new(), files.new()), tmp_path) as (_, desktop, phone):
            await desktop.sync.remove("laptop", deletes_mirrors=True)
            assert desktop.mirrors == []
            async with device_on(files.new(), "tablet") as tablet:
                await tablet.sync.join(str(tmp_path), (await desktop.sync.invite()).invite)
            await desktop.sync.run()
            await desktop.sync.remove("tablet", deletes_mirrors=False)
            await desktop.add("work", event("2026-03-18T15:20:00Z", title="later"))
            await desktop.sync.run()

            report = await phone.sync.run()

            assert states(report)["desktop"] == "identical"
            assert "later" in all_titles(phone)
            assert sorted(state_of(phone).removed.values()) == ["desktop", "desktop"]

    asyncio.run(run())


def test_a_device_gets_the_new_key_from_one_that_it_does_not_know_yet(files: Engines, tmp_path: Path) -> None:
    async def run() -> None:
        async with (
            three_devices((files.new(), files.new(), files.new()), tmp_path) as (laptop, desktop, phone),
            device_on(files.new(), "tablet") as tablet,
        ):
            await tablet.sync.join(str(tmp_path), (await laptop.sync.invite()).invite)
            await tablet.sync.remove("desktop", deletes_mirrors=False)

            await phone.sync.run()  # it has never seen a head of the tablet that it can read
            report = await phone.sync.run()

            assert states(report) == {"laptop": "identical", "desktop": "removed", "tablet": "identical"}
            assert (await desktop.sync.run()).stopped == "this device was removed by tablet"

    asyncio.run(run())


def test_a_device_that_the_remover_did_not_know_joins_again_and_is_the_same(files: Engines, tmp_path: Path) -> None:
    async def run() -> None:
        async with (
            three_devices((files.new(), files.new(), files.new()), tmp_path) as (laptop, desktop, phone),
            device_on(files.new(), "tablet") as tablet,
        ):
            old = (await laptop.sync.invite()).invite
            await tablet.add("reader", event("2025-03-18T15:20:00Z", title="long ago"))
            await tablet.sync.join(str(tmp_path), old)
            own = await device_id(tablet)
            await phone.sync.run()  # only the phone knows it
            with pytest.raises(Conflict, match="this device is in the sync space"):
                await tablet.sync.join(str(tmp_path), old)
            hidden = tmp_path / own
            hidden.rename(tmp_path.with_name("late"))
            await desktop.sync.remove("laptop", deletes_mirrors=False)
            tmp_path.with_name("late").rename(hidden)

            report = await tablet.sync.run()
            assert report.stopped == "desktop has replaced the key of the space, and did not know this device yet"
            assert (report.hint or "").endswith(f"run here: dayline sync join {tmp_path}")
            before = files_in(hidden)
            invite = (await desktop.sync.invite()).invite
            with pytest.raises(Conflict, match="this device was removed by desktop"):
                await laptop.sync.join(str(tmp_path), invite)
            report = await tablet.sync.join(str(tmp_path), invite)

            assert report.stopped is None
            assert await device_id(tablet) == own
            assert [name for name in files_in(hidden) if name not in before] == []
            for device in (phone, desktop, tablet, phone):
                await device.sync.run()
            for device in (phone, desktop):
                assert states(await device.sync.run())["tablet"] == "identical"
                assert all_titles(device).count("long ago") == 1

    asyncio.run(run())


def test_forged_and_foreign_key_files_are_ignored_and_reported(files: Engines, tmp_path: Path) -> None:
    async def run() -> None:
        async with three_devices((files.new(), files.new(), files.new()), tmp_path) as (laptop, desktop, phone):
            removed = state_of(laptop)
            await desktop.sync.remove("laptop", deletes_mirrors=False)
            stranger = structs.replace(removed, signing_secret=to_text(new_signing_key().secret))
            other = structs.replace(removed, space_secret=to_text(secrets.token_bytes(32)))
            _, of_removed = next_generation(removed, {}, now=0)
            _, of_stranger = next_generation(stranger, {}, now=0)
            _, of_other = next_generation(other, {}, now=0)
            genuine = next(path for path in (tmp_path / "keys").iterdir())
            forged = {
                "10001": of_removed,
                "10002": of_stranger,
                "10003": of_other,
                "10004": b"x",
                "10005": genuine.read_bytes(),
                "10006": b"x" * (2 << 20),
            }
            for name, content in forged.items():
                (tmp_path / "keys" / name).write_bytes(content)
            (tmp_path / "keys" / "2.sync-conflict").write_bytes(b"x")

            report = await phone.sync.run()
            report = await desktop.sync.run()

            assert [warning.partition(": ")[2] for warning in report.warnings] == [
                f"it was made by {removed.device}, which was removed",
                f"it was made by {stranger.device}, which is unknown here",
                "it is damaged, of another space, or follows a key that is not here",
                "it is damaged",
                f"it is that of another generation, {genuine.name}",
                "it is larger than 1 MiB",
            ]
            assert report.ignored == ["keys/2.sync-conflict"]
            assert states(report) == {"laptop": "removed", "phone": "identical"}
            assert state_of(desktop).generation == state_of(phone).generation == int(genuine.name)

    asyncio.run(run())


def test_the_key_of_a_space_of_many_devices_can_be_replaced() -> None:
    signing, key = new_signing_key(), new_space_key()
    state = new_state("/space", NO_ACCESS, "laptop", key, signing)
    exchange = to_text(new_exchange_key().public)
    peers = {f"device{number}": Peer(name="x", key="", slot=number, exchange=exchange) for number in range(700)}

    number, content = next_generation(structs.replace(state, peers=peers), {"device1": "laptop"}, now=0)

    assert len(content) > 200_000
    assert len(read_key_file(content, state, number).keys) == 700


def test_a_removed_device_cannot_join_under_another_name_with_the_old_key(files: Engines, tmp_path: Path) -> None:
    async def run() -> None:
        async with three_devices((files.new(), files.new(), files.new()), tmp_path) as (laptop, desktop, _):
            state = state_of(laptop)
            await desktop.sync.remove("laptop", deletes_mirrors=False)
            renewed = structs.replace(state, signing_secret=to_text(new_signing_key().secret), number=0, nonce="")
            keys = tmp_path / "keys"
            keys.rename(tmp_path.with_name("hidden"))
            await laptop.store.mirrors.keep(encoded(renewed))
            await laptop.sync.run()
            tmp_path.with_name("hidden").rename(keys)

            report = await desktop.sync.run()

            stranger = next(each for each in report.devices if each.id == renewed.device)
            assert (stranger.state, stranger.text) == (
                "rejected", "it joined with an old invite. Show it a new one with: dayline sync invite",
            )  # fmt: skip

    asyncio.run(run())


def test_two_devices_that_remove_others_at_the_same_time(files: Engines, tmp_path: Path) -> None:
    async def run() -> None:
        async with (
            three_devices((files.new(), files.new(), files.new()), tmp_path) as (laptop, desktop, phone),
            device_on(files.new(), "tablet") as tablet,
        ):
            await tablet.sync.join(str(tmp_path), (await laptop.sync.invite()).invite)
            for device in (desktop, phone, laptop):
                await device.sync.run()
            await desktop.sync.remove("laptop", deletes_mirrors=False)
            keys = tmp_path / "keys"
            keys.rename(tmp_path.with_name("of-desktop"))
            await phone.sync.remove("tablet", deletes_mirrors=False)
            for path in tmp_path.with_name("of-desktop").iterdir():
                path.rename(keys / path.name)

            for device in (desktop, phone, desktop, phone, desktop):
                await device.sync.run()

            one, other = state_of(desktop), state_of(phone)
            assert one.generation == other.generation
            assert one.recipients == sorted([one.device, other.device])
            assert set(one.removed) == {await device_id(laptop), await device_id(tablet)}
            report = await desktop.sync.run()
            assert states(report) == {"laptop": "removed", "tablet": "removed", "phone": "identical"}

    asyncio.run(run())


def test_what_cannot_be_removed(files: Engines, tmp_path: Path) -> None:
    async def run() -> None:
        async with three_devices((files.new(), files.new(), files.new()), tmp_path) as (laptop, desktop, phone):
            await laptop.sync.run()
            await desktop.sync.remove("laptop", deletes_mirrors=False)
            with pytest.raises(Conflict, match="laptop was removed by desktop"):
                await desktop.sync.remove("laptop", deletes_mirrors=False)
            assert len(desktop.mirrors) == 2
            await desktop.sync.remove("laptop", deletes_mirrors=True)
            assert desktop.mirrors == []
            with pytest.raises(Conflict, match="this device was removed by desktop"):
                await laptop.sync.remove("phone", deletes_mirrors=False)
            await phone.sync.run()
            assert (await phone.sync.run()).is_identical

    asyncio.run(run())


def test_a_key_file_that_is_missing_is_written_again(files: Engines, tmp_path: Path) -> None:
    async def run() -> None:
        async with three_devices((files.new(), files.new(), files.new()), tmp_path) as (_, desktop, phone):
            await desktop.sync.remove("laptop", deletes_mirrors=False)
            before = files_in(tmp_path / "keys")
            for name in before:
                (tmp_path / "keys" / name).unlink()

            await desktop.sync.run()

            assert files_in(tmp_path / "keys") == before
            await phone.sync.run()
            assert (await desktop.sync.run()).is_identical

    asyncio.run(run())
