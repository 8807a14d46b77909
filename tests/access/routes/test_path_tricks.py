"""However a path is spelt: without a key nothing is reported and nothing is changed (decision 21)."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec
import pytest

from tests.access.watching import events, heartbeat
from tests.support.calls.raw_connection import RawConnection, request
from tests.support.keyed_server import KeyedServer
from tests.support.server import Answer

MARKER: Final = "quince"
REFUSED: Final = frozenset({400, 401, 403, 404, 405, 413})
BEAT: Final = msgspec.json.encode(heartbeat("10:00:00"))

PATHS: Final = [
    "//api/0/buckets/",
    "///api///0///buckets///",
    "/api/0//buckets/",
    "/api/0/buckets//",
    "/api//0/buckets",
    "/./api/0/buckets/",
    "/api/0/./buckets",
    "/api/0/../1/keys",
    "/api/0/info/../buckets/",
    "/api/0/info/../../0/export",
    "/api/0/info//../export",
    "/api/0/%2e%2e/1/keys",
    "/api/0/%2E%2E/1/keys",
    "/api/0/..%2f1/keys",
    "/api/0/info%2f..%2fexport",
    "/api/0/info/%2e%2e/export",
    "/api%2F0/buckets/",
    "/api/0%2Fbuckets/",
    "/api/0/buckets%2F",
    "/api/0/buckets%2Fnotes%2Fevents",
    "/api/0/buckets/notes%2Fevents",
    "/api/0/buckets/notes%2Fexport",
    "/api/0/buckets/%6eotes/events",
    "/api/0/buckets/%256eotes/events",
    "/%61pi/0/buckets/",
    "/api/0/%62uckets/",
    "/%2Fapi/0/buckets/",
    "/API/0/buckets/",
    "/Api/0/Buckets/",
    "/api/0/BUCKETS/",
    "/api/00/buckets/",
    "/api/0/buckets;x=1",
    "/api/0;x=1/buckets/",
    "/api/0/info;/buckets/",
    "/api/0/info;/../export",
    "/api/0/buckets/notes;x/events",
    "/api/0/info?/../buckets/",
    "/api/0/export?path=/api/0/info",
    "/api/0/export#/api/0/info",
    "/api/0/info#/../export",
    "/api/0/export%23/api/0/info",
    "/api/0/export%3f/api/0/info",
    "/api/0/buckets/%00",
    "/api/0/export%00",
    "/api/0/export%00/api/0/info",
    "/api/0/export%0a",
    "/api/0/export%20",
    "/api/0/export.json",
    "/api/0/export/.",
    "/api/0/export/",
    "/api/0/export//",
    "/api\\0\\export",
    "/api/0\\export",
    "/api/static/../0/export",
    "/api/static/..%2f0%2fexport",
    "/api/static/%2e%2e/0/export",
    "/pages/../api/0/export",
    "/pages/x/../../api/0/export",
    "/../api/0/export",
    "/index.html/../api/0/export",
    "/api/1/session/../keys",
    "/api/1/session/..%2fkeys",
    "/api/1/session/others/../../keys",
    "/api/1/envelope/../keys",
    "/api/1/keys/",
    "/api/1//keys",
    "/api/openapi.json/../1/keys",
    "/0/export",
    "/dayline/api/0/export",
    "/" * 5000 + "api/0/export",
    "/api/0/export" + "/" * 5000,
    "/api/0/" + "../0/" * 2000 + "export",
    "/api/0/buckets/" + "n" * 20_000,
    "/api/0/buckets/" + "%6e" * 20_000,
    "/api/0/export?" + "x" * 70_000,
    "http://localhost/api/0/buckets/",
    "http://localhost//api/0/export",
    "http://127.0.0.1/api/0/export",
    "http://evil.example/api/0/export",
    "http://localhost/api/0/info/../export",
    "http://user@localhost/api/0/export",
    "https://localhost/api/0/export",
    "http:///api/0/export",
    "localhost/api/0/export",
    "api/0/export",
    "*",
    "localhost:80",
    "/api/0/export HTTP/1.1 /api/0/info",
    "/api/0/export\t",
    "\t/api/0/export",
    "/api/0/\tbuckets/",
    "/api/0/export\x00",
    "/api/0/\x00export",
    "/api/0/export\x0b",
    "/api/0/export\x7f",
    "/api/0/exp\xe9rt",
    "/api/0/export\xff",
]


@pytest.fixture(scope="module")
def holding(keyed: KeyedServer) -> KeyedServer:
    """The server of this file, with a bucket of which no one is to know."""
    keyed.create("notes", client=MARKER, data={"note": MARKER})
    keyed.as_owner("POST", "/api/0/buckets/notes/events", heartbeat("09:00:00", app=MARKER))
    keyed.as_owner("POST", "/api/0/settings/color", MARKER)
    keyed.made_key("full", name=MARKER)
    return keyed


def send(server: KeyedServer, message: bytes) -> Answer:
    with RawConnection(server) as connection:
        connection.send(message)
        return connection.answer(to_head=message.startswith(b"HEAD"))


def test_no_spelling_of_a_path_gives_data_without_a_key(holding: KeyedServer, subtests: pytest.Subtests) -> None:
    for method in ["GET", "HEAD", "POST", "DELETE"]:
        for path in PATHS:
            with subtests.test(method=method, path=path):
                answer = send(holding, request(method, path))

                assert MARKER not in answer.body.decode()
                # What is open to all stays open: a query or a fragment behind `info` is still a call of `info`.
                is_info = path.startswith(("/api/0/info?", "/api/0/info#")) and method in ("GET", "HEAD")
                assert answer.status == 200 if is_info else answer.status in REFUSED


def test_no_spelling_of_a_path_shows_a_key_what_it_is_not_for(holding: KeyedServer, subtests: pytest.Subtests) -> None:
    for path in PATHS:
        with subtests.test(path=path):
            key = holding.key("read", "another")

            answer = send(holding, request("GET", path, Authorization=f"Bearer {key}"))

            assert MARKER not in answer.body.decode()


def test_no_spelling_of_a_path_records_without_a_key(holding: KeyedServer, subtests: pytest.Subtests) -> None:
    for path in [
        "/api/0/buckets/notes/heartbeat?pulsetime=1",
        "//api/0/buckets/notes/heartbeat?pulsetime=1",
        "/api/0/buckets//notes/heartbeat?pulsetime=1",
        "/api/0/buckets/notes/heartbeat/?pulsetime=1",
        "/api/0/buckets/%6eotes/heartbeat?pulsetime=1",
        "/api/0/buckets/x/../notes/heartbeat?pulsetime=1",
        "/api/0/info/../buckets/notes/heartbeat?pulsetime=1",
        "/api/0/buckets/notes%2Fheartbeat?pulsetime=1",
        "http://localhost/api/0/buckets/notes/heartbeat?pulsetime=1",
        "/api/0/buckets/notes/events",
        "/api/0/buckets/notes//events",
        "http://localhost/api/0/buckets/notes/events",
    ]:
        with subtests.test(path=path):
            before = events(holding, "notes")

            assert send(holding, request("POST", path, BEAT)).status in REFUSED
            assert events(holding, "notes") == before


@pytest.mark.parametrize(
    "path",
    ["//api/0/buckets/", "/api/0//buckets/", "/api/0/buckets", "/api/0/buckets//", "http://localhost/api/0/buckets/"],
)
def test_spellings_of_a_known_path_ask_for_a_key_and_are_served_with_one(holding: KeyedServer, path: str) -> None:
    key = holding.key("read")

    assert send(holding, request("GET", path)).status == 401
    assert send(holding, request("GET", path, Authorization=f"Bearer {key}")).status == 200


def test_no_other_header_replaces_the_key(holding: KeyedServer, subtests: pytest.Subtests) -> None:
    for headers in [
        {"X_HTTP_Method_Override": "GET"},
        {"X_Original_URL": "/api/0/info"},
        {"X_Rewrite_URL": "/api/0/info"},
        {"X_Forwarded_For": "127.0.0.1"},
        {"X_Forwarded_Prefix": "/api/0/info"},
        {"Forwarded": "for=127.0.0.1;host=localhost;proto=https"},
        {"Referer": "http://localhost/"},
        {"Origin": "http://localhost:{port}"},
        {"X_Dayline": "1"},
        {"Cookie": "dayline_session_{port}=x; trusted=1"},
        {"Authorization": ""},
        {"Authorization": "Bearer"},
        {"Authorization": "Bearer "},
        {"Authorization": "Basic {key}"},
        {"Authorization": "{key}"},
        {"Authorization": "bearer {key}"},
        {"Authorization": "Bearer  {key}"},
        {"Authorization": "Bearer {key} {key}"},
        {"Authorization": "Bearer {key}, Bearer {key}"},
        {"X_API_Key": "{key}"},
        {"Proxy_Authorization": "Bearer {key}"},
    ]:
        with subtests.test(headers=headers):
            filled = {
                name: value.replace("{key}", holding.key("full")).replace("{port}", str(holding.port))
                for name, value in headers.items()
            }

            answer = send(holding, request("GET", "/api/0/buckets/", b"", **filled))

            assert answer.status == 401
            assert MARKER not in answer.body.decode()


@pytest.mark.parametrize("name", ["key", "token", "access_token", "api_key", "authorization"])
def test_key_in_the_url_is_not_looked_at(holding: KeyedServer, name: str) -> None:
    key = holding.key("full")

    assert send(holding, request("GET", f"/api/0/buckets/?{name}={key}")).status == 401
    assert send(holding, request("GET", f"http://x:{key}@localhost/api/0/buckets/")).status in REFUSED


def test_two_keys_in_one_request_do_not_add_up(holding: KeyedServer) -> None:
    append, wrong = holding.key("append"), "dayline_aaaaaaaa_" + "A" * 43
    for first, second in ((append, wrong), (wrong, append), (append, append)):
        head = f"GET /api/0/buckets/ HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {first}\r\n"

        answer = send(holding, f"{head}Authorization: Bearer {second}\r\n\r\n".encode())

        assert answer.status in (400, 401, 403)


@pytest.fixture(scope="module")
def below(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KeyedServer]:
    """A server that a proxy shows at /dayline."""
    database: Path = tmp_path_factory.mktemp("below") / "days.db"
    with KeyedServer(database, "--base-path", "/dayline") as server:
        server.create("notes", client=MARKER)
        yield server


def test_base_path_is_no_way_round_the_key(below: KeyedServer, subtests: pytest.Subtests) -> None:
    for path in [
        "/dayline/api/0/buckets/",
        "/dayline//api/0/buckets/",
        "//dayline/api/0/buckets/",
        "/dayline/dayline/api/0/buckets/",
        "/dayline/../api/0/buckets/",
        "/dayline/./api/0/buckets/",
        "/dayline%2Fapi/0/buckets/",
        "/daylineapi/0/buckets/",
        "/dayline/api/0/info/../buckets/",
        "/DAYLINE/api/0/buckets/",
        "/api/0/buckets/",
        "http://localhost/dayline/api/0/buckets/",
    ]:
        with subtests.test(path=path):
            answer = send(below, request("GET", path))

            assert answer.status in REFUSED
            assert MARKER not in answer.body.decode()
