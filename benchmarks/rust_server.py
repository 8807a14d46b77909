"""The Rust server of ActivityWatch beside Dayline: import and export of the same year, if a binary is given.

AW_SERVER_RUST names the binary; build it from the sources of aw-server-rust with `cargo build --release`.
"""

import http.client
import os
import time
from collections.abc import Iterator

from benchmarks.exporting import read_export
from benchmarks.memory import MIB, PeakMemory
from benchmarks.server import rust_server
from benchmarks.table import Figure, NotMeasured
from benchmarks.workbench import IMPORT_TIMEOUT_S, UPLOAD_BLOCK, Workbench


def measure(bench: Workbench) -> Iterator[Figure]:
    """Lines for the import, its memory and the export; they have no goal."""
    binary = os.environ.get("AW_SERVER_RUST")
    if not binary:
        raise NotMeasured("set AW_SERVER_RUST to its binary")
    with rust_server(binary, bench.database("rust")) as server, PeakMemory(server.pid) as peak:
        import_s = _import_s(server.port, bench)
        begun = time.perf_counter()
        read_export(server.port)
        export_s = time.perf_counter() - begun
    for name, seconds in (("import", import_s), ("export", export_s)):
        measured = f"{seconds:.2f} s"
        yield Figure(name=f"Rust server: {name} of {bench.period}", measured=measured, values={"seconds": seconds})
    yield Figure(name="Rust server: peak memory of both", measured=f"{peak.rss / MIB:.0f} MiB")


def _import_s(port: int, bench: Workbench) -> float:
    path = bench.export_file()
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=IMPORT_TIMEOUT_S, blocksize=UPLOAD_BLOCK)
    headers = {"Content-Type": "application/json", "Content-Length": str(path.stat().st_size)}
    begun = time.perf_counter()
    with path.open("rb") as body:
        connection.request("POST", "/api/0/import", body=body, headers=headers)
        status = connection.getresponse().status
    connection.close()
    if status != 200:
        raise NotMeasured(f"the import was answered with {status}")
    return time.perf_counter() - begun
