"""Many clients that query and many that record, at once: no error, and no write is lost."""

import sys
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Final

import pytest

from tests.api.moments import at
from tests.api.querying import results
from tests.api.remote_bucket import RemoteBucket, event
from tests.server import RunningServer

CLIENTS: Final = 16
DAYS: Final = 28


def day(number: int, *, to: int | None = None) -> str:
    return f"2026-01-{number:02}T00:00:00Z/2026-01-{(to or number) + 1:02}T00:00:00Z"


@pytest.fixture(scope="module")
def recorded(shared_server: RunningServer) -> RunningServer:
    """A server with a month of an event every ten minutes."""
    window = RemoteBucket(shared_server, "window")
    window.create()
    window.insert(
        *(
            event(
                f"2026-01-{number:02}T{n // 6:02}:{n % 6}0:00Z", 300.0, {"app": f"app {n % 7}", "title": f"title {n}"}
            )
            for number in range(1, DAYS + 1)
            for n in range(144)
        )
    )
    return shared_server


def query_for(server: RunningServer, client: int, deadline: float) -> int:
    """Ask for days and, now and then, for the month."""
    program = 'RETURN = sort_by_duration(merge_events_by_keys(flood(query_bucket("window")), ["app"]));'
    asked = 0
    while time.monotonic() < deadline:
        first = 1 + (client * 5 + asked) % DAYS
        period = day(1, to=DAYS) if asked % 8 == 7 else day(first)
        [apps] = results(server, program, periods=[period])
        assert len(apps) == 7
        asked += 1
    return asked


def beat_for(server: RunningServer, client: int, deadline: float) -> tuple[str, int]:
    bucket = RemoteBucket(server, f"watcher-{client}")
    bucket.create()
    sent = 0
    while time.monotonic() < deadline:
        answer = bucket.heartbeat(
            at(f"{sent // 3600:02}:{sent // 60 % 60:02}:{sent % 60:02}"), {"n": sent}, pulsetime=0
        )
        assert answer.status == 200, answer.body
        sent += 1
    return bucket.id, sent


@pytest.mark.parametrize("seconds", [3, pytest.param(60, marks=pytest.mark.long)])
def test_queries_and_heartbeats_at_once_have_no_error_and_lose_nothing(
    recorded: RunningServer, seconds: float, capsys: pytest.CaptureFixture[str]
) -> None:
    deadline = time.monotonic() + seconds
    with ThreadPoolExecutor(2 * CLIENTS) as pool:
        asking = [pool.submit(query_for, recorded, client, deadline) for client in range(CLIENTS)]
        beating = [pool.submit(beat_for, recorded, client, deadline) for client in range(CLIENTS)]
        asked = [one.result() for one in asking]
        sent = dict(one.result() for one in beating)

    assert all(asked)
    assert {bucket_id: RemoteBucket(recorded, bucket_id).count() for bucket_id in sent} == sent
    with capsys.disabled():
        queries, beats = sum(asked) / seconds, sum(sent.values()) / seconds
        sys.stdout.write(f" {queries:.0f} queries and {beats:.0f} heartbeats a second ")
