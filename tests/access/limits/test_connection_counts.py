"""How many connections an address may have open without a key, and what is reported of refused ones."""

import logging
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Final

import pytest

from dayline.access.limits import LOOPBACK_TIMES, ConnectionCounts
from dayline.model.errors import TooMany
from dayline.model.time import SECOND, Microseconds
from tests.support.calls.raw_connection import RawConnection, request
from tests.support.keyed_server import KeyedServer
from tests.support.waiting import eventually

LIMIT: Final = 2
ON_LOOPBACK: Final = LIMIT * LOOPBACK_TIMES


class Clock:
    def __init__(self) -> None:
        self.now: Microseconds = 1_800_000_000 * SECOND

    def __call__(self) -> Microseconds:
        return self.now


def refused(counts: ConnectionCounts, address: str) -> bool:
    """Whether a new connection is refused without a key, as a server does it."""
    name, needs_key = counts.open(address)
    if needs_key:
        counts.refuse(name)
        counts.close(name)
    return needs_key


def test_each_address_has_its_own_limit_of_connections() -> None:
    counts = ConnectionCounts(LIMIT)

    assert [refused(counts, "192.168.1.7") for _ in range(3)] == [False, False, True]
    assert not refused(counts, "192.168.1.8")


def test_a_connection_that_ends_or_shows_a_key_no_longer_counts() -> None:
    counts = ConnectionCounts(LIMIT)
    names = [counts.open("192.168.1.7")[0] for _ in range(LIMIT)]

    counts.close(names[0])

    assert [refused(counts, "192.168.1.7") for _ in range(2)] == [False, True]


def test_loopback_has_more_since_all_programs_of_the_machine_share_it() -> None:
    counts = ConnectionCounts(LIMIT)

    assert [refused(counts, "127.0.0.1") for _ in range(ON_LOOPBACK + 1)] == [False] * ON_LOOPBACK + [True]


def test_each_user_of_the_machine_has_a_limit_of_its_own() -> None:
    counts = ConnectionCounts(LIMIT)

    assert [counts.open("127.0.0.1", uid=4242)[1] for _ in range(2 * ON_LOOPBACK)].count(True) == ON_LOOPBACK
    with pytest.raises(TooMany, match="uid 4242 has 8 connections open without a key"):
        counts.open("::1", uid=4242)
    assert counts.open("127.0.0.1", uid=1000) == ("uid 1000", False)


def test_requests_with_a_key_have_as_many_connections_again() -> None:
    counts = ConnectionCounts(LIMIT)

    assert [counts.open("192.168.1.7")[1] for _ in range(2 * LIMIT)] == [False] * LIMIT + [True] * LIMIT
    with pytest.raises(TooMany):
        counts.open("192.168.1.7")


def test_the_addresses_of_one_ipv6_network_are_one() -> None:
    counts = ConnectionCounts(LIMIT)

    assert [refused(counts, f"2001:db8::{number}") for number in range(1, 4)] == [False, False, True]
    assert not refused(counts, "2001:db8:0:1::1")


def test_refused_connections_are_logged_once_a_minute(caplog: pytest.LogCaptureFixture) -> None:
    clock = Clock()
    counts = ConnectionCounts(1, now=clock)
    counts.open("192.168.1.7")

    with caplog.at_level(logging.WARNING):
        for _ in range(5):
            refused(counts, "192.168.1.7")
        clock.now += 60 * SECOND
        refused(counts, "192.168.1.7")

    assert [record.getMessage() for record in caplog.records] == [
        "Rejected 1 connection: too many without a key, the last one from 192.168.1.7",
        "Rejected 5 connections: too many without a key, the last one from 192.168.1.7",
    ]


def test_health_reports_refused_connections_until_there_are_none_for_ten_minutes() -> None:
    clock = Clock()
    counts = ConnectionCounts(1, now=clock)
    counts.open("192.168.1.7")
    assert counts.problems() == []

    refused(counts, "192.168.1.7")
    [problem] = counts.problems()
    clock.now += 601 * SECOND

    assert (problem.kind, problem.message) == (
        "connections",
        "rejected 1 connection since the start of the server, the last one from 192.168.1.7",
    )
    assert counts.problems() == []


@pytest.fixture(scope="module")
def limited(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KeyedServer]:
    settings = f"[limits]\nconnections_per_address = {LIMIT}\n"
    with KeyedServer(tmp_path_factory.mktemp("limited") / "days.db", settings=settings) as server:
        server.create("b")
        yield server


def test_a_server_rejects_more_connections_and_gives_the_reason(limited: KeyedServer) -> None:
    with ExitStack() as stack:
        for _ in range(ON_LOOPBACK):
            connection = stack.enter_context(RawConnection(limited))
            connection.send(request("GET", "/api/0/info"))
            assert connection.answer().status == 200

        # Every program of this machine has the same address: those with a key are still served.
        assert limited.as_owner("GET", "/api/0/buckets/").status == 200
        with RawConnection(limited) as one_more:
            one_more.send(request("GET", "/api/0/info"))
            answer = one_more.answer()
            assert one_more.is_closed()
        with RawConnection(limited) as wrong:
            wrong.send(request("GET", "/api/0/buckets/", Authorization="Bearer wrong"))
            assert wrong.answer().status == 401
            assert wrong.is_closed()

    assert (answer.status, answer.json["type"]) == (429, "TooMany")
    assert "limits.connections_per_address" in answer.json["hint"]
    eventually(lambda: limited.call("GET", "/api/0/info").status == 200)
    problems = limited.as_owner("GET", "/api/1/health").json["problems"]
    assert "connections" in [problem["kind"] for problem in problems]


@pytest.mark.parametrize("call", ["heartbeat", "list"])
def test_connections_that_have_shown_a_key_are_not_counted(limited: KeyedServer, call: str) -> None:
    key = f"Bearer {limited.key('full')}"
    beat = b'{"timestamp": "2026-01-02T10:00:00Z", "data": {}}'
    text = {
        "heartbeat": request(
            "POST",
            "/api/0/buckets/b/heartbeat?pulsetime=5",
            beat,
            Content_Type="application/json",
            Authorization=key,
        ),
        "list": request("GET", "/api/0/buckets/", Authorization=key),
    }[call]

    with ExitStack() as stack:
        for _ in range(2 * ON_LOOPBACK):
            connection = stack.enter_context(RawConnection(limited))
            connection.send(text)
            assert connection.answer().status == 200


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limit")
def test_the_server_raises_its_limit_of_open_files() -> None:
    code = (
        "import resource\n"
        "from dayline.cli.serve.serve import raise_open_files_limit\n"
        "hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (256, hard))\n"
        "raise_open_files_limit()\n"
        "print(resource.getrlimit(resource.RLIMIT_NOFILE)[0])\n"
    )

    raised = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout

    assert int(raised) > 256
