"""A recorded call can be neither moved nor repeated: its path is inside, and a change is made once (decision 26)."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from secrets import token_hex
from typing import Any, Final

import msgspec
import pytest

from dayline.envelope.messages import EnvelopedResponse
from tests.access.envelope.enveloping import Sender, json_of
from tests.access.watching import events, heartbeat
from tests.support.calls.sealing import send_sealed
from tests.support.keyed_server import KeyedServer

FIELDS: Final = {"client": "c", "type": "t", "hostname": "h"}


@pytest.fixture
def sender(keyed: KeyedServer) -> Sender:
    return Sender(keyed)


@pytest.fixture
def bucket_id(keyed: KeyedServer) -> str:
    name = f"replay-{token_hex(4)}"
    keyed.create(name)
    return name


def assert_already_done(answer: EnvelopedResponse) -> None:
    assert (answer.status, json_of(answer)["type"]) == (409, "AlreadyDone")


def test_repeated_heartbeat_is_409_and_stored_once(sender: Sender, bucket_id: str) -> None:
    message = sender.sealed("POST", f"/api/0/buckets/{bucket_id}/heartbeat", heartbeat("10:00:00"), query="pulsetime=1")
    assert sender.send(message).status == 200
    sender.call("POST", f"/api/0/buckets/{bucket_id}/heartbeat", heartbeat("11:00:00"), query="pulsetime=1")
    before = events(sender.server, bucket_id)

    for _ in range(3):
        assert_already_done(sender.send(message))
    assert events(sender.server, bucket_id) == before


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/api/0/buckets/{bucket}/events", heartbeat("10:00:00")),
        ("POST", "/api/0/buckets/{bucket}-new", FIELDS),
        ("PUT", "/api/0/buckets/{bucket}", {"hostname": "elsewhere"}),
        ("DELETE", "/api/0/buckets/{bucket}", None),
        ("DELETE", "/api/0/buckets/{bucket}/events/99999999", None),
        ("POST", "/api/0/settings/{bucket}", 1),
        ("DELETE", "/api/0/settings/{bucket}", None),
        ("POST", "/api/0/settings/privacy_filters", []),
        (
            "POST",
            "/api/0/import",
            {
                "buckets": {
                    "{bucket}-imported": {**FIELDS, "id": "{bucket}-imported", "events": [heartbeat("10:00:00")]}
                }
            },
        ),
        ("POST", "/api/1/keys", {"name": "{bucket}", "scope": "read"}),
    ],
)
def test_repeated_change_is_409(sender: Sender, bucket_id: str, method: str, path: str, body: Any) -> None:
    filled = msgspec.json.decode(msgspec.json.encode(body).replace(b"{bucket}", bucket_id.encode()))
    message = sender.sealed(method, path.replace("{bucket}", bucket_id), filled)

    assert sender.send(message).status in (200, 201)
    assert_already_done(sender.send(message))


def test_repeated_deletion_does_not_delete_a_recreated_bucket(sender: Sender, bucket_id: str) -> None:
    message = sender.sealed("DELETE", f"/api/0/buckets/{bucket_id}")
    assert sender.send(message).status == 200
    sender.server.create(bucket_id)

    assert_already_done(sender.send(message))
    assert sender.server.as_owner("GET", f"/api/0/buckets/{bucket_id}").status == 200


def test_nonce_serves_one_change_whatever_it_is(sender: Sender, bucket_id: str) -> None:
    nonce = "A" * 22
    path = f"/api/0/buckets/{bucket_id}"
    assert sender.send(sender.sealed("POST", f"{path}/events", heartbeat("10:00:00"), nonce=nonce)).status == 200

    assert_already_done(sender.send(sender.sealed("POST", f"{path}/events", heartbeat("11:00:00"), nonce=nonce)))
    assert_already_done(sender.send(sender.sealed("DELETE", path, nonce=nonce)))


def test_nonces_of_two_keys_do_not_meet(keyed: KeyedServer, bucket_id: str) -> None:
    nonce, path = "B" * 22, f"/api/0/buckets/{bucket_id}/events"

    for one in (Sender(keyed), Sender(keyed, "append", bucket_id)):
        assert one.send(one.sealed("POST", path, heartbeat("10:00:00"), nonce=nonce)).status == 200


def test_change_that_was_rejected_can_be_sent_again(sender: Sender, bucket_id: str) -> None:
    message = sender.sealed("POST", f"/api/0/buckets/{bucket_id}-later/events", heartbeat("10:00:00"))
    assert sender.send(message).status == 404
    sender.server.create(f"{bucket_id}-later")

    assert sender.send(message).status == 200
    assert_already_done(sender.send(message))


def test_repeated_read_is_answered_only_to_the_holder_of_the_key(sender: Sender, bucket_id: str) -> None:
    message = sender.sealed("GET", f"/api/0/buckets/{bucket_id}")
    first, second = send_sealed(sender.server, message), send_sealed(sender.server, message)

    assert (first.status, second.status) == (200, 200)
    # Sealed again: not even whether the two are equal can be seen.
    assert first.body != second.body
    assert bucket_id.encode() not in second.body
    assert sender.send(message).status == 200


def test_read_and_change_of_one_nonce_do_not_meet(sender: Sender, bucket_id: str) -> None:
    nonce, path = "C" * 22, f"/api/0/buckets/{bucket_id}"

    assert sender.send(sender.sealed("GET", path, nonce=nonce)).status == 200
    assert sender.send(sender.sealed("POST", f"{path}/events", heartbeat("10:00:00"), nonce=nonce)).status == 200


@pytest.mark.parametrize(
    "target",
    [
        "/api/1/envelope?path=/api/1/keys",
        "/api/1/envelope/",
        "//api/1/envelope",
        "/api/1/envelope?method=DELETE",
    ],
)
def test_address_of_the_envelope_moves_nothing(sender: Sender, bucket_id: str, target: str) -> None:
    message = sender.sealed("GET", f"/api/0/buckets/{bucket_id}")
    headers = {"Content-Type": "application/jose", "X-HTTP-Method-Override": "DELETE", "X-Original-URL": "/api/1/keys"}

    answer = sender.server.call("POST", target, raw=message, headers=headers)

    assert answer.status == 200
    assert sender.server.as_owner("GET", f"/api/0/buckets/{bucket_id}").status == 200


def test_message_sent_elsewhere_is_not_a_call(sender: Sender, bucket_id: str) -> None:
    message = sender.sealed("POST", f"/api/0/buckets/{bucket_id}/events", heartbeat("10:00:00"))

    for path in (f"/api/0/buckets/{bucket_id}/events", "/api/0/import", "/api/1/session"):
        answer = sender.server.call("POST", path, raw=message, headers={"Content-Type": "application/jose"})
        assert answer.status in (401, 415)
    assert events(sender.server, bucket_id) == []


def test_token_of_the_sender_holds_across_messages(sender: Sender, bucket_id: str) -> None:
    path, headers = f"/api/0/buckets/{bucket_id}/events", {"idempotency-key": token_hex(8)}
    first = sender.sealed("POST", path, heartbeat("10:00:00"), headers=headers)
    again = sender.sealed("POST", path, heartbeat("10:00:00"), headers=headers)

    assert sender.send(first).status == 200
    assert_already_done(sender.send(again))
    assert len(events(sender.server, bucket_id)) == 1


def test_token_of_the_sender_is_the_same_inside_and_outside(sender: Sender, bucket_id: str) -> None:
    path, token = f"/api/0/buckets/{bucket_id}/events", token_hex(8)
    headers = {"Idempotency-Key": token}
    assert sender.server.with_key(sender.key, "POST", path, heartbeat("10:00:00"), headers=headers).status == 200

    assert_already_done(
        sender.send(sender.sealed("POST", path, heartbeat("10:00:00"), headers={"idempotency-key": token}))
    )


def test_malformed_token_inside_is_400_and_changes_nothing(sender: Sender, bucket_id: str) -> None:
    path = f"/api/0/buckets/{bucket_id}/events"

    answer = sender.send(sender.sealed("POST", path, heartbeat("10:00:00"), headers={"idempotency-key": "a b"}))

    assert answer.status == 400
    assert events(sender.server, bucket_id) == []


def test_repeated_change_stays_409_after_the_end_of_the_server(tmp_path: Path) -> None:
    with KeyedServer(tmp_path / "days.db") as server:
        server.create("b")
        sender = Sender(server)
        messages = [
            sender.sealed("POST", "/api/0/buckets/b/heartbeat", heartbeat("10:00:00"), query="pulsetime=1"),
            sender.sealed("POST", "/api/0/buckets/b/events", heartbeat("11:00:00")),
            sender.sealed("DELETE", "/api/0/settings/theme"),
            # As old as it may be: its nonce is kept for as long as the call would be taken.
            sender.sealed("POST", "/api/0/settings/theme", 1, time=datetime.now(UTC) - timedelta(seconds=250)),
        ]
        for message in messages:
            assert sender.send(message).status in (200, 201)
        before = events(server, "b")
        for end in (server.kill, server.stop):
            end()
            server.start()

            for message in messages:
                assert_already_done(sender.send(message))
            assert events(server, "b") == before


def test_nonce_is_kept_for_as_long_as_the_settings_let_a_call_be_taken(tmp_path: Path) -> None:
    # Calls that were taken two days later would else find their nonce forgotten after one.
    with KeyedServer(tmp_path / "days.db", settings="envelope_skew_s = 259200\n") as server:
        server.create("b")
        sender = Sender(server)
        time = datetime.now(UTC) - timedelta(days=2)
        message = sender.sealed("POST", "/api/0/buckets/b/events", heartbeat("10:00:00"), time=time)
        assert sender.send(message).status == 200
        for _ in range(5):  # each change forgets tokens whose time is over
            assert sender.call("POST", "/api/0/settings/theme", 1).status == 201

        assert_already_done(sender.send(message))
