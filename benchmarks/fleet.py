"""Replays the traffic of a fleet of devices against servers on PostgreSQL: python -m benchmarks.fleet --servers 2.

What a request costs is measured (processor time of servers and database, log written, space taken) and multiplied: the
rest of the table says what a fleet of that size would need, at 0.3 requests a second and device.
"""

import argparse
import os
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import msgspec
import psycopg
from msgspec import Struct
from rich.console import Console
from rich.table import Table

from benchmarks.connection import Connection
from benchmarks.postgres import DURABLE, HERE
from benchmarks.server import Server, create_buckets, dayline_command, dayline_server
from benchmarks.table import WIDTH_IN_A_FILE
from benchmarks.wrk import Round, fleet_round
from tests.support.postgres.cluster import Cluster, cluster

KINDS: Final = ("window", "web", "afk")
REQUESTS_A_SECOND: Final = 0.3  # of one device, while it is in use
HOURS_A_DAY: Final = 8
SIZES: Final = (1_000, 10_000, 100_000, 1_000_000)
_TICK_S: Final = 1 / os.sysconf("SC_CLK_TCK")
_GB: Final = 1e9


class Taken(Struct, frozen=True, kw_only=True):
    """What was used up by a moment."""

    servers_s: float
    database_s: float
    log: int
    size: int
    events: int
    commits: int


class Cost(Struct, frozen=True, kw_only=True):
    """What requests of a fleet came to, as fast as they were answered."""

    round: Round
    requests: float
    server_us: float  # of processor time a request
    database_us: float
    log_bytes: float  # of a request
    events: float  # new ones a request
    event_bytes: float  # of the disk, indexes included, for a new event
    requests_a_commit: float


def main() -> None:
    """Measure, and print the figures and what follows from them."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fleet", description=__doc__)
    parser.add_argument("--servers", type=int, default=2, help="how many servers, side by side [default: 2]")
    parser.add_argument("--devices", type=int, default=1_000, help="how many devices [default: 1000]")
    parser.add_argument("--connections", type=int, default=64, help="open at a time, in all [default: 64]")
    parser.add_argument("--people", type=int, default=0, help="whom they belong to [default: all to one]")
    parser.add_argument("--seconds", type=int, default=20, help="how long they send [default: 20]")
    options = parser.parse_args()
    cache = HERE / "cache"
    cache.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="fleet-", dir=cache) as folder, cluster(DURABLE) as database:
        cost = _measure(
            database,
            Path(folder),
            servers=options.servers,
            devices=options.devices,
            connections=options.connections,
            people=options.people,
            seconds=options.seconds,
        )
    console = Console()
    if not console.is_terminal:
        console.width = WIDTH_IN_A_FILE
    console.print(_measured(cost, options.servers, options.devices, options.connections))
    console.print(_calculated(cost))


def _measure(
    database: Cluster, folder: Path, *, servers: int, devices: int, connections: int, people: int, seconds: int
) -> Cost:
    address = database.new_database()
    with ExitStack() as stack:
        running = [
            stack.enter_context(dayline_server(dayline_command(), folder / f"server{n}.db", address=address))
            for n in range(servers)
        ]
        fleet = Fleet(servers=running, devices=devices, connections=connections, keys=_keys(running[0], people, folder))
        fleet.create()
        fleet.send(seconds=max(2, seconds // 4), base_s=0)  # warm
        before = _taken(database, address, running)
        begun = time.perf_counter()
        sent = fleet.send(seconds=seconds, base_s=10_000_000)
        requests = sent.rate * (time.perf_counter() - begun)
        time.sleep(1)  # the statistics of PostgreSQL come a little later
        after = _taken(database, address, running)
    events = max(1, after.events - before.events)
    return Cost(
        round=sent,
        requests=requests,
        server_us=(after.servers_s - before.servers_s) / requests * 1e6,
        database_us=(after.database_s - before.database_s) / requests * 1e6,
        log_bytes=(after.log - before.log) / requests,
        events=events / requests,
        event_bytes=(after.size - before.size) / events,
        requests_a_commit=requests / max(1, after.commits - before.commits),
    )


class Fleet(Struct, frozen=True, kw_only=True):
    """Devices that send to all servers at once: any server may get any heartbeat."""

    servers: Sequence[Server]
    devices: int
    connections: int
    keys: Path | None  # a file with a key a line; device n has the key n, and begins again after the last

    def create(self) -> None:
        """Make the buckets."""
        keys = [None] if self.keys is None else self.keys.read_text().split()
        for place, key in enumerate(keys):
            mine = range(place, self.devices, len(keys))
            ids = [f"{kind}{device}" for device in mine for kind in KINDS]
            create_buckets(self.servers[0].port, ids, key=key)

    def send(self, *, seconds: int, base_s: int) -> Round:
        """Send for so long, as fast as it is answered."""
        with ThreadPoolExecutor(len(self.servers)) as pool:
            begun = [
                pool.submit(
                    fleet_round,
                    server.port,
                    clients=self.connections // len(self.servers),
                    seconds=seconds,
                    arguments=[
                        str(self.devices),
                        "0",
                        str(base_s),
                        str(number),
                        *([str(self.keys)] if self.keys else ()),
                    ],
                )
                for number, server in enumerate(self.servers)
            ]
            rounds = [each.result() for each in begun]
        return Round(
            rate=sum(each.rate for each in rounds),
            p50_ms=max(each.p50_ms for each in rounds),
            p99_ms=max(each.p99_ms for each in rounds),
        )


def _keys(server: Server, people: int, folder: Path) -> Path | None:
    """A key for each of them, in a file."""
    if not people:
        return None
    file = folder / "keys"
    with Connection(server.port) as connection:
        made = [
            connection.post("/api/1/keys", b'{"name": "fleet", "scope": "full", "tenant": "person-%d"}' % number)
            for number in range(people)
        ]
    file.write_text("\n".join(msgspec.json.decode(each.body)["key"] for each in made) + "\n")
    return file


def _taken(database: Cluster, address: str, servers: Sequence[Server]) -> Taken:
    with psycopg.connect(address, autocommit=True) as db:
        row = db.execute(
            "SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint, pg_database_size(current_database()), "
            "(SELECT coalesce(sum(events), 0)::bigint FROM dayline.month), "
            "(SELECT xact_commit FROM pg_stat_database WHERE datname = current_database())"
        ).fetchone()
    assert row is not None
    return Taken(
        servers_s=sum(_processor_s(server.pid) for server in servers),
        database_s=sum(map(_processor_s, _children(database.pid))) + _processor_s(database.pid),
        log=row[0],
        size=row[1],
        events=row[2],
        commits=row[3],
    )


def _processor_s(pid: int) -> float:
    """Of a process, and of those of its children that have ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:  # a connection of PostgreSQL that has just ended, and counts as that of its parent
        return 0.0
    return sum(map(int, fields[11:15])) * _TICK_S


def _children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def _measured(cost: Cost, servers: int, devices: int, connections: int) -> Table:
    table = Table(title=f"servers: {servers}; {devices:,} devices, {connections} connections, {os.cpu_count()} cores")
    table.add_column("measured")
    table.add_column("", justify="right")
    rows = (
        ("requests a second, committed", f"{cost.round.rate:,.0f}"),
        ("p50, p99", f"{cost.round.p50_ms:.1f}, {cost.round.p99_ms:.1f} ms"),
        ("requests for each transaction of any kind", f"{cost.requests_a_commit:.1f}"),
        ("processor time a request, servers", f"{cost.server_us:.0f} µs"),
        ("processor time a request, PostgreSQL", f"{cost.database_us:.0f} µs"),
        ("log written a request", f"{cost.log_bytes:.0f} bytes"),
        ("new events a request", f"{cost.events:.2f}"),
        ("space of a new event, indexes and dictionary included", f"{cost.event_bytes:.0f} bytes"),
    )
    for row in rows:
        table.add_row(*row)
    return table


def _calculated(cost: Cost) -> Table:
    table = Table(title=f"calculated, {REQUESTS_A_SECOND} requests a second and device, {HOURS_A_DAY} hours a day")
    headings = ("devices", "requests/s", "cores, servers", "cores, PostgreSQL", "log MB/s", "events a day", "GB a day")
    for heading in headings:
        table.add_column(heading, justify="right")
    for devices in SIZES:
        rate = devices * REQUESTS_A_SECOND
        daily = rate * HOURS_A_DAY * 3600
        table.add_row(
            f"{devices:,}",
            f"{rate:,.0f}",
            f"{rate * cost.server_us / 1e6:,.1f}",
            f"{rate * cost.database_us / 1e6:,.1f}",
            f"{rate * cost.log_bytes / 1e6:,.1f}",
            f"{daily * cost.events:,.0f}",
            f"{daily * cost.events * cost.event_bytes / _GB:,.1f}",
        )
    return table


if __name__ == "__main__":
    main()
