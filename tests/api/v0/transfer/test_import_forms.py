"""Importing files from a form, as the web UI does (protocol 3.15)."""

import pytest

from tests.api.documents import document, everything, import_form, import_parts, report, text_of
from tests.api.remote_bucket import RemoteBucket, event
from tests.support.calls.clients import at
from tests.support.calls.raw_connection import RawConnection, request
from tests.support.server import RunningServer


def file_of(name: str, *, seconds: int = 1) -> bytes:
    return text_of(document(name, [event(at(f"10:00:{second:02}"), 1.0) for second in range(seconds)]))


@pytest.mark.parametrize("name", ["buckets.json", "buckets", "file", "anything else", "x.txt"])
def test_file_part_of_any_name_is_imported(shared_server: RunningServer, name: str) -> None:
    answer = import_form(shared_server, file_of(f"named-{name}"), name=name)

    assert (answer.status, answer.json) == (200, report(imported=1))
    assert RemoteBucket(shared_server, f"named-{name}").count() == 1


def test_every_file_of_the_form_is_imported(shared_server: RunningServer) -> None:
    files = [file_of(f"part-{number}", seconds=number + 1) for number in range(4)]

    assert import_form(shared_server, *files).json == report(buckets=4, imported=10)
    assert [RemoteBucket(shared_server, f"part-{number}").count() for number in range(4)] == [1, 2, 3, 4]


def test_same_bucket_in_two_files_is_merged(shared_server: RunningServer) -> None:
    answer = import_form(shared_server, file_of("merged", seconds=3), file_of("merged", seconds=5))

    assert (answer.json["imported"], answer.json["skipped"]) == (5, 3)


@pytest.mark.parametrize(
    "headers",
    [
        b'Content-Disposition: form-data; name="b"; filename="b"',
        b'Content-Disposition: form-data; name="b"; filename="b"\r\nContent-Type: text/plain',
        b'Content-Disposition: form-data; name="b"; filename="b"\r\nContent-Type: application/octet-stream',
        b"content-disposition: form-data; name=b; filename=b\r\ncontent-type: application/json; charset=utf-8",
        b'Content-Type: application/json\r\nContent-Disposition: form-data; name="b"; filename=""',
    ],
)
def test_type_of_the_part_is_of_no_interest(bucket: RemoteBucket, headers: bytes) -> None:
    assert import_parts(bucket.server, headers + b"\r\n\r\n" + file_of(bucket.id)).json == report(imported=1)


def test_field_that_is_no_file_is_ignored(shared_server: RunningServer) -> None:
    field = b'Content-Disposition: form-data; name="comment"\r\n\r\nhello'
    file = b'Content-Disposition: form-data; name="f"; filename="f"\r\n\r\n' + file_of("beside-a-field")

    assert import_parts(shared_server, field, file).json == report(imported=1)


def test_type_of_the_form_may_be_written_in_any_case(shared_server: RunningServer) -> None:
    body = b'--bound\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\n%s\r\n--bound--\r\n' % file_of(
        "case"
    )

    answer = shared_server.call(
        "POST", "/api/0/import", raw=body, headers={"Content-Type": "Multipart/Form-Data; boundary=bound"}
    )

    assert answer.json == report(imported=1)


def test_form_may_come_in_chunks(shared_server: RunningServer) -> None:
    body = b'--bound\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\n%s\r\n--bound--\r\n' % file_of(
        "chunks", seconds=50
    )
    head = request(
        "POST", "/api/0/import", Content_Type="multipart/form-data; boundary=bound", Transfer_Encoding="chunked"
    )

    with RawConnection(shared_server) as connection:
        connection.send(head)
        for place in range(0, len(body), 100):
            piece = body[place : place + 100]
            connection.send(b"%x\r\n%s\r\n" % (len(piece), piece))
        connection.send(b"0\r\n\r\n")

        assert connection.answer().json == report(imported=50)


@pytest.mark.parametrize(
    "parts", [(), (b'Content-Disposition: form-data; name="comment"\r\n\r\nhello',)], ids=["no part", "no file"]
)
def test_form_without_a_file_is_refused(shared_server: RunningServer, parts: tuple[bytes, ...]) -> None:
    before = everything(shared_server)

    answer = import_parts(shared_server, *parts)

    assert answer.status in (400, 422)
    assert answer.message
    assert everything(shared_server) == before


@pytest.mark.parametrize("end", [b"", b"--bound", b"--bou"])
def test_form_that_ends_too_early_is_400_and_changes_nothing(shared_server: RunningServer, end: bytes) -> None:
    before = everything(shared_server)
    part = b'Content-Disposition: form-data; name="f"; filename="f"\r\n\r\n' + file_of("early")

    answer = import_parts(shared_server, part, end=end)

    assert answer.status == 400
    assert everything(shared_server) == before


@pytest.mark.parametrize(
    "kind",
    [
        "multipart/form-data",
        "multipart/form-data; boundary=",
        "multipart/form-data; boundary=other",
        "multipart/form-data; boundary=" + "x" * 200,
    ],
)
def test_form_without_its_boundary_is_400(shared_server: RunningServer, kind: str) -> None:
    body = b'--bound\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\n%s\r\n--bound--\r\n' % file_of(
        "bound"
    )

    answer = shared_server.call("POST", "/api/0/import", raw=body, headers={"Content-Type": kind})

    assert answer.status == 400
    assert answer.message


@pytest.mark.parametrize(
    "kind",
    [
        "multipart/mixed; boundary=bound",
        "multipart/form-database; boundary=bound",
        "text/plain",
        "application/x-www-form-urlencoded",
    ],
)
def test_other_types_are_415(shared_server: RunningServer, kind: str) -> None:
    assert shared_server.call("POST", "/api/0/import", raw=b"x", headers={"Content-Type": kind}).status == 415
