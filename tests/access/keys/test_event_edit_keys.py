"""Changing events by hand with keys that are for some buckets, or for recording only."""

import pytest

from tests.access.watching import heartbeat
from tests.support.keyed_server import KeyedServer

MINE = "mine"
FOREIGN = "foreign"


@pytest.fixture
def event_ids(keyed: KeyedServer) -> dict[str, int]:
    """An event in each of two buckets."""
    made: dict[str, int] = {}
    for name in (MINE, FOREIGN):
        keyed.create(name)
        sent = heartbeat("10:00:00", duration=60)
        made[name] = keyed.as_owner("POST", f"/api/0/buckets/{name}/events", sent).json["id"]
    return made


def statuses(keyed: KeyedServer, key: str, bucket: str, event_id: int) -> list[int]:
    """What each call is answered with; nothing lasts but the deletion at the end."""
    path = f"/api/1/events/{bucket}/{event_id}"
    calls: list[tuple[str, str, object]] = [
        ("GET", path, None),
        ("GET", f"/api/1/buckets/{bucket}/events", None),
        ("PATCH", path, {"duration": 50}),
        ("POST", f"{path}/split", {"at": "2026-01-01T10:00:10Z"}),
        ("POST", "/api/1/events/delete", {"bucket": bucket, "ids": [event_id], "dry_run": True}),
        ("POST", "/api/1/events/delete", {"bucket": bucket, "ids": [event_id]}),
    ]
    return [keyed.with_key(key, method, target, body).status for method, target, body in calls]


def test_a_key_for_one_bucket_changes_events_of_that_one_alone(keyed: KeyedServer, event_ids: dict[str, int]) -> None:
    key = keyed.key("full", MINE)

    assert statuses(keyed, key, MINE, event_ids[MINE]) == [200] * 6
    assert statuses(keyed, key, FOREIGN, event_ids[FOREIGN]) == [404] * 6


def test_an_event_of_another_bucket_is_not_reached_through_ones_own(
    keyed: KeyedServer, event_ids: dict[str, int]
) -> None:
    key = keyed.key("full", MINE)
    path = f"/api/1/events/{MINE}/{event_ids[FOREIGN]}"
    selector = {"bucket": MINE, "ids": [event_ids[FOREIGN]]}

    assert keyed.with_key(key, "PATCH", path, {"duration": 1}).status == 404
    assert keyed.with_key(key, "POST", "/api/1/events/delete", selector).json["events"] == 0


def test_a_key_for_one_bucket_does_not_learn_when_something_happens_in_another(
    keyed: KeyedServer, event_ids: dict[str, int]
) -> None:
    path = f"/api/1/events/{MINE}/{event_ids[MINE]}"

    assert "revision" not in keyed.with_key(keyed.key("read", MINE), "GET", path).headers
    assert "revision" not in keyed.with_key(keyed.key("full", MINE), "PATCH", path, {"duration": 9}).headers
    assert "revision" in keyed.with_key(keyed.key("read"), "GET", path).headers
    assert "revision" not in keyed.with_key(None, "GET", "/api/1/session").headers


def test_an_undo_needs_a_key_that_may_change_the_bucket(keyed: KeyedServer, event_ids: dict[str, int]) -> None:
    selector = {"bucket": FOREIGN, "ids": [event_ids[FOREIGN]]}
    undo = keyed.as_owner("POST", "/api/1/events/delete", selector).json["undo"]

    assert keyed.with_key(keyed.key("full", MINE), "POST", f"/api/1/undo/{undo}").status == 404
    assert keyed.with_key(keyed.key("full", FOREIGN), "POST", f"/api/1/undo/{undo}").status == 200


@pytest.mark.parametrize("bucket", [MINE, FOREIGN])
def test_a_key_that_may_only_append_changes_and_reads_nothing(
    keyed: KeyedServer, event_ids: dict[str, int], bucket: str
) -> None:
    assert statuses(keyed, keyed.key("append", MINE), bucket, event_ids[bucket]) == [403] * 6


def test_a_key_that_may_only_read_changes_nothing(keyed: KeyedServer, event_ids: dict[str, int]) -> None:
    assert statuses(keyed, keyed.key("read"), MINE, event_ids[MINE]) == [200, 200, 403, 403, 403, 403]
