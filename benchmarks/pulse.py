"""A watcher of its own process: sends heartbeats at a steady pace and times every response.

    python -m benchmarks.pulse PORT

It continues until its standard input ends, and then prints what it saw as JSON. It sends nothing while it waits for an
answer; so that one long wait does not hide the heartbeats that fell into it, `Pulse.waits` counts those too, each
with what was left of the wait when it would have been sent.
"""

import select
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from subprocess import PIPE, Popen
from typing import NamedTuple

import msgspec
from msgspec import Struct

from benchmarks.connection import Connection
from benchmarks.server import create_buckets
from benchmarks.table import NotMeasured

PACE_S = 1 / 200
BUCKET = "pulse"
FIRST = datetime(2026, 6, 1, tzinfo=UTC)


class Beat(Struct, frozen=True, kw_only=True, array_like=True):
    """One heartbeat: when it was sent by the monotonic clock, and how long after that its response came."""

    sent_s: float
    waited_s: float
    status: int


class Waits(NamedTuple):
    """How long heartbeats waited for their responses, in milliseconds."""

    p50_ms: float
    p99_ms: float
    worst_ms: float
    heartbeats: int

    def __str__(self) -> str:
        return f"{self.p50_ms:.1f} / {self.p99_ms:.1f} / {self.worst_ms:.1f} ms"


class Pulse:
    """The beats that a pulse has seen; there only once it has ended."""

    def __init__(self) -> None:
        self.beats: list[Beat] = []

    def waits(self, begun_s: float, ended_s: float) -> Waits:
        """How long answers took in that time. Raises NotMeasured where there were none, or a heartbeat was refused."""
        waits_ms = self._waits_ms(begun_s, ended_s)
        if not waits_ms or any(beat.status != 200 for beat in self.beats):
            raise NotMeasured("heartbeats were refused")
        count = len(waits_ms)
        return Waits(waits_ms[count // 2], waits_ms[count * 99 // 100], waits_ms[-1], count)

    def _waits_ms(self, begun_s: float, ended_s: float) -> list[float]:
        """The same one by one, ascending; held up heartbeats included."""
        waits_s: list[float] = []
        for beat in self.beats:
            if begun_s <= beat.sent_s <= ended_s:
                held_up = int(beat.waited_s / PACE_S)
                waits_s += (beat.waited_s - PACE_S * number for number in range(held_up + 1))
        return sorted(wait_s * 1000 for wait_s in waits_s)


@contextmanager
def pulse(port: int) -> Generator[Pulse]:
    """Sends heartbeats from another process for the length of the block."""
    create_buckets(port, [BUCKET])
    seen = Pulse()
    command = [sys.executable, "-m", "benchmarks.pulse", str(port)]
    with Popen(command, stdin=PIPE, stdout=PIPE) as process:
        try:
            yield seen
        finally:
            output, _ = process.communicate()
    seen.beats = msgspec.json.decode(output, type=list[Beat])


def beats_until_the_input_ends(port: int) -> list[Beat]:
    """Send a heartbeat every `PACE_S` seconds and time the responses."""
    beats: list[Beat] = []
    with Connection(port) as connection:
        due_s = time.monotonic()
        while not _has_ended(until_s=due_s):
            request = _request(connection, len(beats))
            sent_s = time.monotonic()
            answer = connection.send(request)
            answered_s = time.monotonic()
            beats.append(Beat(sent_s=sent_s, waited_s=answered_s - sent_s, status=answer.status))
            due_s = max(due_s + PACE_S, answered_s)
    return beats


def _has_ended(*, until_s: float) -> bool:
    """Wait for that moment, or for the end of the input."""
    readable, _, _ = select.select([sys.stdin], [], [], max(0.0, until_s - time.monotonic()))
    return bool(readable)


def _request(connection: Connection, number: int) -> bytes:
    timestamp = (FIRST + timedelta(seconds=number)).isoformat()
    data = {"app": "Firefox", "title": f"page number {number // 9}"}
    body = msgspec.json.encode({"timestamp": timestamp, "duration": 0, "data": data})
    return connection.post_bytes(f"/api/0/buckets/{BUCKET}/heartbeat?pulsetime=5", body)


if __name__ == "__main__":
    sys.stdout.buffer.write(msgspec.json.encode(beats_until_the_input_ends(int(sys.argv[1]))))
