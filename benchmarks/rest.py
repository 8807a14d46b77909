"""A server that has little to do: its memory at rest, and how soon it answers after its start."""

import time
from collections.abc import Iterator

from benchmarks.connection import Connection
from benchmarks.memory import MIB, memory_of
from benchmarks.server import create_buckets, dayline_server
from benchmarks.table import Figure
from benchmarks.workbench import Workbench

MOST_REST_MIB = 45
MOST_START_S = 0.4
STARTS = 5
# After the last request, for whatever a server does when it becomes idle.
SETTLE_S = 2.0


def measure_memory(bench: Workbench) -> Iterator[Figure]:
    """The memory of a server after some requests of each usual kind."""
    with dayline_server(bench.command, bench.database("rest")) as server:
        create_buckets(server.port, ["hb0"])
        with Connection(server.port) as connection:
            for number in range(20):
                beat = b'{"timestamp": "2026-01-01T10:00:%02dZ", "duration": 0, "data": {"app": "Firefox"}}' % number
                connection.post("/api/0/buckets/hb0/heartbeat?pulsetime=5", beat)
            for path in ("/api/0/info", "/api/0/buckets/", "/api/0/buckets/hb0/events?limit=10"):
                connection.get(path)
        time.sleep(SETTLE_S)
        memory = memory_of(server.pid)
    yield Figure(
        name="memory at rest",
        goal=f"<= {MOST_REST_MIB} MiB",
        measured=f"{memory.rss / MIB:.1f} MiB (its own share: {memory.pss / MIB:.1f})",
        is_met=memory.rss <= MOST_REST_MIB * MIB,
        values={"rss_bytes": memory.rss, "pss_bytes": memory.pss},
    )


def measure_start(bench: Workbench) -> Iterator[Figure]:
    """The best of some starts on the same small file; the first one makes it and does not count."""
    database = bench.database("start")
    times_s: list[float] = []
    for _ in range(1 + STARTS):
        with dayline_server(bench.command, database) as server:
            times_s.append(server.started_in_s)
    best_s = min(times_s[1:])
    yield Figure(
        name=f"start to first response, best of {STARTS}",
        goal=f"<= {MOST_START_S} s",
        measured=f"{best_s:.2f} s (first ever: {times_s[0]:.2f})",
        is_met=best_s <= MOST_START_S,
        values={"best_s": best_s, "worst_s": max(times_s[1:]), "first_s": times_s[0]},
    )
