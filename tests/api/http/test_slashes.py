"""Trailing and repeated slashes make no difference, and nothing is redirected (protocol 2.1, traps 2)."""

import pytest

from tests.api.remote_bucket import RemoteBucket, event
from tests.support.calls.clients import at

GETS = [
    "/api/0/info",
    "/api/0/log",
    "/api/0/buckets",
    "/api/0/buckets/{id}",
    "/api/0/buckets/{id}/events",
    "/api/0/buckets/{id}/events/count",
    "/api/0/buckets/{id}/events/{event}",
    "/api/0/buckets/{id}/export",
    "/api/0/export",
    "/api/0/settings",
    "/api/0/settings/{id}",
]


@pytest.mark.parametrize("path", GETS)
def test_get_answers_the_same_with_and_without_a_trailing_slash(bucket: RemoteBucket, path: str) -> None:
    [stored] = bucket.insert(event(at("10:00:00")))
    path = path.format(id=bucket.id, event=stored["id"])

    plain, slashed, doubled = (bucket.server.get(path + slashes) for slashes in ("", "/", "//"))

    assert plain.status == slashed.status == doubled.status == 200
    if not path.endswith(("log", "export")):  # the log may grow, and the export of all names other tests' buckets
        assert plain.body == slashed.body == doubled.body


@pytest.mark.parametrize("path", ["//api/0/info", "/api//0///info", "///api/0/info/"])
def test_repeated_slashes_count_as_one(bucket: RemoteBucket, path: str) -> None:
    assert bucket.server.get(path).json["testing"] is False


@pytest.mark.parametrize("slash", ["", "/"])
def test_writes_are_served_with_and_without_a_trailing_slash(bucket: RemoteBucket, slash: str) -> None:
    server, path = bucket.server, bucket.path
    beat, other = event(at("10:00:00")), event(at("11:00:00"))

    assert server.post(f"{path}-{len(slash)}{slash}", {"type": "t", "client": "c", "hostname": "h"}).status == 200
    assert server.post(f"{path}/heartbeat{slash}?pulsetime=5", beat).status == 200
    stored = server.post(f"{path}/events{slash}", [other])
    assert stored.status == 200
    assert server.post(f"/api/0/settings/{bucket.id}{slash}", 1).status == 201
    assert server.post(f"/api/0/import{slash}", {"buckets": {}}).status == 200
    assert server.call("PUT", f"{path}{slash}", {}).status == 200
    assert server.call("DELETE", f"/api/0/settings/{bucket.id}{slash}").status == 200
    assert server.call("DELETE", f"{path}/events/{stored.json[0]['id']}{slash}").json == {"success": True}
    assert server.call("DELETE", f"{path}{slash}").status == 200
