"""One connection for many calls, and what happens when the server has closed it: nothing is ever done twice."""

from contextlib import ExitStack

import pytest

from dayline.client.errors import ServerUnreachable
from dayline.client.transport import Transport
from tests.client.connection.scripted_server import ScriptedServer, answer
from tests.support.server import RunningServer, free_port
from tests.support.waiting import PATIENCE_S

OK = answer(200)
BODY = b'{"a":1}'
TOKEN = {"Idempotency-Key": "token-1"}


@pytest.fixture
def closing(opened: ExitStack) -> ScriptedServer:
    """Answers a first request, takes a second one without a response, and responses on a new connection."""
    return opened.enter_context(ScriptedServer([OK, None], [OK, OK]))


def test_calls_share_one_connection(opened: ExitStack) -> None:
    server = opened.enter_context(ScriptedServer([OK] * 3))
    transport = opened.enter_context(Transport(server.url))

    assert [transport.call("GET", "/api/0/info").status for _ in range(3)] == [200] * 3
    assert len(server.received) == 3


def test_read_on_a_connection_that_closes_is_sent_again(opened: ExitStack, closing: ScriptedServer) -> None:
    transport = opened.enter_context(Transport(closing.url))
    transport.call("GET", "/1")

    assert transport.call("GET", "/2").status == 200
    assert [request.line.split()[1] for request in closing.received] == ["/1", "/2", "/2"]


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
def test_write_on_a_connection_that_closes_is_not_sent_again(
    opened: ExitStack, closing: ScriptedServer, method: str
) -> None:
    transport = opened.enter_context(Transport(closing.url))
    transport.call("GET", "/1")

    with pytest.raises(ServerUnreachable):
        transport.call(method, "/2", body=BODY)

    assert [request.line.split()[1] for request in closing.received] == ["/1", "/2"]


def test_write_with_an_idempotency_key_is_sent_again_with_the_same_one(
    opened: ExitStack, closing: ScriptedServer
) -> None:
    transport = opened.enter_context(Transport(closing.url))
    transport.call("GET", "/1")

    assert transport.call("POST", "/2", body=BODY, headers=TOKEN).status == 200
    assert [request.headers.get("idempotency-key") for request in closing.received] == [None, "token-1", "token-1"]
    assert [request.body for request in closing.received] == [b"", BODY, BODY]


def test_connection_that_was_closed_at_rest_is_not_used_even_for_a_write(opened: ExitStack) -> None:
    server = opened.enter_context(ScriptedServer([OK], [OK]))
    transport = opened.enter_context(Transport(server.url))
    transport.call("GET", "/1")
    assert server.closed[0].wait(PATIENCE_S)

    assert transport.call("POST", "/2", body=BODY).status == 200
    assert len(server.received) == 2


def test_first_call_on_a_connection_is_not_sent_again(opened: ExitStack) -> None:
    server = opened.enter_context(ScriptedServer([None], [OK]))
    with pytest.raises(ServerUnreachable):
        opened.enter_context(Transport(server.url)).call("GET", "/1")

    assert len(server.received) == 1


def test_answer_that_breaks_off_is_no_answer_and_the_call_is_not_sent_again(opened: ExitStack) -> None:
    server = opened.enter_context(ScriptedServer([OK, answer(200, b"x" * 100)[:-50]], [OK]))
    transport = opened.enter_context(Transport(server.url))
    transport.call("GET", "/1")

    with pytest.raises(ServerUnreachable):
        transport.call("GET", "/2")

    assert len(server.received) == 2
    assert transport.call("GET", "/3").status == 200


def test_call_is_sent_again_only_once(opened: ExitStack) -> None:
    server = opened.enter_context(ScriptedServer([OK, None], [None], [OK]))
    transport = opened.enter_context(Transport(server.url))
    transport.call("GET", "/1")

    with pytest.raises(ServerUnreachable):
        transport.call("GET", "/2")

    assert len(server.received) == 3


def test_a_request_without_an_answer_may_have_arrived_also_on_a_new_connection(opened: ExitStack) -> None:
    server = opened.enter_context(ScriptedServer([None]))
    transport = opened.enter_context(Transport(server.url))

    with pytest.raises(ServerUnreachable) as caught:
        transport.call("POST", "/1", body=BODY)

    assert caught.value.is_sent
    assert len(server.received) == 1


def test_server_that_wants_the_connection_closed_gets_its_way(opened: ExitStack) -> None:
    server = opened.enter_context(ScriptedServer([answer(200, b"{}", "application/json", "Connection: close")], [OK]))
    transport = opened.enter_context(Transport(server.url))

    assert [transport.call("POST", "/1", body=BODY).status for _ in range(2)] == [200, 200]


def test_silence_ends_with_the_time_out(opened: ExitStack) -> None:
    server = opened.enter_context(ScriptedServer([b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nshort", OK]))
    transport = opened.enter_context(Transport(server.url, timeout_s=0.2))

    with pytest.raises(ServerUnreachable, match="in time"):
        transport.call("GET", "/1")


def test_client_receives_the_rejection_of_a_body_that_is_too_large(shared_server: RunningServer) -> None:
    # The server answers and hangs up before it has read everything.
    with Transport(shared_server.url) as transport:
        reply = transport.call("POST", "/api/0/buckets/b/events", body=b" " * (40 << 20))

    assert reply.status == 413


def test_server_that_restarted_is_found_again(opened: ExitStack, server: RunningServer) -> None:
    transport = opened.enter_context(Transport(server.url))
    assert transport.call("GET", "/api/0/info").status == 200
    server.stop()
    server.start()

    created = transport.call("POST", "/api/0/buckets/b", body=b'{"type":"t","client":"c","hostname":"h"}')

    assert created.status == 200


def test_unreachable_server_is_reported_with_its_address() -> None:
    url = f"http://127.0.0.1:{free_port()}"

    with pytest.raises(ServerUnreachable, match=f"cannot reach {url}: "):
        Transport(url).call("GET", "/api/0/info")
