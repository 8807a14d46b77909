"""Servers on PostgreSQL: clients that continue whatever happens, and tenants whose data has a mark."""

import contextlib
import http.client
import itertools
import re
import threading
import time
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from dayline.model.time import SECOND, format_timestamp, parse_timestamp
from tests.support.keyed_server import KeyedServer
from tests.support.server import Answer, RunningServer
from tests.support.waiting import PATIENCE_S

BEGIN: Final = parse_timestamp("2026-03-01T10:00:00Z")
_PAUSE_S: Final = 0.01  # between two writes of a worker: many at once, and not as many as the machine can do
_PATIENCE_S: Final = 30.0  # a client that gets no answer for so long sends the request again
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
                # 409: an answer that was lost had been good.
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
    """A client with a full key to their own data. Every answer is looked through for the marks of others."""

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
        """An answer without anything of anyone else."""
        texts = [answer.body, *(f"{name}: {value}".encode() for name, value in answer.headers.items())]
        marks = {found.decode().lower() for text in texts for found in _MARK.findall(text)}
        assert marks <= {self.tenant}, (marks, answer)
        return answer

    def create(self, bucket_id: str, **fields: object) -> Answer:
        body = {"client": f"client {self.mark}", "type": "currentwindow", "hostname": f"host-{self.mark}", **fields}
        return self.call("POST", f"/api/0/buckets/{bucket_id}", body)
