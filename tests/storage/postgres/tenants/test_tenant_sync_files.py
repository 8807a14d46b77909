"""Files of devices that sync through a server on PostgreSQL: each tenant has a space of its own."""

from collections.abc import Iterator

import pytest

from tests.support.postgres.cluster import Cluster
from tests.support.postgres.servers import SharedServer

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


def test_each_tenant_may_use_the_whole_limit(shared: SharedServer) -> None:
    keys = [shared.made_key("sync", tenant=tenant)["key"] for tenant in ("anna", "bert")]
    for key in keys:
        assert shared.with_key(key, "PUT", HEAD, raw=b"x" * (1 << 19), headers=BYTES).status == 200

    pack = HEAD.replace("head", "a" * 32)
    answer = shared.with_key(keys[0], "PUT", pack, raw=b"x" * (1 << 20), headers=BYTES)
    assert answer.status == 413
    assert "the sync space is full" in answer.message
