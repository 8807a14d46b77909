"""What an enveloped call sends, and which answers it believes: those that only the server can have made."""

import io
from collections.abc import Callable
from contextlib import ExitStack
from typing import Final

import pytest
from msgspec import UNSET, Raw

from dayline.client.client import Client, successful
from dayline.client.errors import CallRefused, UntrustedResponse
from dayline.client.transport import Transport
from dayline.envelope.keys import EnvelopeKeys
from dayline.envelope.messages import EnvelopedCall, EnvelopedResponse, kid_of, new_nonce, open_call, seal_answer
from dayline.model.errors import Malformed, WrongType
from tests.client.connection.scripted_server import Received, ScriptedServer, Step, answer
from tests.client.times import at

KEY: Final = f"dayline_k3f5a2bq_{'s' * 43}"
KEYS: Final = EnvelopeKeys.of_text(KEY)
OTHER_KEYS: Final = EnvelopeKeys.of_text(f"dayline_k3f5a2bq_{'t' * 43}")
NOON: Final = 1_767_268_800_000_000


def opened_call(request: Received) -> EnvelopedCall:
    return open_call(request.body, KEYS)


def sealed(
    status: int = 200, body: bytes | None = b"{}", *, keys: EnvelopeKeys = KEYS, nonce: str | None = None
) -> Callable[[Received], bytes]:
    """A step that answers as the server would, or nearly so."""

    def step(request: Received) -> bytes:
        inner = EnvelopedResponse(
            status=status,
            body=UNSET if body is None else Raw(body),
            headers={"x-request-id": "r1"},
            nonce=nonce or opened_call(request).nonce,
        )
        return answer(200, seal_answer(inner, keys, kid="k3f5a2bq"), "application/jose")

    return step


def enveloped(server: ScriptedServer, path: str = "") -> Transport:
    return Transport(server.url + path, key=KEY, envelope=True, clock=lambda: NOON)


def test_whole_call_is_inside_the_message() -> None:
    with ScriptedServer([sealed()]) as server, enveloped(server, "/dayline") as transport:
        transport.call("POST", "/api/0/buckets/a/heartbeat", query="pulsetime=5", body=b'{"n": 1.0}')

        request = server.received[0]
        call = opened_call(request)
        assert request.line == "POST /dayline/api/1/envelope HTTP/1.1"
        assert request.headers["content-type"] == "application/jose"
        assert kid_of(request.body) == "k3f5a2bq"
        assert (call.method, call.path, call.query) == ("POST", "/api/0/buckets/a/heartbeat", "pulsetime=5")
        assert isinstance(call.body, Raw)
        assert bytes(call.body) == b'{"n": 1.0}'
        assert call.time == "2026-01-01T12:00:00Z"


def test_key_is_not_sent() -> None:
    with ScriptedServer([sealed()]) as server, enveloped(server) as transport:
        transport.call("GET", "/api/0/info")

        request = server.received[0]
        assert "authorization" not in request.headers
        assert KEY not in f"{request.line}{request.headers}{request.body!r}"


def test_call_without_a_body_has_none_inside() -> None:
    with ScriptedServer([sealed()]) as server, enveloped(server) as transport:
        transport.call("GET", "/api/0/info")

        assert opened_call(server.received[0]).body is UNSET


def test_of_the_headers_only_an_idempotency_key_goes_inside_and_none_outside() -> None:
    with ScriptedServer([sealed()]) as server, enveloped(server) as transport:
        transport.call("POST", "/api/0/x", body=b"{}", headers={"Idempotency-Key": "token-1", "X-Other": "no"})

        assert opened_call(server.received[0]).headers == {"idempotency-key": "token-1"}
        assert not {"idempotency-key", "x-other"} & server.received[0].headers.keys()


def test_answer_is_the_one_inside() -> None:
    with ScriptedServer([sealed(201, b"[1.0]")]) as server, enveloped(server) as transport:
        reply = transport.call("GET", "/api/0/info")

    assert (reply.status, reply.body, reply.headers) == (201, b"[1.0]", {"x-request-id": "r1"})
    assert reply.is_sealed


def test_answer_without_a_body_is_empty() -> None:
    with (
        ScriptedServer([sealed(304, None)]) as server,
        Client(server.url, key=KEY, envelope=True) as client,
    ):
        assert not client.create_bucket("b", type="t", client="c", hostname="h")


def test_every_call_has_a_nonce_of_its_own() -> None:
    with ScriptedServer([sealed()] * 3) as server, enveloped(server) as transport:
        for _ in range(3):
            transport.call("POST", "/api/0/x", body=b"{}")

        assert len({opened_call(request).nonce for request in server.received}) == 3


def test_call_on_a_connection_that_closes_is_sent_again_as_the_same_message(opened: ExitStack) -> None:
    server = opened.enter_context(ScriptedServer([sealed(), None], [sealed()]))
    transport = opened.enter_context(enveloped(server))
    transport.call("GET", "/api/0/info")

    assert transport.call("POST", "/api/0/x", body=b"{}").status == 200
    assert server.received[1].body == server.received[2].body


FORGED: Final[dict[str, Step]] = {
    "sealed with another key": sealed(keys=OTHER_KEYS),
    "the response to another call": sealed(nonce=new_nonce()),
    "the call itself": lambda request: answer(200, request.body, "application/jose"),
    "plain JSON": answer(200),
    "nothing": answer(200, b""),
    "no content": answer(204, b""),
    "not modified, to a create": answer(304, b""),
    "somewhere else": answer(302, b"", "text/html", "Location: https://evil.example/"),
}


@pytest.mark.parametrize("name", FORGED)
def test_unsealed_answer_is_not_believed(name: str) -> None:
    with (
        ScriptedServer([FORGED[name]]) as server,
        enveloped(server) as transport,
        pytest.raises(UntrustedResponse),
    ):
        transport.call("POST", "/api/0/x", body=b"{}")


def test_rejection_of_the_message_is_reported_as_not_sealed() -> None:
    refusal = answer(401, b'{"message":"no active key has this id","type":"Unauthorized"}')
    with ScriptedServer([refusal]) as server, enveloped(server) as transport:
        reply = transport.call("GET", "/api/0/info")

    assert (reply.status, reply.is_sealed) == (401, False)
    with pytest.raises(CallRefused, match="no active key has this id"):
        successful(reply)


def test_rejection_inside_is_in_the_words_of_the_server() -> None:
    refusal = b'{"message":"no bucket named \'b\'","type":"BucketNotFound","hint":"make one"}'
    with (
        ScriptedServer([sealed(404, refusal)]) as server,
        Client(server.url, key=KEY, envelope=True) as client,
        pytest.raises(CallRefused, match="no bucket named 'b'") as raised,
    ):
        client.heartbeat("b", at(0), 1)

    assert (raised.value.status, raised.value.type, raised.value.hint) == (404, "BucketNotFound", "make one")


@pytest.mark.parametrize("body", [b"", b"not JSON", b'1,"path":"/api/0/other"'])
def test_body_that_is_not_json_is_not_sealed(body: bytes) -> None:
    with Transport("http://h", key=KEY, envelope=True) as transport, pytest.raises(Malformed):
        transport.call("POST", "/api/0/x", body=body)


def test_body_of_another_type_is_not_sealed() -> None:
    with Transport("http://h", key=KEY, envelope=True) as transport, pytest.raises(WrongType):
        transport.call("POST", "/api/0/import", body=b"{}", content_type="multipart/form-data; boundary=x")


def test_imported_document_is_read_and_sealed() -> None:
    report = b'{"buckets":1,"imported":2,"skipped":0,"invalid":0}'
    with (
        ScriptedServer([sealed(200, report)]) as server,
        Client(server.url, key=KEY, envelope=True) as client,
    ):
        assert client.import_documents(io.BytesIO(b'{"buckets": {}}')).imported == 2

        call = opened_call(server.received[0])
        assert call.path == "/api/0/import"
        assert isinstance(call.body, Raw)
        assert bytes(call.body) == b'{"buckets": {}}'
