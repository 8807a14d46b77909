"""The client with keys against a real server: what is let in, what is not, and what is done only once."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import msgspec
import pytest

from dayline.client.client import Client
from dayline.client.errors import CallRefused
from dayline.client.transport import Reply, Transport
from dayline.model.time import now_us
from tests.client.times import at
from tests.support.calls.endpoints import create_key, make_certificate
from tests.support.keyed_server import KeyedServer
from tests.support.processes.command import Service

SECOND: Final = 1_000_000
EVENT: Final = b'{"timestamp":"2026-01-01T10:00:00Z","data":{"a":1}}'
EVERY_WAY: Final = pytest.mark.parametrize("envelope", [False, True], ids=["plain", "enveloped"])


@pytest.fixture(scope="module")
def keyed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KeyedServer]:
    with KeyedServer(tmp_path_factory.mktemp("keyed") / "days.db") as server:
        yield server


@pytest.fixture
def bucket(keyed: KeyedServer, request: pytest.FixtureRequest) -> str:
    name = str(request.node.name).replace("[", "-").rstrip("]")
    assert keyed.create(name).status == 200
    return name


def type_of(reply: Reply) -> str:
    return str(msgspec.json.decode(reply.body)["type"])


def test_without_a_key_only_the_info_is_reported(keyed: KeyedServer) -> None:
    with Client(keyed.url) as client:
        assert client.info().device_id
        with pytest.raises(CallRefused) as raised:
            client.buckets()

    assert raised.value.status == 401


@EVERY_WAY
def test_wrong_key_is_rejected(keyed: KeyedServer, envelope: bool) -> None:
    key = keyed.key("full", envelope=True)
    wrong = key[:-2] + ("AA" if key[-2:] != "AA" else "BB")

    with Client(keyed.url, key=wrong, envelope=envelope) as client, pytest.raises(CallRefused) as raised:
        client.buckets()

    assert raised.value.status == 401
    assert wrong not in str(raised.value)


@EVERY_WAY
def test_revoked_key_is_rejected(keyed: KeyedServer, envelope: bool) -> None:
    made = keyed.made_key("full", envelope=True)

    with Client(keyed.url, key=made["key"], envelope=envelope) as client:
        client.buckets()
        assert keyed.as_owner("DELETE", f"/api/1/keys/{made['id']}").status == 200
        with pytest.raises(CallRefused) as raised:
            client.buckets()

    assert raised.value.status == 401


@EVERY_WAY
def test_append_key_records_and_does_nothing_else(keyed: KeyedServer, bucket: str, envelope: bool) -> None:
    key = keyed.key("append", f"{bucket}*", envelope=True)

    with Client(keyed.url, key=key, envelope=envelope) as client:
        assert client.create_bucket(f"{bucket}-2", type="t", client="c", hostname="h")
        assert not client.create_bucket(bucket, type="t", client="c", hostname="h")
        assert client.heartbeat(bucket, at(0, app="a"), 5).data == {"app": "a"}
        for refused in (
            client.buckets,
            client.export,
            lambda: client.events(bucket),
            lambda: client.delete_bucket(bucket),
        ):
            with pytest.raises(CallRefused) as raised:
                refused()
            assert raised.value.status == 403


def test_key_that_was_not_made_for_envelopes_opens_none(keyed: KeyedServer) -> None:
    with Client(keyed.url, key=keyed.key("full"), envelope=True) as client, pytest.raises(CallRefused) as raised:
        client.buckets()

    assert raised.value.status == 401


def test_server_that_requires_envelopes_takes_the_same_key_in_no_other_way(tmp_path: Path) -> None:
    with KeyedServer(tmp_path / "days.db", settings="require_envelope = true\n") as server:
        key = server.key("full", envelope=True)

        with Client(server.url, key=key, envelope=True) as client:
            assert client.buckets() == {}
        with Client(server.url, key=key) as client, pytest.raises(CallRefused):
            client.buckets()


@pytest.mark.parametrize("away_s", [-301, 301])
def test_clock_that_is_five_minutes_away_is_reported_as_such(keyed: KeyedServer, away_s: int) -> None:
    key = keyed.key("full", envelope=True)

    with Transport(keyed.url, key=key, envelope=True, clock=lambda: now_us() + away_s * SECOND) as transport:
        reply = transport.call("GET", "/api/0/buckets/")

    assert (reply.status, type_of(reply), reply.is_sealed) == (401, "ClockSkew", True)


@EVERY_WAY
def test_write_with_the_token_of_an_earlier_one_changes_nothing(
    keyed: KeyedServer, bucket: str, envelope: bool
) -> None:
    key, path = keyed.key("full", envelope=True), f"/api/0/buckets/{bucket}/events"
    token = {"Idempotency-Key": "lost-answer-1"}

    with Transport(keyed.url, key=key, envelope=envelope) as transport:
        first = transport.call("POST", path, body=EVENT, headers=token)
        again = transport.call("POST", path, body=EVENT, headers=token)

    assert first.status == 200
    assert (again.status, type_of(again)) == (409, "AlreadyDone")
    with Client(keyed.url, key=key) as client:
        assert client.count(bucket) == 1


def test_sealed_answer_has_the_number_of_the_request(keyed: KeyedServer) -> None:
    with Transport(keyed.url, key=keyed.key("read", envelope=True), envelope=True) as transport:
        reply = transport.call("GET", "/api/0/buckets/missing")

    assert reply.status == 404
    assert reply.headers["x-request-id"] == msgspec.json.decode(reply.body)["request_id"]


def test_numbers_arrive_as_they_were_sent(keyed: KeyedServer, bucket: str) -> None:
    with Transport(keyed.url, key=keyed.key("full", envelope=True), envelope=True) as transport:
        body = b'{"timestamp":"2026-01-01T10:00:00Z","data":{"a":1,"b":1.0}}'
        assert transport.call("POST", f"/api/0/buckets/{bucket}/events", body=body).status == 200

        assert b'"a":1,"b":1.0' in transport.call("GET", f"/api/0/buckets/{bucket}/events").body


@EVERY_WAY
def test_keys_and_tls_of_the_commands_are_all_that_a_client_needs(
    tmp_path: Path, opened: ExitStack, envelope: bool
) -> None:
    database = tmp_path / "days.db"
    tls, key_file = make_certificate(database, "--name", "localhost"), tmp_path / "laptop.key"
    key_file.write_text(create_key(database, "--envelope"))
    flags = ("--port", "0", "--database", str(database), "--tls-cert", tls["certificate"], "--tls-key", tls["key"])
    service = opened.enter_context(Service(*flags, "--require-keys", home=tmp_path))

    url = f"https://localhost:{service.port}"
    client = opened.enter_context(Client.from_key_file(url, key_file, ca_file=tls["ca"], envelope=envelope))

    assert client.create_bucket("window", type="t", client="c", hostname="h")
    assert client.heartbeat("window", at(0, app="a"), 5) == at(0, id=1, app="a")
    assert client.count("window") == 1
