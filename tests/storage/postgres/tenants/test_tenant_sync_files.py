"""Files of devices that sync through a server on PostgreSQL: each tenant has a space of its own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.postgres.cluster import Cluster
from tests.support.postgres.servers import Person, SharedServer
from tests.support.waiting import eventually

HEAD = "/api/1/sync/files/k7f3q2ab/head"
BYTES = {"Content-Type": "application/octet-stream"}


@pytest.fixture(scope="module")
def shared(postgres: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SharedServer]:
    with SharedServer(postgres.new_database(), tmp_path_factory.mktemp("shared"), settings=SETTINGS) as server:
        yield server


SETTINGS = "[limits]\nsync_mib = 1\n"


def test_files_of_tenants_are_separate(shared: SharedServer) -> None:
    keys = [shared.made_key("sync", tenant=tenant)["key"] for tenant in ("anna", "bert")]
    for number, key in enumerate(keys):
        assert shared.with_key(key, "PUT", HEAD, raw=b"head %d" % number, headers=BYTES).status == 200

    for number, key in enumerate(keys):
        assert shared.with_key(key, "GET", HEAD).body == b"head %d" % number
    assert shared.with_key(keys[0], "DELETE", HEAD).status == 200
    assert shared.with_key(keys[0], "GET", "/api/1/sync/files").json == {"devices": {}}
    assert shared.with_key(keys[1], "GET", HEAD).body == b"head 1"
    assert shared.as_owner("GET", "/api/1/sync/files").json == {"devices": {}}


def test_each_tenant_syncs_through_the_server(shared: SharedServer) -> None:
    carla, dora = Person(shared, "carla"), Person(shared, "dora")
    for person, title in ((carla, "Mail of Carla"), (dora, "Mail of Dora")):
        person.create("window")
        event = {"timestamp": "2026-02-03T08:15:31Z", "data": {"title": title}}
        assert person.call("POST", "/api/0/buckets/window/events", event).status == 200

        assert person.call("POST", "/api/1/sync/start", {"location": "this-server"}).status == 200

    devices = [person.call("GET", "/api/1/sync").json["device"] for person in (carla, dora)]
    for person, device in zip((carla, dora), devices, strict=True):
        key = shared.made_key("sync", tenant=person.tenant)["key"]
        assert list(shared.with_key(key, "GET", "/api/1/sync/files").json["devices"]) == [device["id"]]
        assert person.call("POST", "/api/1/sync/verify").json["problem"] is None
    assert shared.as_owner("GET", "/api/1/sync").json["is_on"] is False


def test_a_tenant_syncs_again_after_a_restart(postgres: Cluster, tmp_path: Path) -> None:
    # Only the default tenant did: nothing that the others recorded was published until they called sync themselves.
    address = postgres.new_database()
    with SharedServer(address, tmp_path / "first") as server:
        emma = Person(server, "emma")
        emma.create("window")
        emma.done("POST", "/api/1/sync/start", {"location": "this-server"})

    with SharedServer(address, tmp_path / "second") as server:
        eventually(lambda: emma.call("GET", "/api/1/sync", through=server).json["next_pass"] is not None)


@pytest.mark.parametrize("location", ["/srv/space", "http://127.0.0.1:5600", "webdav+http://a@127.0.0.1/x"])
def test_a_tenant_reaches_nothing_else_from_the_server(shared: SharedServer, location: str) -> None:
    anna, invite = Person(shared, "anna"), "dayline-sync_k7f3q2ab_x"
    for name in ("start", "preview", "join"):
        answer = anna.call("POST", f"/api/1/sync/{name}", {"location": location, "invite": invite})

        assert (answer.status, answer.message) == (422, "a tenant of this server can sync only through it")


def test_each_tenant_may_use_the_whole_limit(shared: SharedServer) -> None:
    keys = [shared.made_key("sync", tenant=tenant)["key"] for tenant in ("anna", "bert")]
    for key in keys:
        assert shared.with_key(key, "PUT", HEAD, raw=b"x" * (1 << 19), headers=BYTES).status == 200

    pack = HEAD.replace("head", "a" * 32)
    answer = shared.with_key(keys[0], "PUT", pack, raw=b"x" * (1 << 20), headers=BYTES)
    assert answer.status == 413
    assert "the sync space is full" in answer.message
