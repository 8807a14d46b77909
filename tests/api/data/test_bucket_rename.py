"""A bucket that was renamed: every call finds it under its old id too, lists show it once."""

from urllib.parse import quote

import pytest

from tests.api.remote_bucket import RemoteBucket, event
from tests.support.calls.clients import at, results
from tests.support.server import Answer, RunningServer


@pytest.fixture
def filled(bucket: RemoteBucket) -> RemoteBucket:
    bucket.insert(*(event(at(f"10:00:0{n}"), n / 2, {"n": n}) for n in range(5)))
    return bucket


def rename(bucket: RemoteBucket, new_id: object, **more: object) -> Answer:
    return bucket.server.post(f"/api/1/buckets/{quote(bucket.id, safe='')}/rename", {"id": new_id, **more})


def test_undo_gives_a_byte_equal_export_and_the_same_ids(filled: RemoteBucket) -> None:
    before, ids = filled.server.get("/api/0/export").body, filled.ids()
    renamed = rename(filled, f"{filled.id} renamed/with a slash")
    assert (renamed.status, renamed.json["aliases"]) == (200, [filled.id])
    assert filled.server.get("/api/0/export").body != before

    undone = filled.server.post(f"/api/1/undo/{renamed.json['undo']}")

    assert (undone.status, undone.json["kind"]) == (200, "rename_bucket")
    assert (filled.server.get("/api/0/export").body, filled.ids()) == (before, ids)


def test_a_watcher_that_knows_the_old_id_continues(filled: RemoteBucket) -> None:
    new = RemoteBucket(filled.server, f"{filled.id}-new")
    assert rename(filled, new.id).status == 200

    assert filled.create().status == 304
    assert filled.heartbeat(at("10:00:08"), {"n": 4}).json["duration"] == 4
    assert filled.post_events([event(at("11:00:00"))]).status == 200
    assert (filled.ids(), filled.count(), filled.view()) == (new.ids(), new.count(), new.view())
    assert filled.event(filled.ids()[0]).json == new.events()[0]
    assert filled.server.get(f"{filled.path}/export").body == filled.server.get(f"{new.path}/export").body
    assert [name for name in filled.server.get("/api/0/buckets/").json if name.startswith(filled.id)] == [new.id]


def test_queries_find_it_under_both_ids(filled: RemoteBucket) -> None:
    new_id = f"{filled.id}-new"
    rename(filled, new_id)

    program = (
        f'RETURN = [find_bucket("{filled.id}"), query_bucket_eventcount("{filled.id}"), '
        f'query_bucket("{filled.id}"), query_bucket("{new_id}"), query_bucket_names()];'
    )
    [[found, count, by_alias, by_id, names]] = results(filled.server, program)

    assert (found, count) == (new_id, 5)
    assert by_alias == by_id
    assert (new_id in names, filled.id in names) == (True, False)


def test_an_export_under_the_old_id_is_imported_into_the_renamed_bucket(filled: RemoteBucket) -> None:
    export = filled.server.get(f"{filled.path}/export").json
    rename(filled, f"{filled.id}-new")

    report = filled.server.post("/api/0/import", export).json

    assert (report["imported"], report["skipped"]) == (0, 5)


def test_aliases_are_listed_until_they_are_removed(filled: RemoteBucket) -> None:
    rename(filled, f"{filled.id}-new")

    def mine() -> list[tuple[str, str]]:
        listed = filled.server.get("/api/1/aliases").json
        return [(alias["id"], alias["bucket"]) for alias in listed if alias["id"] == filled.id]

    assert mine() == [(filled.id, f"{filled.id}-new")]
    removed = filled.server.call("DELETE", f"/api/1/aliases/{filled.id}")
    assert mine() == []
    assert filled.heartbeat(at("10:00:08")).status == 404
    assert filled.server.call("DELETE", f"/api/1/aliases/{filled.id}").status == 404
    assert filled.server.post(f"/api/1/undo/{removed.json['undo']}").status == 200
    assert mine() == [(filled.id, f"{filled.id}-new")]


def test_what_cannot_be_is_rejected(filled: RemoteBucket, other_bucket: RemoteBucket) -> None:
    taken = rename(filled, other_bucket.id)
    assert (taken.status, taken.message) == (409, f"bucket '{other_bucket.id}' already exists")
    assert [rename(filled, new_id).status for new_id in ("", "a\0b", "x" * 513, None, 7)] == [422] * 5
    assert rename(RemoteBucket(filled.server, "nowhere"), "new").status == 404


def test_privacy_rules_for_either_id_count(shared_server: RunningServer, filled: RemoteBucket) -> None:
    new_id = f"{filled.id}-new"
    rename(filled, new_id)
    rules = [
        {"buckets": [new_id], "field": "title", "pattern": "secret", "action": "redact"},
        {"buckets": [filled.id], "field": "title", "pattern": "private", "action": "drop"},
    ]
    assert shared_server.call("PUT", "/api/1/privacy/rules", rules).status == 200
    try:
        beat = filled.heartbeat(at("12:00:00"), {"title": "secret"})
        inserted = filled.insert(event(at("12:01:00"), 0, {"title": "secret"}))
        dropped = filled.heartbeat(at("12:02:00"), {"title": "private"})
    finally:
        shared_server.call("PUT", "/api/1/privacy/rules", [])

    assert (beat.json["data"], inserted[0]["data"]) == ({"title": "REDACTED"}, {"title": "REDACTED"})
    assert dropped.json["id"] is None
