"""Queries are read from a standby while it has all that was acknowledged, and from the primary otherwise."""

import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import msgspec
import pytest

from tests.support.postgres.cluster import cluster
from tests.support.postgres.servers import (
    Pair,
    PostgresServer,
    at,
    events_in,
    insert,
    pair,
    queries_at,
    replica_problems,
    replicated_server,
)
from tests.support.processes.command import run
from tests.support.waiting import eventually

WRONG_SETTINGS = 78


@pytest.fixture(scope="module")
def both() -> Iterator[Pair]:
    with pair() as made:
        yield made


@pytest.fixture
def server(both: Pair, tmp_path: Path) -> Iterator[PostgresServer]:
    """One whose queries are at the standby."""
    with replicated_server(both, tmp_path) as running:
        assert running.create("b").status == 200
        eventually(lambda: events_in(running) == 0 and at_standby(both, running) > 0)
        yield running


def at_standby(both: Pair, server: PostgresServer) -> int:
    return queries_at(both.standby, server.place)


def at_primary(both: Pair, server: PostgresServer) -> int:
    return queries_at(both.primary, server.place)


def warnings(server: PostgresServer) -> list[str]:
    [log] = server.database.parent.rglob(f"postgres-{server.port}.db.d/dayline.log")
    records = map(msgspec.json.decode, log.read_text().splitlines())
    return [record["message"] for record in records if record["level"] == "warning"]


def test_queries_find_what_was_just_written_and_are_read_from_the_standby(both: Pair, server: PostgresServer) -> None:
    before = at_standby(both, server), at_primary(both, server)
    for number in range(20):
        insert(server, number)
        assert events_in(server) == number + 1

    # A standby that is too slow for a query is left out, so a busy machine may send a few to the primary.
    assert at_standby(both, server) > before[0]
    assert at_standby(both, server) + at_primary(both, server) == sum(before) + 20
    assert server.get("/api/1/health").json["status"] == "ok"


def test_a_standby_that_falls_behind_is_left_alone_until_it_has_caught_up(both: Pair, server: PostgresServer) -> None:
    both.pause()
    try:
        for number in range(5):
            insert(server, number)
            assert events_in(server) == number + 1
        eventually(lambda: replica_problems(server) != [])
        assert " s behind" in replica_problems(server)[0]["message"]
        assert server.get("/api/1/ready").status == 200
        before = at_standby(both, server)
        assert events_in(server) == 5
        assert at_standby(both, server) == before
    finally:
        both.resume()

    eventually(lambda: replica_problems(server) == [])
    eventually(lambda: events_in(server) == 5 and at_standby(both, server) > before)
    assert "Queries use the primary" in warnings(server)[0]


def test_a_standby_that_is_killed_costs_no_answer(both: Pair, server: PostgresServer) -> None:
    insert(server, 0)
    assert events_in(server) == 1
    both.standby.kill()
    try:
        for number in range(1, 4):
            insert(server, number)
            assert events_in(server) == number + 1
        eventually(lambda: replica_problems(server) != [])
    finally:
        both.standby.start()

    before = at_standby(both, server)
    eventually(lambda: replica_problems(server) == [])
    assert events_in(server) == 4
    assert at_standby(both, server) > before


@pytest.mark.long
def test_a_standby_that_hangs_delays_a_read_for_a_moment_only(both: Pair, server: PostgresServer) -> None:
    insert(server, 0)
    both.standby.stand_still()
    try:
        began = time.monotonic()
        assert events_in(server) == 1
        assert time.monotonic() - began < 4
        eventually(lambda: replica_problems(server) != [])
        began = time.monotonic()
        assert events_in(server) == 1
        assert time.monotonic() - began < 1
    finally:
        both.standby.resume()

    eventually(lambda: replica_problems(server) == [])


@pytest.mark.long
def test_a_database_that_is_not_a_copy_of_this_one_is_not_read(both: Pair, tmp_path: Path) -> None:
    other = both.primary.new_database()

    with replicated_server(both, tmp_path, replica=at(both.standby, other)) as server:
        assert server.create("b").status == 200
        insert(server, 0)
        eventually(lambda: replica_problems(server) != [])
        assert "has a different database than the primary" in replica_problems(server)[0]["message"]
        assert events_in(server) == 1
        assert queries_at(both.standby, other) == 0


@pytest.mark.long
def test_a_server_that_takes_writes_is_no_replica(both: Pair, tmp_path: Path) -> None:
    with cluster() as stranger, replicated_server(both, tmp_path, replica=stranger.new_database()) as server:
        eventually(lambda: replica_problems(server) != [])
        assert "standby" in replica_problems(server)[0]["message"]


def test_its_password_is_not_shown(both: Pair, tmp_path: Path) -> None:
    folder = quote(str(tmp_path))
    hidden = f"postgresql://reader:S3cret@/days?host={folder}"

    with replicated_server(both, tmp_path, replica=hidden) as server:
        eventually(lambda: replica_problems(server) != [])
        shown = {setting["name"]: setting for setting in server.get("/api/1/server").json["settings"]}
        reported = server.get("/api/1/server").body + server.get("/api/1/health").body
        logged = "".join(path.read_text() for path in server.database.parent.rglob("*.log"))

    assert shown["server.read_database"]["source"] == "command line"
    assert shown["server.read_database"]["value"].startswith("postgresql://reader@")
    assert b"S3cret" not in reported
    assert "S3cret" not in logged


def test_a_file_has_no_replica(tmp_path: Path) -> None:
    refused = run("serve", "--read-database", "postgresql://replica/days", home=tmp_path)

    assert refused.returncode == WRONG_SETTINGS
    assert "needs a database on PostgreSQL, and this one is a file" in refused.stderr
    assert list(tmp_path.rglob("*.db")) == []


def test_a_file_is_no_replica(tmp_path: Path) -> None:
    variables = {"DAYLINE_DATABASE": "postgresql://db/days", "DAYLINE_READ_DATABASE": "copy.db"}
    refused = run("serve", home=tmp_path, **variables)

    assert refused.returncode == WRONG_SETTINGS
    assert "--read-database takes the address" in refused.stderr
