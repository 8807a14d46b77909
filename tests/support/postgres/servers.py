"""Servers on a database of PostgreSQL, also with a standby that reports which queries were read from it."""

import contextlib
import http.client
import itertools
import re
import threading
import time
import uuid
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import psycopg
from msgspec import Struct
from psycopg.conninfo import conninfo_to_dict

from dayline.model.time import SECOND, format_timestamp, parse_timestamp
from tests.support.keyed_server import KeyedServer
from tests.support.postgres.cluster import QUICK, Cluster, cluster, following
from tests.support.server import Answer, RunningServer
from tests.support.waiting import PATIENCE_S

BEGIN: Final = parse_timestamp("2026-03-01T10:00:00Z")
_PAUSE_S: Final = 0.01  # between two writes of a worker: many at once, and not as many as the machine can do
_PATIENCE_S: Final = 30.0  # a client that gets no response for so long sends the request again
GONE: Final = (OSError, http.client.HTTPException)


class PostgresServer(RunningServer):
    """`dayline serve` on a PostgreSQL database."""

    def __init__(self, address: str, home: Path, *flags: str) -> None:
        super().__init__(home / "days.db", *flags)
        self._address = address

    @property
    def place(self) -> str:
        return self._address


class Ticks:
    """Heartbeats a second apart, however many send them; which of them were acknowledged."""

    def __init__(self) -> None:
        self._numbers = itertools.count()
        self._lock = threading.Lock()
        self.acknowledged = 0  # the latest

    def next(self) -> int:
        with self._lock:
            return next(self._numbers)

    def note(self, number: int) -> None:
        with self._lock:
            self.acknowledged = max(self.acknowledged, number)


class Worker(threading.Thread):
    """Sends heartbeats and inserts events, through one server after the other; tries again until each is answered."""

    def __init__(self, servers: list[PostgresServer], bucket: str, ticks: Ticks, number: int) -> None:
        super().__init__(daemon=True)
        self._servers = servers
        self._bucket = bucket
        self._ticks = ticks
        self._number = number
        self.inserted: list[str] = []
        self.statuses: dict[int, int] = {}
        self.longest_s = 0.0
        self.is_over = threading.Event()

    def run(self) -> None:
        for turn in itertools.count():
            if self.is_over.is_set():
                return
            if turn % 4 == 3:
                title = f"{self._number}-{turn}"
                event = {"timestamp": format_timestamp(BEGIN), "duration": 1, "data": {"title": title}}
                if self._sent(f"/api/0/buckets/{self._bucket}-inserted/events", [event], turn):
                    self.inserted.append(title)
            else:
                number = self._ticks.next()
                beat = {"timestamp": format_timestamp(BEGIN + number * SECOND), "data": {"app": "Editor"}}
                if self._sent(f"/api/0/buckets/{self._bucket}/heartbeat?pulsetime=1000000", beat, turn):
                    self._ticks.note(number)

    def _sent(self, path: str, body: Any, turn: int) -> bool:
        """Whether it was acknowledged before all was over."""
        key, began = str(uuid.uuid4()), time.monotonic()
        for attempt in itertools.count():
            server = self._servers[(turn + attempt) % len(self._servers)]
            with contextlib.suppress(*GONE):
                headers = {"Idempotency-Key": key}
                answer: Answer = server.call("POST", path, body, headers=headers, patience_s=_PATIENCE_S)
                self.statuses[answer.status] = self.statuses.get(answer.status, 0) + 1
                # 409: a response that was lost had been good.
                if answer.status in (200, 409):
                    self.longest_s = max(self.longest_s, time.monotonic() - began)
                    time.sleep(_PAUSE_S)
                    return True
                assert answer.status == 503, answer.body
                assert "retry-after" in answer.headers
            if self.is_over.is_set():
                return False
            time.sleep(0.05)
        return False


class Reader(threading.Thread):
    """Reads what a bucket and the settings hold, asks queries and sets a setting, again and again."""

    def __init__(self, server: PostgresServer, bucket: str) -> None:
        super().__init__(daemon=True)
        self._server = server
        count = [f'RETURN = query_bucket_eventcount("{bucket}");']
        self._calls: list[tuple[str, str, Any]] = [
            ("GET", f"/api/0/buckets/{bucket}/events?limit=10", None),
            ("GET", "/api/0/settings", None),
            ("POST", "/api/0/query/", {"timeperiods": ["2026-01-01/2027-01-01"], "query": count}),
            ("POST", "/api/0/settings/read", True),
            ("GET", f"/api/0/buckets/{bucket}/events/count", None),
        ]
        self.statuses: dict[int, int] = {}
        self.is_over = threading.Event()

    def run(self) -> None:
        for method, path, body in itertools.cycle(self._calls):
            if self.is_over.is_set():
                return
            answer = self._server.call(method, path, body)
            self.statuses[answer.status] = self.statuses.get(answer.status, 0) + 1
            if answer.status == 503:
                assert "retry-after" in answer.headers
                time.sleep(0.05)
            else:
                assert answer.status in (200, 201), answer.body


def end(workers: Sequence[Worker | Reader]) -> None:
    for worker in workers:
        worker.is_over.set()
    for worker in workers:
        worker.join(PATIENCE_S)
        assert not worker.is_alive()


def check(server: PostgresServer, buckets: list[str], ticks: dict[str, Ticks], workers: list[Worker]) -> None:
    """Nothing acknowledged is lost, nothing is doubled, and heartbeats are merged as if by one server."""
    for bucket in buckets:
        events = server.get(f"/api/0/buckets/{bucket}/events").json
        assert len(events) == 1
        assert parse_timestamp(events[0]["timestamp"]) == BEGIN
        assert events[0]["duration"] >= ticks[bucket].acknowledged
    inserted = [title for worker in workers for title in worker.inserted]
    stored = [
        event["data"]["title"]
        for bucket in buckets
        for event in server.get(f"/api/0/buckets/{bucket}-inserted/events").json
    ]
    assert len(stored) == len(set(stored))
    assert set(inserted) <= set(stored)


_MARK = re.compile(rb"zz([a-z]+[0-9]+)zz", re.IGNORECASE)
_numbers = itertools.count(1)

TEXT: Final = "plain"  # a title that everybody has, also those with a mark


class SharedServer(KeyedServer):
    """`dayline serve --require-keys` on a PostgreSQL database."""

    def __init__(self, address: str, home: Path, *flags: str, settings: str = "") -> None:
        home.mkdir(exist_ok=True)
        super().__init__(home / "days.db", *flags, settings=settings)
        self._address = address

    @property
    def place(self) -> str:
        return self._address

    @property
    def token_place(self) -> Path:
        [found] = self.database.parent.rglob(f"postgres-*-{self.port}.token")
        return found


class Person:
    """A client with a full key to their own data. Every response is looked through for the marks of others."""

    def __init__(self, server: KeyedServer, name: str = "ann") -> None:
        self.server = server
        self.tenant = f"{name}{next(_numbers)}"
        self.mark = f"zz{self.tenant}zz"
        made = server.made_key("full", name=f"key of {self.mark}", tenant=self.tenant)
        self.key, self.key_id = str(made["key"]), str(made["id"])

    def call(
        self,
        method: str,
        path: str,
        body: object = None,
        *,
        raw: bytes | None = None,
        headers: dict[str, str] | None = None,
        through: KeyedServer | None = None,
    ) -> Answer:
        """A call, through another server than the usual one where that is given."""
        return self.checked((through or self.server).with_key(self.key, method, path, body, raw=raw, headers=headers))

    def get(self, path: str) -> Any:
        answer = self.call("GET", path)
        assert answer.status == 200, answer.body
        return answer.json

    def done(self, method: str, path: str, body: object = None) -> Answer:
        """A call that has to succeed."""
        answer = self.call(method, path, body)
        assert answer.status < 300, answer.body
        return answer

    def checked(self, answer: Answer) -> Answer:
        """A response without anything of anyone else."""
        texts = [answer.body, *(f"{name}: {value}".encode() for name, value in answer.headers.items())]
        marks = {found.decode().lower() for text in texts for found in _MARK.findall(text)}
        assert marks <= {self.tenant}, (marks, answer)
        return answer

    def create(self, bucket_id: str, **fields: object) -> Answer:
        body = {"client": f"client {self.mark}", "type": "currentwindow", "hostname": f"host-{self.mark}", **fields}
        return self.call("POST", f"/api/0/buckets/{bucket_id}", body)


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
