"""Nothing that was acknowledged is lost when the server is killed in the middle of its work.

A life is one database, a file or one of PostgreSQL, and several servers on it, one after the other. Each is killed
after a random number of responses while eight clients write to it, some of them during an import; then the database is
examined, and opened again by the next.
"""

import contextlib
import random
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest
from msgspec import Struct

from dayline.model.time import SECOND, format_timestamp, parse_timestamp
from tests.storage.faults.examination import Contents, contents_at, contents_of
from tests.support.calls.load import CLIENTS, GONE, Client, Memory
from tests.support.postgres.cluster import Cluster
from tests.support.postgres.servers import PostgresServer
from tests.support.server import RunningServer
from tests.support.storage.encrypting import encrypting, write_key
from tests.support.waiting import eventually

ROUNDS: Final = 2  # in `make test`: one of them during an import
LONG_ROUNDS: Final = 5
LIVES: Final = 42  # in `make test-long`: 210 rounds
LIVES_ON_POSTGRES: Final = 22
ANSWERS: Final = (20, 400)  # until the server is killed
ANSWERS_OF_IMPORT: Final = (20, 800)  # reading and checking take the first half of it, copying the second
IMPORT_ROUNDS: Final = (1, 3)
IMPORTED_EVENTS: Final = 6_000


class Life(Struct):
    """One database and what happened to it."""

    server: RunningServer
    contents: Callable[[], Contents]
    chance: random.Random = msgspec.field(default_factory=random.Random)
    memory: Memory = msgspec.field(default_factory=Memory)
    documents: dict[str, bytes] = msgspec.field(default_factory=dict[str, bytes])

    def work_until_killed(self, number: int) -> None:
        """Write to the server from all sides, and kill it while they write."""
        clients = [
            Client(self.server.port, n, random.Random(self.chance.random()), self.memory) for n in range(CLIENTS)
        ]
        workers: list[Client | threading.Thread] = [*clients]
        if number in IMPORT_ROUNDS:
            workers.append(self._importer(f"imported-{number}"))
        enough = self.memory.answers + self.chance.randint(*(ANSWERS_OF_IMPORT if number in IMPORT_ROUNDS else ANSWERS))
        for worker in workers:
            worker.start()
        eventually(lambda: self.memory.answers >= enough or not any(client.is_running for client in clients))
        self.server.kill()
        for worker in workers:
            worker.join()

    def _importer(self, bucket_id: str) -> threading.Thread:
        text = self.documents[bucket_id] = document(bucket_id, self.chance)

        def send() -> None:
            with contextlib.suppress(*GONE):
                answer = self.server.call("POST", "/api/0/import", raw=text)
                assert answer.status == 200
                self.memory.imported[bucket_id] = IMPORTED_EVENTS

        return threading.Thread(target=send, daemon=True)


@pytest.fixture
def life(tmp_path: Path) -> Iterator[Life]:
    server = RunningServer(tmp_path / "days.db")
    yield Life(server, partial(contents_of, server.database, folder=tmp_path / "examined"))
    server.kill()


@pytest.fixture
def encrypted_life(tmp_path: Path) -> Iterator[Life]:
    key = write_key(tmp_path / "key")
    server = RunningServer(tmp_path / "days.db", "--encrypt", "--encryption-key-file", str(key))
    with encrypting():
        yield Life(server, partial(contents_of, server.database, folder=tmp_path / "examined"))
    server.kill()


@pytest.fixture
def life_on_postgres(tmp_path: Path, postgres: Cluster) -> Iterator[Life]:
    address = postgres.new_database()
    server = PostgresServer(address, tmp_path)
    yield Life(server, partial(contents_at, address))
    server.kill()


def test_no_acknowledged_write_is_lost_to_sigkill(life: Life) -> None:
    check_life(life, seed=0, rounds=ROUNDS)


def test_no_acknowledged_write_to_an_encrypted_file_is_lost_to_sigkill(encrypted_life: Life) -> None:
    check_life(encrypted_life, seed=0, rounds=ROUNDS)


def test_no_acknowledged_write_on_postgresql_is_lost_to_sigkill(life_on_postgres: Life) -> None:
    check_life(life_on_postgres, seed=0, rounds=ROUNDS)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(LIVES))
def test_no_acknowledged_write_is_lost_to_sigkill_in_a_long_row(life: Life, seed: int) -> None:
    check_life(life, seed, rounds=LONG_ROUNDS)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(LIVES_ON_POSTGRES))
def test_no_acknowledged_write_on_postgresql_is_lost_in_a_long_row(life_on_postgres: Life, seed: int) -> None:
    check_life(life_on_postgres, seed, rounds=LONG_ROUNDS)


def check_life(life: Life, seed: int, *, rounds: int) -> None:
    life.chance.seed(seed)
    contents: Contents | None = None
    for number in range(rounds):
        life.server.start()
        if contents is not None:
            assert_served_as_stored(life.server, contents)
        life.work_until_killed(number)

        contents = life.contents()
        assert contents.integrity == "ok"
        assert contents.rows == len(contents.events), "an id was given twice"
        assert contents.missing(life.memory) == []
        assert contents.wrong_months() == []
    assert_imports_can_be_sent_again(life)


def assert_served_as_stored(server: RunningServer, contents: Contents) -> None:
    """The next server reports the same buckets and ranges as the rows."""
    buckets = server.get("/api/0/buckets/").json
    reported = {
        bucket_id: (parse_timestamp(bucket["metadata"]["start"]), parse_timestamp(bucket["metadata"]["end"]))
        for bucket_id, bucket in buckets.items()
        if bucket["metadata"]["start"]
    }
    assert buckets.keys() == contents.buckets
    assert reported == contents.ranges()


def assert_imports_can_be_sent_again(life: Life) -> None:
    """An interrupted import left whole events behind; the same document again makes it complete."""
    life.server.start()
    for bucket_id, text in life.documents.items():
        report = life.server.call("POST", "/api/0/import", raw=text).json
        assert report["imported"] + report["skipped"] == IMPORTED_EVENTS
        assert life.server.get(f"/api/0/buckets/{bucket_id}/events/count").json == IMPORTED_EVENTS
    assert life.server.stop() == 0
    contents = life.contents()
    assert contents.missing(life.memory) == []
    assert contents.wrong_months() == []


def document(bucket_id: str, chance: random.Random) -> bytes:
    """An export document of one bucket, no two of its events alike."""
    begin = parse_timestamp("2026-01-01T00:00:00Z")
    events: list[dict[str, Any]] = [
        {
            "timestamp": format_timestamp(begin + number * 300 * SECOND),
            "duration": chance.randrange(300),
            "data": {"app": f"app {chance.randrange(20)}", "title": f"title {chance.randrange(3000)}"},
        }
        for number in range(IMPORTED_EVENTS)
    ]
    head = {"id": bucket_id, "type": "test.type", "client": "crash-test", "hostname": "laptop"}
    return msgspec.json.encode({"buckets": {bucket_id: {**head, "events": events}}})
