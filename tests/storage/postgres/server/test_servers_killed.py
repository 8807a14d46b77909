"""Two servers on one database, of which one after the other is killed: no one who sends to the other notices."""

from pathlib import Path
from typing import Final

import pytest

from tests.support.postgres.servers import PostgresServer, Ticks, Worker, check, end
from tests.support.waiting import eventually

CLIENTS: Final = 8
ROUNDS: Final = 2  # each server once
LONG_ROUNDS: Final = 20
BUCKETS: Final = ["a", "b", "c", "d"]


@pytest.mark.parametrize("rounds", [ROUNDS, pytest.param(LONG_ROUNDS, marks=pytest.mark.long)])
def test_servers_killed_in_turn_lose_nothing_and_double_nothing(address: str, tmp_path: Path, rounds: int) -> None:
    homes = [tmp_path / "one", tmp_path / "two"]
    for home in homes:
        home.mkdir()
    servers = [PostgresServer(address, home) for home in homes]
    for server in servers:
        server.start()
    for bucket in BUCKETS:
        assert servers[0].create(bucket).status == 200
        assert servers[1].create(f"{bucket}-inserted").status == 200
    ticks = {bucket: Ticks() for bucket in BUCKETS}
    for bucket in BUCKETS:  # the first one, from which all others continue
        ticks[bucket].note(ticks[bucket].next())
        beat = {"timestamp": "2026-03-01T10:00:00Z", "data": {"app": "Editor"}}
        assert servers[0].post(f"/api/0/buckets/{bucket}/heartbeat?pulsetime=1", beat).status == 200
    workers = [
        Worker(servers, BUCKETS[number % len(BUCKETS)], ticks[BUCKETS[number % len(BUCKETS)]], number)
        for number in range(CLIENTS)
    ]
    for worker in workers:
        worker.start()
    for number in range(rounds):
        wait_for_answers(workers)
        server = servers[number % 2]
        server.kill()
        wait_for_answers(workers)  # by the other one
        server.start()
    wait_for_answers(workers)
    end(workers)

    assert sum(len(worker.inserted) for worker in workers) > 20
    assert all(worker.statuses.get(200) for worker in workers)
    for server in servers:
        check(server, BUCKETS, ticks, workers)
        server.stop()


def wait_for_answers(workers: list[Worker]) -> None:
    """Return when each of them has had several more good answers."""
    before = [worker.statuses.get(200, 0) for worker in workers]
    eventually(lambda: all(w.statuses.get(200, 0) >= n + 8 for w, n in zip(workers, before, strict=True)))
