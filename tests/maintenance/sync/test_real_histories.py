"""Random histories of three devices with real stores: mirrors converge, or a report says why not.

The folder of each device is its own; files are copied between them late, partly, in any order, and truncated. Passes
are stopped anywhere, databases are restored from copies, and parts of folders are deleted.
"""

import asyncio
import os
import shutil
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from random import Random
from typing import Final

import pytest
from msgspec import structs

from dayline.maintenance.sync.report import PassReport
from dayline.model.errors import Conflict, DaylineError
from dayline.model.event import Event
from dayline.model.time import DAY, SECOND, Microseconds
from tests.maintenance.sync.devices import NOW, SyncedDevice, device_on, event
from tests.support.storage.engines import Engine, Engines, SqliteEngine

STEPS: Final = 60
Mirrored = list[dict[str, object]]


class Computer:
    """A device with its folder, which can be stopped, copied and restored."""

    def __init__(self, name: str, engine: Engine, folder: Path) -> None:
        self.name = name
        self.engine = engine
        self.folder = folder
        self.has_backup = False
        self.id = ""
        self.hours = 0
        self.report: PassReport | None = None
        self._stack = AsyncExitStack()
        self.device: SyncedDevice

    async def open(self) -> None:
        self._stack = AsyncExitStack()
        self.device = await self._stack.enter_async_context(device_on(self.engine, self.name))
        self.hours += 1
        self.device.clock.now += self.hours * 3600 * SECOND
        if self.id:
            await self.device.sync.resume()

    async def close(self) -> None:
        await self._stack.aclose()

    def copy(self, *, is_restoring: bool) -> None:
        assert isinstance(self.engine, SqliteEngine)
        backup = self.engine.path.with_name("backup")
        shutil.copy(backup, self.engine.path) if is_restoring else shutil.copy(self.engine.path, backup)

    async def run_pass(self) -> None:
        self.report = await self.device.sync.run()


class RealHistory:
    """What happens to three devices."""

    def __init__(self, seed: int, engines: Engines, folder: Path) -> None:
        self.random = Random(seed)
        self.computers: list[Computer] = []
        for name in ("one", "two", "three"):
            space = folder / f"{seed}-{name}"
            (space / "keys").mkdir(parents=True)
            self.computers.append(Computer(name, engines.new(), space))
        self.lost: list[Computer] = []
        self.count = 0

    async def run(self) -> str:
        try:
            await self._begin()
            for _ in range(STEPS):
                await self._step(self.random.choice(self.computers))
            return await self._end()
        finally:
            for computer in self.computers:
                await computer.close()

    async def _begin(self) -> None:
        first = self.computers[0]
        for computer in self.computers:
            await computer.open()
            await self._add(computer)
        invite = await first.device.sync.start(str(first.folder))
        for computer in self.computers:
            if computer is not first:
                self._deliver_all()
                await computer.device.sync.join(str(computer.folder), invite.invite)
            own = (await computer.device.sync.status()).device
            assert own is not None
            computer.id = own.id

    async def _step(self, computer: Computer) -> None:
        chance, random = self.random.random(), self.random
        with suppress(Conflict):  # an operation of the store that does not fit now
            if chance < 0.25:
                await self._add(computer)
            elif chance < 0.45:
                await self._change(computer)
            elif chance < 0.65:
                await computer.run_pass()
            elif chance < 0.72:
                await self._kill_during_a_pass(computer)
            elif chance < 0.90:
                self._deliver(computer, random.choice(self.computers), random.choice([0.4, 1.0]))
            elif isinstance(computer.engine, SqliteEngine) and chance < 0.96:
                await self._back_up_or_restore(computer)
            elif chance < 0.98:
                other = random.choice([each for each in self.computers if each is not computer])
                shutil.rmtree(computer.folder / other.id, ignore_errors=True)
            elif computer.report is not None and computer.report.stopped:
                await self._recover(computer)

    async def _add(self, computer: Computer) -> None:
        random = self.random
        bucket_id = f"{computer.name}-{random.randrange(2)}"
        days = random.choice([0, 0, 1, 20, 40, 400])
        start = NOW - days * DAY - random.randrange(20) * 600 * SECOND
        self.count += 1
        made = [
            event("2026-01-01T00:00:00Z", title=f"{computer.name} {self.count} {number}", seconds=random.randrange(100))
            for number in range(random.choice([1, 1, 5]))
        ]
        await computer.device.add(bucket_id, *(_at(each, start) for each in made), hostname="computer")

    async def _change(self, computer: Computer) -> None:
        """An edit, a deletion, a rename, a merge, the deletion of a bucket, or an undo."""
        random, store = self.random, computer.device.store
        own = [bucket_id for bucket_id in store.buckets() if "@" not in bucket_id]
        if not own:
            return
        bucket_id = random.choice(own)
        found = computer.device.events_with_ids(bucket_id)
        kind = random.choice(["move", "grow", "delete", "delete", "rename", "merge", "bucket", "undo"])
        if kind == "undo":
            items = store.trash.all()
            if items:
                with suppress(DaylineError):
                    await store.trash.undo(items[0].id)
        elif kind == "bucket" and random.random() < 0.3:
            await store.delete_bucket(bucket_id)
        elif kind == "rename":
            self.count += 1
            await store.moves.rename(bucket_id, f"{computer.name}-renamed-{self.count}", keeps_alias=False)
        elif kind == "merge" and len(own) > 1:
            await store.moves.merge(bucket_id, next(each for each in own if each != bucket_id))
        elif found:
            chosen = random.choice(found)
            if kind == "delete":
                await store.delete_event(bucket_id, chosen.id)
            else:
                start = NOW - random.randrange(100) * DAY if kind == "move" else chosen.start
                await store.insert(bucket_id, [_at(chosen, start, longer=5 * SECOND)])

    async def _kill_during_a_pass(self, computer: Computer) -> None:
        """Stop a pass anywhere, and start again with what is on disk."""
        task = asyncio.ensure_future(computer.device.sync.run())
        for _ in range(self.random.randrange(60)):
            await asyncio.sleep(0)
        await asyncio.sleep(self.random.choice([0, 0.001, 0.01, 0.03]))
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
        await computer.close()
        await computer.open()

    async def _back_up_or_restore(self, computer: Computer) -> None:
        await computer.close()
        if computer.has_backup and self.random.random() < 0.5:
            computer.copy(is_restoring=True)
        else:
            computer.copy(is_restoring=False)
            computer.has_backup = True
        await computer.open()

    def _deliver(self, source: Computer, target: Computer, share: float) -> None:
        if source is target:
            return
        if share == 1 or self.random.random() < share:
            shutil.copytree(source.folder / "keys", target.folder / "keys", dirs_exist_ok=True)
        own, other = source.folder / source.id, target.folder / source.id
        other.mkdir(exist_ok=True)
        names = sorted({*os.listdir(own), *os.listdir(other)}) if own.is_dir() else []
        for name in names:
            if self.random.random() > share:
                continue
            if not (own / name).exists():
                (other / name).unlink()
            elif share < 1 and self.random.random() < 0.1:
                content = (own / name).read_bytes()
                (other / name).write_bytes(content[: self.random.randrange(len(content))])
            else:
                shutil.copy(own / name, other / name)

    def _deliver_all(self) -> None:
        for source in [*self.lost, *self.computers]:
            if source.id:
                for target in self.computers:
                    self._deliver(source, target, 1)

    async def _recover(self, computer: Computer) -> None:
        with suppress(DaylineError):
            await computer.device.sync.recover()

    async def _end(self) -> str:
        for _ in range(4):
            for computer in self.computers:
                await computer.run_pass()
                if computer.report is not None and computer.report.stopped:
                    await self._recover(computer)
                    await computer.run_pass()
            self._deliver_all()
        for computer in self.computers:
            await computer.run_pass()
        reports = [computer.report for computer in self.computers if computer.report is not None]
        if any(report.stopped or report.problem for report in reports):
            return "stopped"
        if any(device.state == "forked" for report in reports for device in report.devices):
            return "forked"
        assert all(report.is_identical for report in reports), reports
        for computer in self.computers:
            await self._check(computer)
        return "identical"

    async def _check(self, computer: Computer) -> None:
        own = {bucket_id for bucket_id in computer.device.store.buckets() if "@" not in bucket_id}
        for other in self.computers:
            if other is not computer:
                store = other.device.store
                mirrors = {each for each in store.buckets() if each.endswith(f"@{computer.id}")}
                assert mirrors == {f"{bucket_id}@{computer.id}" for bucket_id in own}
                for bucket_id in own:
                    mirrored: Mirrored = other.device.events(f"{bucket_id}@{computer.id}")
                    assert mirrored == computer.device.events(bucket_id)
            assert (await computer.device.sync.run(is_verifying=True)).is_identical


class LossyHistory(RealHistory):
    """One of the devices is lost for ever. The others adopt it, undo that, and remove it, in any order."""

    async def _begin(self) -> None:
        await super()._begin()
        self._deliver_all()
        for computer in self.computers:  # a device gets no new key from one that has never seen it
            await computer.run_pass()

    async def _step(self, computer: Computer) -> None:
        if not self.lost and self.random.random() < 0.06:
            await computer.close()
            self.computers.remove(computer)
            self.lost.append(computer)
        elif self.lost and self.random.random() < 0.15:
            await self._change_lost(computer, self.lost[0].id)
        else:
            await super()._step(computer)

    async def _change_lost(self, computer: Computer, lost: str) -> None:
        kind = self.random.choice(["adopt", "adopt", "undo", "remove", "delivery"])
        with suppress(DaylineError):
            if kind == "adopt" and computer is self.computers[0]:  # only one of them: two are warned
                await computer.device.sync.adopt(lost, is_dry_run=False)
            elif kind == "undo":
                await computer.device.store.trash.undo_group(f"sync-adopt-{lost}")
            elif kind == "remove":
                await computer.device.sync.remove(lost, deletes_mirrors=False)
            else:
                self._deliver(self.lost[0], computer, self.random.choice([0.4, 1.0]))

    async def _end(self) -> str:
        outcome = await super()._end()
        if outcome == "identical":
            for computer in self.computers:
                self._check_lost(computer)
        return outcome

    def _check_lost(self, computer: Computer) -> None:
        """No event of a lost device is on another one twice."""
        for lost in self.lost:
            store = computer.device.store
            titles = [str(each["data"]["title"]) for name in store.buckets() for each in computer.device.events(name)]
            found = [title for title in titles if title.startswith(f"{lost.name} ")]
            warnings = " ".join(
                text for each in self.computers if each.report is not None
                for text in [*each.report.warnings, *(device.text for device in each.report.devices)]
            )  # fmt: skip
            assert sorted(found) == sorted(set(found)) or "without its newest events" in warnings
            states = {each.id: each.state for each in computer.report.devices} if computer.report is not None else {}
            has_mirrors = any(each.endswith(f"@{lost.id}") for each in store.buckets())
            assert not (states.get(lost.id) == "adopted" and has_mirrors)


def _at(made: Event, start: Microseconds, *, longer: Microseconds = 0) -> Event:
    return structs.replace(made, start=start, duration=made.duration + longer)


@pytest.mark.parametrize("seed", range(8))
def test_mirrors_of_files_converge(files: Engines, tmp_path: Path, seed: int) -> None:
    assert asyncio.run(RealHistory(seed, files, tmp_path).run()) in ("identical", "forked")


@pytest.mark.parametrize("seed", range(3))
def test_mirrors_on_postgres_converge(servers: Engines, tmp_path: Path, seed: int) -> None:
    assert asyncio.run(RealHistory(seed, servers, tmp_path).run()) == "identical"


@pytest.mark.parametrize("seed", range(8))
def test_a_lost_device_is_adopted_and_removed(files: Engines, tmp_path: Path, seed: int) -> None:
    assert asyncio.run(LossyHistory(seed, files, tmp_path).run()) in ("identical", "forked", "stopped")


@pytest.mark.parametrize("seed", range(2))
def test_a_lost_device_is_adopted_and_removed_on_postgres(servers: Engines, tmp_path: Path, seed: int) -> None:
    assert asyncio.run(LossyHistory(seed, servers, tmp_path).run()) == "identical"


@pytest.mark.long
def test_two_hundred_lost_devices_are_adopted_and_removed(files: Engines, tmp_path: Path) -> None:
    found = [asyncio.run(LossyHistory(seed, files, tmp_path).run()) for seed in range(100, 300)]

    assert found.count("identical") > 150


@pytest.mark.long
def test_two_hundred_histories_converge(files: Engines, tmp_path: Path) -> None:
    found = [asyncio.run(RealHistory(seed, files, tmp_path).run()) for seed in range(100, 300)]

    assert found.count("identical") > 150
