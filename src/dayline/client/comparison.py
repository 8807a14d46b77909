"""Compares a queued call with the events of the server, if the server may have the call and no longer knows."""

from collections import Counter
from collections.abc import Iterable
from typing import Final
from urllib.parse import urlencode

import msgspec

from dayline.client.queued_call import WaitingCall
from dayline.model.data import canonical_data, canonical_json
from dayline.model.event import EventView, HeartbeatBody, extent_of
from dayline.model.time import SECOND, Microseconds, format_timestamp, parse_timestamp

_MARGIN: Final[Microseconds] = SECOND  # the server shortens events that cross an edge of the range

Extent = tuple[Microseconds, Microseconds]  # start and duration


def range_of(call: WaitingCall) -> str:
    """The query string for the stored events that the call could have made."""
    extents = [_extent(event) for event in _events(call)]
    first = min(start + min(duration, 0) for start, duration in extents) - _MARGIN
    last = max(start + max(duration, 0) for start, duration in extents) + _MARGIN
    return urlencode({"start": format_timestamp(first), "end": format_timestamp(last)})


def missing_body(call: WaitingCall, stored: Iterable[EventView]) -> bytes | None:
    """The body for what the server does not have of a call; None if it has all of it.

    Data is not compared if the start is the same: privacy rules may have changed it.
    """
    events = list(stored)
    if call.kind == "heartbeat":
        return None if any(_includes(event, call.body) for event in events) else call.body
    known = Counter(_stored_extent(event) for event in events)
    missing: list[msgspec.Raw] = []
    for event in _events(call):
        extent = _extent(event)
        known[extent] -= 1
        if known[extent] < 0:
            missing.append(event)
    return msgspec.json.encode(missing) if missing else None


def _includes(stored: EventView, body: bytes) -> bool:
    """Whether a stored event contains a heartbeat, after which it may have been extended."""
    sent = msgspec.json.decode(body, type=HeartbeatBody)
    (start, duration), (stored_start, stored_duration) = extent_of(sent), _stored_extent(stored)
    if not stored_start <= start <= start + duration <= stored_start + stored_duration:
        return False
    return stored_start == start or canonical_json(stored.data) == canonical_data(bytes(sent.data))


def _events(call: WaitingCall) -> list[msgspec.Raw]:
    if call.body.startswith(b"{"):
        return [msgspec.Raw(call.body)]
    return msgspec.json.decode(call.body, type=list[msgspec.Raw])


def _extent(event: msgspec.Raw) -> Extent:
    return extent_of(msgspec.json.decode(event, type=HeartbeatBody))


def _stored_extent(event: EventView) -> Extent:
    return parse_timestamp(event.timestamp), round(event.duration * SECOND)
