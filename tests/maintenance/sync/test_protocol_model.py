"""Random histories of three devices: whatever happens, mirrors converge, or the devices report why not."""

from collections import Counter
from random import Random

import pytest

from tests.maintenance.sync.protocol_model import HEAD, Database, Device, Killed

Backup = tuple[Database, set[tuple[str, int]]]


class History:
    """Three devices, or four of which two have one identity, and what happens to them."""

    def __init__(self, seed: int, *, has_twin: bool = False) -> None:
        self.random = Random(seed)
        self.devices = [Device(name, self.random) for name in ("A", "B", "C")]
        self.now = 20
        self.backups: dict[str, Backup] = {}
        self.was_damaged = False  # the folder, while a restored database was behind it: no device knows what was lost
        self.twin: Device | None = None
        self.has_twin = has_twin

    def run(self) -> str:
        for _ in range(120):
            self.now += self.random.random() < 0.5
            self.step(self.random.choice(self.devices), self.random.random())
        return self.end()

    def step(self, device: Device, chance: float) -> None:
        random = self.random
        if chance < 0.30:
            writer = device.name if device is not self.twin else f"{device.name}2"
            device.record(self.now - random.choice([0, 0, 0, 1, 9]), writer)
        elif chance < 0.40:
            device.extend()
        elif chance < 0.50:
            device.edit(random.randrange(self.now) if chance < 0.45 else None)
        elif chance < 0.66:
            self.publish(device, random.choice([0, 0, 0, 0, 1, 2]))
        elif chance < 0.80:
            device.pull()
        elif chance < 0.94:
            source, target = random.sample(self.devices, 2)
            self.deliver(source, target, random.choice([0.3, 1]))
        elif chance < 0.96:
            self.backups[device.name] = (device.db.copied(), set(device.truth))
        elif chance < 0.98:
            self.break_database(device)
        elif chance < 0.99:
            owner = random.choice("ABC")
            self.was_damaged |= owner == device.name and device.is_behind(device.own_head)
            device.folder = {place: file for place, file in device.folder.items() if place[0] != owner}
        else:
            device.start()
        if device.is_stopped and random.random() < 0.5:
            device.recover()

    def publish(self, device: Device, kill: int) -> None:
        try:
            device.publish(self.now, kill)
        except Killed:
            device.start()

    def deliver(self, source: Device, target: Device, share: float) -> None:
        """Copy some of the files that a device wrote, in any order, as a folder synchronizer does; and deletions."""
        for place in sorted(source.folder.keys() | target.folder.keys()):
            if place[0] != source.name or self.random.random() > share:
                continue
            if place in source.folder:
                target.folder[place] = source.folder[place]
            else:
                target.folder.pop(place, None)

    def break_database(self, device: Device) -> None:
        """Restore a backup, or run a copy of it as a second device."""
        if device.name not in self.backups:
            return
        saved, saved_truth = self.backups[device.name]
        backup, truth = saved.copied(), set(saved_truth)
        if self.has_twin:
            if self.twin is None and device.name == "A":
                self.twin = Device("A", self.random)
                self.twin.db, self.twin.folder, self.twin.recorded = backup, dict(device.folder), device.recorded
                self.twin.truth = truth
                self.twin.start()
                self.devices.append(self.twin)
            return
        head = device.own_head
        packs = [] if head is None else [device.pack_of(device.name, name) for name in head.spans.values()]
        self.was_damaged |= any(pack is None for pack in packs)
        published = {event.tag for pack in packs for event in (pack or {}).values()}
        device.db = backup
        if device.is_behind(head):
            new = device.unpublished_ids(head)
            device.truth = published | {event.tag for key, event in backup.events.items() if key in new}
        else:
            device.truth = {event.tag for event in backup.events.values()}
        device.start()

    def end(self) -> str:
        """Everything arrives. Returns what became of it; raises AssertionError if something is wrong."""
        for _ in range(12):
            for device in self.devices:
                device.publish(self.now)
                if device.recover():
                    device.publish(self.now)
            for source in self.devices:
                for target in self.devices:
                    if source is not target:
                        self.deliver(source, target, 1)
            for device in self.devices:
                device.pull()
        for device in self.devices:
            tags = [event.tag for event in device.db.events.values()]
            assert len(tags) == len(set(tags)), f"{device.name} has an event twice"
        if any(device.is_stopped for device in self.devices):
            return "stopped"
        if any(device.forks for device in self.devices):
            self.check_forks()
            return "forked"
        if self.was_damaged:
            return "folder damaged"
        self.check()
        return "converged"

    def check_forks(self) -> None:
        """A fork that was reported stays one: the mirror is not replaced by what the restored database publishes."""
        for device in self.devices:
            for owner in device.forks:
                head = device.head_of(owner)
                assert head is None or device.db.applied[owner] != (head.number, head.nonce), (device.name, owner)

    def check(self) -> None:
        for device in self.devices:
            if self.has_twin and device.name == "A":
                continue
            assert {event.tag for event in device.db.events.values()} == device.truth, device.name
            for other in self.devices:
                if other is not device:
                    assert other.db.mirrors.get(device.name, {}) == device.db.events, (device.name, other.name)


def outcomes(seeds: range, *, has_twin: bool = False) -> Counter[str]:
    found: Counter[str] = Counter()
    for seed in seeds:
        try:
            found[History(seed, has_twin=has_twin).run()] += 1
        except AssertionError as error:
            raise AssertionError(f"history {seed}: {error}") from error
    return found


def test_mirrors_converge_or_devices_report_why_not() -> None:
    found = outcomes(range(150))

    assert found["converged"] > 100


def test_two_devices_with_one_identity_are_reported_and_duplicate_nothing() -> None:
    found = outcomes(range(100), has_twin=True)

    assert found["converged"] > 30


@pytest.mark.long
def test_twenty_thousand_histories() -> None:
    found = outcomes(range(20_000))

    assert found["converged"] > 15_000


def test_a_backup_between_a_restore_and_the_next_head_duplicates_nothing() -> None:
    # The database was restored, recorded, and was backed up before its head was published. Then it was published, an
    # event was moved, and that backup was restored: its events are published, although it does not know.
    random = Random(1)
    device = Device("A", random)
    device.start()
    device.record(10, "A")
    backup = device.db.copied()
    device.publish(20)
    device.edit(12)
    device.publish(21)
    device.db = backup
    device.start()
    device.record(22, "A")
    device.publish(23)
    assert device.is_stopped

    assert device.recover()

    assert sorted(event.start for event in device.db.events.values()) == [12, 22]
    assert device.folder["A", HEAD] == device.own_head
