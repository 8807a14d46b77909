"""What others see while someone does their worst. Prints memory, waits and refusals: run with `-m long -s`.

Nothing here is asserted about speed: others are answered, and what is over a limit is refused.
"""

import re
import statistics
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import pytest

from dayline.access.limits import LOOPBACK_TIMES
from tests.access.watching import heartbeat
from tests.support.calls.raw_connection import RawConnection, request
from tests.support.keyed_server import KeyedServer
from tests.support.server import Answer
from tests.support.waiting import eventually

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="reads memory as Linux shows it"),
]

SECONDS: Final = 10
BODIES: Final = 400
PER_ADDRESS: Final = 64
BUCKETS: Final = 1500
QUERIES: Final = 12
EVENTS: Final = 200_000
SLOW: Final = (
    'events = flood(query_bucket("aw-watcher-window_laptop"));',
    *('events = sort_by_duration(merge_events_by_keys(events, ["app", "title"]));',) * 40,
    "RETURN = sum_durations(events);",
)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[KeyedServer]:
    with KeyedServer(tmp_path / "days.db", settings=f"[limits]\nconnections_per_address = {PER_ADDRESS}\n") as server:
        server.create("aw-watcher-window_laptop", type="currentwindow", hostname="laptop")
        yield server


def memory_mib(server: KeyedServer) -> float:
    status = Path(f"/proc/{server.pid}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0]) / 1024


def show(line: str) -> None:
    sys.stdout.write(f"{line}\n")


class Bystander:
    """A client with a key, who does the same again and again and notes how long each response takes."""

    def __init__(self, name: str, call: Callable[[], Answer]) -> None:
        self._name = name
        self._call = call
        self.statuses: Counter[int] = Counter()
        self.waits_s: list[float] = []

    def repeat(self, seconds: float = SECONDS, least: int = 3) -> None:
        begun = time.monotonic()
        while time.monotonic() - begun < seconds or len(self.waits_s) < least:
            sent = time.monotonic()
            self.statuses[self._call().status] += 1
            self.waits_s.append(time.monotonic() - sent)

    def show(self, title: str) -> None:
        waits = sorted(self.waits_s)
        show(
            f"{title}: {self._name}: {len(waits)} calls, {dict(self.statuses)}, "
            f"p50 {statistics.median(waits) * 1000:.0f} ms, largest {waits[-1] * 1000:.0f} ms (call "
            f"{self.waits_s.index(waits[-1]) + 1}), second {waits[-2] * 1000:.0f} ms"
        )


def watcher_of(server: KeyedServer) -> Bystander:
    key = server.key("append")
    path = "/api/0/buckets/aw-watcher-window_laptop/heartbeat?pulsetime=5"
    return Bystander("heartbeats", lambda: server.with_key(key, "POST", path, heartbeat("10:00:00")))


def test_slow_bodies_leave_connections_to_others(server: KeyedServer) -> None:
    watcher, before = watcher_of(server), memory_mib(server)
    watcher.repeat(seconds=2)
    watcher.show("slow bodies, before")
    watcher = watcher_of(server)
    head = request("POST", "/api/1/session", Content_Type="application/json", Content_Length="4000")
    with ExitStack() as stack:
        for _ in range(BODIES):
            stack.enter_context(RawConnection(server)).send(head + b"{")
        eventually(lambda: refused_by(server) == BODIES - LOOPBACK_TIMES * PER_ADDRESS)
        watcher.repeat()
        refused, after = refused_by(server), memory_mib(server)
    show(f"slow bodies: {BODIES} connections, {refused} refused, {before:.0f} -> {after:.0f} MiB")
    watcher.show("slow bodies, during")

    assert set(watcher.statuses) == {200}


def refused_by(server: KeyedServer) -> int:
    """How many connections the server has refused, as health reports it."""
    problems = server.as_owner("GET", "/api/1/health").json["problems"]
    counts = [re.match(r"\d+", problem["message"]) for problem in problems if problem["kind"] == "connections"]
    return sum(int(count[0]) for count in counts if count)


def test_an_append_key_cannot_slow_pages_down(server: KeyedServer) -> None:
    reader_key, hostile = server.key("full"), server.key("append")
    path = "/api/1/summary?by=category,app&period=today"
    server.with_key(reader_key, "GET", path)
    quiet = Bystander("summary", lambda: server.with_key(reader_key, "GET", path))
    quiet.repeat(seconds=3)
    quiet.show("buckets, before")
    before = memory_mib(server)

    body = {"client": "c", "type": "currentwindow"}
    made = Counter(
        server.with_key(hostile, "POST", f"/api/0/buckets/w{number}", {**body, "hostname": f"host{number}"}).status
        for number in range(BUCKETS)
    )
    pages = Bystander("summary", lambda: server.with_key(reader_key, "GET", path))
    timeline = Bystander("timeline", lambda: server.with_key(reader_key, "GET", "/api/1/timeline?period=today&px=1000"))
    pages.repeat()
    timeline.repeat()
    show(f"buckets: {BUCKETS} asked for, {dict(made)}, {before:.0f} -> {memory_mib(server):.0f} MiB")
    pages.show("buckets, after")
    timeline.show("buckets, after")

    assert made == {200: 300, 403: BUCKETS - 300}
    assert set(pages.statuses) == set(timeline.statuses) == {200}


def test_long_queries_leave_a_process_to_others(server: KeyedServer) -> None:
    start = datetime(2026, 1, 1, tzinfo=UTC)
    for first in range(0, EVENTS, 10_000):
        events = [
            {
                "timestamp": (start + timedelta(seconds=5 * number)).isoformat(),
                "duration": 5,
                "data": {"app": f"app {number % 97}", "title": f"title {number % 50_021}"},
            }
            for number in range(first, first + 10_000)
        ]
        server.as_owner("POST", "/api/0/buckets/aw-watcher-window_laptop/events", events)
    greedy, modest = server.key("read"), server.key("read")
    period = [f"{start.isoformat()}/{(start + timedelta(days=20)).isoformat()}"]
    trivial = {"query": ["RETURN = 1;"], "timeperiods": period}
    quick = Bystander("trivial query", lambda: server.with_key(modest, "POST", "/api/0/query/", trivial))
    watcher = watcher_of(server)
    with ThreadPoolExecutor(QUERIES + 2) as threads:
        program = {"query": list(SLOW), "timeperiods": period}
        many: list[Future[Answer]] = [
            threads.submit(server.with_key, greedy, "POST", "/api/0/query/", program) for _ in range(QUERIES)
        ]
        beside = [threads.submit(quick.repeat), threads.submit(watcher.repeat)]
        begun = time.monotonic()
        for each in beside:
            each.result()
        done = sum(query.done() for query in many)
        statuses = Counter(query.result().status for query in many)
        show(
            f"queries: {QUERIES} long ones, {done} done after {SECONDS} s, all after {time.monotonic() - begun:.0f} s, "
            f"{dict(statuses)}, {memory_mib(server):.0f} MiB"
        )
    quick.show("queries, during")
    watcher.show("queries, during")

    assert set(quick.statuses) == set(watcher.statuses) == {200}
