"""Keys to the data of people by name: who makes them, who sees them, and all the ways in which they are shown."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.support.calls.listening import OpenStream, beat
from tests.support.calls.sealing import opened, sealed, send_sealed
from tests.support.keyed_server import Browser, KeyedServer
from tests.support.postgres.cluster import Cluster
from tests.support.postgres.servers import Person, PostgresServer, SharedServer
from tests.support.server import Answer, RunningServer
from tests.support.waiting import eventually

EVENT = {"timestamp": "2026-02-03T08:00:00Z", "duration": 1, "data": {"title": "x"}}


@pytest.fixture(scope="module")
def shared(postgres: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SharedServer]:
    with SharedServer(postgres.new_database(), tmp_path_factory.mktemp("shared")) as server:
        yield server


def new_key(server: KeyedServer, key: str, **fields: object) -> Answer:
    return server.with_key(key, "POST", "/api/1/keys", {"name": "k", "scope": "full", **fields})


def ids(answer: Answer) -> set[str]:
    return {key["id"] for key in answer.json}


def test_the_maintainer_makes_keys_for_any_tenant(shared: SharedServer) -> None:
    made = shared.made_key("full", tenant="anna")
    operator = shared.key("full")

    assert made["tenant"] == "anna"
    assert new_key(shared, operator, tenant="bert").json["tenant"] == "bert"
    assert "tenant" not in new_key(shared, operator).json


def test_a_person_makes_keys_for_their_own_data_alone(shared: SharedServer) -> None:
    ann = Person(shared)

    assert new_key(shared, ann.key).json["tenant"] == ann.tenant
    assert new_key(shared, ann.key, tenant=ann.tenant).json["tenant"] == ann.tenant
    refused = new_key(shared, ann.key, tenant="bob")
    assert refused.status == 403
    assert refused.message == f"this key belongs to tenant {ann.tenant!r} and cannot create keys for tenant 'bob'"


def test_a_person_sees_revokes_and_rotates_their_own_keys_alone(shared: SharedServer) -> None:
    ann, bob, operator = Person(shared), Person(shared, "bob"), shared.made_key("full")

    assert ids(ann.call("GET", "/api/1/keys")) == {ann.key_id}
    for other in (bob.key_id, operator["id"]):
        assert ann.call("DELETE", f"/api/1/keys/{other}").status == 404
        assert ann.call("POST", f"/api/1/keys/{other}/rotate", {}).status == 404
    rotated = ann.done("POST", f"/api/1/keys/{ann.key_id}/rotate", {}).json
    assert rotated["tenant"] == ann.tenant
    assert shared.with_key(rotated["key"], "GET", "/api/0/buckets/").json == {}
    assert {ann.key_id, rotated["id"], bob.key_id, operator["id"]} <= ids(shared.as_owner("GET", "/api/1/keys"))
    assert shared.as_owner("DELETE", f"/api/1/keys/{rotated['id']}").json["tenant"] == ann.tenant
    assert shared.with_key(rotated["key"], "GET", "/api/0/buckets/").status == 401
    assert bob.get("/api/0/buckets/") == {}


@pytest.mark.parametrize("name", ["", "Anna", "an na", ".anna", "anna\n", "anna'", "a" * 65, 7])
def test_what_is_no_name_makes_no_key(shared: SharedServer, name: object) -> None:
    assert new_key(shared, shared.owner, tenant=name).status == 422


def test_a_key_for_some_buckets_is_for_those_of_its_person(shared: SharedServer) -> None:
    ann, bob = Person(shared), Person(shared, "bob")
    for person in (ann, bob):
        person.create("window")
        person.create("other")
    some = shared.key("read", "window", tenant=bob.tenant)

    assert list(shared.with_key(some, "GET", "/api/0/buckets/").json) == ["window"]
    bob.checked(shared.with_key(some, "GET", "/api/1/buckets"))
    assert shared.with_key(some, "GET", "/api/0/log").status == 403


def test_the_first_call_may_be_a_heartbeat(shared: SharedServer) -> None:
    key = shared.key("append", tenant=f"first{shared.port}")

    answer = shared.with_key(key, "POST", "/api/0/buckets/none/heartbeat?pulsetime=1", EVENT)

    assert answer.status == 404  # there is no such bucket, which only those know who have looked
    body = {"client": "c", "type": "t", "hostname": "h"}
    assert shared.with_key(key, "POST", "/api/0/buckets/none", body).status == 200
    assert shared.with_key(key, "POST", "/api/0/buckets/none/heartbeat?pulsetime=1", EVENT).json["id"] == 1


def test_a_browser_that_signs_in_with_a_key_sees_the_data_of_its_person(shared: SharedServer) -> None:
    ann, bob = Person(shared), Person(shared, "bob")
    ann.create("of-ann")
    first, second, other = Browser(shared), Browser(shared), Browser(shared)
    first.sign_in(key=ann.key)
    second.sign_in(key=ann.key)
    other.sign_in(key=bob.key)

    assert list(first.call("GET", "/api/0/buckets/").json) == ["of-ann"]
    assert other.call("GET", "/api/0/buckets/").json == {}
    assert first.call("POST", "/api/1/session/codes").status == 403
    assert [one["is_current"] for one in first.call("GET", "/api/1/sessions").json] == [True, False]
    [session] = other.call("GET", "/api/1/sessions").json
    assert first.call("DELETE", f"/api/1/sessions/{session['id']}").status == 404
    assert first.call("POST", f"/api/1/sessions/{session['id']}/confirm").status == 404
    assert first.call("DELETE", "/api/1/session/others").json == {"ended": 1}
    assert second.call("GET", "/api/0/buckets/").status == 401
    assert other.call("GET", "/api/0/buckets/").json == {}
    assert first.call("DELETE", "/api/1/sessions").json == {"ended": 1}
    assert other.call("GET", "/api/0/buckets/").json == {}


def test_an_enveloped_call_is_of_the_person_of_its_key(shared: SharedServer) -> None:
    ann = Person(shared)
    ann.create("of-ann")
    made = shared.made_key("full", tenant=ann.tenant, envelope=True)
    key = str(made["key"])

    def sent(method: str, path: str, **fields: Any) -> Any:
        return opened(send_sealed(shared, sealed(method, path, key=key, **fields)), key)

    assert list(msgspec.json.decode(sent("GET", "/api/0/buckets/").body)) == ["of-ann"]
    assert sent("GET", "/api/0/log").status == 403
    assert sent("GET", "/api/0/buckets/", time=datetime.now(UTC) - timedelta(hours=1)).status == 401
    lines = ann.get("/api/1/audit?refused=1")["lines"]
    assert [(line["call"], line["key_id"]) for line in lines] == [
        ("send_enveloped", made["id"]), ("get_log", made["id"])
    ]  # fmt: skip
    assert made["id"] not in shared.as_owner("GET", "/api/1/audit").body.decode()


def test_a_token_of_one_person_is_not_used_up_by_another(shared: SharedServer) -> None:
    for person in (Person(shared), Person(shared, "bob")):
        person.create("window")
        sent = [
            person.call("POST", "/api/0/buckets/window/events", EVENT, headers={"Idempotency-Key": "same"})
            for _ in range(2)
        ]
        assert [answer.status for answer in sent] == [200, 409]


def test_a_stream_sends_only_the_data_of_its_tenant(shared: SharedServer) -> None:
    ann, bob = Person(shared), Person(shared, "bob")
    for person in (ann, bob):
        person.create("window", type="currentwindow")
    with OpenStream(shared, key=ann.key) as stream:
        before = stream.next("hello").data["revision"]
        for _ in range(5):
            beat(shared, "window", f"of {bob.mark}", key=bob.key)
        bob.done("POST", "/api/0/settings/theme", bob.mark)
        bob.create("another")
        bob.done("POST", "/api/0/import", {"buckets": {}})
        beat(shared, "window", f"of {ann.mark}", key=ann.key)

        reported = stream.next("bucket")
        while stream.next("now").data["devices"][0]["title"] != f"of {ann.mark}":
            pass
        assert reported.data == {"id": "window", "change": "recorded"}
        heard = [reported, *stream.passed()]
        assert bob.mark not in str(heard)
        assert {message.data["revision"] for message in heard if message.event == "revision"} <= {before + 1}


def test_a_resumed_stream_does_not_get_what_another_has_missed(shared: SharedServer) -> None:
    ann, bob = Person(shared), Person(shared, "bob")
    for person in (ann, bob):
        person.create("window")
    with OpenStream(shared, key=ann.key) as stream:
        hello = stream.next("hello")
    beat(shared, "window", ann.mark, key=ann.key)

    with OpenStream(shared, key=bob.key, last_id=hello.id) as stream:
        assert stream.next().data["resumed"] is False
        assert stream.next().event == "reset"


def test_the_keys_rules_and_news_of_a_person_reach_the_other_servers(postgres: Cluster, tmp_path: Path) -> None:
    address = postgres.new_database()
    with SharedServer(address, tmp_path / "one") as one, SharedServer(address, tmp_path / "two") as two:
        ann = Person(one)
        ann.create("window")
        eventually(lambda: ann.call("GET", "/api/0/buckets/", through=two).status == 200)
        assert list(ann.call("GET", "/api/0/buckets/", through=two).json) == ["window"]

        rule = {"field": "title", "pattern": "secret", "action": "redact", "replacement": f"hidden {ann.mark}"}
        ann.done("PUT", "/api/1/privacy/rules", [rule])
        eventually(lambda: ann.mark in str(ann.call("GET", "/api/1/privacy/rules", through=two).json))
        with OpenStream(one, key=ann.key) as stream:
            stream.next("hello")
            beat(two, "window", "secret", key=ann.key)
            assert stream.next("bucket").data["id"] == "window"
        [event] = ann.get("/api/0/buckets/window/events")
        assert event["data"]["title"] == f"hidden {ann.mark}"

        ann.done("DELETE", f"/api/1/keys/{ann.key_id}")
        eventually(lambda: ann.call("GET", "/api/0/buckets/", through=two).status == 401)


def test_a_server_without_keys_rejects_an_expired_key(postgres: Cluster, tmp_path: Path) -> None:
    with PostgresServer(postgres.new_database(), tmp_path) as server:
        made = server.post("/api/1/keys", {"name": "k", "scope": "full", "tenant": "anna"}).json
        shown = {"Authorization": f"Bearer {made['key']}"}
        server.create("of-owner")
        assert server.get("/api/0/buckets/", **shown).json == {}
        server.call("DELETE", f"/api/1/keys/{made['id']}")

        assert server.get("/api/0/buckets/", **shown).status == 401
        assert list(server.get("/api/0/buckets/").json) == ["of-owner"]
        assert list(server.get("/api/0/buckets/", Authorization="Bearer of another server").json) == ["of-owner"]


def test_a_file_holds_the_data_of_one_person(server: RunningServer) -> None:
    answer = server.post("/api/1/keys", {"name": "k", "scope": "full", "tenant": "anna"})

    assert (answer.status, answer.json["field"]) == (422, "tenant")
    assert answer.message == "an SQLite database has a single tenant; it has no tenant 'anna'"
    assert server.get("/api/1/keys").json == []
