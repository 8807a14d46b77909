"""Enveloped calls as a client makes them, for tests that send them by hand."""

from datetime import UTC, datetime

import msgspec
from msgspec import UNSET, Raw

from dayline.envelope.keys import EnvelopeKeys
from dayline.envelope.messages import EnvelopedCall, EnvelopedResponse, new_nonce, open_answer, seal_call
from tests.support.server import Answer, RunningServer


def sealed(
    method: str,
    path: str,
    body: object = None,
    *,
    key: str,
    query: str = "",
    time: datetime | None = None,
    nonce: str | None = None,
    headers: dict[str, str] | None = None,
) -> bytes:
    """The message of a call."""
    call = EnvelopedCall(
        method=method,
        path=path,
        query=query,
        body=UNSET if body is None else Raw(msgspec.json.encode(body)),
        headers=headers or {},
        time=(time or datetime.now(UTC)).isoformat(),
        nonce=nonce or new_nonce(),
    )
    return seal_call(call, EnvelopeKeys.of_text(key), kid=key.split("_")[1])


def send_sealed(server: RunningServer, message: bytes) -> Answer:
    """Send a message; the response as it comes."""
    return server.call("POST", "/api/1/envelope", raw=message, headers={"Content-Type": "application/jose"})


def opened(answer: Answer, key: str) -> EnvelopedResponse:
    """What is inside a response."""
    assert answer.status == 200, answer.body
    assert answer.headers["content-type"] == "application/jose"
    return open_answer(answer.body, EnvelopeKeys.of_text(key))
