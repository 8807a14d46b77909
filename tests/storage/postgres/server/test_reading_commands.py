"""Commands on a PostgreSQL database that no server of this machine uses: those that read write nothing."""

from pathlib import Path

import psycopg
import pytest

from tests.support.postgres.cluster import Cluster
from tests.support.postgres.servers import PostgresServer
from tests.support.processes.command import CHANGING, OF_RECORDING, READING
from tests.support.processes.terminal import piped


@pytest.fixture(scope="module")
def recorded(postgres: Cluster, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of a database that a server has recorded to, and left."""
    with PostgresServer(postgres.new_database(), tmp_path_factory.mktemp("home")) as server:
        server.create("aw-watcher-window_laptop", type="currentwindow")
        event = {"timestamp": "2026-03-05T09:00:00Z", "duration": 60, "data": {"app": "Code", "title": "main.py"}}
        server.post("/api/0/buckets/aw-watcher-window_laptop/events", [event])
    return server.place


@pytest.fixture(scope="module")
def empty(postgres: Cluster) -> str:
    """The address of a database without tables of ours."""
    with psycopg.connect(postgres.address(), autocommit=True) as db:
        db.execute("CREATE DATABASE empty")
    return postgres.address("empty")


def next_transaction(address: str) -> str:
    """The number of the next transaction that writes, in any database of the server."""
    with psycopg.connect(address) as db:
        row = db.execute("SELECT pg_snapshot_xmax(pg_current_snapshot())::text").fetchone()
    assert row is not None
    return str(row[0])


@pytest.mark.parametrize("command", READING)
def test_a_command_that_reads_writes_nothing(recorded: str, tmp_path: Path, command: str) -> None:
    before = next_transaction(recorded)

    done = piped(tmp_path / "unused.db", *command.split(), "--database", recorded)

    assert done.code == (command in OF_RECORDING), done.err
    assert next_transaction(recorded) == before


def test_older_tables_are_not_upgraded_by_reading_them(postgres: Cluster, tmp_path: Path) -> None:
    address = postgres.new_database()
    with psycopg.connect(address) as db:
        db.execute("UPDATE dayline.meta SET value = '0' WHERE key = 'version'")
    before = next_transaction(address)

    done = piped(tmp_path / "unused.db", "buckets", "--database", address)

    assert done.code == 75
    assert "dayline database upgrade" in done.err
    assert next_transaction(address) == before


@pytest.mark.parametrize("command", [*READING, *CHANGING])
def test_a_command_on_a_database_without_tables_exits_with_66_and_creates_none(
    empty: str, tmp_path: Path, command: str
) -> None:
    before = next_transaction(empty)

    done = piped(tmp_path / "unused.db", *command.split(), "--database", empty)

    assert (done.code, done.out) == (66, ""), done.err
    assert "no Dayline database at postgresql://" in done.err
    assert next_transaction(empty) == before
    assert list(tmp_path.iterdir()) == []
