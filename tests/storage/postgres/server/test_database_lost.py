"""A database that goes away in the middle of everything: heartbeats wait for it, nothing is lost, nothing is a 500."""

import os
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote

import psycopg
import pytest

from dayline.storage.postgres.connection import connect, within
from dayline.storage.postgres.schema.migrate import migrate
from tests.support.postgres.cluster import QUICK, Cluster, cluster, new_folder
from tests.support.postgres.servers import PostgresServer, Reader, Ticks, Worker, check, end
from tests.support.waiting import eventually

BUCKETS = ["a", "b"]


@pytest.fixture(scope="module")
def own() -> Iterator[Cluster]:
    """A cluster that no one else uses. Each test leaves it running."""
    with cluster() as made:
        yield made


@pytest.fixture
def server(own: Cluster, tmp_path: Path) -> Iterator[PostgresServer]:
    """A server on a database of its own that refuses after two seconds what it refuses after ten otherwise."""
    server = PostgresServer(own.new_database(), tmp_path)
    server.constants = {
        "dayline.storage.postgres.connection:READ_WAIT_S": 2.0,
        "dayline.storage.writing.holding:GIVE_UP_S": 2.0,
    }
    with server:
        yield server


def test_a_connection_with_a_deadline_stays_non_blocking(own: Cluster) -> None:
    # libpq waited without limit after a result that filled its buffer.
    with connect(own.new_database(), is_owner=True) as db:
        with within(db, 60):
            db.execute("SELECT 1")

        assert not os.get_blocking(db.fileno())


def work_through(server: PostgresServer, fault: Callable[[], None], *, has_reader: bool = True) -> list[Worker]:
    """Let clients write and read before, during and after something; what they have written is there then, once."""
    for bucket in BUCKETS:
        assert server.create(bucket).status == 200
        assert server.create(f"{bucket}-inserted").status == 200
    ticks = {bucket: Ticks() for bucket in BUCKETS}
    for bucket in BUCKETS:
        ticks[bucket].note(ticks[bucket].next())
        beat = {"timestamp": "2026-03-01T10:00:00Z", "data": {"app": "Editor"}}
        assert server.post(f"/api/0/buckets/{bucket}/heartbeat?pulsetime=1", beat).status == 200
    workers = [Worker([server], BUCKETS[number % 2], ticks[BUCKETS[number % 2]], number) for number in range(6)]
    everybody: list[Worker | Reader] = [*workers, *([Reader(server, "a-inserted")] if has_reader else [])]
    for worker in everybody:
        worker.start()
    eventually(lambda: all(worker.statuses.get(200, 0) > 2 for worker in everybody))
    fault()
    done = [worker.statuses.get(200, 0) for worker in everybody]
    eventually(lambda: all(w.statuses.get(200, 0) > n + 4 for w, n in zip(everybody, done, strict=True)))
    end(everybody)
    check(server, BUCKETS, ticks, workers)
    return workers


def test_a_restart_of_the_database_is_waited_for(own: Cluster, server: PostgresServer) -> None:
    def restart() -> None:
        own.stop()
        time.sleep(0.5)
        own.start()

    workers = work_through(server, restart)
    assert max(worker.longest_s for worker in workers) > 0.4
    eventually(lambda: server.get("/api/1/health").json["status"] == "ok")


def test_while_the_database_is_unreachable_health_reports_it_and_reads_get_a_retry_time(
    own: Cluster, server: PostgresServer
) -> None:
    assert server.create("a").status == 200
    own.kill()
    beat: dict[str, object] = {"timestamp": "2026-03-01T10:00:00Z", "data": {}}
    inserting = Worker([server], "a", Ticks(), 0)
    inserting.start()
    eventually(lambda: any("heartbeat" in message for message in problems(server)))
    assert server.get("/api/1/health").json["status"] == "degraded"
    answer = server.get("/api/0/buckets/a/events")
    assert answer.status == 503
    assert "retry-after" in answer.headers
    assert server.get("/api/0/buckets/").status == 200  # from memory
    own.start()
    assert server.post("/api/0/buckets/a/heartbeat?pulsetime=1", beat).status == 200
    end([inserting])
    eventually(lambda: server.get("/api/0/buckets/a/events").status == 200)


def test_a_key_revoked_while_it_is_away_stays_revoked_after_a_restart(own: Cluster, server: PostgresServer) -> None:
    made = server.post("/api/1/keys", {"name": "k", "scope": "full"}).json
    own.kill()

    answer = server.call("DELETE", f"/api/1/keys/{made['id']}")

    assert answer.status == 503
    assert "revoked, but not stored in the database yet" in answer.message
    assert server.post("/api/1/session", {"key": made["key"]}).status == 401
    server.kill()
    own.start()
    server.start()
    assert server.post("/api/1/session", {"key": made["key"]}).status == 401

    def stored() -> bool:
        with psycopg.connect(server.place) as db:
            return db.execute("SELECT count(revoked) FROM dayline.access_key").fetchone() == (1,)

    eventually(stored)


def problems(server: PostgresServer) -> list[str]:
    return [problem["message"] for problem in server.get("/api/1/health").json["problems"]]


def test_connections_that_are_cut_again_and_again_lose_nothing(own: Cluster, server: PostgresServer) -> None:
    def cut() -> None:
        with psycopg.connect(own.address(), autocommit=True) as db:
            for _ in range(10):
                db.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'dayline'")
                time.sleep(0.05)

    work_through(server, cut)


def test_calls_wait_for_a_database_that_hangs_for_a_while(own: Cluster, server: PostgresServer) -> None:
    def pause() -> None:
        own.stand_still()
        time.sleep(0.5)
        own.resume()

    work_through(server, pause)


@pytest.fixture
def pair() -> Iterator[tuple[Cluster, Cluster, str]]:
    """A primary, its synchronous standby, and the address of both."""
    folder = new_folder()
    replicated = {**QUICK, "synchronous_commit": "on", "synchronous_standby_names": "second", "wal_level": "replica"}
    first, second = Cluster(folder / "1", replicated), Cluster(folder / "2", QUICK)
    os.chmod(folder, 0o755)
    try:
        first.make()
        first.start()
        second.copy_of(first, "second")
        second.start()
        hosts = ",".join(quote(str(each.folder), safe="") for each in (first, second))
        address = f"postgresql://postgres@/postgres?host={hosts}&port=5432,5432&target_session_attrs=read-write"
        migrate(address)
        yield first, second, address
    finally:
        first.stop()
        second.stop()
        shutil.rmtree(folder, ignore_errors=True)


def test_the_loss_of_the_primary_loses_nothing_that_a_synchronous_standby_has(
    pair: tuple[Cluster, Cluster, str], tmp_path: Path
) -> None:
    first, second, address = pair

    def fail_over() -> None:
        first.kill()
        second.promote()

    with PostgresServer(address, tmp_path) as server:
        work_through(server, fail_over)


def test_a_primary_that_is_paused_is_left_for_the_new_one(pair: tuple[Cluster, Cluster, str], tmp_path: Path) -> None:
    """It keeps its connections, and accepts new ones, but never responds."""
    first, second, address = pair

    def fail_over() -> None:
        assert counting(running) == 200  # by a query process, which keeps its connection
        first.stand_still()
        second.promote()

    running = PostgresServer(address, tmp_path)
    running.constants = {
        "dayline.storage.postgres.writing.writer:SILENT_S": 1.0,
        "dayline.storage.postgres.connection:READ_WAIT_S": 2.0,
    }
    with running:
        work_through(running, fail_over, has_reader=False)
        assert counting(running) == 200
        eventually(lambda: running.get("/api/0/buckets/a/events").status == 200)


def counting(server: PostgresServer) -> int:
    """The status of a query."""
    query = ['RETURN = query_bucket_eventcount("a");']
    return server.post("/api/0/query/", {"timeperiods": ["2026-01-01/2027-01-01"], "query": query}).status
