"""A primary with a standby, both real, that report which of them a query was read from."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import psycopg
from msgspec import Struct
from psycopg.conninfo import conninfo_to_dict

from tests.support.postgres.cluster import QUICK, Cluster, cluster, following
from tests.support.postgres.servers import PostgresServer

# Every statement is in the log, behind the name of its database.
_LOGGED: Final = {**QUICK, "log_statement": "all", "log_line_prefix": "%d: "}
_QUERY: Final = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"  # as query processes begin


class Pair(Struct, frozen=True, eq=False):
    primary: Cluster
    standby: Cluster

    def pause(self) -> None:
        """Let the standby receive what the primary sends, and not show it."""
        _run(self.standby.address(), "SELECT pg_wal_replay_pause()")

    def resume(self) -> None:
        _run(self.standby.address(), "SELECT pg_wal_replay_resume()")


@contextmanager
def pair() -> Generator[Pair]:
    with cluster(_LOGGED) as primary, following(primary, _LOGGED) as standby:
        yield Pair(primary, standby)


def at(standby: Cluster, address: str) -> str:
    """The same database on its standby."""
    return standby.address(str(conninfo_to_dict(address)["dbname"]))


def queries_at(place: Cluster, address: str) -> int:
    """How many queries of Dayline a server has begun in a database."""
    name = str(conninfo_to_dict(address)["dbname"])
    lines = (place.folder / "log").read_text(errors="replace").splitlines()
    return sum(line.startswith(f"{name}: ") and _QUERY in line for line in lines)


def replicated_server(pair: Pair, home: Path, *, replica: str | None = None, lag_s: float = 1) -> PostgresServer:
    """A server on a new database of the primary, whose queries are read from the standby."""
    address = pair.primary.new_database()
    config = home / "config.toml"
    config.write_text(f"[server]\nmax_read_lag_s = {lag_s}\n")
    flags = ("--read-database", replica or at(pair.standby, address), "--config", str(config))
    return PostgresServer(address, home, *flags)


def events_in(server: PostgresServer, bucket: str = "b") -> int:
    """How many events a query finds."""
    text = f'RETURN = query_bucket_eventcount("{bucket}");'
    answer = server.post("/api/0/query/", {"timeperiods": ["2026-01-01/2027-01-01"], "query": [text]})
    assert answer.status == 200, answer.body
    return int(answer.json[0])


def insert(server: PostgresServer, number: int, bucket: str = "b") -> None:
    event = {"timestamp": f"2026-03-01T10:00:{number:02}Z", "duration": 1, "data": {"title": str(number)}}
    answer = server.post(f"/api/0/buckets/{bucket}/events", [event])
    assert answer.status == 200, answer.body


def replica_problems(server: PostgresServer) -> list[Any]:
    problems: list[Any] = server.get("/api/1/health").json["problems"]
    return [problem for problem in problems if problem["kind"] == "replica"]


def _run(address: str, statement: str) -> None:
    with psycopg.connect(address, autocommit=True) as db:
        db.execute(statement.encode())
