"""Servers on PostgreSQL, and clients that continue whatever happens to them."""

import contextlib
import http.client
import itertools
import threading
import time
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from dayline.model.time import SECOND, format_timestamp, parse_timestamp
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
