"""Calls for the queue: new ones, waiting ones, and rejected ones."""

from typing import Literal

from msgspec import Struct

from dayline.model.bucket import bucket_path
from dayline.model.event import Event
from dayline.model.time import SECOND, Microseconds, timestamp_bytes

Kind = Literal["create", "heartbeat", "insert"]


class Creation(Struct, frozen=True, kw_only=True):
    """A bucket to create. `body` is sent to the server."""

    bucket_id: str
    body: bytes


class Heartbeat(Struct, frozen=True, kw_only=True):
    """A heartbeat to send."""

    bucket_id: str
    event: Event
    pulsetime: Microseconds

    @property
    def body(self) -> bytes:
        return unstored_json(self.event)


class Insertion(Struct, frozen=True, kw_only=True):
    """Events to insert. `body` is sent to the server."""

    bucket_id: str
    body: bytes


NewCall = Creation | Heartbeat | Insertion


class WaitingCall(Struct, frozen=True, kw_only=True):
    """A call as it is sent, always with POST. `token` is its idempotency key, the same with every attempt."""

    number: int
    bucket_id: str
    kind: Kind
    pulsetime: Microseconds | None
    body: bytes
    token: str
    queued: Microseconds

    @property
    def path(self) -> str:
        end = {"create": "", "heartbeat": "/heartbeat", "insert": "/events"}[self.kind]
        return f"{bucket_path(self.bucket_id)}{end}"

    @property
    def query(self) -> str:
        return "" if self.pulsetime is None else f"pulsetime={self.pulsetime / SECOND!r}"


class RefusedEntry(Struct, frozen=True, kw_only=True):
    """A call that the server rejected permanently, and why."""

    bucket_id: str
    kind: Kind
    reason: str
    refused: Microseconds


def unstored_json(event: Event) -> bytes:
    """The event as JSON without an id, as it is sent to the server and returned to the watcher."""
    return b'{"id":null,"timestamp":"%b","duration":%a,"data":%b}' % (
        timestamp_bytes(event.start),
        event.duration / SECOND,
        event.data,
    )
