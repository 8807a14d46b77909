"""`POST /api/1/envelope`: whole calls that no one on the way can read (decision 26)."""

from typing import Any, Final

import pytest
from msgspec import UNSET

from dayline.envelope.jwe import CannotOpen
from dayline.envelope.keys import EnvelopeKeys
from dayline.envelope.messages import EnvelopedResponse, new_nonce, open_answer, seal_answer
from tests.access.envelope.enveloping import Sender, json_of
from tests.access.watching import heartbeat
from tests.support.calls.sealing import send_sealed
from tests.support.keyed_server import KeyedServer

BUCKET: Final = "sealed"
PATH: Final = f"/api/0/buckets/{BUCKET}"


@pytest.fixture(scope="module")
def sender(keyed: KeyedServer) -> Sender:
    keyed.create(BUCKET)
    return Sender(keyed)


def test_reads_and_writes_are_answered_as_in_the_open(sender: Sender) -> None:
    calls: list[tuple[str, str, str, Any]] = [
        ("GET", "/api/0/info", "", None),
        ("GET", "/api/0/buckets/", "", None),
        ("POST", "/api/0/query/", "", {"query": ["RETURN = 1 + 1;"], "timeperiods": ["2026-01-01/2026-01-02"]}),
        ("GET", "/api/0/settings/theme", "", None),
        ("GET", f"{PATH}/events", "limit=2&start=2026-01-01", None),
        ("GET", "/api/0/buckets/nowhere", "", None),
        ("POST", PATH, "", {"client": "c", "type": "t", "hostname": "h"}),
        ("DELETE", f"{PATH}/events/99999", "", None),
        ("POST", "/api/0/settings/theme", "", {"a": [1, 1.0, None, "ä"]}),
        ("POST", f"{PATH}/heartbeat", "", heartbeat("10:00:00")),  # without pulsetime
        ("PATCH", PATH, "", None),
        ("GET", "/api/0/nowhere", "", None),
        ("OPTIONS", PATH, "", None),
    ]
    for method, path, query, sent in calls:
        plain = sender.server.with_key(sender.key, method, f"{path}?{query}" if query else path, sent)
        inside = sender.call(method, path, sent, query=query)

        assert inside.status == plain.status
        # To the byte, but for the number of the request.
        body = b"" if inside.body is UNSET else bytes(inside.body)
        assert body.replace(inside.headers["x-request-id"].encode(), b"?") == plain.body.replace(
            plain.headers["x-request-id"].encode(), b"?"
        )


def test_head_has_a_status_and_no_body(sender: Sender) -> None:
    answer = sender.call("HEAD", PATH)

    assert (answer.status, answer.body) == (200, UNSET)


def test_heartbeat_is_recorded_and_read_back(sender: Sender) -> None:
    begun = sender.call("POST", f"{PATH}/heartbeat", heartbeat("10:00:00"), query="pulsetime=60")
    extended = sender.call("POST", f"{PATH}/heartbeat", heartbeat("10:00:30"), query="pulsetime=60")

    assert (begun.status, extended.status) == (200, 200)
    assert json_of(extended) == {**json_of(begun), "duration": 30}
    assert json_of(extended) in json_of(sender.call("GET", f"{PATH}/events"))


def test_nothing_of_call_or_answer_can_be_read_on_the_way(sender: Sender) -> None:
    message = sender.sealed("POST", f"{PATH}/events", heartbeat("11:00:00", app="quince"))

    answer = send_sealed(sender.server, message)

    assert answer.headers["content-type"] == "application/jose"
    for text in (b"quince", b"sealed", b"timestamp", b"POST"):
        assert text not in message
        assert text not in answer.body
    with pytest.raises(CannotOpen):
        open_answer(answer.body, EnvelopeKeys.of_text(sender.server.key("full", envelope=True)))


def test_answer_belongs_to_its_call(sender: Sender) -> None:
    nonce = new_nonce()

    answer = sender.send(sender.sealed("GET", "/api/0/info", nonce=nonce))

    assert answer.nonce == nonce
    assert answer.headers["x-request-id"]


def test_rejection_inside_belongs_to_its_call_too(sender: Sender) -> None:
    nonce = new_nonce()

    answer = sender.send(sender.sealed("GET", "/api/0/buckets/nowhere", nonce=nonce))

    assert (answer.status, answer.nonce) == (404, nonce)


def test_call_is_not_taken_for_an_answer_nor_an_answer_for_a_call(sender: Sender) -> None:
    keys = EnvelopeKeys.of_text(sender.key)
    message = seal_answer(EnvelopedResponse(status=200, nonce=new_nonce()), keys, kid=sender.key_id)

    assert send_sealed(sender.server, message).status == 401
    with pytest.raises(CannotOpen):
        open_answer(sender.sealed("GET", "/api/0/info"), keys)


@pytest.mark.parametrize("size", [100_000, 3_000_000])
def test_large_bodies_go_both_ways(sender: Sender, size: int) -> None:
    value = "x" * size

    assert sender.call("POST", "/api/0/settings/large", value).status == 201
    assert json_of(sender.call("GET", "/api/0/settings/large")) == value


def test_long_answers_that_are_sent_in_pieces_arrive_whole(sender: Sender) -> None:
    many = [heartbeat("12:00:00", app=f"app {number}") for number in range(3000)]
    sender.server.create("many")
    assert sender.call("POST", "/api/0/buckets/many/events", many).status == 200

    exported = json_of(sender.call("GET", "/api/0/buckets/many/export"))

    assert len(exported["buckets"]["many"]["events"]) == 3000
    assert len(json_of(sender.call("GET", "/api/0/buckets/many/events"))) == 3000


def test_scope_and_buckets_of_the_key_hold_inside(keyed: KeyedServer, sender: Sender) -> None:
    keyed.create("scoped")
    appender, reader = Sender(keyed, "append", "scoped"), Sender(keyed, "read", "scoped")
    insert = ("POST", "/events", heartbeat("10:00:00"))
    statuses = {
        (name, bucket, method): one.call(method, f"/api/0/buckets/{bucket}{path}", body).status
        for name, one in (("append", appender), ("read", reader))
        for bucket in ("scoped", BUCKET, "unknown")
        for method, path, body in (insert, ("GET", "/events", None))
    }

    assert statuses == {
        ("append", "scoped", "POST"): 200,
        ("append", BUCKET, "POST"): 403,
        ("append", "unknown", "POST"): 403,
        ("append", "scoped", "GET"): 403,
        ("append", BUCKET, "GET"): 403,
        ("append", "unknown", "GET"): 403,
        ("read", "scoped", "POST"): 403,
        ("read", BUCKET, "POST"): 403,
        ("read", "unknown", "POST"): 403,
        ("read", "scoped", "GET"): 200,
        ("read", BUCKET, "GET"): 404,
        ("read", "unknown", "GET"): 404,
    }
    assert appender.call("POST", f"{PATH}/events", {**heartbeat("10:00:00"), "id": 1}).status == 403
    assert set(json_of(reader.call("GET", "/api/0/buckets/"))) == {"scoped"}
