"""Several clients, backups and faults on one server for a while; at the end it must hold what their models say."""

import asyncio
import random
import threading
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

from tests.storage.soak.clients import Caller, Person
from tests.storage.soak.mover import Mover
from tests.support.calls.load import GONE
from tests.support.maintenance.backups import Clock, scheduler_of
from tests.support.postgres.servers import PostgresServer
from tests.support.storage.disks import ServerOnDisk
from tests.support.waiting import PATIENCE_S, eventually

PEOPLE: Final = 4


class Soak:
    """One server, on a disk of its own or on PostgreSQL at an `address`. `run` fails if anything acknowledged is lost.

    `events` is how many events an import has, whose bucket long operations change.
    """

    def __init__(
        self,
        folder: Path,
        *,
        seed: int,
        address: str | None = None,
        events: int = 3000,
        quiet_s: tuple[float, float] = (0.5, 6.0),
        log: Callable[[str], None] = lambda text: None,
    ) -> None:
        on_disk = ServerOnDisk(folder) if address is None else None
        self._disk = None if on_disk is None else on_disk.disk
        self.server = on_disk or PostgresServer(address or "", folder)
        self.people = [Person(self.server.port, number, seed * 1000 + number) for number in range(PEOPLE)]
        self.clients: list[Caller] = [*self.people, Mover(self.server.port, seed * 1000 + PEOPLE, events=events)]
        self.faults: Counter[str] = Counter()
        self.backups: Counter[str] = Counter()
        self._chance = random.Random(seed)
        self._quiet_s = quiet_s  # between two faults, at least and at most
        self._log = log
        self._is_over = threading.Event()

    @property
    def changes(self) -> int:
        """How many were made by all clients."""
        return sum(client.changes for client in self.clients)

    def run(self, is_enough: Callable[[], bool]) -> None:
        """Continue until it is enough, which is asked after each fault."""
        backing_up = threading.Thread(target=self._make_backups, daemon=True)
        with self.server:
            if self._disk is not None:
                backing_up.start()
            for client in self.clients:
                client.start()
            self._make_trouble(is_enough)
            self._is_over.set()
            for client in self.clients:
                client.stop()
            if self._disk is not None:
                backing_up.join(timeout=PATIENCE_S)
            self._check()
            self._restart(self.server.stop)
            self._check()
        if self._disk is not None:
            self._check_backups()

    def _make_trouble(self, is_enough: Callable[[], bool]) -> None:
        """One fault after the other, with quiet times between them."""
        troubles = [self._kill, self._kill, self._stop, *([self._fill_disk, self._slow_disk] if self._disk else [])]
        while not is_enough():
            answered = [client.answered for client in self.clients]
            time.sleep(self._chance.uniform(*self._quiet_s))
            eventually(partial(self._are_answered_since, answered))
            trouble = self._chance.choice(troubles)
            self.faults[trouble.__name__.strip("_").replace("_", " ")] += 1
            trouble()
            self._log(f"{self.changes:,} changes, {self.faults.total()} faults, {self.backups['made']} backups")
            if any(client.failure for client in self.clients):
                return

    def _are_answered_since(self, answered: list[int]) -> bool:
        """Whether each client got a response since these counts: faults must not outrun a slow machine."""
        return all(
            client.failure or client.answered > before for client, before in zip(self.clients, answered, strict=True)
        )

    def _kill(self) -> None:
        self._restart(self.server.kill)

    def _stop(self) -> None:
        self._restart(self.server.stop)

    def _fill_disk(self) -> None:
        assert self._disk is not None
        self._disk.fill()
        time.sleep(self._chance.uniform(*self._quiet_s) / 3)
        self._disk.quick()

    def _slow_disk(self) -> None:
        assert self._disk is not None
        self._disk.slow(0.05)
        time.sleep(self._chance.uniform(*self._quiet_s) / 3)
        self._disk.quick()

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
        scheduler = scheduler_of(self.server.database, Clock())
        for backup in scheduler.folder.all()[:1]:
            assert asyncio.run(scheduler.verify(backup.name)).is_verified
        assert bool(self.backups["made"]) <= bool(scheduler.folder.all())

    def _check(self) -> None:
        for client in self.clients:
            client.check()
