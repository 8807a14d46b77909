"""Import of the seeded year: pace, memory, bytes on disk, heartbeats while it runs, and the first queries after it."""

import time
from collections.abc import Iterator
from datetime import timedelta

from benchmarks.asking import Asker
from benchmarks.memory import MIB, PeakMemory
from benchmarks.pulse import pulse
from benchmarks.seeded_year import FIRST_DAY
from benchmarks.server import Server, dayline_server
from benchmarks.table import Figure
from benchmarks.workbench import Workbench, import_file

LEAST_RATE = 140_000
MOST_MIB = 250
MOST_BYTES_PER_EVENT = 96
MOST_P99_MS = 15.0
MOST_YEAR_S = (1.5, 0.4)  # first, and repeated
MOST_60_DAYS_S = (0.6, 0.08)
# So that the pulse beats evenly before the import begins.
WARM_UP_S = 1.0


def measure(bench: Workbench) -> Iterator[Figure]:
    """One import alone, and one while a watcher records."""
    yield from _alone(bench)
    yield from _with_heartbeats(bench)


def _alone(bench: Workbench) -> Iterator[Figure]:
    export = bench.export_file()
    database = bench.database("import")
    with dayline_server(bench.command, database) as server:
        with PeakMemory(server.pid) as peak:
            imported = import_file(server, export)
        first = _first_query(server, bench.days, MOST_YEAR_S)
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
    yield first
    bench.keep_year(database)


def _with_heartbeats(bench: Workbench) -> Iterator[Figure]:
    database = bench.database("import-with-heartbeats")
    with dayline_server(bench.command, database) as server, pulse(server.port) as watcher:
        time.sleep(WARM_UP_S)
        begun_s = time.monotonic()
        import_file(server, bench.export_file())
        ended_s = time.monotonic()
        yield _first_query(server, 60, MOST_60_DAYS_S)
    waits = watcher.waits(begun_s, ended_s)
    yield Figure(
        name="heartbeat during an import, p50 / p99 / worst",
        goal=f"p99 <= {MOST_P99_MS:.0f} ms",
        measured=str(waits),
        is_met=waits.p99_ms <= MOST_P99_MS,
        values=waits._asdict(),
    )


def _first_query(server: Server, days: int, most_s: tuple[float, float]) -> Figure:
    """The desktop query right after the import: once, and again."""
    with Asker(server) as asker:
        first_s, again_s = (asker.desktop_s(FIRST_DAY, FIRST_DAY + timedelta(days=days)) for _ in range(2))
    return Figure(
        name=f"desktop query over {days} days right after an import, first / repeated",
        goal=f"<= {most_s[0]} / {most_s[1]} s",
        measured=f"{first_s:.2f} / {again_s:.3f} s",
        is_met=first_s <= most_s[0] and again_s <= most_s[1],
        values={"first_s": first_s, "again_s": again_s},
    )
