"""Long operations on 100,000 events: a merge, a deletion and their undo, each with heartbeats at the same time."""

import http.client
import io
import json
import time
from collections.abc import Iterator
from typing import Any, Final

import msgspec

from benchmarks.memory import MIB, PeakMemory
from benchmarks.pulse import pulse
from benchmarks.server import Server, dayline_server
from benchmarks.table import Figure, NotMeasured
from benchmarks.workbench import Workbench, import_body

EVENTS: Final = 100_000
QUICK_EVENTS: Final = 20_000
MOST_P99_MS: Final = 20.0
TIMEOUT_S: Final = 600.0
WARM_UP_S: Final = 1.0
_BEGIN: Final = "2026-01-01T00:00:00Z"
_END: Final = "2027-01-01T00:00:00Z"
# By name: the path and the body; without a path the newest change is undone.
_OPERATIONS: Final[list[tuple[str, str, object]]] = [
    ("merge", "/api/1/buckets/source/merge", {"into": "target"}),
    ("undo of the merge", "", None),
    ("deletion", "/api/1/events/delete", {"bucket": "target", "start": _BEGIN, "end": _END}),
    ("undo of the deletion", "", None),
]


def measure(bench: Workbench) -> Iterator[Figure]:
    """One line for each operation, and one for the memory of all of them."""
    count = QUICK_EVENTS if bench.is_quick else EVENTS
    with dayline_server(bench.command, bench.database("operations")) as server:
        document = _document(count)
        import_body(server, io.BytesIO(document), size=len(document))
        with PeakMemory(server.pid) as peak, pulse(server.port) as watcher:
            time.sleep(WARM_UP_S)
            spans = {name: _timed(server, path, body) for name, path, body in _OPERATIONS}
    for name, (begun_s, ended_s) in spans.items():
        waits = watcher.waits(begun_s, ended_s)
        yield Figure(
            name=f"{name}, {count:,} events, with heartbeats (p50 / p99 / worst)",
            goal=f"p99 <= {MOST_P99_MS:.0f} ms",
            measured=f"{ended_s - begun_s:.2f} s ({waits})",
            is_met=waits.p99_ms <= MOST_P99_MS,
            values={"seconds": ended_s - begun_s, **waits._asdict()},
        )
    yield Figure(
        name="long operations, peak memory with children",
        measured=f"{peak.rss / MIB:.0f} MiB",
        values={"peak_rss_bytes": peak.rss},
    )


def _timed(server: Server, path: str, body: object) -> tuple[float, float]:
    """Do it, or undo the newest change, and return when that began and ended."""
    if not path:
        path = f"/api/1/undo/{_call(server, 'GET', '/api/1/trash')[0]['id']}"
    begun_s = time.monotonic()
    _call(server, "POST", path, body)
    return begun_s, time.monotonic()


def _document(count: int) -> bytes:
    """Two buckets with that many events each, in turns."""
    return msgspec.json.encode(
        {"buckets": {bucket_id: _bucket(bucket_id, count, offset) for offset, bucket_id in enumerate(_BUCKETS)}}
    )


_BUCKETS: Final = ("source", "target")


def _bucket(bucket_id: str, count: int, offset: int) -> dict[str, Any]:
    begin = 1_767_225_600 + 60 * offset  # _BEGIN
    events = [
        {
            "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(begin + 120 * number)),
            "duration": 60,
            "data": {"app": f"app {number % 20}", "title": f"title {number % 5000}"},
        }
        for number in range(count)
    ]
    return {"id": bucket_id, "type": "currentwindow", "client": "benchmark", "hostname": "host", "events": events}


def _call(server: Server, method: str, path: str, body: object = None) -> Any:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=TIMEOUT_S)
    try:
        connection.request(method, path, json.dumps(body) if body else None, {"Content-Type": "application/json"})
        response = connection.getresponse()
        answer = response.read()
    finally:
        connection.close()
    if response.status != 200:
        raise NotMeasured(
            f"{method} {path} was answered with {response.status}: {answer[:200].decode(errors='replace')}"
        )
    return json.loads(answer)
