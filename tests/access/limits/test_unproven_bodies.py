"""What callers may send who have not proved who they are: little, and all of them together a bounded amount."""

from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from dayline.access.limits import UNPROVEN_BYTES, BodyBudget
from dayline.model.errors import Unavailable
from tests.access.envelope.enveloping import Sender
from tests.support.calls.raw_connection import RawConnection, request
from tests.support.keyed_server import KeyedServer

MIB = 1 << 20


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KeyedServer]:
    with KeyedServer(tmp_path_factory.mktemp("unproven") / "days.db") as server:
        yield server


def begun(connection: RawConnection, path: str, kind: str, start: bytes, *, of: int) -> None:
    """Send the head of a request and the start of its body."""
    connection.send(request("POST", path, Content_Type=kind, Content_Length=str(of)) + start)


def test_a_sign_in_of_more_than_4_kib_is_rejected(server: KeyedServer) -> None:
    answer = server.call("POST", "/api/1/session", {"key": "x" * 5000})

    assert (answer.status, "4 KiB" in answer.message) == (413, True)


def test_an_envelope_of_an_unknown_key_is_rejected_by_its_header_alone(server: KeyedServer) -> None:
    stranger = Sender(server)
    header = stranger.sealed("GET", "/api/0/info").split(b".")[0]
    server.as_owner("DELETE", f"/api/1/keys/{stranger.key_id}")

    with RawConnection(server) as connection:
        begun(connection, "/api/1/envelope", "application/jose", header + b"." + b"A" * 1000, of=30 * MIB)

        assert connection.answer().status == 401


def test_messages_that_are_not_opened_yet_share_one_budget(server: KeyedServer) -> None:
    sender = Sender(server)
    start = sender.sealed("GET", "/api/0/info").split(b".")[0] + b".." + b"A" * (25 * MIB)

    with ExitStack() as stack:
        connections = [stack.enter_context(RawConnection(server)) for _ in range(3)]
        for connection in connections:
            begun(connection, "/api/1/envelope", "application/jose", start, of=30 * MIB)
        refused = connections[-1].answer()

    assert 3 * len(start) > UNPROVEN_BYTES
    assert (refused.status, refused.headers["retry-after"]) == (503, "5")
    assert sender.call("GET", "/api/0/buckets/").status == 200


def test_a_budget_accepts_more_after_a_release() -> None:
    budget = BodyBudget(10)

    with budget.held() as first, budget.held() as second:
        first(6)
        with pytest.raises(Unavailable):
            second(5)
        second(4)

    with budget.held() as third:
        third(10)
