"""Two servers on one database, of which one after the other is killed: nobody who sends to the other notices."""

import time
from pathlib import Path
from typing import Final

from tests.postgres.running import PostgresServer, Ticks, Worker, check, end

CLIENTS: Final = 8
ROUNDS: Final = 5
BUCKETS: Final = ["a", "b", "c", "d"]


def test_a_server_killed_every_second_loses_nothing_and_doubles_nothing(address: str, tmp_path: Path) -> None:
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
    for bucket in BUCKETS:  # the first one, from which all others go on
        ticks[bucket].note(ticks[bucket].next())
        beat = {"timestamp": "2026-03-01T10:00:00Z", "data": {"app": "Editor"}}
        assert servers[0].post(f"/api/0/buckets/{bucket}/heartbeat?pulsetime=1", beat).status == 200
    workers = [
        Worker(servers, BUCKETS[number % len(BUCKETS)], ticks[BUCKETS[number % len(BUCKETS)]], number)
        for number in range(CLIENTS)
    ]
    for worker in workers:
        worker.start()
    for number in range(ROUNDS):
        time.sleep(0.7)
        server = servers[number % 2]
        server.kill()
        time.sleep(0.3)
        server.start()
    end(workers)

    assert sum(len(worker.inserted) for worker in workers) > 20
    assert all(worker.statuses.get(200) for worker in workers)
    for server in servers:
        check(server, BUCKETS, ticks, workers)
        server.stop()
