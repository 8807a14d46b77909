"""Ten million events against a hundred thousand: heartbeats and the events of a day should not feel the difference."""

from collections.abc import Iterator
from datetime import timedelta

from benchmarks.asking import Asker, wait_for_segments
from benchmarks.connection import Connection
from benchmarks.heartbeats import ROUND_SHIFT_S
from benchmarks.reads import medians_ms
from benchmarks.seeded_year import FIRST_DAY, WINDOW_BUCKET, seeded_export
from benchmarks.server import Server, create_buckets, dayline_server
from benchmarks.table import Figure, NotMeasured
from benchmarks.ten_million import a_copy_of_ten_million
from benchmarks.workbench import Workbench, import_file
from benchmarks.wrk import heartbeat_round, wrk_path

MOST_GROWTH = 1.2
SMALL_DAYS = 31  # about 100,000 events
CLIENTS = (1, 16)
ROUNDS = 5
DAY_ROUNDS = 100


def measure(bench: Workbench) -> Iterator[Figure]:
    """Lines for the events of a day and for heartbeats, each the large store's time against the small one's."""
    if bench.is_quick:
        raise NotMeasured("building ten million events takes minutes, so not with --quick")
    wrk_path()
    small = bench.database("small")
    with dayline_server(bench.command, small) as server:
        import_file(server, seeded_export(bench.cache, days=SMALL_DAYS))
        wait_for_segments(server, FIRST_DAY, FIRST_DAY + timedelta(days=SMALL_DAYS))
    large = a_copy_of_ten_million(bench)
    with dayline_server(bench.command, small) as few, dayline_server(bench.command, large) as many:
        yield _figure("events of one day, median ms", *_day_ms(few, many))
        yield _figure("desktop query over one day, median ms", *_day_query_ms(few, many))
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


def _day_query_ms(few: Server, many: Server) -> tuple[float, float]:
    """The time to answer one and the same query over a day from both stores."""
    day = FIRST_DAY + timedelta(days=14)
    with Asker(few) as to_few, Asker(many) as to_many:
        return to_few.median_day_ms(day, rounds=DAY_ROUNDS), to_many.median_day_ms(day, rounds=DAY_ROUNDS)


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
