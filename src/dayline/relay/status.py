"""`GET /api/1/relay`: how the relay is doing."""

from msgspec import Struct

from dayline.client.queue import QueueState
from dayline.client.queued_call import Kind
from dayline.model.timestamps import Timestamp, format_timestamp
from dayline.relay.link import LinkState, State


class RefusedCall(Struct, frozen=True, kw_only=True):
    """A call that the server will never take. It is kept in the file of the queue."""

    bucket: str
    kind: Kind
    reason: str
    time: Timestamp


class RelayStatus(Struct, frozen=True, kw_only=True):
    """Where calls go, whether they can, and what waits.

    `since` is when it became connected, or away, and `reason` why it is away. `held_back` are the buckets that the
    server takes no calls for, with its reasons. `sent` counts from the start of the relay; `refusals` are the latest
    of the `refused` ones.
    """

    to: str
    state: State
    since: Timestamp
    reason: str | None
    waiting: int
    oldest: Timestamp | None
    held_back: dict[str, str]
    refused: int
    refusals: list[RefusedCall]
    sent: int
    queue_bytes: int


def status_of(to: str, link: LinkState, queue: QueueState) -> RelayStatus:
    """Both ends of the relay in one picture."""
    return RelayStatus(
        to=to,
        state=link.state,
        since=format_timestamp(link.since),
        reason=link.reason,
        waiting=queue.waiting,
        oldest=None if queue.oldest is None else format_timestamp(queue.oldest),
        held_back=link.held_back,
        refused=queue.refused,
        refusals=[
            RefusedCall(
                bucket=refusal.bucket_id,
                kind=refusal.kind,
                reason=refusal.reason,
                time=format_timestamp(refusal.refused),
            )
            for refusal in queue.refusals
        ],
        sent=link.sent,
        queue_bytes=queue.used_bytes,
    )
