"""Queries run beside recording: whatever becomes of them, heartbeats continue and the server comes to rest again."""

import os
import signal
import socket
import time
from collections.abc import Generator, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import msgspec
import pytest

from tests.api.remote_bucket import RemoteBucket, event
from tests.support.calls.clients import (
    DAY,
    LONG_TITLE,
    RUNAWAY,
    at,
    configured,
    query,
    query_1,
    query_processes,
    results,
)
from tests.support.calls.raw_connection import request
from tests.support.calls.settled import until_settled
from tests.support.server import Answer, RunningServer
from tests.support.waiting import PATIENCE_S, eventually

RUNAWAY_QUERY: Final = f'RETURN = filter_keyvals_regex(query_bucket("titles"), "title", "{RUNAWAY}");'
# One process and no other: none is reserved for quick callers, and a pattern runs until its query is ended.
ALONE: Final = {
    "dayline.query.processes.command:MODULE": "tests.api.v0.queries.query_process_without_limits",
    "dayline.query.processes.workers:QueryWorkers.reserved": 0,
}
HEAVY_PACKAGES: Final = ("numpy", "_re2", "zstandard")

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at processes as Linux shows them")


@contextmanager
def titled(folder: Path) -> Generator[RunningServer]:
    """A server with one query process, and a bucket of titles on which a pattern runs for ever."""
    server = RunningServer(folder / "days.db", *configured(folder, workers=1, seconds=PATIENCE_S))
    server.constants = {**ALONE, "dayline.query.processes.workers:QueryWorkers.max_queued": 6}
    with server:
        server.create("titles")
        server.create("beats")
        server.post("/api/0/buckets/titles/events", [event(at("10:00:00"), 5.0, {"title": LONG_TITLE})])
        yield server


@pytest.fixture(scope="module")
def busy_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """One for all tests that leave it running."""
    with titled(tmp_path_factory.mktemp("busy")) as server:
        yield server


@pytest.fixture
def ending_server(tmp_path: Path) -> Iterator[RunningServer]:
    """One of the same kind for a test that ends it."""
    with titled(tmp_path) as server:
        yield server


def run_away(server: RunningServer, pool: ThreadPoolExecutor) -> "Future[Answer]":
    """Begin a query that would run for ever, and wait until it runs."""
    results(server, "RETURN = 1;")
    running = pool.submit(query, server, RUNAWAY_QUERY)
    eventually(lambda: is_busy(server))
    return running


@contextmanager
def running_away(server: RunningServer) -> Generator[None]:
    """The same for as long as the block lasts: then its client goes."""
    results(server, "RETURN = 1;")
    with open_query(server, RUNAWAY_QUERY):
        eventually(lambda: is_busy(server))
        yield


def is_busy(server: RunningServer) -> bool:
    """Whether the one query process is at work, and not only for a moment."""
    [process] = query_processes(server)
    states: set[str] = set()
    for _ in range(3):
        states.add(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0])
        time.sleep(0.02)
    return states == {"R"}


def open_query(server: RunningServer, program: str, client: str = "a test") -> socket.socket:
    """A connection on which a query is under way."""
    body = msgspec.json.encode({"query": [program], "timeperiods": [DAY]})
    connection = socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE_S)
    connection.sendall(request("POST", "/api/0/query/", body, User_Agent=client))
    return connection


def status_on(connection: socket.socket) -> int:
    """The status that is answered on a connection."""
    with connection:
        return int(connection.recv(12).split()[1])


def test_heartbeats_are_answered_while_a_pattern_runs(busy_server: RunningServer) -> None:
    beats = RemoteBucket(busy_server, "beats")
    with running_away(busy_server):
        for second in range(50):
            assert beats.heartbeat(at(f"10:00:{second:02}", date="2026-01-03")).status == 200

        assert is_busy(busy_server)  # all of them were answered while it ran


def test_the_same_pattern_is_answered_at_once_where_the_quick_matcher_takes_the_text(bucket: RemoteBucket) -> None:
    bucket.insert(event(at("10:00:00"), 5.0, {"title": "a" * 10_000 + "b"}), event(at("11:00:00"), 5.0, {"title": "a"}))
    program = f'RETURN = filter_keyvals_regex(query_bucket("{bucket.id}"), "title", "{RUNAWAY}");'

    answer = query_1(bucket.server, program, timeout_s=300)

    assert [one["data"]["title"] for one in answer.json["results"][0]] == ["a"]


def test_the_usual_limit_is_the_one_of_the_settings(tmp_path: Path) -> None:
    server = RunningServer(tmp_path / "days.db", *configured(tmp_path, seconds=0.5, max_seconds=1))
    server.constants = ALONE
    with server:
        server.create("titles")
        server.post("/api/0/buckets/titles/events", [event(at("10:00:00"), 5.0, {"title": LONG_TITLE})])

        answer = query(server, RUNAWAY_QUERY)
        assert (answer.status, answer.json["type"]) == (400, "QueryTimeoutException")
        assert answer.message == "the query took longer than 0.5 s"
        assert "timeout_s" in answer.json["hint"]
        assert query_1(server, RUNAWAY_QUERY, "/explain").message == "the query took longer than 0.5 s"
        assert query_1(server, RUNAWAY_QUERY, timeout_s=0.7).message == "the query took longer than 0.7 s"
        assert query_1(server, RUNAWAY_QUERY, timeout_s=1.1).status == 422


def test_a_query_whose_client_has_gone_is_given_up(busy_server: RunningServer) -> None:
    with running_away(busy_server):
        pass

    assert results(busy_server, "RETURN = 1;") == [1.0]


def test_a_waiting_query_whose_client_has_gone_is_never_run(busy_server: RunningServer) -> None:
    with running_away(busy_server):
        with open_query(busy_server, 'print("no one reads this"); RETURN = 1;'):
            until_settled(busy_server, connections=2)
        until_settled(busy_server, connections=1)

    results(busy_server, 'print("the next one"); RETURN = 1;')
    messages = [record["message"] for record in busy_server.get("/api/0/log").json]
    assert "Query print: the next one" in messages
    assert "Query print: no one reads this" not in messages


def test_a_process_that_is_killed_costs_its_query_alone(busy_server: RunningServer) -> None:
    with ThreadPoolExecutor(3) as pool:
        running = run_away(busy_server, pool)
        waiting = [pool.submit(query, busy_server, "RETURN = 1;") for _ in range(2)]
        [process] = query_processes(busy_server)
        os.kill(process, signal.SIGKILL)

        answer = running.result()
        assert [other.result().status for other in waiting] == [200, 200]

    assert (answer.status, answer.json["type"]) == (503, "QueryProcessLost")
    assert "killed by signal 9" in answer.message
    assert "memory" in answer.message
    assert int(answer.headers["retry-after"]) > 0


def test_a_full_queue_is_reported_with_the_time_to_retry(busy_server: RunningServer) -> None:
    with running_away(busy_server):
        waiting = [open_query(busy_server, "RETURN = 1;", client) for client in ("a", "a", "a", "b", "b", "c")]
        until_settled(busy_server, connections=7)

        answer = query(busy_server, "RETURN = 1;")

    assert (answer.status, answer.json["type"]) == (503, "QueriesBusy")
    assert answer.message == "6 queries are waiting already, which is the limit"
    assert int(answer.headers["retry-after"]) > 0
    assert [status_on(connection) for connection in waiting] == [200] * 6


def test_one_program_cannot_have_all_places_in_the_queue(busy_server: RunningServer) -> None:
    with running_away(busy_server):
        waiting = [open_query(busy_server, "RETURN = 1;", "greedy") for _ in range(3)]
        until_settled(busy_server, connections=4)

        assert status_on(open_query(busy_server, "RETURN = 1;", "greedy")) == 503
        waiting.append(open_query(busy_server, "RETURN = 1;", "modest"))
        until_settled(busy_server, connections=5)

    assert [status_on(connection) for connection in waiting] == [200] * 4


def test_more_memory_than_a_query_may_have_is_reported(tmp_path: Path) -> None:
    with RunningServer(tmp_path / "days.db", *configured(tmp_path, memory_mib=256)) as server:
        texts = [f'text_{number} = a + "{number}";' for number in range(60)]  # of eight megabytes each
        at_the_end = f"RETURN = [{', '.join(f'text_{number}' for number in range(60))}] == [];"  # so all are kept
        answer = query(server, 'a = "0123456789abcdef";', *["a = a + a;"] * 19, *texts, at_the_end)

        assert (answer.status, answer.json["type"]) == (400, "QueryMemoryException")
        assert "query.memory_mib" in answer.json["hint"]
        assert query(server, "RETURN = 1;").status == 200


def test_a_server_at_rest_has_no_query_process(tmp_path: Path) -> None:
    server = RunningServer(tmp_path / "days.db")
    server.constants = {"dayline.query.processes.workers:QueryWorkers.idle_s": 0.3}
    with server:
        assert query_processes(server) == set()
        server.get("/api/1/query/functions")
        query(server, "RETURN = 1;", periods=[])
        assert query_processes(server) == set()

        assert results(server, "RETURN = 1;") == [1.0]
        assert len(query_processes(server)) == 1

        eventually(lambda: query_processes(server) == set())
        assert results(server, "RETURN = 1;") == [1.0]


def test_the_recording_process_never_loads_what_queries_need(bucket: RemoteBucket) -> None:
    server = bucket.server
    bucket.insert(event(at("10:00:00"), 5.0, {"title": "a"}))
    program = f'RETURN = filter_keyvals_regex(query_bucket("{bucket.id}"), "title", "a+");'
    assert query(server, program).status == 200
    assert query_1(server, program, "/explain").status == 200
    assert query_1(server, program, "/check").status == 200

    [process] = query_processes(server)
    assert "numpy" in Path(f"/proc/{process}/maps").read_text()
    assert not [name for name in HEAVY_PACKAGES if name in Path(f"/proc/{server.pid}/maps").read_text()]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_queries_do_not_hold_up_the_end_of_the_server(ending_server: RunningServer, number: signal.Signals) -> None:
    with ThreadPoolExecutor(3) as pool:
        running = run_away(ending_server, pool)
        waiting = pool.submit(query, ending_server, "RETURN = 1;")
        until_settled(ending_server, connections=2)
        processes = query_processes(ending_server)

        os.kill(ending_server.pid, number)
        answers = [running.result(), waiting.result()]
        assert ending_server.wait() == 0

        assert [(answer.status, answer.message) for answer in answers] == [(503, "the server is stopping")] * 2
        assert not any(Path(f"/proc/{process}").exists() for process in processes)
        assert not Path(f"{ending_server.database}-wal").exists()


def test_query_processes_of_a_killed_server_end(ending_server: RunningServer) -> None:
    with ThreadPoolExecutor(1) as pool:
        running = run_away(ending_server, pool)
        processes = query_processes(ending_server)
        ending_server.kill()

        with pytest.raises(ConnectionError):
            running.result()

    eventually(lambda: not any(Path(f"/proc/{process}").exists() for process in processes))
