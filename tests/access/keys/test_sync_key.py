"""A key with scope `sync`: it stores the encrypted files of devices, and can do nothing else."""

from typing import Final

import pytest

from dayline.api.routes import CALLS
from tests.support.keyed_server import KeyedServer

FILE: Final = f"/api/1/sync/files/k7f3q2ab/{'a' * 32}"
BYTES: Final = {"Content-Type": "application/octet-stream"}


def test_stores_lists_reads_and_deletes_files(keyed: KeyedServer) -> None:
    key = keyed.key("sync")

    assert keyed.with_key(key, "PUT", FILE, raw=b"\0\1", headers=BYTES).status == 200
    listed = keyed.with_key(key, "GET", "/api/1/sync/files")
    assert list(listed.json["devices"]) == ["k7f3q2ab"]
    assert "revision" not in listed.headers
    again = keyed.with_key(key, "GET", "/api/1/sync/files", headers={"If-None-Match": listed.headers["etag"]})
    assert (again.status, again.body) == (304, b"")
    assert keyed.with_key(key, "GET", "/api/1/sync/files/k7f3q2ab").json == {"packs": ["a" * 32]}
    assert keyed.with_key(key, "GET", FILE).body == b"\0\1"
    assert keyed.with_key(key, "DELETE", FILE).status == 200
    assert keyed.with_key(key, "GET", FILE).status == 404


def test_can_call_nothing_else(keyed: KeyedServer) -> None:
    key = keyed.key("sync")
    others = [route for route in CALLS if route.scope not in (None, "sync")]
    assert len(others) > 100

    for route in others:
        path = route.path.replace("{", "").replace("}", "").replace("*", "")
        assert keyed.with_key(key, route.method, path).status == 403, route.path


@pytest.mark.parametrize("scope", ["read", "append"])
def test_other_scopes_do_not_include_it(keyed: KeyedServer, scope: str) -> None:
    answer = keyed.with_key(keyed.key(scope), "GET", "/api/1/sync/files")

    assert answer.status == 403
    assert "needs a key with scope sync" in answer.message


def test_full_includes_it(keyed: KeyedServer) -> None:
    assert keyed.with_key(keyed.key("full"), "GET", "/api/1/sync/files").status == 200


@pytest.mark.parametrize(
    "file",
    ["k7f3q2ab/head.tmp", "k7f3q2ab/1", "K7F3Q2AB/head", "keys/head", "keys/x", "k7f3q2ab/%2e%2e", "..%2f..%2f/head"],
)
def test_other_names_than_those_of_a_space_are_rejected(keyed: KeyedServer, file: str) -> None:
    key = keyed.key("sync")
    before = keyed.with_key(key, "GET", "/api/1/sync/files").body

    for method in ("PUT", "GET", "DELETE"):
        raw = b"x" if method == "PUT" else None
        answer = keyed.with_key(key, method, f"/api/1/sync/files/{file}", raw=raw, headers=BYTES)
        assert answer.status in (404, 422), (method, answer.body)
    assert keyed.with_key(key, "GET", "/api/1/sync/files").body == before


def test_a_file_that_is_too_large_is_rejected(keyed: KeyedServer) -> None:
    answer = keyed.with_key(keyed.key("sync"), "PUT", FILE, raw=b"\0" * ((32 << 20) + 1), headers=BYTES)

    assert (answer.status, answer.message) == (413, "the body is larger than the limit of 32 MiB")
    assert keyed.with_key(keyed.key("sync"), "GET", FILE).status == 404


def test_a_head_that_no_device_would_read_is_rejected(keyed: KeyedServer) -> None:
    head = "/api/1/sync/files/aaaaaaaa/head"
    answer = keyed.with_key(keyed.key("sync"), "PUT", head, raw=b"\0" * ((4 << 20) + 1), headers=BYTES)

    assert (answer.status, answer.message) == (413, "this file of a sync space has at most 4.0 MiB")
    assert keyed.with_key(keyed.key("sync"), "GET", head).status == 404
