"""The desktop query over all of ten million events: cold, warm, and its memory."""

import statistics
from collections.abc import Iterator

from benchmarks.asking import Asker
from benchmarks.memory import MIB, PeakMemory
from benchmarks.server import dayline_server
from benchmarks.table import Figure, NotMeasured
from benchmarks.ten_million import ALL_TIME, a_copy_of_ten_million
from benchmarks.workbench import Workbench

MOST_COLD_S = 3.0
MOST_WARM_S = 1.5
MOST_MIB = 1024
WARM_ROUNDS = 5


def measure(bench: Workbench) -> Iterator[Figure]:
    """Lines for the first query after the start, for the same again, and for the memory of both."""
    if bench.is_quick:
        raise NotMeasured("building ten million events takes minutes, so not with --quick")
    database = a_copy_of_ten_million(bench)
    with dayline_server(bench.command, database) as server, PeakMemory(server.pid) as peak, Asker(server) as asker:
        cold_s = asker.desktop_s(*ALL_TIME)
        warm_s = statistics.median(asker.desktop_s(*ALL_TIME) for _ in range(WARM_ROUNDS))
    yield Figure(
        name="desktop query over ten million events, cold",
        goal=f"<= {MOST_COLD_S:.0f} s",
        measured=f"{cold_s:.2f} s",
        is_met=cold_s <= MOST_COLD_S,
        values={"seconds": cold_s},
    )
    yield Figure(
        name="desktop query over ten million events, warm, median",
        goal=f"<= {MOST_WARM_S} s",
        measured=f"{warm_s:.2f} s",
        is_met=warm_s <= MOST_WARM_S,
        values={"median_s": warm_s},
    )
    yield Figure(
        name="desktop query over ten million events, peak memory with children",
        goal=f"<= {MOST_MIB} MiB",
        measured=f"{peak.rss / MIB:.0f} MiB",
        is_met=peak.rss <= MOST_MIB * MIB,
        values={"peak_rss_bytes": peak.rss},
    )
