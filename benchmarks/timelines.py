"""What happened when: timelines of the seeded year, of a day of it and of ten million events; now; buckets."""

import statistics
import time
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import NamedTuple
from urllib.parse import urlencode

from benchmarks.asking import DAY, wait_for_segments
from benchmarks.connection import Connection
from benchmarks.seeded_year import FIRST_DAY
from benchmarks.server import Server, dayline_server
from benchmarks.table import Figure, NotMeasured
from benchmarks.ten_million import ALL_TIME, a_copy_of_ten_million
from benchmarks.workbench import Workbench

MOST_YEAR_S = 0.25
MOST_DAY_S = 0.12
MOST_ALL_TIME_S = 4 * MOST_YEAR_S
MOST_NOW_S = 0.010
MOST_BUCKETS_S = 0.100
ROUNDS = 10
MANY_ROUNDS = 200


class _Times(NamedTuple):
    median_s: float
    p95_s: float


def measure(bench: Workbench) -> Iterator[Figure]:
    """Lines for the year and a day in lanes of buckets and of devices, for now, and for the buckets."""
    start, end = FIRST_DAY, FIRST_DAY + timedelta(days=bench.days)
    day = start + timedelta(days=bench.days // 2)
    with dayline_server(bench.command, bench.year()) as server:
        wait_for_segments(server, start, end)
        for lanes in ("bucket", "device"):
            whole, part = _timeline(start, end, lanes), _timeline(day, day + DAY, lanes)
            yield _figure(f"timeline of {bench.period} by {lanes}, warm", _timed(server, whole, ROUNDS), MOST_YEAR_S)
            yield _figure(f"timeline of a day by {lanes}, warm", _timed(server, part, MANY_ROUNDS), MOST_DAY_S)
        yield _figure("what is in front now", _timed(server, "/api/1/now", MANY_ROUNDS), MOST_NOW_S)
        yield _figure("buckets with their health", _timed(server, "/api/1/buckets", MANY_ROUNDS), MOST_BUCKETS_S)


def measure_all_time(bench: Workbench) -> Iterator[Figure]:
    """A line for ten million events."""
    if bench.is_quick:
        raise NotMeasured("building ten million events takes minutes, so not with --quick")
    with dayline_server(bench.command, a_copy_of_ten_million(bench)) as server:
        times = _timed(server, _timeline(*ALL_TIME, "bucket"), ROUNDS)
    yield _figure("timeline of ten million events by bucket, warm", times, MOST_ALL_TIME_S)


def _timeline(start: datetime, end: datetime, lanes: str) -> str:
    asked = {"start": start.isoformat(), "end": end.isoformat(), "px": 1200, "lanes": lanes}
    return f"/api/1/timeline?{urlencode(asked)}"


def _timed(server: Server, path: str, rounds: int) -> _Times:
    """How long answers take, but for the first, for which everything is read."""
    times_s: list[float] = []
    with Connection(server.port) as connection:
        for _ in range(rounds + 1):
            begun = time.perf_counter()
            answer = connection.get(path)
            times_s.append(time.perf_counter() - begun)
            if answer.status != 200:
                raise NotMeasured(f"{path} was answered with {answer.status}: {answer.body[:300].decode()}")
    ordered = sorted(times_s[1:])
    return _Times(statistics.median(ordered), ordered[int(0.95 * len(ordered))])


def _figure(name: str, times: _Times, most_s: float) -> Figure:
    return Figure(
        name=name,
        goal=f"<= {most_s * 1000:.0f} ms",
        measured=f"{times.median_s * 1000:.1f} ms (95 of 100 within {times.p95_s * 1000:.1f})",
        is_met=times.median_s <= most_s,
        values={"median_s": times.median_s, "p95_s": times.p95_s},
    )
