"""The error that a caller gets when a call is refused, or when another program answers."""

from collections.abc import Callable
from datetime import datetime
from typing import Final

import pytest

from dayline.client.client import Client
from dayline.client.errors import CallRefused, ClientError, ServerUnreachable, UnexpectedResponse
from dayline.model.errors import Invalid
from tests.client.connection.scripted_server import ScriptedServer, answer
from tests.client.times import at, moment
from tests.support.server import RunningServer, free_port

ABOUT_A_BUCKET: Final[dict[str, Callable[[Client], object]]] = {
    "events": lambda client: client.events("missing"),
    "event": lambda client: client.event("missing", 1),
    "count": lambda client: client.count("missing"),
    "insert": lambda client: client.insert("missing", at(0)),
    "heartbeat": lambda client: client.heartbeat("missing", at(0), 1),
    "delete_event": lambda client: client.delete_event("missing", 1),
    "delete_bucket": lambda client: client.delete_bucket("missing"),
    "update_bucket": lambda client: client.update_bucket("missing", type="t"),
    "export_bucket": lambda client: client.export_bucket("missing"),
}


def test_rejection_is_in_the_words_of_the_server(shared_server: RunningServer) -> None:
    with Client(shared_server.url) as client, pytest.raises(CallRefused) as raised:
        client.bucket("missing")

    assert raised.value.status == 404
    assert raised.value.type == "BucketNotFound"
    assert str(raised.value) == raised.value.message == "no bucket named 'missing'"
    assert raised.value.hint == "list the buckets with GET /api/0/buckets/; create one with POST /api/0/buckets/<id>"
    assert raised.value.request_id


def test_error_in_a_query_has_a_message(shared_server: RunningServer) -> None:
    with Client(shared_server.url) as client, pytest.raises(CallRefused, match="nothing_like_it") as raised:
        client.query("RETURN = nothing_like_it();", [(moment(0), moment(1))])

    assert raised.value.status == 400


@pytest.mark.parametrize("name", ABOUT_A_BUCKET)
def test_every_call_about_a_missing_bucket_is_rejected(shared_server: RunningServer, name: str) -> None:
    with Client(shared_server.url) as client, pytest.raises(CallRefused) as raised:
        ABOUT_A_BUCKET[name](client)

    assert raised.value.status == 404


def test_rejected_call_leaves_the_connection_in_order(shared_server: RunningServer) -> None:
    with Client(shared_server.url) as client:
        for _ in range(3):
            with pytest.raises(CallRefused):
                client.insert("missing", at(0))
            assert client.info().device_id


@pytest.mark.parametrize("body", [b"", b"<html>gateway</html>", b'"text"', b'{"error":"x"}', b"\xff"])
def test_rejection_by_a_proxy_shows_its_status(body: bytes) -> None:
    with (
        ScriptedServer([answer(502, body, "text/html")]) as server,
        Client(server.url) as client,
        pytest.raises(CallRefused, match=r"^the server answered 502 Bad Gateway$") as raised,
    ):
        client.info()

    assert (raised.value.status, raised.value.type, raised.value.hint) == (502, "", None)


def test_unknown_status_is_a_rejection_too() -> None:
    with (
        ScriptedServer([answer(599)]) as server,
        Client(server.url) as client,
        pytest.raises(CallRefused, match=r"^the server answered 599$"),
    ):
        client.info()


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>sign in to this network</html>",
        b"[]",
        b'{"hostname":"h"}',
        b"\xff",
        b"[" * 100_000,
    ],
    ids=lambda body: repr(body[:10]),
)
def test_success_that_cannot_be_read_is_reported_as_such(body: bytes) -> None:
    with (
        ScriptedServer([answer(200, body, "text/html")]) as server,
        Client(server.url) as client,
        pytest.raises(UnexpectedResponse, match="cannot decode the response"),
    ):
        client.info()


@pytest.mark.parametrize(
    "event",
    [
        b'{"id":1,"timestamp":"yesterday","duration":0.0,"data":{}}',
        b'{"id":1,"timestamp":"2026-01-01T00:00:00Z","duration":1e300,"data":{}}',
    ],
)
def test_impossible_event_is_reported_as_such(event: bytes) -> None:
    with (
        ScriptedServer([answer(200, b"[%s]" % event)]) as server,
        Client(server.url) as client,
        pytest.raises(UnexpectedResponse, match="invalid event"),
    ):
        client.events("b")


def test_server_that_is_not_there_is_unreachable() -> None:
    with Client(f"http://127.0.0.1:{free_port()}") as client, pytest.raises(ServerUnreachable) as raised:
        client.info()

    assert raised.value.hint == "check that the server is running and listens on this address"


def test_every_error_of_a_call_is_of_one_family() -> None:
    assert all(issubclass(kind, ClientError) for kind in (CallRefused, ServerUnreachable, UnexpectedResponse))


def test_time_without_a_zone_is_not_guessed_at() -> None:
    naive = datetime(2026, 1, 1)  # noqa: DTZ001  # the point of the test
    with pytest.raises(Invalid, match="start has no time zone"):
        Client().events("b", start=naive)


def test_replacing_needs_an_id() -> None:
    with pytest.raises(Invalid, match="no id"):
        Client().replace("b", at(0))
