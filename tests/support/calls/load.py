"""Clients that write without pause, whatever else a server does, and remember what was acknowledged."""

import http.client
import random
import threading
import time
from typing import Any, Final

import msgspec
from msgspec import Struct

from dayline.model.time import SECOND, Microseconds, format_timestamp, parse_timestamp
from tests.support.waiting import PATIENCE_S

CLIENTS: Final = 8
SHARED_BUCKET: Final = "shared"
_BEGIN: Final[Microseconds] = parse_timestamp("2026-01-01T00:00:00Z")
_DAY: Final = 86_400 * SECOND
GONE: Final = (OSError, http.client.HTTPException)  # how a killed server looks from outside


class Stored(Struct, frozen=True):
    """An event as a response reported it."""

    bucket_id: str
    start: Microseconds
    duration: Microseconds
    data: dict[str, Any]


class Memory(Struct):
    """What was acknowledged, and so must be in the file."""

    buckets: set[str] = msgspec.field(default_factory=set[str])
    exact: dict[int, Stored] = msgspec.field(default_factory=dict[int, Stored])  # inserted: these and no other
    at_least: dict[int, Stored] = msgspec.field(default_factory=dict[int, Stored])  # by heartbeats: may have grown
    deleted: set[int] = msgspec.field(default_factory=set[int])
    imported: dict[str, int] = msgspec.field(default_factory=dict[str, int])  # events of whole buckets
    settings: dict[str, int] = msgspec.field(default_factory=dict[str, int])  # each only ever counts up
    answers: int = 0  # about: the clients count without a lock


class Client:
    """One connection, kept alive, on a thread of its own that ends when the server is gone."""

    def __init__(self, port: int, number: int, chance: random.Random, memory: Memory) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
        self._number = number
        self._chance = chance
        self._memory = memory
        self._moment = _BEGIN
        self._app = 0
        self._own: list[int] = []  # events that this client inserted and has not deleted
        self._failure: str | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)

    def start(self) -> None:
        self._thread.start()

    @property
    def is_running(self) -> bool:
        return self._thread.is_alive()

    def join(self) -> None:
        """Wait for the end; it must have come because the server is gone, not because a response was wrong."""
        self._thread.join(timeout=PATIENCE_S)
        assert not self._thread.is_alive()
        assert self._failure is None, self._failure

    def _run(self) -> None:
        acts = (self._beat, self._beat_together, self._insert, self._create, self._delete, self._set)
        try:
            self._create_bucket(self._watched)
            self._create_bucket(self._inserted)
            self._create_bucket(SHARED_BUCKET)
            while True:
                self._chance.choices(acts, weights=(70, 10, 10, 4, 3, 3))[0]()
        except GONE:
            return
        except Exception as error:
            self._failure = repr(error)
        finally:
            self._connection.close()

    @property
    def _watched(self) -> str:
        return f"watcher-{self._number}"

    @property
    def _inserted(self) -> str:
        return f"inserts-{self._number}"

    def _beat(self) -> None:
        self._moment += self._chance.randrange(20 * SECOND)
        if self._chance.random() < 0.2:
            self._app += 1
        if self._chance.random() < 0.01:
            self._moment += 10 * _DAY
        self._heartbeat(self._watched, {"app": f"app {self._app % 50}"})

    def _beat_together(self) -> None:
        self._moment += SECOND
        self._heartbeat(SHARED_BUCKET, {"together": True})

    def _heartbeat(self, bucket_id: str, data: dict[str, Any]) -> None:
        beat = {"timestamp": format_timestamp(self._moment), "data": data}
        answer = self._send("POST", f"/api/0/buckets/{bucket_id}/heartbeat?pulsetime=30", beat)
        number, stored = _stored(bucket_id, answer)
        # Two clients beat in the shared bucket: the response that comes in last may be the older one.
        known = self._memory.at_least.get(number)
        if known is None or known.duration < stored.duration:
            self._memory.at_least[number] = stored

    def _insert(self) -> None:
        events = [
            {
                "timestamp": format_timestamp(_BEGIN + self._chance.randrange(200 * _DAY)),
                "duration": self._chance.randrange(4000) / 1000,
                "data": {"title": f"page {self._chance.randrange(1000)}"},
            }
            for _ in range(self._chance.choice((1, 3, 150)))
        ]
        for answer in self._send("POST", f"/api/0/buckets/{self._inserted}/events", events):
            number, stored = _stored(self._inserted, answer)
            self._memory.exact[number] = stored
            self._own.append(number)

    def _create(self) -> None:
        self._create_bucket(f"made-{self._number}-{self._chance.randrange(10**9)}")

    def _create_bucket(self, bucket_id: str) -> None:
        fields = {"client": "crash-test", "type": "test.type", "hostname": "laptop"}
        self._send("POST", f"/api/0/buckets/{bucket_id}", fields)
        self._memory.buckets.add(bucket_id)

    def _delete(self) -> None:
        if self._own:
            number = self._own.pop(self._chance.randrange(len(self._own)))
            del self._memory.exact[number]  # from here on no one knows, until the response comes
            assert self._send("DELETE", f"/api/0/buckets/{self._inserted}/events/{number}") == {"success": True}
            self._memory.deleted.add(number)

    def _set(self) -> None:
        key = f"counter-{self._number}"
        value = self._memory.settings.get(key, 0) + 1
        self._send("POST", f"/api/0/settings/{key}", value)
        self._memory.settings[key] = value

    def _send(self, method: str, path: str, body: object = None) -> Any:
        raw = None if body is None else msgspec.json.encode(body)
        self._connection.request(method, path, body=raw, headers={"Content-Type": "application/json"})
        response = self._connection.getresponse()
        answer = response.read()
        self._memory.answers += 1
        assert response.status in (200, 201, 304), f"{method} {path}: {response.status} {answer.decode()}"
        return msgspec.json.decode(answer) if answer else None


def _stored(bucket_id: str, answer: dict[str, Any]) -> tuple[int, Stored]:
    start, duration = parse_timestamp(answer["timestamp"]), round(answer["duration"] * SECOND)
    return answer["id"], Stored(bucket_id, start, duration, answer["data"])


class Watcher(threading.Thread):
    """Beats up to a hundred times a second, and notes how it was answered."""

    def __init__(self, port: int) -> None:
        super().__init__(daemon=True)
        self._port = port
        self.is_stopping = False
        self.sent = 0
        self.statuses: set[int] = set()

    def run(self) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=PATIENCE_S)
        while not self.is_stopping:
            moment = f"2026-01-01T{self.sent // 3600:02}:{self.sent // 60 % 60:02}:{self.sent % 60:02}Z"
            connection.request(
                "POST",
                "/api/0/buckets/window/heartbeat?pulsetime=0.5",
                msgspec.json.encode({"timestamp": moment}),
                {"Content-Type": "application/json"},
            )
            response = connection.getresponse()
            response.read()
            self.statuses.add(response.status)
            self.sent += 1
            time.sleep(0.01)
        connection.close()
