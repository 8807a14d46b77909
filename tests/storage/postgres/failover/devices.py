"""Devices that record heartbeats through HAProxy, and count what was acknowledged."""

import contextlib
import http.client
import itertools
import threading
import time
import uuid
from pathlib import Path
from typing import Any, Final

from dayline.model.time import SECOND, format_timestamp, parse_timestamp
from tests.storage.postgres.failover.nodes import SocketConnection, asked
from tests.support.waiting import PATIENCE_S

BEGIN: Final = parse_timestamp("2026-03-01T10:00:00Z")
_PART: Final = 4  # heartbeats with the same data, which become one event
_PAUSE_S: Final = 1.0  # between two heartbeats
_PATIENCE_S: Final = (10.0, 60.0)  # of every other device: then it sends the same heartbeat again
_RETRY_S: Final = 0.5


class Device(threading.Thread):
    """Sends one heartbeat after the other, each until it is acknowledged."""

    def __init__(self, servers: Path, number: int) -> None:
        super().__init__(daemon=True)
        self.bucket = f"device-{number}"
        self._servers = servers
        self._patience_s = _PATIENCE_S[number % 2]
        self._connection: SocketConnection | None = None
        self.times: list[float] = []  # of acknowledgements
        self.is_over = threading.Event()

    def create(self) -> None:
        body = {"client": "test", "type": "currentwindow", "hostname": self.bucket}
        assert self._sent(f"/api/0/buckets/{self.bucket}", body) == 200

    def run(self) -> None:
        while not self.is_over.wait(_PAUSE_S):
            number = len(self.times)
            timestamp = format_timestamp(BEGIN + number * SECOND)
            beat = {"timestamp": timestamp, "data": {"part": number // _PART}}
            key = str(uuid.uuid4())
            # 409: a response that was lost was a good one.
            while self._sent(f"/api/0/buckets/{self.bucket}/heartbeat?pulsetime=2", beat, key) not in (200, 409):
                time.sleep(_RETRY_S)
            self.times.append(time.monotonic())
        self._disconnect()

    def expected(self) -> list[tuple[int, int, int]]:
        """Start, duration and data of the events that the acknowledged heartbeats make, times in seconds."""
        count = len(self.times)
        return [(first, min(_PART, count - first) - 1, first // _PART) for first in range(0, count, _PART)]

    def stored(self) -> list[tuple[int, int, int]]:
        """The same of the events that are stored."""
        status, events = asked(self._servers, f"/api/0/buckets/{self.bucket}/events?limit=-1", timeout=PATIENCE_S)
        assert status == 200
        return sorted(
            ((parse_timestamp(each["timestamp"]) - BEGIN) // SECOND, int(each["duration"]), each["data"]["part"])
            for each in events
        )

    def _sent(self, path: str, body: Any, key: str = "") -> int:
        """The status of a response; 503 if there was none."""
        with contextlib.suppress(OSError, http.client.HTTPException):
            if self._connection is None:
                self._connection = SocketConnection(self._servers, self._patience_s)
            status, answer = self._connection.json("POST", path, body, **{"Idempotency-Key": key} if key else {})
            assert status in (200, 409, 502, 503, 504), answer
            return status
        self._disconnect()
        return 503

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection = None


class Gaps:
    """How long devices were without an acknowledgement since a time."""

    def __init__(self, devices: list[Device], since: float) -> None:
        until = time.monotonic()
        of_each = [_longest([since, *(t for t in device.times if since < t <= until)]) for device in devices]
        times = sorted(t for device in devices for t in device.times if since < t <= until)
        self.all_s = _longest([since, *times])  # no device had one
        self.single_s = max(of_each)

    def __str__(self) -> str:
        return f"longest time without a heartbeat {self.all_s:.1f} s, of one device {self.single_s:.1f} s"


def _longest(times: list[float]) -> float:
    return max((after - before for before, after in itertools.pairwise(times)), default=0.0)
