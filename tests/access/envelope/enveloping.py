"""A user who sends everything in envelopes."""

from datetime import datetime
from typing import Any

import msgspec
from msgspec import UNSET

from dayline.envelope.messages import EnvelopedResponse
from tests.support.calls.sealing import opened, sealed, send_sealed
from tests.support.keyed_server import KeyedServer


class Sender:
    """A key for envelopes, and calls made with it."""

    def __init__(self, server: KeyedServer, scope: str = "full", *buckets: str) -> None:
        self.server = server
        made = server.made_key(scope, *buckets, envelope=True)
        self.key: str = made["key"]
        self.key_id: str = made["id"]

    def sealed(
        self,
        method: str,
        path: str,
        body: object = None,
        *,
        query: str = "",
        time: datetime | None = None,
        nonce: str | None = None,
        headers: dict[str, str] | None = None,
    ) -> bytes:
        return sealed(method, path, body, key=self.key, query=query, time=time, nonce=nonce, headers=headers)

    def send(self, message: bytes) -> EnvelopedResponse:
        """What is inside the response to a message."""
        return opened(send_sealed(self.server, message), self.key)

    def call(self, method: str, path: str, body: object = None, *, query: str = "") -> EnvelopedResponse:
        return self.send(self.sealed(method, path, body, query=query))


def json_of(answer: EnvelopedResponse) -> Any:
    """The body of a response; None where it has none."""
    return None if answer.body is UNSET else msgspec.json.decode(bytes(answer.body))
