"""What each response of a server means for the call that was sent."""

import msgspec
import pytest

from dayline.client.forwarder import Accepted, Away, BadRequest, HeldBack, Meaning, NoBucket, Rejected, meaning_of
from dayline.client.transport import Reply


def reply(status: int, *, kind: str = "", is_sealed: bool = False, **headers: str) -> Reply:
    body = msgspec.json.encode({"message": "because", "type": kind, "request_id": "1"})
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(status=status, headers={"content-type": "application/json", **given}, body=body, is_sealed=is_sealed)


@pytest.mark.parametrize(
    ("answer", "meaning"),
    [
        (reply(200), Accepted()),
        (reply(201), Accepted()),
        (reply(304), Accepted()),
        (reply(409, kind="AlreadyDone"), Accepted()),
        (reply(409, kind="Conflict"), Rejected("because")),
        (reply(413), Rejected("because")),
        (reply(415), Rejected("because")),
        (reply(422), Rejected("because")),
        (reply(400), BadRequest("because")),
        (reply(403), HeldBack("because")),
        (reply(404, kind="BucketNotFound"), NoBucket("because")),
        (reply(404, kind="PathNotFound"), Away("because")),
        (reply(401), Away("because")),
        (reply(405), Away("because")),
        (reply(429, retry_after="7"), Away("because", 7)),
        (reply(503, retry_after="5"), Away("because", 5)),
        (reply(503, retry_after="Wed, 21 Oct 2026 07:28:00 GMT"), Away("because")),
        (reply(503, retry_after="999999"), Away("because", 600)),
        (reply(500), Away("because")),
        (reply(308), Away("because")),
    ],
)
def test_a_plain_answer(answer: Reply, meaning: Meaning) -> None:
    assert meaning_of(answer, is_enveloped=False) == meaning


def test_a_success_that_is_not_json_is_not_the_server() -> None:
    page = Reply(status=200, headers={"content-type": "text/html"}, body=b"<html>sign in to this network</html>")

    assert isinstance(meaning_of(page, is_enveloped=False), Away)


@pytest.mark.parametrize("body", [b"", b"<html>bad gateway</html>", b'{"message": 7}', b"[" * 100_000, b"\xff"])
def test_an_error_without_text_is_reported_by_its_status(body: bytes) -> None:
    assert meaning_of(Reply(status=502, headers={}, body=body), is_enveloped=False) == Away(
        "the server answered 502 without a reason"
    )


@pytest.mark.parametrize("status", [200, 304, 400, 403, 404, 409, 413, 422, 503])
def test_of_an_enveloped_call_nothing_counts_that_is_not_sealed(status: int) -> None:
    # Anyone on the way could have said it; nothing is thrown away and no one held back because of it.
    assert isinstance(meaning_of(reply(status, kind="AlreadyDone"), is_enveloped=True), Away)


def test_a_sealed_answer_counts_without_a_content_type() -> None:
    sealed = Reply(status=200, headers={}, body=b"{}", is_sealed=True)

    assert meaning_of(sealed, is_enveloped=True) == Accepted()
    assert meaning_of(reply(422, is_sealed=True), is_enveloped=True) == Rejected("because")
