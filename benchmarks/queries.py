"""The desktop query of the web UI over the seeded year: cold, warm, a day of it; memory; and heartbeats meanwhile."""

import statistics
import time
from collections.abc import Iterator
from datetime import datetime, timedelta

from benchmarks.asking import DAY, Asker, wait_for_rest, wait_for_segments
from benchmarks.memory import MIB, PeakMemory, memory_of
from benchmarks.pulse import pulse
from benchmarks.seeded_year import FIRST_DAY
from benchmarks.server import Server, dayline_server
from benchmarks.table import Figure
from benchmarks.workbench import Workbench, bytes_of

MOST_COLD_S = 1.5
MOST_WARM_S = 0.3
MOST_DAY_MS = 10.0
MOST_MIB = 400
MOST_REST_MIB = 45
MOST_BYTES_PER_EVENT = 105
MOST_P99_MS, MOST_WORST_MS = 5.0, 50.0
COLD_STARTS = 3
WARM_ROUNDS = 10
DAY_ROUNDS = 100
BACK_TO_BACK_S = 20.0
WARM_UP_S = 1.0


def measure(bench: Workbench) -> Iterator[Figure]:
    """Lines for the year, a day, the memory, the bytes on disk, and heartbeats while queries run."""
    year = (FIRST_DAY, FIRST_DAY + timedelta(days=bench.days))
    with dayline_server(bench.command, bench.year()) as server:
        wait_for_segments(server, *year)
        events = Asker(server).events_read(*year)
    yield _bytes_figure(bench, events)
    yield _cold_figure(bench, year)
    with dayline_server(bench.command, bench.year()) as server:
        yield from _warm_figures(bench, server, year)
        yield _rest_figure(server)
    with dayline_server(bench.command, bench.year()) as server:
        yield _heartbeats_figure(bench, server, year)


def _bytes_figure(bench: Workbench, events: int) -> Figure:
    database = bench.year()
    size = bytes_of(database)
    bytes_per_event = size / events
    return Figure(
        name="bytes on disk per event, segments included",
        goal=f"<= {MOST_BYTES_PER_EVENT} for the year",
        measured=f"{bytes_per_event:.1f} ({size / 1e6:.0f} MB)",
        is_met=None if bench.is_quick else bytes_per_event <= MOST_BYTES_PER_EVENT,
        values={"bytes_per_event": bytes_per_event, "bytes": size},
    )


def _cold_figure(bench: Workbench, year: tuple[datetime, datetime]) -> Figure:
    """The first query of a server that has just started; its process is started for it."""
    times_s: list[float] = []
    for _ in range(COLD_STARTS):
        with dayline_server(bench.command, bench.year()) as server, Asker(server) as asker:
            times_s.append(asker.desktop_s(*year))
    cold_s = statistics.median(times_s)
    return Figure(
        name=f"desktop query over {bench.period}, cold, median of {COLD_STARTS}",
        goal=f"<= {MOST_COLD_S} s",
        measured=f"{cold_s:.2f} s (best {min(times_s):.2f}, worst {max(times_s):.2f})",
        is_met=cold_s <= MOST_COLD_S,
        values={"median_s": cold_s, "best_s": min(times_s), "worst_s": max(times_s)},
    )


def _warm_figures(bench: Workbench, server: Server, year: tuple[datetime, datetime]) -> Iterator[Figure]:
    with Asker(server) as asker:
        with PeakMemory(server.pid) as peak:
            asker.desktop_s(*year)
            warm_s = statistics.median(asker.desktop_s(*year) for _ in range(WARM_ROUNDS))
        after = memory_of(server.pid)
        yield Figure(
            name=f"desktop query over {bench.period}, warm, median",
            goal=f"<= {MOST_WARM_S} s",
            measured=f"{warm_s:.3f} s",
            is_met=warm_s <= MOST_WARM_S,
            values={"median_s": warm_s},
        )
        yield Figure(
            name=f"memory after a query over {bench.period}, with children",
            goal=f"<= {MOST_MIB} MiB",
            measured=f"{after.rss / MIB:.0f} MiB (at most {peak.rss / MIB:.0f})",
            is_met=after.rss <= MOST_MIB * MIB,
            values={"rss_bytes": after.rss, "peak_rss_bytes": peak.rss},
        )
        day_ms = asker.median_day_ms(year[0] + 30 * DAY, rounds=DAY_ROUNDS)
    yield Figure(
        name="desktop query over a day of it, warm, median",
        goal=f"<= {MOST_DAY_MS:.0f} ms",
        measured=f"{day_ms:.1f} ms",
        is_met=day_ms <= MOST_DAY_MS,
        values={"median_ms": day_ms},
    )


def _rest_figure(server: Server) -> Figure:
    begun = time.perf_counter()
    wait_for_rest(server)
    seconds = time.perf_counter() - begun
    memory = memory_of(server.pid)
    return Figure(
        name="memory after a minute of quiet, no query process left",
        goal=f"<= {MOST_REST_MIB} MiB",
        measured=f"{memory.rss / MIB:.1f} MiB (processes gone after {seconds:.0f} s)",
        is_met=memory.rss <= MOST_REST_MIB * MIB and seconds <= 60,
        values={"rss_bytes": memory.rss, "seconds": seconds},
    )


def _heartbeats_figure(bench: Workbench, server: Server, year: tuple[datetime, datetime]) -> Figure:
    with pulse(server.port) as watcher, Asker(server) as asker:
        time.sleep(WARM_UP_S)
        begun_s = time.monotonic()
        queries = 0
        while time.monotonic() - begun_s < (BACK_TO_BACK_S / 4 if bench.is_quick else BACK_TO_BACK_S):
            asker.desktop_s(*year)
            queries += 1
        ended_s = time.monotonic()
    waits = watcher.waits(begun_s, ended_s)
    return Figure(
        name=f"heartbeat during {queries} queries over {bench.period}, p50 / p99 / worst",
        goal=f"p99 <= {MOST_P99_MS:.0f} ms, worst <= {MOST_WORST_MS:.0f} ms",
        measured=str(waits),
        is_met=waits.p99_ms <= MOST_P99_MS and waits.worst_ms <= MOST_WORST_MS,
        values={**waits._asdict(), "queries": queries},
    )
