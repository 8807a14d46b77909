"""`/api/1/keys`: a key is shown once, kept as a salted hash, and described to its owner."""

import hashlib
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import apsw
import pytest

from dayline.envelope.keys import EnvelopeKeys
from tests.access.keys.traces import files_holding
from tests.access.watching import heartbeat
from tests.support.keyed_server import KeyedServer
from tests.support.server import Answer

UNKNOWN_ID = "aaaaaaaa"


def listed(server: KeyedServer, key_id: str) -> dict[str, Any]:
    """What the list says of a key."""
    answer = server.as_owner("GET", "/api/1/keys")
    assert answer.status == 200, answer.body
    [found] = [key for key in answer.json if key["id"] == key_id]
    view: dict[str, Any] = found
    return view


def stored(database: Path, key_id: str) -> tuple[bytes, bytes, bytes | None]:
    """Salt, digest and envelope key of a key, as they stand in the file."""
    db = apsw.Connection(str(database), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        row = db.execute("SELECT salt, digest, envelope_key FROM access_key WHERE id = ?", (key_id,)).fetchone()
    finally:
        db.close()
    assert row is not None
    salt, digest, envelope_key = row
    assert isinstance(salt, bytes)
    assert isinstance(digest, bytes)
    return salt, digest, None if envelope_key is None else bytes(envelope_key)


def secret_of(made: dict[str, Any]) -> str:
    """The part of a key that no one else knows."""
    return str(made["key"]).partition(f"_{made['id']}_")[2]


def make(server: KeyedServer, **fields: object) -> Answer:
    return server.as_owner("POST", "/api/1/keys", {"name": "laptop", "scope": "append", **fields})


def test_key_begins_with_what_secret_scanners_look_for_and_names_its_id(keyed: KeyedServer) -> None:
    made = keyed.made_key("append", "a")

    assert re.fullmatch(r"dayline_[a-z2-7]{8}_[A-Za-z0-9_-]{43}", made["key"])
    assert made["key"].split("_")[1] == made["id"]


def test_key_is_reported_when_it_is_made_and_never_again(keyed: KeyedServer) -> None:
    made = keyed.made_key("full", name="reported once")
    keyed.with_key(made["key"], "GET", "/api/0/buckets/")
    rotated = keyed.with_key(made["key"], "POST", f"/api/1/keys/{made['id']}/rotate", {"grace_s": 60}).json

    for path in ("/api/1/keys", "/api/1/audit", "/api/0/log", "/api/0/export"):
        body = keyed.as_owner("GET", path).body.decode()
        assert secret_of(made) not in body
        assert secret_of(rotated) not in body
    assert files_holding(keyed.database.parent, secret_of(made), secret_of(rotated)) == set()


def test_answer_with_a_key_is_never_cached(keyed: KeyedServer) -> None:
    assert make(keyed).headers["cache-control"] == "no-store"


def test_what_is_kept_is_a_hash_with_a_salt_of_its_own(keyed: KeyedServer) -> None:
    one, other = keyed.made_key("read"), keyed.made_key("read")

    (salt, digest, envelope_key), (other_salt, other_digest, _) = (
        stored(keyed.database, made["id"]) for made in (one, other)
    )

    assert digest == hashlib.sha256(salt + one["key"].encode()).digest()
    assert len(salt) == 16
    assert salt != other_salt
    assert digest != other_digest
    assert envelope_key is None


def test_key_for_envelopes_keeps_what_they_are_opened_with_and_nothing_more(keyed: KeyedServer) -> None:
    made = keyed.made_key("read", envelope=True)

    _, _, envelope_key = stored(keyed.database, made["id"])

    assert made["envelope"] is True
    assert envelope_key == EnvelopeKeys.of_text(made["key"]).stored


def test_list_describes_every_key_in_order_of_creation(keyed: KeyedServer) -> None:
    tomorrow = (datetime.now(UTC) + timedelta(days=1)).replace(microsecond=0)
    first = keyed.made_key("append", "a", "b-*", name="first", expires=tomorrow.isoformat())
    second = keyed.made_key("full", name="second")

    ids = [key["id"] for key in keyed.as_owner("GET", "/api/1/keys").json]
    view = listed(keyed, first["id"])

    assert ids.index(first["id"]) + 1 == ids.index(second["id"])
    assert view == {
        "id": first["id"],
        "name": "first",
        "scope": "append",
        "buckets": ["a", "b-*"],
        "envelope": False,
        "is_active": True,
        "created": first["created"],
        "expires": tomorrow.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "revoked": None,
        "last_used": None,
        "last_address": None,
    }


@pytest.mark.parametrize("method", ["POST", "DELETE"])
def test_last_use_is_reported_whatever_the_key_was_used_for(keyed: KeyedServer, method: str) -> None:
    # Something that destroys is written to the audit log on its own; it counts as a use all the same.
    bucket_id = f"used-{method}"
    keyed.create(bucket_id)
    made = keyed.made_key("full", bucket_id)
    body = heartbeat("10:00:00") if method == "POST" else None
    path = f"/api/0/buckets/{bucket_id}" + ("/heartbeat?pulsetime=5" if method == "POST" else "")
    before = datetime.now(UTC)

    assert keyed.with_key(made["key"], method, path, body).status == 200

    view = listed(keyed, made["id"])
    assert before <= datetime.fromisoformat(view["last_used"]) <= datetime.now(UTC)
    assert view["last_address"] == "127.0.0.1"


@pytest.mark.parametrize(
    ("names", "inside", "outside"),
    [
        (["exact"], ["exact"], ["exact2", "Exact", "xexact"]),
        (["pre-*"], ["pre-", "pre-a", "pre-a_b"], ["pre", "xpre-a"]),
        (["*_laptop"], ["_laptop", "aw_laptop"], ["aw_laptop2", "laptop"]),
        (["aw-*_laptop"], ["aw-_laptop", "aw-window_laptop"], ["aw-window_desk", "aw-laptop"]),
        (["a.c"], ["a.c"], ["abc"]),
        (["one", "two-*"], ["one", "two-x"], ["three"]),
    ],
)
def test_bucket_names_are_ids_or_hold_a_star_for_any_characters(
    keyed: KeyedServer, names: list[str], inside: list[str], outside: list[str]
) -> None:
    key = keyed.key("append", *names)
    fields = {"client": "test", "type": "test", "hostname": "test"}

    for bucket_id in inside:
        assert keyed.with_key(key, "POST", f"/api/0/buckets/{bucket_id}", fields).status in (200, 304)
    for bucket_id in outside:
        assert keyed.with_key(key, "POST", f"/api/0/buckets/{bucket_id}", fields).status == 403


def test_key_without_buckets_is_for_all_of_them(keyed: KeyedServer) -> None:
    keyed.create("any-at-all")

    assert keyed.with_key(keyed.key("read"), "GET", "/api/0/buckets/any-at-all").status == 200


@pytest.mark.parametrize(
    ("body", "status", "field"),
    [
        ({}, 422, "name"),
        ({"name": "x"}, 422, "scope"),
        ({"name": "", "scope": "read"}, 422, "name"),
        ({"name": "x" * 101, "scope": "read"}, 422, "name"),
        ({"name": "x", "scope": "admin"}, 422, "scope"),
        ({"name": "x", "scope": "Read"}, 422, "scope"),
        ({"name": "x", "scope": None}, 422, "scope"),
        ({"name": "x", "scope": "read", "buckets": "a"}, 422, "buckets"),
        ({"name": "x", "scope": "read", "buckets": [""]}, 422, "buckets"),
        ({"name": "x", "scope": "read", "buckets": ["a\0b"]}, 422, "buckets"),
        ({"name": "x", "scope": "read", "buckets": [1]}, 422, "buckets[0]"),
        ({"name": "x", "scope": "read", "expires": "soon"}, 422, "expires"),
        ({"name": "x", "scope": "read", "expires": "2020-01-01T00:00:00Z"}, 422, "expires"),
        ({"name": "x", "scope": "read", "expires": 90}, 422, "expires"),
        ({"name": "x", "scope": "read", "envelope": "yes"}, 422, "envelope"),
        ([], 422, None),
        (None, 415, None),
    ],
)
def test_bad_input_makes_no_key(keyed: KeyedServer, body: object, status: int, field: str | None) -> None:
    before = keyed.as_owner("GET", "/api/1/keys").json

    answer = keyed.as_owner("POST", "/api/1/keys", body)

    assert (answer.status, answer.json.get("field")) == (status, field)
    assert len(keyed.as_owner("GET", "/api/1/keys").json) == len(before)


def test_name_may_be_any_text(keyed: KeyedServer) -> None:
    name = "Büro\n<script>'\"; DROP TABLE access_key" + "x" * 61

    assert keyed.made_key("read", name=name)["name"] == name


@pytest.mark.parametrize(("method", "path"), [("DELETE", ""), ("POST", "/rotate")])
def test_unknown_id_is_404(keyed: KeyedServer, method: str, path: str) -> None:
    answer = keyed.as_owner(method, f"/api/1/keys/{UNKNOWN_ID}{path}", {} if path else None)

    assert (answer.status, answer.json["type"]) == (404, "KeyNotFound")


@pytest.mark.parametrize(("method", "path"), [("DELETE", ""), ("POST", "/rotate")])
def test_key_in_the_place_of_its_id_is_not_repeated(keyed: KeyedServer, method: str, path: str) -> None:
    made = keyed.made_key("read")

    answer = keyed.as_owner(method, f"/api/1/keys/{made['key']}{path}", {} if path else None)

    assert answer.status == 404
    assert secret_of(made) not in answer.body.decode()
    assert listed(keyed, made["id"])["is_active"]


@pytest.mark.parametrize("grace", [-1, 604_801, 1.5, "1h", None])
def test_grace_out_of_range_rotates_nothing(keyed: KeyedServer, grace: object) -> None:
    made = keyed.made_key("read")

    answer = keyed.as_owner("POST", f"/api/1/keys/{made['id']}/rotate", {"grace_s": grace})

    assert (answer.status, answer.json["field"]) == (422, "grace_s")
    assert keyed.with_key(made["key"], "GET", "/api/0/buckets/").status == 200


def test_keys_and_revocations_survive_the_end_of_the_server(tmp_path: Path) -> None:
    with KeyedServer(tmp_path / "days.db") as server:
        kept, revoked, rotated = (server.made_key("read", name=name) for name in ("kept", "revoked", "rotated"))
        server.as_owner("DELETE", f"/api/1/keys/{revoked['id']}")
        new = server.as_owner("POST", f"/api/1/keys/{rotated['id']}/rotate", {}).json
        for end in (server.kill, server.stop):
            end()
            server.start()

            statuses = [
                server.with_key(made["key"], "GET", "/api/0/buckets/").status for made in (kept, revoked, rotated, new)
            ]
            assert statuses == [200, 401, 401, 200]
        assert listed(server, kept["id"])["last_used"] is not None
