"""Many clients at once: some ask queries over days and months, as many send heartbeats, and nothing may be lost."""

import random
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta

import msgspec

from benchmarks.asking import DAY, Asker, wait_for_segments
from benchmarks.connection import Connection
from benchmarks.seeded_year import FIRST_DAY
from benchmarks.server import Server, create_buckets, dayline_server
from benchmarks.table import Figure, NotMeasured
from benchmarks.workbench import Workbench

CLIENTS = 16
SECONDS = 60.0
QUICK_SECONDS = 10.0
FIRST_BEAT = datetime(2026, 9, 1, tzinfo=UTC)
BEAT_STEP = timedelta(seconds=20)  # more than the pulsetime: every heartbeat is an event of its own, and counts


class Counts:
    """What the clients did; each has a place of its own to count in."""

    def __init__(self) -> None:
        self.queries = [0] * CLIENTS
        self.heartbeats = [0] * CLIENTS
        self.errors: list[str] = []


Work = Callable[[Counts, Server, int, float], None]


def measure(bench: Workbench) -> Iterator[Figure]:
    """One line: how much of both was answered, and that all of it is there."""
    seconds = QUICK_SECONDS if bench.is_quick else SECONDS
    buckets = [f"mixed{number}" for number in range(CLIENTS)]
    counts = Counts()
    with dayline_server(bench.command, bench.year()) as server:
        wait_for_segments(server, FIRST_DAY, FIRST_DAY + timedelta(days=bench.days))
        create_buckets(server.port, buckets)
        until = time.monotonic() + seconds
        threads = [
            threading.Thread(target=_noting_errors, args=(counts, work, server, number, until))
            for number in range(CLIENTS)
            for work in (_ask, _beat)
        ]
        with Connection(server.port) as connection:
            stored_before = [_count(connection, bucket) for bucket in buckets]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            stored = [_count(connection, bucket) for bucket in buckets]
    if counts.errors:
        raise NotMeasured(counts.errors[0])
    lost = sum(counts.heartbeats) - (sum(stored) - sum(stored_before))
    queries, heartbeats = sum(counts.queries), sum(counts.heartbeats)
    yield Figure(
        name=f"{CLIENTS} clients with day and month queries, {CLIENTS} with heartbeats, {seconds:.0f} s",
        goal="no error, nothing lost",
        measured=f"{queries / seconds:.1f} queries/s, {heartbeats / seconds:,.0f} heartbeats/s, {lost} lost",
        is_met=lost == 0,
        values={"queries": queries, "heartbeats": heartbeats, "lost": lost, "seconds": seconds},
    )


def _noting_errors(counts: Counts, work: Work, server: Server, number: int, until: float) -> None:
    try:
        work(counts, server, number, until)
    except (NotMeasured, OSError) as error:
        counts.errors.append(f"client {number}: {error}")


def _ask(counts: Counts, server: Server, number: int, until: float) -> None:
    """Days mostly, and months: what people look at."""
    dice = random.Random(number)
    with Asker(server) as asker:
        while time.monotonic() < until:
            day = FIRST_DAY + dice.randrange(28) * DAY
            asker.desktop_s(day, day + (31 if dice.random() < 0.1 else 1) * DAY)
            counts.queries[number] += 1


def _beat(counts: Counts, server: Server, number: int, until: float) -> None:
    with Connection(server.port) as connection:
        while time.monotonic() < until:
            timestamp = (FIRST_BEAT + counts.heartbeats[number] * BEAT_STEP).isoformat()
            beat = {"timestamp": timestamp, "duration": 0, "data": {"app": "Editor"}}
            path = f"/api/0/buckets/mixed{number}/heartbeat?pulsetime=5"
            answer = connection.post(path, msgspec.json.encode(beat))
            if answer.status != 200:
                raise NotMeasured(f"a heartbeat was answered with {answer.status}")
            counts.heartbeats[number] += 1


def _count(connection: Connection, bucket: str) -> int:
    return int(connection.get(f"/api/0/buckets/{bucket}/events/count").body)
