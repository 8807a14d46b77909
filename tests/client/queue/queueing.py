"""Short ways to fill a queue and to look into it."""

from pathlib import Path

from dayline.client.queue import CallQueue
from dayline.client.queued_call import Creation, Heartbeat, Insertion, NewCall, WaitingCall
from dayline.model.data import canonical_json
from dayline.model.event import Event
from dayline.model.time import SECOND


def beat(second: float, *, app: str = "editor", bucket_id: str = "a", lasting: float = 0, pulse: float = 5) -> NewCall:
    return Heartbeat(
        bucket_id=bucket_id,
        event=Event(start=round(second * SECOND), duration=round(lasting * SECOND), data=canonical_json({"app": app})),
        pulsetime=round(pulse * SECOND),
    )


def create(bucket_id: str = "a", body: bytes = b'{"type":"t"}') -> NewCall:
    return Creation(bucket_id=bucket_id, body=body)


def insert(bucket_id: str = "a", body: bytes = b"[]") -> NewCall:
    return Insertion(bucket_id=bucket_id, body=body)


def drained(queue: CallQueue) -> list[WaitingCall]:
    """Take all that waits, as if a server took it."""
    calls: list[WaitingCall] = []
    while (call := queue.take()) is not None:
        calls.append(call)
        queue.done(call)
    return calls


def left_in(path: Path) -> list[WaitingCall]:
    """What another process would find in the file."""
    queue = CallQueue(path)
    calls = drained(queue)
    queue.close()
    return calls
