"""More reads than there are connections: each is answered or asked to retry, and no one else is held up by them."""

import asyncio
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final

import psycopg
import pytest

from dayline.model.bucket import Bucket
from dayline.model.data import canonical_json
from dayline.model.event import Event
from dayline.model.time import SECOND
from dayline.storage.postgres.database import PostgresDatabase
from dayline.storage.postgres.schema.migrate import migrate
from tests.support.postgres.cluster import Cluster, cluster
from tests.support.postgres.servers import BEGIN, PostgresServer
from tests.support.server import Answer
from tests.support.storage.opened import bucket
from tests.support.waiting import PATIENCE_S, eventually

READS: Final = 40
EVENTS: Final = "/api/0/buckets/b/events"


@pytest.fixture(scope="module")
def own() -> Iterator[Cluster]:
    """A cluster whose connections no one else needs."""
    with cluster() as made:
        migrate(made.address())
        with psycopg.connect(made.address(), autocommit=True) as db:
            db.execute("CREATE ROLE dayline_web LOGIN")
            db.execute("GRANT dayline_server TO dayline_web")
        yield made


@pytest.fixture
def server(own: Cluster, tmp_path: Path) -> Iterator[PostgresServer]:
    with PostgresServer(own.address(user="dayline_web"), tmp_path) as running:
        assert running.create("b").status in (200, 304)
        assert beat(running, 0).status == 200
        yield running


@contextmanager
def locked(own: Cluster) -> Generator[None]:
    """Events that can neither be read nor written, as while someone alters their table."""
    with psycopg.connect(own.address()) as db:
        db.execute("LOCK TABLE dayline.event IN ACCESS EXCLUSIVE MODE")
        yield
        db.rollback()


@contextmanager
def full(own: Cluster) -> Generator[None]:
    """A PostgreSQL that has no connection for Dayline any more, and ends those that it had."""
    with psycopg.connect(own.address(), autocommit=True) as db:
        db.execute("ALTER ROLE dayline_web CONNECTION LIMIT 0")
        end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'dayline_web'"
        assert len(db.execute(end.encode()).fetchall()) >= 3
        try:
            yield
        finally:
            db.execute("ALTER ROLE dayline_web CONNECTION LIMIT -1")


def beat(server: PostgresServer, second: int) -> Answer:
    body = {"timestamp": f"2026-03-01T10:00:{second:02}Z", "data": {"app": "Editor"}}
    return server.post("/api/0/buckets/b/heartbeat?pulsetime=60", body)


class Calls:
    """The same call many times at once, and how they were answered."""

    def __init__(self, calls: Sequence[Callable[[], Answer]]) -> None:
        self.answers: list[Answer] = []
        self._threads = [threading.Thread(target=self._make, args=(call,), daemon=True) for call in calls]
        for thread in self._threads:
            thread.start()

    def _make(self, call: Callable[[], Answer]) -> None:
        self.answers.append(call())

    def statuses(self) -> set[int]:
        """All of them, when they have been answered."""
        for thread in self._threads:
            thread.join(PATIENCE_S)
            assert not thread.is_alive()
        refused = [answer for answer in self.answers if answer.status == 503]
        assert all("retry-after" in answer.headers for answer in refused)
        return {answer.status for answer in self.answers}


def waiting(own: Cluster) -> int:
    """How many connections wait for the table of events."""
    with psycopg.connect(own.address(), autocommit=True) as db:
        row = db.execute("SELECT count(*) FROM pg_locks WHERE NOT granted").fetchone()
    return 0 if row is None else int(row[0])


def reads(server: PostgresServer) -> Calls:
    return Calls([partial(server.get, f"{EVENTS}?limit=5")] * READS)


def beats(server: PostgresServer) -> Calls:
    return Calls([partial(beat, server, second) for second in range(1, 6)])


def check_recorded(server: PostgresServer) -> None:
    [event] = server.get(EVENTS).json
    assert event["duration"] == 5
    eventually(lambda: server.get("/api/1/health").json["status"] == "ok")


def check_others_are_served(server: PostgresServer) -> None:
    """What needs no connection is answered, though no one gets one."""
    assert server.get("/api/1/health").status == 200
    assert server.get("/api/0/buckets/").status == 200
    assert server.get("/api/").status == 200  # a page, from files


def test_waiting_reads_do_not_block_others_and_are_answered_in_the_end(own: Cluster, server: PostgresServer) -> None:
    with locked(own):
        reading, recording = reads(server), beats(server)
        eventually(lambda: waiting(own) >= 2)  # readers and the writer
        check_others_are_served(server)
        assert reading.answers == recording.answers == []

    assert reading.statuses() == {200}
    assert recording.statuses() == {200}
    check_recorded(server)


@pytest.mark.long
def test_reads_that_wait_for_too_long_are_asked_to_retry(own: Cluster, server: PostgresServer) -> None:
    with locked(own):
        reading, recording = reads(server), beats(server)
        others = Calls([partial(server.post, "/api/0/settings/waits", True)] * 3)
        assert reading.statuses() == {503}
        assert others.statuses() == {503}
        check_others_are_served(server)
        assert "heartbeats are queued" in server.get("/api/1/health").json["problems"][0]["message"]
        assert server.get("/api/1/ready").status == 503

    assert recording.statuses() == {200}
    check_recorded(server)
    assert server.get("/api/0/settings/waits").json is None


def test_a_postgresql_without_a_connection_to_spare_is_waited_for(own: Cluster, server: PostgresServer) -> None:
    with full(own):
        reading, recording = reads(server), beats(server)
        eventually(lambda: server.get("/api/1/health").json["status"] == "degraded")
        check_others_are_served(server)

    assert reading.statuses() == {200}
    assert recording.statuses() == {200}
    eventually(lambda: server.get("/api/1/ready").status == 200)
    check_recorded(server)


@pytest.mark.long
def test_a_postgresql_that_stays_full_is_a_503_and_recovers_without_a_restart(
    own: Cluster, server: PostgresServer
) -> None:
    with full(own):
        reading, recording = reads(server), beats(server)
        assert reading.statuses() == {503}
        query: dict[str, Any] = {"timeperiods": ["2026-01-01/2027-01-01"], "query": ['RETURN = query_bucket("b");']}
        assert server.post("/api/0/query/", query).status == 503

    assert recording.statuses() == {200}
    eventually(lambda: server.get(EVENTS).status == 200)
    assert server.post("/api/0/query/", query).status == 200
    check_recorded(server)


def test_readers_share_a_single_connection(address: str) -> None:
    async def run() -> list[bytes]:
        database = PostgresDatabase(address, asyncio.get_running_loop(), read_connections=1)
        try:
            store = database.store()
            made: Bucket = bucket("b")
            await store.create_bucket(made)
            event = Event(start=BEGIN, duration=SECOND, data=canonical_json({"app": "Editor"}))
            await store.insert("b", [event] * 50)
            reads = [asyncio.to_thread(lambda: b"".join(store.exported_events("b"))) for _ in range(READS)]
            return await asyncio.gather(*reads)
        finally:
            await database.close()

    answers = asyncio.run(run())

    assert len(answers) == READS
    assert len(set(answers)) == 1
