"""`POST /api/1/envelope`: what is no message, of another time, changed on its way, or not meant for an envelope."""

from base64 import urlsafe_b64encode
from datetime import UTC, datetime, timedelta
from typing import Final

import msgspec
import pytest

from dayline.envelope.keys import EnvelopeKeys
from dayline.envelope.messages import open_answer
from tests.access.envelope.enveloping import Sender, json_of
from tests.access.watching import events, heartbeat
from tests.support.calls.sealing import sealed, send_sealed
from tests.support.keyed_server import KeyedServer
from tests.support.waiting import eventually

BUCKET: Final = "sealed"
PATH: Final = f"/api/0/buckets/{BUCKET}"


@pytest.fixture(scope="module")
def sender(keyed: KeyedServer) -> Sender:
    keyed.create(BUCKET)
    return Sender(keyed)


@pytest.mark.parametrize("seconds", [-200, 290])  # time passes until it arrives
def test_clock_may_be_some_minutes_off(sender: Sender, seconds: int) -> None:
    time = datetime.now(UTC) + timedelta(seconds=seconds)

    assert sender.send(sender.sealed("GET", PATH, time=time)).status == 200


@pytest.mark.parametrize("seconds", [-86_400, -310, 600, 86_400])
def test_call_of_another_time_is_rejected(sender: Sender, seconds: int) -> None:
    before = events(sender.server, BUCKET)
    time = datetime.now(UTC) + timedelta(seconds=seconds)

    answer = sender.send(sender.sealed("POST", f"{PATH}/events", heartbeat("10:00:00"), time=time))

    assert (answer.status, json_of(answer)["type"]) == (401, "ClockSkew")
    assert events(sender.server, BUCKET) == before


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("POST", "/api/1/envelope", 422),
        ("POST", "/api/1//envelope", 422),
        ("GET", "/api/1/session", 422),
        ("GET", "/", 422),
        ("GET", "/api/", 422),
        ("GET", "/api/openapi.json", 422),
        ("GET", "/index.html", 422),
        ("GET", "/api/0/../1/keys", 404),
        ("GET", "//api/0/info", 200),
    ],
)
def test_only_calls_go_inside(sender: Sender, method: str, path: str, status: int) -> None:
    assert sender.call(method, path, {} if method == "POST" else None).status == status


def test_session_neither_begins_nor_ends_inside(sender: Sender) -> None:
    for path in ("/api/1/session", "/api/1//session", "/api/1/session/"):
        assert sender.call("POST", path, {"key": sender.key}).status == 422
        assert sender.call("DELETE", path).status == 422
    assert sender.call("DELETE", "/api/1/session/others").status == 422


@pytest.mark.parametrize(
    ("media", "status"),
    [
        ("application/jose", 200),
        ("application/jose; charset=ascii", 200),
        ("APPLICATION/JOSE", 200),
        ("application/json", 415),
        ("application/jose+json", 415),
        ("text/plain", 415),
        ("application/x-www-form-urlencoded", 415),
    ],
)
def test_message_has_to_be_declared_as_what_it_is(sender: Sender, media: str, status: int) -> None:
    message = sender.sealed("GET", PATH)

    answer = sender.server.call("POST", "/api/1/envelope", raw=message, headers={"Content-Type": media})

    assert answer.status == status


@pytest.mark.parametrize(
    "message", [b"", b"x", b"....", b"a.b.c.d.e", b"{}", b"\xff" * 100, b"." * 10_000, b"A" * 100_000]
)
def test_what_is_no_message_is_400(sender: Sender, message: bytes) -> None:
    answer = send_sealed(sender.server, message)

    assert (answer.status, answer.headers["content-type"]) == (400, "application/json")


def test_envelope_has_no_other_method(sender: Sender) -> None:
    assert sender.server.call("GET", "/api/1/envelope").status == 405


def test_key_without_envelope_opens_none(keyed: KeyedServer) -> None:
    plain = keyed.key("full")

    assert send_sealed(keyed, sealed("GET", "/api/0/buckets/", key=plain)).status == 401


def test_key_in_the_header_adds_nothing_to_an_envelope(keyed: KeyedServer) -> None:
    reader = Sender(keyed, "read")
    message = reader.sealed("GET", "/api/1/keys")
    headers = {"Content-Type": "application/jose", "Authorization": f"Bearer {keyed.owner}"}

    answer = keyed.call("POST", "/api/1/envelope", raw=message, headers=headers)

    assert open_answer(answer.body, EnvelopeKeys.of_text(reader.key)).status == 403


def test_wrong_revoked_and_expired_keys_open_nothing(keyed: KeyedServer) -> None:
    revoked = keyed.made_key("full", envelope=True)
    keyed.as_owner("DELETE", f"/api/1/keys/{revoked['id']}")
    soon = datetime.now(UTC) + timedelta(milliseconds=200)
    expired = keyed.made_key("full", envelope=True, expires=soon.isoformat())["key"]
    right = keyed.key("full", envelope=True)
    unknown = f"dayline_aaaaaaaa_{'A' * 43}"
    other_secret = right[:17] + unknown[17:]
    assert other_secret.startswith("dayline_")

    def status(key: str) -> int:
        return send_sealed(keyed, sealed("GET", "/api/0/buckets/", key=key)).status

    eventually(lambda: status(expired) == 401)
    assert [status(key) for key in (right, revoked["key"], unknown, other_secret)] == [200, 401, 401, 401]


def test_rejection_is_the_same_for_unknown_keys_and_keys_of_others(keyed: KeyedServer) -> None:
    revoked = keyed.made_key("full", envelope=True)
    keyed.as_owner("DELETE", f"/api/1/keys/{revoked['id']}")
    unknown = f"dayline_aaaaaaaa_{'A' * 43}"

    answers = [send_sealed(keyed, sealed("GET", "/", key=key)) for key in (revoked["key"], unknown, keyed.key("read"))]

    assert len({answer.message for answer in answers}) == 1


@pytest.mark.parametrize(
    "header",
    [
        {"alg": "none", "enc": "A256GCM"},
        {"alg": "dir", "enc": "A128GCM"},
        {"alg": "dir", "enc": "A256GCM", "zip": "DEF"},
        {"alg": "dir", "enc": "A256GCM", "crit": ["exp"]},
        {"alg": "A256KW", "enc": "A256GCM"},
    ],
)
def test_message_of_another_kind_is_400(sender: Sender, header: dict[str, object]) -> None:
    named = urlsafe_b64encode(msgspec.json.encode({**header, "kid": sender.key_id})).rstrip(b"=")
    message = sender.sealed("GET", PATH)

    assert send_sealed(sender.server, named + b"." + message.partition(b".")[2]).status == 400


# Where each of the five parts stands. The second is empty, and has to stay so.
PARTS: Final = {"header": 0, "key": 1, "iv": 2, "ciphertext": 3, "tag": 4}


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("place", [0, -1])
def test_change_in_any_part_keeps_it_shut_and_changes_nothing(sender: Sender, part: str, place: int) -> None:
    before = events(sender.server, BUCKET)
    parts = sender.sealed("POST", f"{PATH}/events", heartbeat("10:00:00")).split(b".")
    changed = bytearray(parts[PARTS[part]] or b"A")
    changed[place] = ord("B") if changed[place] == ord("A") else ord("A")
    parts[PARTS[part]] = bytes(changed)

    answer = send_sealed(sender.server, b".".join(parts))

    assert answer.status in (400, 401)
    assert answer.headers["content-type"] == "application/json"
    assert events(sender.server, BUCKET) == before


def test_message_under_the_name_of_another_key_is_401(keyed: KeyedServer, sender: Sender) -> None:
    appender = Sender(keyed, "append", "nothing")
    mine = appender.sealed("DELETE", PATH)
    named_otherwise = sender.sealed("GET", PATH).partition(b".")[0] + b"." + mine.partition(b".")[2]

    assert send_sealed(keyed, named_otherwise).status == 401
    assert keyed.as_owner("GET", PATH).status == 200


def test_parts_of_two_messages_make_none(sender: Sender) -> None:
    one, other = (sender.sealed("GET", path).split(b".") for path in (PATH, "/api/1/keys"))
    for index in (2, 3, 4):
        mixed = [*one[:index], other[index], *one[index + 1 :]]

        assert send_sealed(sender.server, b".".join(mixed)).status == 401
