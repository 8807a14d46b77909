"""Import of the seeded year: pace, memory, bytes on disk, and heartbeats while it runs."""

import time
from collections.abc import Iterator

from benchmarks.memory import MIB, PeakMemory
from benchmarks.pulse import pulse
from benchmarks.server import dayline_server
from benchmarks.table import Figure
from benchmarks.workbench import Workbench, import_file

LEAST_RATE = 80_000
MOST_MIB = 200
MOST_BYTES_PER_EVENT = 96
MOST_P99_MS = 20.0
# So that the pulse beats evenly before the import begins.
WARM_UP_S = 1.0


def measure(bench: Workbench) -> Iterator[Figure]:
    """One import alone, and one while a watcher records."""
    yield from _alone(bench)
    yield from _with_heartbeats(bench)


def _alone(bench: Workbench) -> Iterator[Figure]:
    export = bench.export_file()
    database = bench.database("import")
    with dayline_server(bench.command, database) as server, PeakMemory(server.pid) as peak:
        imported = import_file(server, export)
    rate = imported.events / imported.seconds
    yield Figure(
        name=f"import of {bench.period}, events/s",
        goal=f">= {LEAST_RATE:,}",
        measured=f"{rate:,.0f} ({imported.events:,} in {imported.seconds:.1f} s)",
        is_met=rate >= LEAST_RATE,
        values={"rate": rate, "events": imported.events, "seconds": imported.seconds},
    )
    megabytes = export.stat().st_size / 1e6
    yield Figure(
        name=f"import of {megabytes:.0f} MB, peak memory with children",
        goal=f"<= {MOST_MIB} MiB",
        measured=f"{peak.rss / MIB:.0f} MiB",
        is_met=peak.rss <= MOST_MIB * MIB,
        values={"peak_rss_bytes": peak.rss},
    )
    size = database.stat().st_size
    bytes_per_event = size / imported.events
    yield Figure(
        name="bytes on disk per event",
        goal=f"<= {MOST_BYTES_PER_EVENT} for the year",
        measured=f"{bytes_per_event:.1f} ({size / 1e6:.0f} MB)",
        # In fewer days less is said twice, so more bytes are spent on each event.
        is_met=None if bench.is_quick else bytes_per_event <= MOST_BYTES_PER_EVENT,
        values={"bytes_per_event": bytes_per_event, "file_bytes": size},
    )
    bench.keep_year(database)


def _with_heartbeats(bench: Workbench) -> Iterator[Figure]:
    database = bench.database("import-with-heartbeats")
    with dayline_server(bench.command, database) as server, pulse(server.port) as watcher:
        time.sleep(WARM_UP_S)
        begun_s = time.monotonic()
        import_file(server, bench.export_file())
        ended_s = time.monotonic()
    waits = watcher.waits(begun_s, ended_s)
    yield Figure(
        name="heartbeat during an import, p50 / p99 / worst",
        goal=f"p99 <= {MOST_P99_MS:.0f} ms",
        measured=str(waits),
        is_met=waits.p99_ms <= MOST_P99_MS,
        values=waits._asdict(),
    )
