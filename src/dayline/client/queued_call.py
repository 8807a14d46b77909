"""Calls on their way to a server: as they are put into the queue, and as they wait there."""

from typing import Literal
from urllib.parse import quote

from msgspec import Struct

from dayline.model.event import Event
from dayline.model.time import SECOND, Microseconds, timestamp_bytes

Kind = Literal["create", "heartbeat", "insert"]


class Creation(Struct, frozen=True, kw_only=True):
    """A bucket to be created. `body` is what the server is sent."""

    bucket_id: str
    body: bytes


class Heartbeat(Struct, frozen=True, kw_only=True):
    """A heartbeat to be sent."""

    bucket_id: str
    event: Event
    pulsetime: Microseconds

    @property
    def body(self) -> bytes:
        return unstored_json(self.event)


class Insertion(Struct, frozen=True, kw_only=True):
    """Events to be inserted. `body` is what the server is sent."""

    bucket_id: str
    body: bytes


NewCall = Creation | Heartbeat | Insertion


class WaitingCall(Struct, frozen=True, kw_only=True):
    """A call as it is sent, always by POST. `token` is the same with every try, so that the server knows it again."""

    number: int
    bucket_id: str
    kind: Kind
    pulsetime: Microseconds | None
    body: bytes
    token: str

    @property
    def path(self) -> str:
        end = {"create": "", "heartbeat": "/heartbeat", "insert": "/events"}[self.kind]
        return f"{bucket_path(self.bucket_id)}{end}"

    @property
    def query(self) -> str:
        return "" if self.pulsetime is None else f"pulsetime={self.pulsetime / SECOND!r}"


class Refusal(Struct, frozen=True, kw_only=True):
    """A call that the server will never take, and why."""

    bucket_id: str
    kind: Kind
    reason: str
    refused: Microseconds


def bucket_path(bucket_id: str) -> str:
    """The path of a bucket, its id encoded so that it is one segment."""
    return f"/api/0/buckets/{quote(bucket_id, safe='')}"


def unstored_json(event: Event) -> bytes:
    """The event as JSON without an id: the form in which it is sent, and in which a client is told of it."""
    return b'{"id":null,"timestamp":"%b","duration":%a,"data":%b}' % (
        timestamp_bytes(event.start),
        event.duration / SECOND,
        event.data,
    )
