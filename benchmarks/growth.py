"""Ten million events against a hundred thousand: heartbeats and the events of one day should not feel the difference.

The large store is built once by importing the seeded year over and over, each time in another year, and kept in the
cache under a name that changes with the schema.
"""

import hashlib
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from io import RawIOBase
from pathlib import Path
from typing import BinaryIO, cast

from benchmarks.connection import Connection
from benchmarks.heartbeats import ROUND_SHIFT_S
from benchmarks.reads import medians_ms
from benchmarks.seeded_year import FIRST_DAY, WINDOW_BUCKET, seeded_export
from benchmarks.server import Server, create_buckets, dayline_server
from benchmarks.table import Figure, NotMeasured
from benchmarks.workbench import Workbench, import_body, import_file
from benchmarks.wrk import heartbeat_round, wrk_path

MOST_GROWTH = 1.2
SMALL_DAYS = 31  # about 100,000 events
YEARS = range(FIRST_DAY.year - 8, FIRST_DAY.year + 1)  # nine times 1,169,105 events
CLIENTS = (1, 16)
ROUNDS = 5


def measure(bench: Workbench) -> Iterator[Figure]:
    """Lines for the events of a day and for heartbeats, each the large store's time against the small one's."""
    if bench.is_quick:
        raise NotMeasured("building ten million events takes minutes, so not with --quick")
    wrk_path()
    small = bench.database("small")
    with dayline_server(bench.command, small) as server:
        import_file(server, seeded_export(bench.cache, days=SMALL_DAYS))
    large = bench.database("large")
    shutil.copyfile(_ten_million(bench, schema_digest(small)), large)
    with dayline_server(bench.command, small) as few, dayline_server(bench.command, large) as many:
        yield _figure("events of one day, median ms", *_day_ms(few, many))
        for clients in CLIENTS:
            few_ms, many_ms = _heartbeat_ms(bench, few, many, clients=clients)
            yield _figure(f"ms per committed heartbeat, clients: {clients}", few_ms, many_ms)


def _day_ms(few: Server, many: Server) -> tuple[float, float]:
    """The time to read one and the same day from both stores."""
    day = FIRST_DAY + timedelta(days=14)
    period = f"start={day:%Y-%m-%dT%H:%M:%SZ}&end={day + timedelta(days=1):%Y-%m-%dT%H:%M:%SZ}"
    with Connection(few.port) as to_few, Connection(many.port) as to_many:
        few_ms, many_ms = medians_ms([to_few, to_many], f"/api/0/buckets/{WINDOW_BUCKET}/events?{period}")
    return few_ms, many_ms


def _heartbeat_ms(bench: Workbench, few: Server, many: Server, *, clients: int) -> tuple[float, float]:
    """The time per heartbeat in the best round of each store, taken in turns: best, because others only disturb."""
    times_ms: dict[int, list[float]] = {few.port: [], many.port: []}
    for port in times_ms:
        create_buckets(port, [f"hb{number}" for number in range(clients)])
    for number in range(ROUNDS):
        base_s = (clients * ROUNDS + number) * ROUND_SHIFT_S
        for port, times in times_ms.items():
            taken = heartbeat_round(port, clients=clients, seconds=bench.round_s, base_s=base_s)
            times.append(1000 / taken.rate)
    return min(times_ms[few.port]), min(times_ms[many.port])


def _figure(name: str, few_ms: float, many_ms: float) -> Figure:
    growth = many_ms / few_ms
    return Figure(
        name=f"growth to ten million: {name}",
        goal=f"<= {MOST_GROWTH} x",
        measured=f"{growth:.2f} x ({few_ms:.3f} to {many_ms:.3f})",
        is_met=growth <= MOST_GROWTH,
        values={"few_ms": few_ms, "many_ms": many_ms, "growth": growth},
    )


def _ten_million(bench: Workbench, schema: str) -> Path:
    """The large store; built on the first call, taken from the cache later."""
    path = bench.cache / f"ten-million-{schema}.db"
    if path.exists():
        return path
    unfinished = bench.database("ten-million")
    year = seeded_export(bench.cache)
    with dayline_server(bench.command, unfinished) as server:
        for number in YEARS:
            with year.open("rb") as file:
                # http.client asks only for `read`; a raw stream is not a BinaryIO to the type checker.
                body = cast(BinaryIO, YearShift(file, number))
                import_body(server, body, size=year.stat().st_size)
    unfinished.replace(path)
    return path


def schema_digest(database: Path) -> str:
    """A short name for the schema of a file."""
    with closing(sqlite3.connect(database)) as db:
        version = db.execute("PRAGMA user_version").fetchone()
        statements = db.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY sql").fetchall()
    return hashlib.sha256(repr((version, statements)).encode()).hexdigest()[:12]


class YearShift(RawIOBase):
    """A seeded export with its events moved to another year, as it is read."""

    def __init__(self, file: BinaryIO, year: int) -> None:
        super().__init__()
        self._file = file
        self._from = f'"timestamp": "{FIRST_DAY.year}-'.encode()
        self._to = f'"timestamp": "{year}-'.encode()
        self._held = b""

    def read(self, size: int = -1, /) -> bytes:
        """About `size` bytes; what could be the first part of a timestamp is held back until its rest is there."""
        block = self._file.read(size)
        text = (self._held + block).replace(self._from, self._to)
        keep = min(len(self._from) - 1, len(text)) if block else 0
        self._held = text[len(text) - keep :]
        return text[: len(text) - keep]
