import msgspec
import pytest

from dayline.model.error_body import ErrorBody, answered_error, read_error_body
from dayline.model.errors import Invalid, NotFound, Unavailable


def test_an_error_body_is_read_as_it_was_written() -> None:
    body = ErrorBody(message="no bucket named 'x'", type="BucketNotFound", request_id="r", hint="create it", line=2)

    assert read_error_body(404, msgspec.json.encode(body)) == body


def test_an_error_body_with_the_message_alone_is_read() -> None:
    assert read_error_body(400, b'{"message": "bad", "hint": null}') == ErrorBody(message="bad", type="", request_id="")


@pytest.mark.parametrize("content", [b"", b"<html>", b"[]", b"{}", b"\xff", b'{"message": 5}'])
def test_what_is_no_error_body_is_named_by_its_status(content: bytes) -> None:
    assert read_error_body(502, content).message == "the server answered 502 Bad Gateway"
    assert read_error_body(799, content).message == "the server answered 799"


def test_an_answer_becomes_the_error_of_its_status() -> None:
    body = msgspec.json.encode(ErrorBody(message="m", type="t", request_id="r", hint="h", excerpt="a b\n  ^"))
    kinds = [type(answered_error(status, body)) for status in (404, 503, 400, 422)]

    assert kinds == [NotFound, Unavailable, Invalid, Invalid]
    assert answered_error(400, body).message == "m\na b\n  ^"
    assert answered_error(400, body).hint == "h"
