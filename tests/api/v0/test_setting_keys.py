"""Keys of settings: dots and encoded slashes are fine, 127 bytes at most (protocol 3.16)."""

from urllib.parse import quote

import pytest

from tests.support.server import RunningServer

KEYS = [
    "startOfDay",
    "with.dots.in.it",
    "with/slashes/in/it",
    "with blank",
    "ünïcödé",
    "日本語",
    "a+b",
    "100%",
    "a%2Fb",
    "?#&=",
    "..",
    ".",
    "__proto__",
    "x" * 127,
    "é" * 63,
]


@pytest.mark.parametrize("key", KEYS)
def test_any_key_round_trips(shared_server: RunningServer, key: str) -> None:
    path = f"/api/0/settings/{quote(key, safe='')}"

    assert shared_server.post(path, {"of": key}).status == 201
    assert shared_server.get(path).json == {"of": key}
    assert shared_server.get("/api/0/settings").json[key] == {"of": key}
    assert shared_server.call("DELETE", path).status == 200
    assert key not in shared_server.get("/api/0/settings").json


@pytest.mark.parametrize("key", ["x" * 128, "x" * 5000, "é" * 64])
@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
def test_key_of_128_bytes_is_400_with_the_limit(shared_server: RunningServer, key: str, method: str) -> None:
    answer = shared_server.call(method, f"/api/0/settings/{quote(key)}", 1 if method == "POST" else None)

    assert (answer.status, answer.json["field"]) == (400, "key")
    assert "127" in answer.message


@pytest.mark.parametrize("key", ["%00", "a%00b", "%ff", "%C0%AF"])
@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
def test_null_and_broken_utf8_in_a_key_are_400(shared_server: RunningServer, key: str, method: str) -> None:
    assert shared_server.call(method, f"/api/0/settings/{key}", 1 if method == "POST" else None).status == 400


def test_keys_are_case_sensitive(shared_server: RunningServer) -> None:
    shared_server.post("/api/0/settings/Theme", 1)
    shared_server.post("/api/0/settings/theme", 2)

    assert shared_server.get("/api/0/settings/Theme").json == 1


def test_slash_that_is_not_encoded_is_another_path(shared_server: RunningServer) -> None:
    assert shared_server.post("/api/0/settings/a/b", 1).status == 404
