"""A key ends at once when it is revoked, at its time when it expires, and after its grace when it is rotated.

Each also for a watcher on a kept connection, whose head the server has read before and does not read again.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.access.keys.clocked_server import ClockedServer
from tests.access.watching import Watcher, events
from tests.support.calls.clients import each_path
from tests.support.keyed_server import KeyedServer
from tests.support.waiting import eventually


def soon(milliseconds: int) -> str:
    return (datetime.now(UTC) + timedelta(milliseconds=milliseconds)).isoformat()


@pytest.fixture(scope="module")
def clocked_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ClockedServer]:
    with ClockedServer(tmp_path_factory.mktemp("clocked") / "days.db") as server:
        yield server


@pytest.fixture
def clocked(clocked_server: ClockedServer) -> ClockedServer:
    """A server whose clock goes right at first."""
    clocked_server.set_ahead(timedelta(0))
    return clocked_server


def revoke(server: KeyedServer, made: dict[str, Any]) -> dict[str, Any]:
    answer = server.as_owner("DELETE", f"/api/1/keys/{made['id']}")
    assert answer.status == 200, answer.body
    view: dict[str, Any] = answer.json
    return view


def rotate(server: KeyedServer, made: dict[str, Any], **body: object) -> dict[str, Any]:
    answer = server.as_owner("POST", f"/api/1/keys/{made['id']}/rotate", body)
    assert answer.status == 201, answer.body
    new: dict[str, Any] = answer.json
    return new


def status(server: KeyedServer, key: str) -> int:
    return server.with_key(key, "GET", "/api/0/buckets/").status


def view(server: KeyedServer, key_id: str) -> dict[str, Any]:
    [found] = [key for key in server.as_owner("GET", "/api/1/keys").json if key["id"] == key_id]
    listed: dict[str, Any] = found
    return listed


def test_revoked_key_opens_nothing_at_once(keyed: KeyedServer) -> None:
    made = keyed.made_key("read")
    assert status(keyed, made["key"]) == 200

    reported = revoke(keyed, made)

    assert (reported["is_active"], reported["revoked"] is not None) == (False, True)
    assert status(keyed, made["key"]) == 401


def test_revoking_twice_changes_nothing(keyed: KeyedServer) -> None:
    made = keyed.made_key("read")

    assert revoke(keyed, made) == revoke(keyed, made)


def test_key_may_revoke_itself(keyed: KeyedServer) -> None:
    made = keyed.made_key("full")

    assert keyed.with_key(made["key"], "DELETE", f"/api/1/keys/{made['id']}").status == 200
    assert status(keyed, made["key"]) == 401


@each_path
def test_revoked_key_sends_no_heartbeat(keyed: KeyedServer, content_type: str) -> None:
    keyed.create("revoked")
    made = keyed.made_key("append", "revoked")
    path, beat = "/api/0/buckets/revoked/heartbeat?pulsetime=5", {"timestamp": "2026-01-01T10:00:00Z"}
    headers = {"Content-Type": content_type}
    assert keyed.with_key(made["key"], "POST", path, beat, headers=headers).status == 200

    revoke(keyed, made)

    assert keyed.with_key(made["key"], "POST", path, beat, headers=headers).status == 401


def test_watcher_on_a_kept_connection_is_refused_at_once_when_its_key_is_revoked(keyed: KeyedServer) -> None:
    keyed.create("kept-revoked")
    made = keyed.made_key("append", "kept-revoked")
    with Watcher(keyed, "kept-revoked", made["key"]) as watcher:
        assert [watcher.beat().status for _ in range(3)] == [200, 200, 200]
        before = events(keyed, "kept-revoked")

        revoke(keyed, made)

        assert [watcher.beat().status for _ in range(3)] == [401, 401, 401]
    assert events(keyed, "kept-revoked") == before


def test_watcher_on_a_kept_connection_continues_when_another_key_is_revoked(keyed: KeyedServer) -> None:
    keyed.create("kept-going")
    mine, other = keyed.made_key("append", "kept-going"), keyed.made_key("append", "kept-going")
    with Watcher(keyed, "kept-going", mine["key"]) as watcher:
        assert watcher.beat().status == watcher.beat().status == 200

        revoke(keyed, other)

        assert watcher.beat().status == watcher.beat().status == 200


def test_expired_key_opens_nothing(clocked: ClockedServer) -> None:
    made = clocked.made_key("read", expires=soon(3_600_000))
    assert status(clocked, made["key"]) == 200

    clocked.set_ahead(timedelta(hours=2))
    eventually(lambda: status(clocked, made["key"]) == 401)

    reported = view(clocked, made["id"])
    assert (reported["is_active"], reported["revoked"]) == (False, None)


def test_watcher_on_a_kept_connection_is_refused_when_its_key_expires(clocked: ClockedServer) -> None:
    clocked.create("kept-expired")
    made = clocked.made_key("append", "kept-expired", expires=soon(3_600_000))
    with Watcher(clocked, "kept-expired", made["key"]) as watcher:
        assert watcher.beat().status == watcher.beat().status == 200

        clocked.set_ahead(timedelta(hours=2))
        eventually(lambda: watcher.beat().status == 401)

        before = events(clocked, "kept-expired")
        assert watcher.beat().status == 401
        assert events(clocked, "kept-expired") == before


def test_rotated_key_ends_at_once_without_grace(keyed: KeyedServer) -> None:
    old = keyed.made_key("append", "a", "b-*", name="watcher", envelope=True)

    new = rotate(keyed, old)

    assert new["key"] != old["key"]
    assert new["id"] != old["id"]
    reported = ("name", "scope", "buckets", "envelope", "expires")
    assert {field: new[field] for field in reported} == {field: old[field] for field in reported}
    assert (view(keyed, old["id"])["is_active"], view(keyed, new["id"])["is_active"]) == (False, True)
    path = "/api/0/buckets/a"
    body = {"client": "test", "type": "test", "hostname": "test"}
    assert keyed.with_key(old["key"], "POST", path, body).status == 401
    assert keyed.with_key(new["key"], "POST", path, body).status == 200


def test_both_keys_work_during_the_grace_and_the_new_one_after_it(clocked: ClockedServer) -> None:
    old = clocked.made_key("read")

    new = rotate(clocked, old, grace_s=3600)

    assert (status(clocked, old["key"]), status(clocked, new["key"])) == (200, 200)
    clocked.set_ahead(timedelta(hours=2))
    eventually(lambda: status(clocked, old["key"]) == 401)
    assert status(clocked, new["key"]) == 200


def test_grace_does_not_lengthen_the_life_of_a_key(keyed: KeyedServer) -> None:
    old = keyed.made_key("read", expires=soon(60_000))

    rotate(keyed, old, grace_s=3600)

    assert view(keyed, old["id"])["expires"] == old["expires"]


def test_lifetime_starts_again_with_the_new_key(keyed: KeyedServer) -> None:
    old = keyed.made_key("read", expires=soon(3_600_000))

    new = rotate(keyed, old)

    lifetimes = [
        datetime.fromisoformat(made["expires"]) - datetime.fromisoformat(made["created"]) for made in (old, new)
    ]
    assert abs(lifetimes[0] - lifetimes[1]) < timedelta(milliseconds=1)  # both by the clock of the server
    assert new["created"] > old["created"]


def test_watcher_on_a_kept_connection_is_refused_when_its_key_is_rotated(keyed: KeyedServer) -> None:
    keyed.create("kept-rotated")
    made = keyed.made_key("append", "kept-rotated")
    with Watcher(keyed, "kept-rotated", made["key"]) as watcher:
        assert watcher.beat().status == watcher.beat().status == 200

        new = rotate(keyed, made)

        assert watcher.beat().status == 401
    with Watcher(keyed, "kept-rotated", new["key"]) as watcher:
        assert watcher.beat().status == 200


@pytest.mark.parametrize("ending", ["revoked", "rotated"])
def test_key_made_at_the_same_time_is_not_touched(keyed: KeyedServer, ending: str) -> None:
    one, other = keyed.made_key("read"), keyed.made_key("read")

    if ending == "revoked":
        revoke(keyed, one)
    else:
        rotate(keyed, one)

    assert (status(keyed, one["key"]), status(keyed, other["key"])) == (401, 200)
