"""Several people, backups and faults on one server for a while; at the end it must hold what the diaries say."""

import asyncio
import random
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Final

from tests.care.backing_up import Clock, keeper_of
from tests.crash.load import GONE
from tests.soak.person import Person
from tests.storage.server_on_disk import ServerOnDisk

PEOPLE: Final = 4


class Soak:
    """One server on a disk of its own. `run` fails where anything that was acknowledged is not there."""

    def __init__(self, folder: Path, *, seed: int, tell: Callable[[str], None] = lambda text: None) -> None:
        self.server = ServerOnDisk(folder)
        self.people = [Person(self.server.port, number, seed * 1000 + number) for number in range(PEOPLE)]
        self.faults: Counter[str] = Counter()
        self.backups: Counter[str] = Counter()
        self._chance = random.Random(seed)
        self._tell = tell
        self._is_over = threading.Event()

    def run(self, seconds: float) -> None:
        keeper = threading.Thread(target=self._make_backups, daemon=True)
        with self.server:
            keeper.start()
            for person in self.people:
                person.start()
            self._make_trouble(time.monotonic() + seconds)
            self._is_over.set()
            for person in self.people:
                person.stop()
            keeper.join(timeout=120)
            self._check()
            self._restart(self.server.stop)
            self._check()
        self._check_backups()

    def _make_trouble(self, until: float) -> None:
        """One fault after the other, with quiet times between them."""
        troubles = (self._kill, self._kill, self._stop, self._fill_disk, self._slow_disk)
        while time.monotonic() < until:
            time.sleep(min(self._chance.uniform(0.5, 6.0), max(0.0, until - time.monotonic())))
            trouble = self._chance.choice(troubles)
            self.faults[trouble.__name__.strip("_").replace("_", " ")] += 1
            trouble()
            done = sum(person.changes for person in self.people)
            self._tell(f"{done:,} changes, {self.faults.total()} faults, {self.backups['made']} backups")
            if any(person.failure for person in self.people):
                return

    def _kill(self) -> None:
        self._restart(self.server.kill)

    def _stop(self) -> None:
        self._restart(self.server.stop)

    def _fill_disk(self) -> None:
        self.server.disk.fill()
        time.sleep(self._chance.uniform(0.2, 2.0))
        self.server.disk.quick()

    def _slow_disk(self) -> None:
        self.server.disk.slow(0.05)
        time.sleep(self._chance.uniform(0.2, 2.0))
        self.server.disk.quick()

    def _restart(self, end: Callable[[], int]) -> None:
        end()
        self.server.start()

    def _make_backups(self) -> None:
        while not self._is_over.wait(self._chance.uniform(1, 5)):
            try:
                status = self.server.post("/api/1/backups").status
            except GONE:
                self.backups["cut off"] += 1
            else:
                assert status in (201, 503), status
                self.backups["made" if status == 201 else "refused"] += 1

    def _check_backups(self) -> None:
        """The newest one is still good, now that the server has gone."""
        keeper = keeper_of(self.server.database, Clock())
        for backup in keeper.folder.all()[:1]:
            assert asyncio.run(keeper.verify(backup.name)).is_verified
        assert bool(self.backups["made"]) <= bool(keeper.folder.all())

    def _check(self) -> None:
        for person in self.people:
            assert person.failure is None, f"{person.bucket_id}: {person.failure}"
            assert person.stored() == person.diary.events, f"{person.bucket_id} does not hold what it should"
