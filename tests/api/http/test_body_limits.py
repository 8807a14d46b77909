"""Bodies have limits, which are settings; what is over them is 413 and changes nothing."""

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from dayline.api.v0.buckets import METADATA_BYTES
from tests.api.documents import document, import_form, text_of
from tests.api.remote_bucket import RemoteBucket, event
from tests.support.calls.clients import at
from tests.support.calls.raw_connection import RawConnection, request
from tests.support.server import Answer, RunningServer

MIB = 1 << 20


@pytest.fixture(scope="module")
def small_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """A server that takes 1 MiB in general, and 2 MiB to import."""
    folder: Path = tmp_path_factory.mktemp("limits")
    (folder / "config.toml").write_text("[limits]\nbody_mib = 1\nimport_mib = 2\n")
    with RunningServer(folder / "days.db", "--config", str(folder / "config.toml")) as server:
        server.create("b")
        yield server


CALLS = {
    "create": ("POST", "/api/0/buckets/new", {"type": "t", "client": "c", "hostname": "h", "data": {"x": "FILL"}}),
    "update": ("PUT", "/api/0/buckets/b", {"data": {"x": "FILL"}}),
    "insert": ("POST", "/api/0/buckets/b/events", [event(at("10:00:00"), data={"x": "FILL"})]),
    "heartbeat": ("POST", "/api/0/buckets/b/heartbeat?pulsetime=1", event(at("10:00:00"), data={"x": "FILL"})),
    "setting": ("POST", "/api/0/settings/x", "FILL"),
    "import": ("POST", "/api/0/import", document("imported", [event(at("10:00:00"), data={"x": "FILL"})])),
}


def filled(body: object, size: int) -> bytes:
    """The body as JSON of exactly that size."""
    text = msgspec.json.encode(body)
    return text.replace(b"FILL", b"x" * (size - len(text) + 4))


def send_chunked(server: RunningServer, method: str, path: str, body: bytes, kind: str = "application/json") -> Answer:
    with RawConnection(server) as connection:
        connection.send(request(method, path, Content_Type=kind, Transfer_Encoding="chunked"))
        for place in range(0, len(body), MIB // 4):
            piece = body[place : place + MIB // 4]
            connection.send(b"%x\r\n%s\r\n" % (len(piece), piece))
        connection.send(b"0\r\n\r\n")
        return connection.answer()


def limit_of(name: str) -> int:
    """In bytes."""
    return {"import": 2 * MIB, "create": METADATA_BYTES, "update": METADATA_BYTES}.get(name, MIB)


def documented_limit(name: str) -> str:
    return {"import": "2 MiB", "create": "64 KiB", "update": "64 KiB"}.get(name, "1 MiB")


@pytest.mark.parametrize("name", CALLS)
def test_body_of_exactly_the_limit_is_accepted(small_server: RunningServer, name: str) -> None:
    method, path, body = CALLS[name]

    answer = small_server.call(method, path, raw=filled(body, limit_of(name)))

    assert answer.status in (200, 201)


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("extra", [1, 3 * MIB])
def test_larger_body_is_413_with_the_limit_and_changes_nothing(
    small_server: RunningServer, name: str, extra: int
) -> None:
    method, path, body = CALLS[name]
    before = small_server.get("/api/0/export").body, small_server.get("/api/0/settings").body

    answer = small_server.call(method, path, raw=filled(body, limit_of(name) + extra))

    assert (answer.status, answer.json["type"]) == (413, "TooLarge")
    assert documented_limit(name) in answer.message
    assert (small_server.get("/api/0/export").body, small_server.get("/api/0/settings").body) == before


@pytest.mark.parametrize("name", CALLS)
def test_larger_body_in_chunks_is_413_too(small_server: RunningServer, name: str) -> None:
    method, path, body = CALLS[name]

    answer = send_chunked(small_server, method, path, filled(body, limit_of(name) + MIB))

    assert answer.status == 413
    assert documented_limit(name) in answer.message


def test_form_over_the_limit_is_413(small_server: RunningServer) -> None:
    file = text_of(document("form", [event(at("10:00:00"), data={"x": "x" * MIB})]))

    assert import_form(small_server, file).status == 200
    assert import_form(small_server, file, file).status == 413


def test_form_over_the_limit_in_chunks_is_413(small_server: RunningServer) -> None:
    part = b'Content-Disposition: form-data; name="f"; filename="f"\r\n\r\n' + b"x" * (3 * MIB)
    body = b"--bound\r\n%s\r\n--bound--\r\n" % part

    answer = send_chunked(small_server, "POST", "/api/0/import", body, "multipart/form-data; boundary=bound")

    assert (answer.status, answer.json["type"]) == (413, "TooLarge")


def test_declared_size_is_refused_with_the_first_bytes_of_the_body(small_server: RunningServer) -> None:
    head = request("POST", "/api/0/import", Content_Type="application/json", Content_Length=str(10 * MIB))

    with RawConnection(small_server) as connection:
        connection.send(head + b"{")

        assert connection.answer().status == 413


def test_connection_is_usable_after_a_413(small_server: RunningServer) -> None:
    body = b"x" * (2 * MIB)

    with RawConnection(small_server) as connection:
        connection.send(request("POST", "/api/0/settings/x", body) + request("GET", "/api/0/info"))

        assert connection.answer().status == 413
        assert connection.answer().status == 200


def test_nothing_of_a_refused_import_is_left_on_the_disk(small_server: RunningServer) -> None:
    small_server.call("POST", "/api/0/import", raw=b"x" * (3 * MIB))

    assert list(small_server.database.parent.glob("*scratch*")) == []


def test_usual_limit_takes_bodies_of_several_megabytes(shared_server: RunningServer) -> None:
    bucket = RemoteBucket(shared_server, "bulk")
    bucket.create()

    assert len(bucket.insert(*(event(at("10:00:00"), data={"x": "x" * 1000}) for _ in range(5000)))) == 5000
