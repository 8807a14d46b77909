"""Settings: any JSON value under a key (protocol 3.16)."""

from typing import Any

import msgspec
import pytest

from tests.support.server import Answer, RunningServer

VALUES: dict[str, bytes] = {
    "null": b"null",
    "false": b"false",
    "true": b"true",
    "zero": b"0",
    "number": b"30",
    "negative": b"-7",
    "decimal": b"2.5",
    "whole decimal": b"1.0",
    "large number": b"123456789012345678901234567890",
    "small number": b"5e-324",
    "empty text": b'""',
    "text": b'"dark"',
    "unicode": '"日本語 \U0001f600 \u2028"'.encode(),
    "escapes": b'"\\"\\\\\\u0000\\n"',
    "empty list": b"[]",
    "list": b'[1,1.0,"x",null,[[]]]',
    "empty object": b"{}",
    "object": b'{"a":{"b":[1,2.5,{"c":null}]},"rule":{"regex":"\\\\bfoo\\\\d+"}}',
}


def put(server: RunningServer, key: str, text: bytes) -> Answer:
    return server.call("POST", f"/api/0/settings/{key}", raw=text)


def test_no_settings_are_an_empty_object(server: RunningServer) -> None:
    answer = server.get("/api/0/settings")

    assert (answer.status, answer.json) == (200, {})


@pytest.mark.parametrize("text", VALUES.values(), ids=VALUES.keys())
def test_value_of_every_kind_comes_back_exactly(shared_server: RunningServer, text: bytes) -> None:
    answer = put(shared_server, "value", text)

    assert (answer.status, answer.body) == (201, text)
    assert shared_server.get("/api/0/settings/value").body == text
    everything = msgspec.json.decode(shared_server.get("/api/0/settings").body, type=dict[str, msgspec.Raw])
    assert bytes(everything["value"]) == text


@pytest.mark.parametrize("text", [b"null", b"false", b"0", b'""', b"[]", b"{}"])
def test_falsy_value_is_stored_and_does_not_delete(shared_server: RunningServer, text: bytes) -> None:
    put(shared_server, "falsy", b"1")
    put(shared_server, "falsy", text)

    assert "falsy" in shared_server.get("/api/0/settings").json


def test_unset_key_is_null_with_200(shared_server: RunningServer) -> None:
    answer = shared_server.get("/api/0/settings/unset")

    assert (answer.status, answer.body) == (200, b"null")
    assert "unset" not in shared_server.get("/api/0/settings").json


def test_new_value_replaces_the_old_one_at_once(shared_server: RunningServer) -> None:
    for number in range(5):
        put(shared_server, "changing", b"%d" % number)
        assert shared_server.get("/api/0/settings/changing").json == number


def test_blanks_around_a_value_are_not_part_of_it(shared_server: RunningServer) -> None:
    put(shared_server, "blanks", b' \n{ "a" : [ 1 , 2 ] }\t')

    assert shared_server.get("/api/0/settings/blanks").json == {"a": [1, 2]}


def test_large_value_is_stored(shared_server: RunningServer) -> None:
    value: dict[str, Any] = {"classes": [{"name": ["Work", str(n)], "rule": {"regex": "x" * 100}} for n in range(5000)]}

    assert shared_server.post("/api/0/settings/large", value).status == 201
    assert shared_server.get("/api/0/settings/large").json == value


def test_deleted_key_is_unset_whether_or_not_it_was_set(shared_server: RunningServer) -> None:
    put(shared_server, "deleted", b"1")

    for _ in range(2):
        answer = shared_server.call("DELETE", "/api/0/settings/deleted")
        assert (answer.status, answer.json) == (200, {})
        assert shared_server.get("/api/0/settings/deleted").body == b"null"


def test_delete_may_carry_a_body(shared_server: RunningServer) -> None:
    assert shared_server.call("DELETE", "/api/0/settings/x", raw=b"{}").status == 200


def test_other_keys_are_left_alone(shared_server: RunningServer) -> None:
    put(shared_server, "kept", b'"kept"')
    put(shared_server, "other", b"1")
    shared_server.call("DELETE", "/api/0/settings/other")

    assert shared_server.get("/api/0/settings/kept").json == "kept"


@pytest.mark.parametrize("path", ["/api/0/settings", "/api/0/settings/"])
def test_posting_without_a_key_is_400(shared_server: RunningServer, path: str) -> None:
    before = shared_server.get("/api/0/settings").json

    answer = shared_server.post(path, {"a": 1})

    assert (answer.status, answer.json["field"]) == (400, "key")
    assert shared_server.get("/api/0/settings").json == before


@pytest.mark.parametrize("path", ["/api/0/settings", "/api/0/settings/theme"])
def test_put_is_405(shared_server: RunningServer, path: str) -> None:
    assert shared_server.call("PUT", path, 1).status == 405


@pytest.mark.parametrize(
    ("text", "status"),
    [
        (b"", 400),
        (b"dark", 400),
        (b"{", 400),
        (b"NaN", 400),
        (b"'x'", 400),
        (b"1 2", 400),
        (b'"\xff"', 400),
        (b'"\\ud800 and more"', 400),
        (b"1e999", 422),
        (b"[" * 200 + b"]" * 200, 422),
        (b"[" * 100_000, 422),
    ],
)
def test_bad_value_is_refused_and_the_old_one_stays(shared_server: RunningServer, text: bytes, status: int) -> None:
    put(shared_server, "steady", b"1")

    answer = put(shared_server, "steady", text)

    assert answer.status == status
    assert answer.message
    assert shared_server.get("/api/0/settings/steady").json == 1


def test_settings_are_kept_over_a_restart(server: RunningServer) -> None:
    put(server, "theme", b'"dark"')
    put(server, "gone", b"1")
    server.call("DELETE", "/api/0/settings/gone")

    server.stop()
    server.start()

    assert server.get("/api/0/settings").json == {"theme": "dark"}
