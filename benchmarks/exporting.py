"""Export of the seeded year: time and memory, from a server that has done nothing else."""

import http.client
import time
from collections.abc import Iterator

from benchmarks.memory import MIB, PeakMemory
from benchmarks.server import dayline_server
from benchmarks.table import Figure, NotMeasured
from benchmarks.workbench import Workbench

MOST_SECONDS = 2.0
MOST_MIB = 100
READ_BLOCK = 1 << 20


def measure(bench: Workbench) -> Iterator[Figure]:
    """Two lines: seconds and memory."""
    with dayline_server(bench.command, bench.year()) as server, PeakMemory(server.pid) as peak:
        begun = time.perf_counter()
        size = read_export(server.port)
        seconds = time.perf_counter() - begun
    yield Figure(
        name=f"export of {bench.period}",
        goal=f"<= {MOST_SECONDS:.0f} s",
        measured=f"{seconds:.2f} s ({size / 1e6:.0f} MB)",
        is_met=seconds <= MOST_SECONDS,
        values={"seconds": seconds, "bytes": size},
    )
    yield Figure(
        name=f"export of {bench.period}, peak memory with children",
        goal=f"<= {MOST_MIB} MiB",
        measured=f"{peak.rss / MIB:.0f} MiB",
        is_met=peak.rss <= MOST_MIB * MIB,
        values={"peak_rss_bytes": peak.rss},
    )


def read_export(port: int) -> int:
    """Read the whole export, keep nothing of it, and return its size."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=300)
    block = bytearray(READ_BLOCK)
    size = 0
    try:
        connection.request("GET", "/api/0/export")
        response = connection.getresponse()
        if response.status != 200:
            raise NotMeasured(f"the export was answered with {response.status}")
        while count := response.readinto(block):
            size += count
    finally:
        connection.close()
    return size
