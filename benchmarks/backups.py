"""Heartbeats while a backup of the seeded year is made and verified, and how long that takes."""

import http.client
import json
import time
from collections.abc import Iterator

from benchmarks.pulse import pulse
from benchmarks.server import Server, dayline_server
from benchmarks.table import Figure, NotMeasured
from benchmarks.workbench import Workbench

MOST_P99_MS = 10.0
# So that the pulse is even, and the effect of the machine alone can be seen.
WARM_UP_S = 1.0
ALONE_S = 5.0
BACKUP_TIMEOUT_S = 600.0


def measure(bench: Workbench) -> Iterator[Figure]:
    """Two lines: the same heartbeats without a backup and with one."""
    with dayline_server(bench.command, bench.year()) as server, pulse(server.port) as watcher:
        time.sleep(WARM_UP_S)
        alone_s = time.monotonic()
        time.sleep(ALONE_S)
        begun_s = time.monotonic()
        size = _back_up(server)
        ended_s = time.monotonic()
    before, waits, seconds = watcher.waits(alone_s, begun_s), watcher.waits(begun_s, ended_s), ended_s - begun_s
    yield Figure(
        name="heartbeat before a backup, p50 / p99 / worst",
        goal="",
        measured=str(before),
        is_met=None,
        values=before._asdict(),
    )
    yield Figure(
        name=f"heartbeat during a backup of {bench.period} ({seconds:.0f} s, {size / 1e6:.0f} MB), p50 / p99 / worst",
        goal=f"p99 <= {MOST_P99_MS:.0f} ms",
        measured=str(waits),
        is_met=waits.p99_ms <= MOST_P99_MS,
        values={**waits._asdict(), "seconds": seconds, "bytes": size},
    )


def _back_up(server: Server) -> int:
    """Have a backup made and verified; its size."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=BACKUP_TIMEOUT_S)
    try:
        connection.request("POST", "/api/1/backups")
        response = connection.getresponse()
        body = response.read()
    finally:
        connection.close()
    if response.status != 201:
        raise NotMeasured(f"the backup was answered with {response.status}: {body[:200].decode(errors='replace')}")
    return int(json.loads(body)["bytes"])
