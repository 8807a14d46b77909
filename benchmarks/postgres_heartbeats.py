"""Committed heartbeats per second on PostgreSQL: through one server and two, beside SQLite in the same run.

Everything runs on this machine: the database, the servers, and what sends to them. The measures take turns, so that a
busy moment meets all of them.
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import Final

from msgspec import Struct

from benchmarks.server import Server, create_buckets, dayline_server
from benchmarks.table import Figure
from benchmarks.workbench import Workbench
from benchmarks.wrk import BY_CLOCK, SCRIPT, Round, heartbeat_round
from tests.support.postgres.cluster import Cluster

CLIENTS: Final = 64
LEAST_RATE: Final = 5_000
ROUNDS: Final = 3
ROUND_SHIFT_S: Final = 1_000_000


class Sending(Struct, frozen=True, kw_only=True):
    """Clients that send to servers, each of them to its share; to the same buckets, or each server to its own."""

    name: str
    servers: Sequence[Server]
    clients: int = CLIENTS
    is_shared: bool = False

    def round(self, bench: Workbench, base_s: int) -> Round:
        """All servers at once."""
        share = self.clients // len(self.servers)
        with ThreadPoolExecutor(len(self.servers)) as pool:
            sent = [
                pool.submit(
                    heartbeat_round,
                    server.port,
                    clients=share,
                    seconds=bench.round_s,
                    base_s=base_s,
                    first=0 if self.is_shared else place * share,
                    script=self._script,
                )
                for place, server in enumerate(self.servers)
            ]
            done = [each.result() for each in sent]
        return Round(
            rate=sum(each.rate for each in done),
            p50_ms=max(each.p50_ms for each in done),
            p99_ms=max(each.p99_ms for each in done),
        )

    @property
    def _script(self) -> Path:
        return BY_CLOCK if self.is_shared else SCRIPT


def heartbeats(bench: Workbench, database: Cluster) -> Iterator[Figure]:
    """Rates of many clients, and the latencies of few."""
    with ExitStack() as stack:
        sqlite = stack.enter_context(dayline_server(bench.command, bench.database("sqlite")))
        single, *pair = (_server(bench, stack, address) for address in _addresses(database))
        for port in (sqlite.port, single.port, pair[0].port):
            create_buckets(port, [f"hb{number}" for number in range(CLIENTS)])
        ours = [
            Sending(name="1 server", servers=[single]),
            Sending(name="2 servers, each to its own buckets", servers=pair),
            Sending(name="2 servers, to the same buckets", servers=pair, is_shared=True),
        ]
        few = [
            Sending(name=f"{clients} client{'s' if clients > 1 else ''}", servers=[server], clients=clients)
            for clients in (1, 8)
            for server in (single, sqlite)
        ]
        yard = Sending(name="SQLite", servers=[sqlite])
        rounds = _rounds(bench, [yard, *ours, *few])
    best = max(rounds[0], key=lambda each: each.rate)
    for sending, done in zip(ours, rounds[1:], strict=False):
        yield _rate(sending, done, best)
    for place in (0, 2):
        latency, yardstick = (_latency(rounds[1 + len(ours) + place + side]) for side in (0, 1))
        yield Figure(
            name=f"heartbeat latency, {few[place].name}, 1 server, p50 / p99",
            measured=f"{latency[0]:.2f} / {latency[1]:.2f} ms",
            yardstick=f"SQLite {yardstick[0]:.2f} / {yardstick[1]:.2f} ms",
            values={"p50_ms": latency[0], "p99_ms": latency[1]},
        )


def _addresses(database: Cluster) -> list[str]:
    """One for a server alone, another for two."""
    alone, together = database.new_database(), database.new_database()
    return [alone, together, together]


def _server(bench: Workbench, stack: ExitStack, address: str) -> Server:
    return stack.enter_context(dayline_server(bench.command, bench.database("postgres"), address=address))


def _rounds(bench: Workbench, all_sending: Sequence[Sending]) -> list[list[Round]]:
    rounds: list[list[Round]] = [[] for _ in all_sending]
    for number in range(ROUNDS):
        for place, sending in enumerate(all_sending):
            rounds[place].append(sending.round(bench, (number * len(all_sending) + place) * ROUND_SHIFT_S))
    return rounds


def _rate(sending: Sending, rounds: Sequence[Round], yardstick: Round) -> Figure:
    best = max(rounds, key=lambda each: each.rate)
    return Figure(
        name=f"heartbeats/s, {sending.clients} clients, {sending.name}, committed",
        goal=f">= {LEAST_RATE:,}",
        measured=f"{best.rate:,.0f}; p50 {best.p50_ms:.1f} ms, p99 {best.p99_ms:.1f} ms",
        yardstick=f"SQLite {yardstick.rate:,.0f}; {yardstick.p50_ms:.1f} / {yardstick.p99_ms:.1f} ms",
        is_met=best.rate >= LEAST_RATE,
        values={"rate": best.rate, "p50_ms": best.p50_ms, "p99_ms": best.p99_ms},
    )


def _latency(rounds: Sequence[Round]) -> tuple[float, float]:
    return median(each.p50_ms for each in rounds), median(each.p99_ms for each in rounds)
