"""Measures Dayline on PostgreSQL, beside SQLite in the same run: python -m benchmarks.postgres [--quick].

The database runs on the same machine, with its usual durability: every commit is on the disk before it is answered.
"""

import argparse
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

import psycopg
from rich.console import Console

from benchmarks.asking import Asker
from benchmarks.seeded_year import FIRST_DAY
from benchmarks.server import Server, create_buckets, dayline_command, dayline_server
from benchmarks.table import Figure, print_table
from benchmarks.workbench import Workbench, import_file
from benchmarks.wrk import Round, heartbeat_round
from tests.postgres.cluster import Cluster, cluster

HERE: Final = Path(__file__).parent
CLIENTS: Final = 64
LEAST_RATE: Final = 5_000
ROUND_SHIFT_S: Final = 1_000_000
ROUNDS: Final = 3
DURABLE: Final = {"shared_buffers": "256MB", "max_connections": "60", "max_wal_size": "4GB"}


def main() -> None:
    """Take all measures and print them together."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.postgres", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="shorter rounds, 60 days in place of a year")
    options = parser.parse_args()
    cache = HERE / "cache"
    cache.mkdir(exist_ok=True)
    figures: list[Figure] = []
    progress = Console(stderr=True)
    with tempfile.TemporaryDirectory(prefix="run-", dir=cache) as folder, cluster(DURABLE) as database:
        bench = Workbench(command=dayline_command(), folder=Path(folder), cache=cache, is_quick=options.quick)
        for figure in _measures(bench, database):
            progress.print(f"{figure.name}: {figure.measured}")
            figures.append(figure)
    print_table(figures)


def _measures(bench: Workbench, database: Cluster) -> Iterator[Figure]:
    yield from _heartbeats(bench, database)
    yield from _year(bench, database)


def _heartbeats(bench: Workbench, database: Cluster) -> Iterator[Figure]:
    with dayline_server(bench.command, bench.database("sqlite")) as server:
        create_buckets(server.port, [f"hb{number}" for number in range(CLIENTS)])
        sqlite = _best(bench, [server])
    for count in (1, 2):
        address = database.new_database()
        with ExitStack() as stack:
            servers = [
                stack.enter_context(dayline_server(bench.command, bench.database("postgres"), address=address))
                for _ in range(count)
            ]
            create_buckets(servers[0].port, [f"hb{number}" for number in range(CLIENTS)])
            ours = _best(bench, servers)
        yield Figure(
            name=f"heartbeats/s, {CLIENTS} clients, {count} server{'s' if count > 1 else ''}, committed",
            goal=f">= {LEAST_RATE:,}",
            measured=f"{ours.rate:,.0f}; p50 {ours.p50_ms:.1f} ms, p99 {ours.p99_ms:.1f} ms",
            yardstick=f"SQLite {sqlite.rate:,.0f}; {sqlite.p50_ms:.1f} / {sqlite.p99_ms:.1f} ms",
            is_met=ours.rate >= LEAST_RATE,
            values={"rate": ours.rate, "p50_ms": ours.p50_ms, "p99_ms": ours.p99_ms},
        )


def _best(bench: Workbench, servers: list[Server]) -> Round:
    """The best of some rounds, in which all servers are sent to at once, each by its share of the clients."""
    rounds: list[Round] = []
    share = CLIENTS // len(servers)
    with ThreadPoolExecutor(len(servers)) as pool:
        for number in range(ROUNDS):
            begin = number * ROUND_SHIFT_S
            sent = [
                pool.submit(heartbeat_round, server.port, clients=share, seconds=bench.round_s, base_s=begin)
                for server in servers
            ]
            done = [each.result() for each in sent]
            rounds.append(
                Round(
                    rate=sum(each.rate for each in done),
                    p50_ms=max(each.p50_ms for each in done),
                    p99_ms=max(each.p99_ms for each in done),
                )
            )
    return max(rounds, key=lambda each: each.rate)


def _year(bench: Workbench, database: Cluster) -> Iterator[Figure]:
    """The import of the year, the query of the web UI over it, and what an event takes on the disk."""
    year = (FIRST_DAY, FIRST_DAY + timedelta(days=bench.days))
    file, address = bench.database("sqlite"), database.new_database()
    with dayline_server(bench.command, file) as server:
        sqlite = import_file(server, bench.export_file())
        sqlite_s = _asked(server, year)
    with dayline_server(bench.command, bench.database("postgres"), address=address) as server:
        ours = import_file(server, bench.export_file())
        ours_s = _asked(server, year)
    yield Figure(
        name=f"import of {bench.period}, events/s",
        measured=f"{ours.events / ours.seconds:,.0f}",
        yardstick=f"SQLite {sqlite.events / sqlite.seconds:,.0f}",
        values={"rate": ours.events / ours.seconds},
    )
    for place, name in enumerate(("first", "second")):
        yield Figure(
            name=f"the web UI's query over {bench.period}, {name} time",
            measured=f"{ours_s[place]:.2f} s",
            yardstick=f"SQLite {sqlite_s[place]:.2f} s",
            values={"seconds": ours_s[place]},
        )
    size = float(_row(address, "SELECT pg_database_size(current_database())")[0])
    taken = sum(each.stat().st_size for each in file.parent.glob(f"{file.name}*") if each.suffix != ".lock")
    yield Figure(
        name="bytes on disk per event, indexes included",
        measured=f"{size / ours.events:.0f}",
        yardstick=f"SQLite {taken / sqlite.events:.0f}",
        values={"bytes_per_event": size / ours.events},
    )


def _asked(server: Server, year: tuple[datetime, datetime]) -> list[float]:
    with Asker(server) as asker:
        return [asker.desktop_s(*year) for _ in range(2)]


def _row(address: str, query: str) -> tuple[int, ...]:
    with psycopg.connect(address) as db:
        row = db.execute(query.encode()).fetchone()
    assert row is not None
    return row


if __name__ == "__main__":
    main()
