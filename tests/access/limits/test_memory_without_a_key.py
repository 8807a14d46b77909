"""What callers without a key leave behind in the memory of a server: next to nothing, whatever they send."""

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import pytest

from dayline.api.http.call import query_client
from dayline.api.http.fast_path import parse_target
from dayline.model.access import OPEN
from tests.support.calls.raw_connection import RawConnection, request
from tests.support.keyed_server import KeyedServer
from tests.support.server import RunningServer

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads memory as Linux shows it")

EMOJI: Final = "%F0%9F%98%80"  # one character that makes each character of a Python string four bytes long
LONG: Final = 60_000  # characters; the whole head may have 64 KiB
REQUESTS: Final = 1_100  # more than any of our caches has entries
MOST_MIB: Final = 20
BEAT: Final = b'{"timestamp": "2026-01-02T10:00:00Z", "data": {}}'

Attack = Callable[[int], bytes]


def resident_mib(server: RunningServer) -> float:
    """The memory of the server process."""
    status = Path(f"/proc/{server.pid}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0]) / 1024


def growth_mib(server: RunningServer, attack: Attack, *, status: int, requests: int = REQUESTS) -> float:
    """How much more memory the server uses after these requests, which are all answered with this status."""
    with RawConnection(server) as connection:  # what the first request of a kind loads
        connection.send(request("GET", "/api/0/info"))
        assert connection.answer().status == 200
    before = resident_mib(server)
    for number in range(requests):
        with RawConnection(server) as connection:
            connection.send(attack(number))
            assert connection.answer().status == status
    return resident_mib(server) - before


def long_path(number: int) -> str:
    return f"/api/0/buckets/{'x' * LONG}{number}{EMOJI}/heartbeat?pulsetime=5"


def from_page(number: int) -> bytes:
    return request("POST", long_path(number), BEAT, Origin="https://page.example")


def without_key(number: int) -> bytes:
    return request("POST", long_path(number), BEAT)


def many_parameters(number: int) -> bytes:
    path = f"/api/0/buckets/b{number}/heartbeat?pulsetime=5&x={'x' * LONG}"
    return request("POST", path, BEAT)


def host_with_blanks(number: int) -> bytes:
    return request("GET", "/api/0/info", Host=f"{' ' * LONG}localhost:{number % 65_536}")


def long_key(number: int) -> bytes:
    return request("GET", "/api/0/buckets/", Authorization=f"Bearer {number}{'x' * LONG}")


def long_agent(number: int) -> bytes:
    return request("GET", "/api/0/buckets/", User_Agent=f"{number}{'x' * LONG}")


def long_types(number: int) -> bytes:
    kind = f"application/x{number}{'x' * (LONG // 2)}"
    return request("POST", "/api/1/session", b"{}", Content_Type=kind, Accept=kind)


def invalid_start(number: int) -> bytes:
    return request("GET", f"/api/0/buckets/x{number}{'x' * LONG}/events?start={'x' * 100}")


@pytest.fixture
def keyed(tmp_path: Path) -> Iterator[KeyedServer]:
    with KeyedServer(tmp_path / "days.db") as server:
        yield server


@pytest.fixture
def open_server(tmp_path: Path) -> Iterator[RunningServer]:
    with RunningServer(tmp_path / "days.db") as server:
        yield server


@pytest.mark.parametrize(
    ("attack", "status"),
    [
        (from_page, 403),
        (without_key, 401),
        (many_parameters, 401),
        (host_with_blanks, 200),
        (long_key, 401),
        (long_agent, 401),
        (long_types, 415),
    ],
)
def test_requests_without_a_key_leave_no_memory_behind(keyed: KeyedServer, attack: Attack, status: int) -> None:
    # The fast path remembered the URL and the id of a heartbeat before it knew whether the caller may send it.
    assert growth_mib(keyed, attack, status=status) <= MOST_MIB


@pytest.mark.parametrize(
    ("attack", "status"), [(from_page, 403), (without_key, 404), (many_parameters, 404), (invalid_start, 400)]
)
def test_requests_to_a_server_without_keys_leave_no_memory_behind(
    open_server: RunningServer, attack: Attack, status: int
) -> None:
    # Heads of requests also stayed in reference cycles with their connection, or with the error they got.
    rule = {"action": "drop", "pattern": "secret", "field": "title"}
    assert open_server.call("PUT", "/api/1/privacy/rules", [rule]).status == 200

    assert growth_mib(open_server, attack, status=status) <= MOST_MIB


def test_idle_connections_do_not_keep_their_last_request(keyed: KeyedServer) -> None:
    # Each connection kept the head of its last request for as long as it was open.
    before = resident_mib(keyed)
    with ExitStack() as stack:
        for number in range(500):
            connection = stack.enter_context(RawConnection(keyed))
            connection.send(long_agent(number))
            assert connection.answer().status == 401

        assert resident_mib(keyed) - before <= MOST_MIB


def test_a_client_that_disconnects_before_its_answer_leaves_no_memory_behind(keyed: KeyedServer) -> None:
    before = resident_mib(keyed)
    for number in range(REQUESTS):
        with RawConnection(keyed) as connection:
            connection.send(without_key(number) + without_key(number))
    assert keyed.get("/api/0/info").status == 200

    assert resident_mib(keyed) - before <= MOST_MIB


def test_the_fast_path_remembers_short_urls_only() -> None:
    assert parse_target(f"/api/0/buckets/{'x' * 512}/heartbeat?pulsetime=5".encode()) is not None
    assert parse_target(f"/api/0/buckets/{'x' * 513}/heartbeat?pulsetime=5".encode()) is None


def test_a_local_client_is_known_by_the_beginning_of_its_user_agent() -> None:
    # Query processes remember their last 1,000 clients, and a user agent could have 64 KiB.
    assert len(query_client(OPEN, "127.0.0.1", "x" * LONG)) < 300
