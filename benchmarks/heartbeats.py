"""Committed heartbeats per second and their latency, beside the yardstick in the same run."""

from collections.abc import Iterator

from benchmarks.server import Server, create_buckets, dayline_server, floor_server
from benchmarks.table import Figure
from benchmarks.workbench import Workbench
from benchmarks.wrk import Round, heartbeat_round

CLIENTS = (1, 16, 64)
ROUNDS = 3
MIN_SHARE = 0.75
# Between the times of two rounds: more seconds than a round has heartbeats for one bucket.
ROUND_SHIFT_S = 1_000_000


def measure(bench: Workbench) -> Iterator[Figure]:
    """Two lines for each number of clients: the rate against the yardstick's, and the latencies."""
    for clients in CLIENTS:
        ours, floor = _best_rounds(bench, clients)
        yield rate_figure(f"heartbeats/s, {in_words(clients)}, committed", ours, floor, least_share=MIN_SHARE)
        yield Figure(
            name=f"heartbeat latency, {in_words(clients)}, p50 / p99",
            measured=f"{ours.p50_ms:.2f} / {ours.p99_ms:.2f} ms",
            yardstick=f"floor {floor.p50_ms:.2f} / {floor.p99_ms:.2f} ms",
            values={
                "p50_ms": ours.p50_ms,
                "p99_ms": ours.p99_ms,
                "floor_p50_ms": floor.p50_ms,
                "floor_p99_ms": floor.p99_ms,
            },
        )


def _best_rounds(bench: Workbench, clients: int) -> tuple[Round, Round]:
    database = bench.database(f"heartbeats-{clients}")
    with dayline_server(bench.command, database) as server:
        create_buckets(server.port, [f"hb{number}" for number in range(clients)])
        return best_rounds(bench, server, clients=clients)


def best_rounds(bench: Workbench, server: Server, *, clients: int, key: str | None = None) -> tuple[Round, Round]:
    """The best of three rounds of a server and of the yardstick, in turns: a busy moment of the machine meets both."""
    ours: list[Round] = []
    floors: list[Round] = []
    seconds = bench.round_s
    with floor_server(bench.database(f"floor-{clients}")) as floor:
        for number in range(ROUNDS):
            base_s = number * ROUND_SHIFT_S
            floors.append(heartbeat_round(floor.port, clients=clients, seconds=seconds, base_s=base_s))
            ours.append(heartbeat_round(server.port, clients=clients, seconds=seconds, base_s=base_s, key=key))
    return max(ours, key=_rate), max(floors, key=_rate)


def rate_figure(name: str, ours: Round, floor: Round, *, least_share: float) -> Figure:
    """A rate beside the yardstick's."""
    share = ours.rate / floor.rate
    return Figure(
        name=name,
        goal=f">= {least_share} x floor",
        measured=f"{ours.rate:,.0f} ({share:.2f} x)",
        yardstick=f"floor {floor.rate:,.0f}",
        is_met=share >= least_share,
        values={"rate": ours.rate, "floor_rate": floor.rate, "share": share},
    )


def _rate(one: Round) -> float:
    return one.rate


def in_words(number: int) -> str:
    """How many clients."""
    return "1 client" if number == 1 else f"{number} clients"
