"""Three devices edit settings and annotations at random, while the folder delivers late, partly and out of order."""

import asyncio
import random
import shutil
from contextlib import AsyncExitStack, suppress
from pathlib import Path

import pytest

from dayline.maintenance.sync.items.ledger import Snapshot, take
from dayline.maintenance.sync.spaces.protocol import HEAD
from dayline.model.data import canonical_json
from dayline.model.edits.annotation import ANNOTATIONS_BUCKET, Annotation, annotations_bucket, event_of_annotation
from dayline.model.errors import DaylineError
from dayline.model.event import Event
from dayline.model.time import SECOND
from tests.maintenance.sync.devices import NOW, SyncedDevice, device_on
from tests.support.storage.engines import Engines

KEYS = ("day_start", "theme", "report:Invoice", "projects")
NAMES = ("laptop", "desktop", "tablet")


class Fleet:
    """Devices with a folder each; files get from one to the other when they are delivered."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.random = random.Random(seed)
        self.devices: list[SyncedDevice] = []
        self.folders = [folder / name for name in NAMES]

    async def start(self, stack: AsyncExitStack, engines: Engines) -> None:
        for name in NAMES:
            self.devices.append(await stack.enter_async_context(device_on(engines.new(), name)))
        first, *others = self.devices
        invite = await first.sync.start(str(self.folders[0]))
        for device, folder in zip(others, self.folders[1:], strict=True):
            self.deliver(everything=True)
            await self.edit(device)
            await device.sync.join(str(folder), invite.invite)

    def deliver(self, *, everything: bool = False) -> None:
        """Copy files to the other folders, heads at any time: also before what they list."""
        for source in self.folders:
            for file in [path for path in source.rglob("*") if path.is_file()] if source.exists() else []:
                for target in self.folders:
                    copy = target / file.relative_to(source)
                    if (
                        target == source
                        or file.parent != self._own(source)
                        or not (everything or self.random.random() < 0.4)
                    ):
                        continue
                    if file.name == HEAD or not copy.exists():
                        copy.parent.mkdir(parents=True, exist_ok=True)
                        shutil.copyfile(file, copy)

    def _own(self, folder: Path) -> Path | None:
        device = self.devices[self.folders.index(folder)] if self.folders.index(folder) < len(self.devices) else None
        own = None if device is None else device.own_id
        return None if own is None else folder / own

    async def edit(self, device: SyncedDevice) -> None:
        value = canonical_json(self.random.randrange(1000))
        annotations = device.events_with_ids(ANNOTATIONS_BUCKET) if ANNOTATIONS_BUCKET in device.store.buckets() else []
        match self.random.randrange(6):
            case 0 | 1:
                await device.access.change_own_settings({self.random.choice(KEYS): value})
            case 2:
                await device.access.change_own_settings({self.random.choice(KEYS): None})
            case 3:
                await device.store.edits.add(annotations_bucket(NOW), self._annotation())
            case 4 if annotations:
                chosen = self.random.choice(annotations)
                after = None if self.random.random() < 0.5 else self._annotation(chosen.id)
                await device.store.edits.edit(ANNOTATIONS_BUCKET, chosen.id, lambda stored: after)
            case 5:
                if entries := device.store.trash.all():
                    with suppress(DaylineError):  # something newer depends on it
                        await device.store.trash.undo(self.random.choice(entries).id)
            case _:
                pass

    def _annotation(self, event_id: int = 0) -> Event:
        start = NOW + self.random.randrange(1000) * SECOND
        label = str(self.random.randrange(1000))
        return event_of_annotation(Annotation(id=event_id, kind="label", label=label, start=start, end=start + SECOND))

    async def settle(self) -> None:
        for _ in range(4):
            for device in self.devices:
                self.deliver(everything=True)
                await device.sync.run()

    def items(self) -> list[dict[str, tuple[object, bytes | None]]]:
        """The items of each device, without what only it knows."""
        return [
            {item.key: (item.stamp, item.content) for item in snapshot.items("")}
            for snapshot in (_snapshot(device) for device in self.devices)
        ]


def _snapshot(device: SyncedDevice) -> Snapshot:
    assert device.own_id is not None
    return device.store.mirrors.items.read(lambda reads: take(reads, device.own_id or "", now=device.clock.now))


def contents(device: SyncedDevice) -> tuple[dict[str, bytes], list[tuple[int, int, bytes]]]:
    settings = {key: value for key, value in device.access.own_settings().items() if key in KEYS}
    events = device.events_with_ids(ANNOTATIONS_BUCKET) if ANNOTATIONS_BUCKET in device.store.buckets() else []
    return settings, sorted((each.start, each.duration, each.data) for each in events)


@pytest.mark.parametrize("seed", range(8))
def test_three_devices_end_with_the_same_items(files: Engines, tmp_path: Path, seed: int) -> None:
    asyncio.run(converge(files, tmp_path, seed))


@pytest.mark.parametrize("seed", range(2))
def test_three_devices_on_postgres_end_with_the_same_items(servers: Engines, tmp_path: Path, seed: int) -> None:
    asyncio.run(converge(servers, tmp_path, seed))


async def converge(engines: Engines, folder: Path, seed: int) -> None:
    fleet = Fleet(folder, seed)
    async with AsyncExitStack() as stack:
        await fleet.start(stack, engines)
        for number, device in enumerate(fleet.devices):
            device.clock.now += (number - 1) * 3600 * SECOND  # clocks that are off by an hour
        for _ in range(60):
            device = fleet.random.choice(fleet.devices)
            if fleet.random.random() < 0.6:
                await fleet.edit(device)
            else:
                await device.sync.run()
            if fleet.random.random() < 0.3:
                fleet.deliver()
        await fleet.settle()

        first, *others = fleet.devices
        assert [contents(device) for device in others] == [contents(first)] * 2
        items = fleet.items()
        assert items[1:] == items[:1] * 2


@pytest.mark.parametrize("steps", range(1, 60, 6))
def test_a_pass_that_is_interrupted_anywhere_is_repeated(files: Engines, tmp_path: Path, steps: int) -> None:
    async def run() -> None:
        engine = files.new()
        async with device_on(files.new()) as laptop:
            for key in KEYS:
                await laptop.access.change_own_settings({key: b"1"})
            for number in range(120):  # of more than one transaction
                start = NOW + number * SECOND
                made = Annotation(id=0, kind="label", label=str(number), start=start, end=start + SECOND)
                await laptop.store.edits.add(annotations_bucket(NOW), event_of_annotation(made))
            invite = await laptop.sync.start(str(tmp_path))
            async with device_on(engine, "desktop") as desktop:
                await desktop.sync.join(str(tmp_path), invite.invite)
            for key in KEYS:
                await laptop.access.change_own_settings({key: b"2"})
            for stored in laptop.events_with_ids(ANNOTATIONS_BUCKET):
                if stored.id % 2:
                    await laptop.store.edits.edit(ANNOTATIONS_BUCKET, stored.id, lambda event: None)
            await laptop.sync.run()
            async with device_on(engine, "desktop") as desktop:
                task = asyncio.create_task(desktop.sync.run())
                for _ in range(steps):
                    await asyncio.sleep(0.002)
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task
            async with device_on(engine, "desktop") as desktop:
                assert (await desktop.sync.run()).is_identical
                assert contents(desktop) == contents(laptop)
                await desktop.sync.run()
                await laptop.sync.run()
                assert contents(desktop) == contents(laptop)

    asyncio.run(run())
