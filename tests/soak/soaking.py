"""Several people, backups and faults on one server for a while; at the end it must hold what the diaries say."""

import asyncio
import random
import threading
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

from tests.soak.person import Person
from tests.support.calls.load import GONE
from tests.support.disks.server_on_disk import ServerOnDisk
from tests.support.maintenance.backing_up import Clock, keeper_of
from tests.support.waiting import PATIENCE_S, eventually

PEOPLE: Final = 4


class Soak:
    """One server on a disk of its own. `run` fails where anything that was acknowledged is not there."""

    def __init__(
        self,
        folder: Path,
        *,
        seed: int,
        quiet_s: tuple[float, float] = (0.5, 6.0),
        tell: Callable[[str], None] = lambda text: None,
    ) -> None:
        self.server = ServerOnDisk(folder)
        self.people = [Person(self.server.port, number, seed * 1000 + number) for number in range(PEOPLE)]
        self.faults: Counter[str] = Counter()
        self.backups: Counter[str] = Counter()
        self._chance = random.Random(seed)
        self._quiet_s = quiet_s  # between two faults, at least and at most
        self._tell = tell
        self._is_over = threading.Event()

    @property
    def changes(self) -> int:
        """How many were made by all people."""
        return sum(person.changes for person in self.people)

    def run(self, is_enough: Callable[[], bool]) -> None:
        """Go on until it is enough, which is asked after each fault."""
        keeper = threading.Thread(target=self._make_backups, daemon=True)
        with self.server:
            keeper.start()
            for person in self.people:
                person.start()
            self._make_trouble(is_enough)
            self._is_over.set()
            for person in self.people:
                person.stop()
            keeper.join(timeout=PATIENCE_S)
            self._check()
            self._restart(self.server.stop)
            self._check()
        self._check_backups()

    def _make_trouble(self, is_enough: Callable[[], bool]) -> None:
        """One fault after the other, with quiet times between them."""
        troubles = (self._kill, self._kill, self._stop, self._fill_disk, self._slow_disk)
        while not is_enough():
            answered = [person.answered for person in self.people]
            time.sleep(self._chance.uniform(*self._quiet_s))
            eventually(partial(self._are_answered_since, answered))
            trouble = self._chance.choice(troubles)
            self.faults[trouble.__name__.strip("_").replace("_", " ")] += 1
            trouble()
            self._tell(f"{self.changes:,} changes, {self.faults.total()} faults, {self.backups['made']} backups")
            if any(person.failure for person in self.people):
                return

    def _are_answered_since(self, answered: list[int]) -> bool:
        """Whether each person got an answer since these counts: faults must not outrun a slow machine."""
        return all(
            person.failure or person.answered > before for person, before in zip(self.people, answered, strict=True)
        )

    def _kill(self) -> None:
        self._restart(self.server.kill)

    def _stop(self) -> None:
        self._restart(self.server.stop)

    def _fill_disk(self) -> None:
        self.server.disk.fill()
        time.sleep(self._chance.uniform(*self._quiet_s) / 3)
        self.server.disk.quick()

    def _slow_disk(self) -> None:
        self.server.disk.slow(0.05)
        time.sleep(self._chance.uniform(*self._quiet_s) / 3)
        self.server.disk.quick()

    def _restart(self, end: Callable[[], int]) -> None:
        end()
        self.server.start()

    def _make_backups(self) -> None:
        chance = random.Random(0)  # of its own: what is drawn here would change which faults there are
        while not self._is_over.wait(chance.uniform(*self._quiet_s)):
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
