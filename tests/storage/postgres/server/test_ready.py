"""Readiness of a server on PostgreSQL: gone with the database, and back with it, without any write."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from dayline.storage.postgres.schema.migrate import migrate
from tests.support.postgres.cluster import Cluster, cluster
from tests.support.postgres.servers import PostgresServer
from tests.support.server import Answer
from tests.support.waiting import PATIENCE_S, eventually

READY = "/api/1/ready"


@pytest.fixture(scope="module")
def own() -> Iterator[Cluster]:
    """A cluster that no one else uses."""
    with cluster() as made:
        migrate(made.address())
        yield made


@pytest.fixture
def server(own: Cluster, tmp_path: Path) -> Iterator[PostgresServer]:
    with PostgresServer(own.address(), tmp_path) as running:
        yield running


def test_it_is_ready_while_the_database_takes_writes(own: Cluster, server: PostgresServer) -> None:
    assert server.get(READY).body == b'{"status":"ready"}'


def test_a_database_that_is_killed_makes_it_not_ready(own: Cluster, server: PostgresServer) -> None:
    assert server.get(READY).status == 200
    own.kill()
    eventually(lambda: server.get(READY).status == 503)
    answer = server.get(READY)
    assert answer.status == 503
    assert "retry-after" in answer.headers
    assert str(own.folder).encode() not in answer.body
    assert server.get("/api/0/info").status == 200  # alive all the same

    own.start()
    eventually(lambda: server.get(READY).status == 200)
    eventually(lambda: server.get("/api/1/health").json["status"] == "ok")


@pytest.mark.long
def test_it_detects_the_end_of_a_long_outage_automatically(own: Cluster, server: PostgresServer) -> None:
    own.kill()
    # Long enough for everything that waited to be refused: nothing is left that would be tried again.
    assert server.create("refused").status == 503
    time.sleep(1)
    own.start()

    eventually(lambda: server.get(READY).status == 200)


@pytest.mark.long
def test_one_that_waits_for_the_database_while_it_stops_is_reported(own: Cluster, server: PostgresServer) -> None:
    pids = [own.pid, *map(int, Path(f"/proc/{own.pid}/task/{own.pid}/children").read_text().split())]
    answers: list[Answer] = []
    asking = threading.Thread(target=lambda: answers.append(server.get(READY)))
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        asking.start()
        time.sleep(0.5)  # so that it waits; without that it would be refused as well
        os.kill(server.pid, signal.SIGTERM)
        asking.join(PATIENCE_S)
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGCONT)

    assert [(answer.status, answer.message) for answer in answers] == [(503, "the server is stopping")]


@pytest.mark.long
def test_asking_often_writes_seldom_and_leaves_little(own: Cluster, server: PostgresServer) -> None:
    begun = time.monotonic()
    for _ in range(500):
        assert server.get(READY).status == 200
    seconds = time.monotonic() - begun

    with psycopg.connect(own.address()) as db:
        row = db.execute("SELECT count(*) FROM dayline.once").fetchone()
        assert row is not None
        assert row[0] <= 2 + seconds
