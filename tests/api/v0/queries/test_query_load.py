"""Many clients that query and many that record, at once: no error, and no write is lost."""

from concurrent.futures import ThreadPoolExecutor
from typing import Final

import msgspec
import pytest

from tests.api.remote_bucket import RemoteBucket, event
from tests.support.calls.clients import at, query
from tests.support.server import RunningServer

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


def ask_days(server: RunningServer, client: int, queries: int) -> None:
    """Ask for days and, now and then, for the month."""
    program = 'RETURN = sort_by_duration(merge_events_by_keys(flood(query_bucket("window")), ["app"]));'
    for asked in range(queries):
        period = day(1, to=DAYS) if asked % 8 == client % 8 else day(1 + (client * 5 + asked) % DAYS)
        answer = query(server, program, periods=[period])
        while answer.status == 503:  # on a busy machine a query may wait for too long: a client sends it again
            answer = query(server, program, periods=[period])
        assert answer.status == 200, answer.body
        [apps] = msgspec.json.decode(answer.body)
        assert len(apps) == 7


def send_beats(server: RunningServer, client: int, beats: int) -> None:
    bucket = RemoteBucket(server, f"watcher-{beats}-{client}")
    bucket.create()
    for sent in range(beats):
        answer = bucket.heartbeat(
            at(f"{sent // 3600:02}:{sent // 60 % 60:02}:{sent % 60:02}"), {"n": sent}, pulsetime=0
        )
        assert answer.status == 200, answer.body
    assert bucket.count() == beats


@pytest.mark.parametrize(("queries", "beats"), [(4, 20), pytest.param(400, 2000, marks=pytest.mark.long)])
def test_queries_and_heartbeats_at_once_have_no_error_and_lose_nothing(
    recorded: RunningServer, queries: int, beats: int
) -> None:
    with ThreadPoolExecutor(2 * CLIENTS) as pool:
        working = [pool.submit(ask_days, recorded, client, queries) for client in range(CLIENTS)]
        working += [pool.submit(send_beats, recorded, client, beats) for client in range(CLIENTS)]
        for one in working:
            one.result()
