"""Two devices and a folder: what one has, the other mirrors."""

import asyncio
from pathlib import Path

import pytest

from dayline.model.errors import BucketNotFound, Conflict, MirrorReadOnly
from tests.maintenance.sync.devices import bucket, device_on, event
from tests.support.storage.engines import Engine, Engines

Pair = tuple[Engine, Engine]


@pytest.fixture(params=["files", "servers"])
def pair(request: pytest.FixtureRequest) -> Pair:
    """Two empty databases: two files, or two of PostgreSQL."""
    engines: Engines = request.getfixturevalue(request.param)
    return engines.new(), engines.new()


def test_a_device_that_joins_mirrors_everything(pair: Pair, tmp_path: Path) -> None:
    async def run() -> None:
        async with device_on(pair[0]) as laptop, device_on(pair[1], "desktop") as desktop:
            await laptop.add(
                "window",
                event("2025-11-02T08:00:00Z", title="old"),
                event("2026-03-02T08:00:00Z", title="this month"),
                event("2026-03-18T09:00:00Z", title="today"),
                event("2026-03-18T15:00:00Z", title="now"),
            )
            await laptop.add("empty")
            invite = await laptop.sync.start(str(tmp_path))

            preview = await desktop.sync.preview(str(tmp_path), invite.invite)
            report = await desktop.sync.join(str(tmp_path), invite.invite)

            assert [(each.name, each.buckets, each.events) for each in preview.devices] == [("laptop", 2, 4)]
            assert [(each.name, each.state, each.text) for each in report.devices] == [("laptop", "identical", "")]
            own = (await laptop.sync.status()).device
            assert own is not None
            assert desktop.mirrors == [f"window@{own.id}", f"empty@{own.id}"]
            assert desktop.events(f"window@{own.id}") == laptop.events("window")
            assert len(desktop.events("window")) == 4  # under its plain id, while no own bucket has it

    asyncio.run(run())


def test_every_kind_of_change_arrives(pair: Pair, tmp_path: Path) -> None:
    async def run() -> None:
        async with device_on(pair[0]) as laptop, device_on(pair[1], "desktop") as desktop:
            first, second, third = await laptop.add(
                "window",
                event("2025-11-02T08:00:00Z", title="one"),
                event("2025-11-03T08:00:00Z", title="two"),
                event("2026-03-18T15:00:00Z", title="three"),
            )
            invite = await laptop.sync.start(str(tmp_path))
            await desktop.sync.join(str(tmp_path), invite.invite)
            mirror = desktop.mirrors[0]
            before = {each.data: each.id for each in desktop.events_with_ids(mirror)}

            await laptop.store.delete_event("window", first.id)
            moved = event("2026-01-05T08:00:00Z", title="two", event_id=second.id)
            longer = event("2026-03-18T15:00:00Z", title="three", seconds=60, event_id=third.id)
            await laptop.store.insert("window", [moved, longer])
            await laptop.add("window", event("2026-03-18T15:10:00Z", title="four"))
            await laptop.store.moves.rename("window", "windows")
            await laptop.sync.run()
            report = await desktop.sync.run()

            assert report.is_identical
            mirror = desktop.mirrors[0]
            assert mirror.startswith("windows@")
            assert desktop.events(mirror) == laptop.events("windows")
            after = {each.data: each.id for each in desktop.events_with_ids(mirror)}
            assert (after[moved.data], after[longer.data]) == (before[moved.data], before[longer.data])

            await laptop.store.delete_bucket("windows")
            await laptop.sync.run()
            assert (await desktop.sync.run()).is_identical
            assert desktop.mirrors == []

    asyncio.run(run())


def test_a_pass_without_changes_writes_nothing(pair: Pair, tmp_path: Path) -> None:
    async def run() -> None:
        async with device_on(pair[0]) as laptop, device_on(pair[1], "desktop") as desktop:
            await laptop.add("window", event("2026-03-18T15:00:00Z"))
            await desktop.add("window", event("2026-03-18T15:00:00Z"), hostname="desktop")
            invite = await laptop.sync.start(str(tmp_path))
            await desktop.sync.join(str(tmp_path), invite.invite)
            await laptop.sync.run()

            files = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
            reports = [await device.sync.run() for device in (laptop, desktop, laptop, desktop)]

            assert all(report.is_identical and not report.has_new_head for report in reports)
            assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == files

    asyncio.run(run())


def test_a_mirror_is_read_only(pair: Pair, tmp_path: Path) -> None:
    async def run() -> None:
        async with device_on(pair[0]) as laptop, device_on(pair[1], "desktop") as desktop:
            await laptop.add("window", event("2026-03-18T15:00:00Z"))
            invite = await laptop.sync.start(str(tmp_path))
            await desktop.sync.join(str(tmp_path), invite.invite)
            mirror = desktop.mirrors[0]
            event_id = desktop.events_with_ids(mirror)[0].id

            for change in (
                lambda: desktop.store.insert(mirror, [event("2026-03-18T15:00:00Z")]),
                lambda: desktop.store.delete_bucket(mirror),
                lambda: desktop.store.delete_event(mirror, event_id),
                lambda: desktop.store.moves.rename(mirror, "mine"),
                lambda: desktop.store.edits.edit(mirror, event_id, lambda stored: None),
            ):
                with pytest.raises(MirrorReadOnly, match="belongs to laptop"):
                    await change()
            with pytest.raises(BucketNotFound):  # a watcher with the plain id creates its bucket
                await desktop.store.insert("window", [event("2026-03-18T15:00:00Z")])
            await desktop.store.create_bucket(bucket("window", "desktop"))
            assert desktop.events("window") == []

    asyncio.run(run())


def test_devices_with_the_same_host_name_stay_two(pair: Pair, tmp_path: Path) -> None:
    async def run() -> None:
        async with device_on(pair[0]) as laptop, device_on(pair[1], "desktop") as desktop:
            await laptop.add("window", event("2026-03-18T15:00:00Z"), hostname="computer")
            await desktop.add("window", event("2026-03-18T15:00:00Z"), hostname="computer")
            invite = await laptop.sync.start(str(tmp_path))
            await desktop.sync.join(str(tmp_path), invite.invite)

            hosts = {each.hostname for each in desktop.store.buckets().values()}
            assert len(hosts) == 2

    asyncio.run(run())


def test_a_device_that_leaves_has_no_mirrors_and_can_join_again(pair: Pair, tmp_path: Path) -> None:
    async def run() -> None:
        async with device_on(pair[0]) as laptop, device_on(pair[1], "desktop") as desktop:
            await laptop.add("window", event("2026-03-18T15:00:00Z"), event("2025-03-18T15:00:00Z"))
            invite = await laptop.sync.start(str(tmp_path))
            await desktop.sync.join(str(tmp_path), invite.invite)

            await desktop.sync.leave(keeps_mirrors=True)
            kept = desktop.mirrors
            await desktop.sync.leave(keeps_mirrors=False)

            assert (kept[0], desktop.mirrors) == (f"window@{kept[0][-8:]}", [])
            assert not (await desktop.sync.status()).is_on
            with pytest.raises(Conflict, match="sync is off"):
                await desktop.sync.leave(keeps_mirrors=False)
            assert (await desktop.sync.join(str(tmp_path), invite.invite)).devices[-1].buckets in (0, 1)
            assert desktop.events(kept[0]) == laptop.events("window")

    asyncio.run(run())


def test_a_device_that_joins_the_space_again_is_the_same_device(pair: Pair, tmp_path: Path) -> None:
    # Its former self was mirrored beside it, with all its events a second time.
    async def run() -> None:
        async with device_on(pair[0]) as laptop, device_on(pair[1], "desktop") as desktop:
            await laptop.add("window", event("2026-03-18T15:00:00Z"))
            await desktop.add("window", event("2026-03-18T15:01:00Z"))
            invite = await laptop.sync.start(str(tmp_path))
            await desktop.sync.join(str(tmp_path), invite.invite)
            await laptop.sync.run()

            await desktop.sync.leave(keeps_mirrors=False)
            await desktop.add("window", event("2026-03-18T15:02:00Z"))
            report = await desktop.sync.join(str(tmp_path), invite.invite)

            assert [device.name for device in report.devices] == ["laptop"]
            assert report.is_identical
            assert [device.name for device in (await laptop.sync.run()).devices] == ["desktop"]
            assert laptop.events(laptop.mirrors[0]) == desktop.events("window")

    asyncio.run(run())


def test_a_bucket_that_comes_back_is_mirrored_again(pair: Pair, tmp_path: Path) -> None:
    async def run() -> None:
        async with device_on(pair[0]) as laptop, device_on(pair[1], "desktop") as desktop:
            await laptop.add("window", event("2026-03-18T15:00:00Z"), event("2025-03-18T15:00:00Z"))
            invite = await laptop.sync.start(str(tmp_path))
            await desktop.sync.join(str(tmp_path), invite.invite)
            undo = await laptop.store.delete_bucket("window")
            await laptop.sync.run()
            await desktop.sync.run()
            assert desktop.mirrors == []

            await laptop.store.trash.undo(undo)
            await laptop.sync.run()

            assert (await desktop.sync.run()).is_identical
            assert desktop.events(desktop.mirrors[0]) == laptop.events("window")

    asyncio.run(run())
