"""Keys and aliases: a watcher's key for the old id keeps recording, and no key reads what its names do not cover."""

from secrets import token_hex
from typing import Final

import pytest

from tests.access.watching import Watcher, events, heartbeat
from tests.support.calls.clients import DAY
from tests.support.keyed_server import KeyedServer

READS: Final = ("", "/events", "/events/count", "/events/{event}", "/export")


class Renamed:
    """A bucket with an event, and its old id."""

    def __init__(self, server: KeyedServer) -> None:
        self.server = server
        self.old, self.new = f"old-{token_hex(3)}", f"new-{token_hex(3)}"
        server.create(self.old)
        self.event = server.as_owner("POST", f"/api/0/buckets/{self.old}/events", heartbeat("09:00:00")).json["id"]
        answer = server.as_owner("POST", f"/api/1/buckets/{self.old}/rename", {"id": self.new})
        assert answer.status == 200, answer.body
        self.undo: int = answer.json["undo"]

    def reads(self, key: str, bucket_id: str) -> set[int]:
        """What all ways of reading it are answered with."""
        paths = [f"/api/0/buckets/{bucket_id}{path}".replace("{event}", str(self.event)) for path in READS]
        return {self.server.with_key(key, "GET", path).status for path in paths}

    def query(self, key: str, bucket_id: str) -> int:
        body = {"query": [f'RETURN = query_bucket("{bucket_id}");'], "timeperiods": [DAY]}
        return self.server.with_key(key, "POST", "/api/0/query/", body).status


@pytest.fixture
def renamed(keyed: KeyedServer) -> Renamed:
    return Renamed(keyed)


def test_a_watcher_with_a_key_for_the_old_id_continues(keyed: KeyedServer, renamed: Renamed) -> None:
    key, path = keyed.key("append", renamed.old), f"/api/0/buckets/{renamed.old}"
    fields = {"type": "t", "client": "c", "hostname": "h"}
    once = {"Idempotency-Key": token_hex(4)}  # not for the fast path

    assert keyed.with_key(key, "POST", path, fields).status == 304
    with Watcher(keyed, renamed.old, key) as watcher:
        assert [watcher.beat().status for _ in range(3)] == [200] * 3
    assert keyed.with_key(key, "POST", f"{path}/events", [heartbeat("11:00:00")]).status == 200
    beat = keyed.with_key(key, "POST", f"{path}/heartbeat?pulsetime=5", heartbeat("12:00:00"), headers=once)
    assert beat.status == 200
    assert len(events(keyed, renamed.new)) == 4
    other = keyed.with_key(key, "POST", f"/api/0/buckets/{renamed.new}/heartbeat?pulsetime=5", heartbeat("12:00:00"))
    assert other.status == 403


def test_a_heartbeat_that_is_dropped_is_answered_under_the_alias_too(keyed: KeyedServer, renamed: Renamed) -> None:
    key = keyed.key("append", renamed.old)
    rule = {"buckets": [renamed.new], "field": "app", "pattern": "hidden", "action": "drop"}
    keyed.as_owner("PUT", "/api/1/privacy/rules", [rule])
    try:
        path = f"/api/0/buckets/{renamed.old}/heartbeat?pulsetime=5"
        answer = keyed.with_key(key, "POST", path, heartbeat("12:00:00", app="hidden"))
    finally:
        keyed.as_owner("PUT", "/api/1/privacy/rules", [])

    assert (answer.status, answer.json["id"]) == (200, None)


@pytest.mark.parametrize("scope", ["read", "full"])
def test_a_key_for_the_old_id_alone_reads_nothing(keyed: KeyedServer, renamed: Renamed, scope: str) -> None:
    key = keyed.key(scope, renamed.old)

    assert renamed.reads(key, renamed.old) == {404}
    assert renamed.reads(key, renamed.new) == {404}
    assert renamed.query(key, renamed.old) == 400
    assert keyed.with_key(key, "GET", "/api/0/buckets/").json == {}
    assert keyed.with_key(key, "GET", "/api/1/aliases").json == []


@pytest.mark.parametrize("scope", ["read", "full"])
def test_a_key_for_the_new_id_alone_knows_no_alias(keyed: KeyedServer, renamed: Renamed, scope: str) -> None:
    key = keyed.key(scope, renamed.new)

    assert renamed.reads(key, renamed.new) == {200}
    assert renamed.reads(key, renamed.old) == {404}
    assert (renamed.query(key, renamed.new), renamed.query(key, renamed.old)) == (200, 400)
    assert keyed.with_key(key, "GET", "/api/1/aliases").json == []


def test_a_key_for_both_uses_either(keyed: KeyedServer, renamed: Renamed) -> None:
    key = keyed.key("read", renamed.old, renamed.new)

    assert renamed.reads(key, renamed.old) == renamed.reads(key, renamed.new) == {200}
    assert renamed.query(key, renamed.old) == 200
    assert [alias["id"] for alias in keyed.with_key(key, "GET", "/api/1/aliases").json] == [renamed.old]


def test_a_full_key_for_the_old_id_alone_changes_nothing_but_by_recording(keyed: KeyedServer, renamed: Renamed) -> None:
    key, path = keyed.key("full", renamed.old), f"/api/0/buckets/{renamed.old}"
    before = events(keyed, renamed.new)

    refused = [
        keyed.with_key(key, "PUT", path, {"hostname": "x"}),
        keyed.with_key(key, "DELETE", path),
        keyed.with_key(key, "DELETE", f"{path}/events/{renamed.event}"),
        keyed.with_key(key, "POST", f"{path}/events", [heartbeat("09:30:00", id=renamed.event)]),
        keyed.with_key(key, "POST", f"/api/1/buckets/{renamed.old}/rename", {"id": renamed.old + "x"}),
        keyed.with_key(key, "DELETE", f"/api/1/aliases/{renamed.old}"),
        keyed.with_key(key, "POST", f"/api/1/undo/{renamed.undo}"),
    ]

    assert {answer.status for answer in refused} == {404}
    assert events(keyed, renamed.new) == before
    assert keyed.with_key(key, "POST", f"{path}/events", [heartbeat("11:00:00")]).status == 200


def test_a_bound_key_renames_within_its_names(keyed: KeyedServer, renamed: Renamed) -> None:
    key = keyed.key("full", "new-*")
    path = f"/api/1/buckets/{renamed.new}/rename"

    assert keyed.with_key(key, "POST", path, {"id": "elsewhere"}).status == 403
    done = keyed.with_key(key, "POST", path, {"id": f"{renamed.new}-2"})
    assert done.status == 200
    assert keyed.with_key(key, "POST", f"/api/1/undo/{done.json['undo']}").status == 200


def test_a_key_for_a_bucket_that_was_merged_records_and_reads_nothing_of_the_other(keyed: KeyedServer) -> None:
    mine, other = f"mine-{token_hex(3)}", f"other-{token_hex(3)}"
    for bucket_id in (mine, other):
        keyed.create(bucket_id)
        keyed.as_owner("POST", f"/api/0/buckets/{bucket_id}/events", [heartbeat("09:00:00", app=bucket_id)])
    read, full = keyed.key("read", mine), keyed.key("full", mine)
    both = keyed.key("full", mine, other)
    path = f"/api/1/buckets/{mine}/merge"

    for body in ({"into": other}, {"into": other, "dry_run": True}):
        assert keyed.with_key(full, "POST", path, body).status == 404
    merged = keyed.with_key(both, "POST", path, {"into": other})

    assert (merged.status, merged.json["moved"]) == (200, 1)
    for key in (read, full):
        assert keyed.with_key(key, "GET", f"/api/0/buckets/{mine}/events").status == 404
        assert keyed.with_key(key, "GET", "/api/0/export").json == {"buckets": {}}
    assert keyed.with_key(full, "POST", f"/api/0/buckets/{mine}/events", [heartbeat("11:00:00")]).status == 200
    assert keyed.with_key(full, "GET", "/api/1/trash").json == []
    assert keyed.with_key(full, "POST", f"/api/1/undo/{merged.json['undo']}").status == 404
    assert keyed.with_key(both, "POST", f"/api/1/undo/{merged.json['undo']}").status == 200
    assert [event["data"]["app"] for event in events(keyed, mine)] == [mine]


def test_a_bound_key_moves_a_bucket_to_ids_of_its_own_alone(keyed: KeyedServer) -> None:
    bucket_id = f"watcher-{token_hex(3)}_laptop"
    keyed.create(bucket_id, hostname="laptop")
    key, path = keyed.key("full", "watcher-*_laptop"), f"/api/1/buckets/{bucket_id}/rehost"

    assert keyed.with_key(key, "POST", path, {"hostname": "desktop"}).status == 403
    assert keyed.with_key(key, "POST", path, {"hostname": "desktop", "rename": False}).status == 200
