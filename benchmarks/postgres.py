"""Measures Dayline on PostgreSQL, beside SQLite in the same run: python -m benchmarks.postgres [--quick].

The database runs on the same machine, with its usual durability: every commit is on the disk before it is answered.
"""

import argparse
import tempfile
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

import psycopg
from rich.console import Console

from benchmarks.asking import Asker, wait_for_segments
from benchmarks.insight import SEARCHES
from benchmarks.postgres_heartbeats import heartbeats
from benchmarks.postgres_search import search_s
from benchmarks.seeded_year import FIRST_DAY
from benchmarks.server import Server, dayline_command, dayline_server
from benchmarks.table import Figure, print_table
from benchmarks.workbench import Workbench, bytes_of, import_file
from tests.support.postgres.cluster import Cluster, cluster

HERE: Final = Path(__file__).parent
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
    yield from heartbeats(bench, database)
    yield from _year(bench, database)


def _year(bench: Workbench, database: Cluster) -> Iterator[Figure]:
    """The import of the year, the query of the web UI over it, and what an event takes on the disk."""
    year = (FIRST_DAY, FIRST_DAY + timedelta(days=bench.days))
    whole = (FIRST_DAY, year[1].replace(day=1) - timedelta(seconds=1))  # a day of a month is left to rows
    file, address = bench.database("sqlite"), database.new_database()
    with dayline_server(bench.command, file) as server:
        sqlite = import_file(server, bench.export_file())
        sqlite_s = _asked(server, year)
        wait_for_segments(server, *whole)
    with dayline_server(bench.command, file) as server:
        sqlite_s += _asked(server, year)
        sqlite_search_s = search_s(server)
    with dayline_server(bench.command, bench.database("postgres"), address=address) as server:
        ours = import_file(server, bench.export_file())
        ours_s = _asked(server, year)
        wait_for_segments(server, *whole)
    with dayline_server(bench.command, bench.database("postgres"), address=address) as server:
        ours_s += _asked(server, year)
        ours_search_s = search_s(server)
    yield Figure(
        name=f"import of {bench.period}, events/s",
        measured=f"{ours.events / ours.seconds:,.0f}",
        yardstick=f"SQLite {sqlite.events / sqlite.seconds:,.0f}",
        values={"rate": ours.events / ours.seconds},
    )
    names = ("from rows, first time", "from rows, again", "from packed months, first time", "from packed months, again")
    for place, name in enumerate(names):
        yield Figure(
            name=f"the web UI's query over {bench.period}, {name}",
            measured=f"{ours_s[place]:.2f} s",
            yardstick=f"SQLite {sqlite_s[place]:.2f} s",
            values={"seconds": ours_s[place]},
        )
    yield Figure(
        name=f"search of {bench.period}, the slowest of {len(SEARCHES)}",
        measured=f"{ours_search_s:.3f} s",
        yardstick=f"SQLite {sqlite_search_s:.3f} s",
        values={"seconds": ours_search_s},
    )
    size = float(_row(address, "SELECT pg_database_size(current_database())")[0])
    yield Figure(
        name="bytes on disk per event, indexes included",
        measured=f"{size / ours.events:.0f}",
        yardstick=f"SQLite {bytes_of(file) / sqlite.events:.0f}",
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
