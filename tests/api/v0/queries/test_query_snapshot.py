"""What a query sees while others write: one state of everything, and the newest one that was acknowledged before."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from dayline.storage.columns.segment_plan import SegmentPace
from tests.support.server import Answer, RunningServer
from tests.support.waiting import eventually

PERIOD: Final = "2024-12-01T00:00:00Z/2025-02-01T00:00:00Z"
A_BATCH: Final = 50
BATCHES: Final = 40
TOTAL: Final = 'RETURN = sum_durations(query_bucket("filling"));'


def batch(number: int) -> list[dict[str, Any]]:
    """Events of one second each, which belong together."""
    return [
        {
            "timestamp": f"2025-01-{number % 28 + 1:02}T{hour % 24:02}:{hour // 24:02}:00Z",
            "duration": 1,
            "data": {"n": number},
        }
        for hour in range(A_BATCH)
    ]


def ask(server: RunningServer, program: str) -> Any:
    answer = server.post("/api/0/query/", {"timeperiods": [PERIOD], "query": [program]})
    assert answer.status == 200, answer.body
    return answer.json[0]


@pytest.fixture
def filling(server: RunningServer) -> RunningServer:
    """A server with a bucket of no events."""
    assert server.create("filling").status == 200
    return server


def test_a_query_during_inserts_sees_whole_inserts_and_the_same_ones_throughout(filling: RunningServer) -> None:
    program = """
    first = query_bucket("filling");
    count = query_bucket_eventcount("filling");
    again = query_bucket("filling");
    RETURN = [sum_durations(first), count, sum_durations(again), first == again];
    """
    is_over = threading.Event()

    def insert() -> None:
        for number in range(BATCHES):
            assert filling.post("/api/0/buckets/filling/events", batch(number)).status == 200
        is_over.set()

    seen: list[float] = []
    writer = threading.Thread(target=insert)
    writer.start()
    while not is_over.is_set():
        first, count, again, is_same = ask(filling, program)
        assert first == count == again
        assert is_same
        assert first % A_BATCH == 0
        seen.append(first)
    writer.join()

    assert seen == sorted(seen)
    assert ask(filling, 'RETURN = query_bucket_eventcount("filling");') == A_BATCH * BATCHES


@pytest.fixture
def packing(tmp_path: Path) -> Iterator[RunningServer]:
    """A server that packs closed months as soon as they are there, with a bucket of no events."""
    pace = SegmentPace(initial_delay_s=0, interval_s=0.2, min_events=1)
    server = RunningServer(tmp_path / "days.db")
    server.constants = {"dayline.storage.sqlite.database:SqliteDatabase.segment_pace": pace}
    with server:
        assert server.create("filling").status == 200
        yield server


def rows_read(server: RunningServer) -> int:
    """How many events the query over the whole month had to read from rows."""
    body = {"timeperiods": [PERIOD], "query": 'RETURN = query_bucket("filling");'}
    return int(server.post("/api/1/query", body).json["statistics"]["rows_read"])


def test_every_change_to_a_packed_month_is_seen_by_the_next_query(packing: RunningServer) -> None:
    stored = packing.post("/api/0/buckets/filling/events", batch(0)).json
    events = "/api/0/buckets/filling/events"
    across: dict[str, Any] = {"timestamp": "2024-12-31T23:00:00Z", "duration": 7200, "data": {}}
    beat: dict[str, Any] = {"timestamp": "2025-01-31T23:59:50Z", "duration": 0, "data": {"n": "beat"}}
    later = {**beat, "timestamp": "2025-02-01T00:00:30Z"}
    changes: list[tuple[str, Callable[[], Answer], float]] = [
        ("replace", lambda: packing.post(events, [{**stored[0], "duration": 3}]), 2),
        ("delete", lambda: packing.call("DELETE", f"{events}/{stored[1]['id']}"), -1),
        ("insert across the edge of a month", lambda: packing.post(events, [across]), 7200),
        ("insert into the past", lambda: packing.post(events, batch(1)), A_BATCH),
        ("heartbeat", lambda: packing.post("/api/0/buckets/filling/heartbeat?pulsetime=60", beat), 0),
        (
            "heartbeat beyond the month",
            lambda: packing.post("/api/0/buckets/filling/heartbeat?pulsetime=60", later),
            10,
        ),
    ]
    expected = float(A_BATCH)
    for name, change, difference in changes:
        eventually(lambda: rows_read(packing) == 0)
        assert ask(packing, TOTAL) == expected, f"before: {name}"

        assert change().status == 200
        expected += difference

        assert ask(packing, TOTAL) == expected, name

    packing.call("DELETE", "/api/0/buckets/filling")
    packing.create("filling")
    assert ask(packing, TOTAL) == 0
