"""Unusual sizes: the first summary of a day with events in 1,500 buckets, and the union of two large lists."""

import io
import os
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import msgspec
import numpy as np

from benchmarks.connection import Connection
from benchmarks.memory import process_tree
from benchmarks.server import dayline_server
from benchmarks.table import Figure, NotMeasured
from benchmarks.workbench import Workbench, import_body
from dayline.query.columns.table import NO_DATA, Table
from dayline.query.functions.union import period_union, union_no_overlap

BUCKETS = 1500
EVENTS_PER_BUCKET = 20
MOST_SUMMARY_S = 1.5
UNITED = 600_000
MOST_UNION_S = 0.1


def measure(bench: Workbench) -> Iterator[Figure]:
    """A line for the summary, and one for each union; all in processor time."""
    document = msgspec.json.encode({"buckets": {f"bucket{number}": _bucket(number) for number in range(BUCKETS)}})
    span = {"start": _today().isoformat(), "end": (_today() + timedelta(days=1)).isoformat(), "by": "category,app"}
    with dayline_server(bench.command, bench.database("buckets")) as server:
        import_body(server, io.BytesIO(document), size=len(document))
        with Connection(server.port) as connection:
            before_s = _processor_s(server.pid)
            answer = connection.get(f"/api/1/summary?{urlencode(span)}")
            if answer.status != 200:
                raise NotMeasured(f"the summary was answered with {answer.status}: {answer.body[:300].decode()}")
            summary_s = _processor_s(server.pid) - before_s
    yield _figure(f"first summary of {BUCKETS:,} buckets with events today", summary_s, MOST_SUMMARY_S)
    one, other = _events(1), _events(2)
    for unite in (union_no_overlap, period_union):
        begun_s = time.process_time()
        unite(one, other)
        name = f"{unite.__name__} of two overlapping lists of {UNITED:,} events"
        yield _figure(name, time.process_time() - begun_s, MOST_UNION_S)


def _figure(name: str, seconds: float, most_s: float) -> Figure:
    return Figure(
        name=f"{name}, processor time",
        goal=f"<= {most_s} s",
        measured=f"{seconds:.2f} s",
        is_met=seconds <= most_s,
        values={"processor_s": seconds},
    )


def _today() -> datetime:
    return datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)


def _bucket(number: int) -> dict[str, Any]:
    starts = [_today() + timedelta(seconds=EVENTS_PER_BUCKET * number + second) for second in range(EVENTS_PER_BUCKET)]
    events = [{"timestamp": start, "duration": 1, "data": {"app": f"app{start.second}"}} for start in starts]
    return {"type": "currentwindow", "client": "benchmark", "hostname": "host", "events": events}


def _processor_s(pid: int) -> float:
    """Of the process and its children, with those that have ended."""
    ticks = [Path(f"/proc/{each}/stat").read_text().rpartition(")")[2].split()[11:15] for each in process_tree(pid)]
    return sum(int(tick) for each in ticks for tick in each) / os.sysconf("SC_CLK_TCK")


def _events(seed: int) -> Table:
    """Events that do not overlap each other, but those of another list."""
    edges = np.cumsum(np.random.default_rng(seed).integers(1, 20_000_000, 2 * UNITED))
    return Table(edges[::2], edges[1::2], np.arange(UNITED), np.zeros(UNITED, np.int32), NO_DATA)
