"""Plain reads on one keep-alive connection: the newest events of the year, and the list of buckets."""

import statistics
import time
from collections.abc import Iterator, Sequence

from benchmarks.connection import Connection
from benchmarks.seeded_year import WINDOW_BUCKET
from benchmarks.server import create_buckets, dayline_server
from benchmarks.table import Figure, NotMeasured
from benchmarks.workbench import Workbench

REQUESTS = 200
WARM_UP_REQUESTS = 10
NEWEST = 1000
MOST_NEWEST_MS = 2.5
BUCKETS = 67
MOST_LIST_MS = 1.0


def measure(bench: Workbench) -> Iterator[Figure]:
    """A line for each read."""
    with dayline_server(bench.command, bench.year()) as server, Connection(server.port) as connection:
        newest_ms = median_ms(connection, f"/api/0/buckets/{WINDOW_BUCKET}/events?limit={NEWEST}")
    yield _figure(f"{NEWEST:,} newest events of {bench.period}", newest_ms, most_ms=MOST_NEWEST_MS)

    with dayline_server(bench.command, bench.database("buckets")) as server, Connection(server.port) as connection:
        bucket_ids = [f"bucket-{number}" for number in range(BUCKETS)]
        create_buckets(server.port, bucket_ids)
        for bucket_id in bucket_ids:
            event = b'[{"timestamp": "2026-01-01T10:00:00Z", "duration": 1, "data": {"app": "Firefox"}}]'
            connection.post(f"/api/0/buckets/{bucket_id}/events", event)
        list_ms = median_ms(connection, "/api/0/buckets/")
    yield _figure(f"list of {BUCKETS} buckets", list_ms, most_ms=MOST_LIST_MS)


def median_ms(connection: Connection, path: str) -> float:
    """The median time of many equal requests, one after the other."""
    return medians_ms([connection], path)[0]


def medians_ms(connections: Sequence[Connection], path: str) -> list[float]:
    """The median time for each connection, asked in turns, so that a busy moment of the machine meets them all."""
    for connection in connections:
        for _ in range(WARM_UP_REQUESTS):
            _seconds(connection, path)
    times_s = [[_seconds(connection, path) for connection in connections] for _ in range(REQUESTS)]
    return [statistics.median(times) * 1000 for times in zip(*times_s, strict=True)]


def _seconds(connection: Connection, path: str) -> float:
    begun = time.perf_counter()
    answer = connection.get(path)
    if answer.status != 200:
        raise NotMeasured(f"{path} was answered with {answer.status}")
    return time.perf_counter() - begun


def _figure(name: str, measured_ms: float, *, most_ms: float) -> Figure:
    return Figure(
        name=f"{name}, median",
        goal=f"<= {most_ms} ms",
        measured=f"{measured_ms:.2f} ms",
        is_met=measured_ms <= most_ms,
        values={"median_ms": measured_ms},
    )
