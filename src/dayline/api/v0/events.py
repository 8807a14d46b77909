"""`/api/0/buckets/<id>/events` and `/heartbeat`: get, insert or replace, count, delete, and heartbeats."""

import asyncio
import contextlib
import math
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Annotated, Final

from msgspec import Meta, Struct

from dayline.api.http.call import Call, pages_in_thread
from dayline.api.http.route import BUCKET, EVENT, Answer, Body, Parameter, Route
from dayline.model.data import check_data_size
from dayline.model.errors import Conflict, DaylineError, EventNotFound, Forbidden, Malformed, NotFound
from dayline.model.event import (
    MAX_EVENT_ID,
    Event,
    EventBody,
    EventView,
    HeartbeatBody,
    decode_events,
    decode_heartbeat,
    encode_event,
    encode_unstored,
)
from dayline.model.time import LATEST, SECOND, Microseconds, Timestamp
from dayline.runtime.threads import in_thread

FILTERED_ON_LOOP: Final = 100  # events; rules take about 5 µs for each one that is not cached


class Deletion(Struct, frozen=True, kw_only=True):
    """Whether the event existed."""

    success: bool


async def get_events(call: Call) -> None:
    """Events that end at `start` or later and begin at `end` or earlier, clipped to that range.

    A clipped event has a later timestamp or a shorter duration than the stored one. Events that begin at the same time
    are in the order of their ids.
    """
    start, end = call.time("start"), call.time("end")
    limit = _limit(call)

    def begin() -> tuple[Iterator[bytes], bytes, bytes | None]:
        pages = call.store.events(call.params["bucket_id"], start=start, end=end, limit=limit)
        return pages, next(pages, b""), next(pages, None)

    pages, first, second = await in_thread(begin)
    if second is None:
        call.answer_json(b"[%s]" % first)
        return

    async def stream() -> AsyncIterator[bytes]:
        yield b"[%s,%s" % (first, second)
        async for page in pages_in_thread(call, pages):
            yield b",%s" % page
        yield b"]"

    call.response.content_type = "application/json"
    call.response.stream = stream()


async def insert_events(call: Call) -> None:
    """Send a list and get a list, or one event and get one. Either all events are stored, or none.

    An event without an id is inserted, even if it overlaps or repeats another. An event with an id replaces the event
    with that id, or is inserted with it if that event was deleted. An id of another bucket is an error, and so is one
    that was not assigned yet or that a merge in progress has reserved. Events that a privacy rule drops are left out of
    the list; a single one is returned as it was sent, with the id `null`. A key with scope `append` may not send ids.
    """
    sent = decode_events(await call.json_body(), max_data_bytes=call.server.limits.event_bytes)
    _check_ids(call, [sent] if isinstance(sent, Event) else sent)
    bucket_id, privacy = call.params["bucket_id"], call.tenant.privacy
    if isinstance(sent, Event):
        inserted = await call.store.insert(bucket_id, _kept(call, [sent]))
        call.set_undo(inserted.undo)
        call.answer_json(encode_event(inserted.events[0]) if inserted.events else encode_unstored(sent))
        return
    is_quick = privacy.rules.is_empty or len(sent) <= FILTERED_ON_LOOP
    kept = _kept(call, sent) if is_quick else await in_thread(_kept, call, sent)
    inserted = await call.store.insert(bucket_id, kept)
    call.set_undo(inserted.undo)
    call.answer_json(b"[%s]" % b",".join(map(encode_event, inserted.events)))


async def count_events(call: Call) -> None:
    """The number of events that `GET …/events` returns for the same `start` and `end`."""
    start, end = call.time("start"), call.time("end")
    count = await in_thread(call.store.count, call.params["bucket_id"], start=start, end=end)
    call.answer_json(b"%d" % count)


async def get_event(call: Call) -> None:
    """The event as it is stored, without clipping."""
    event = await in_thread(call.store.event, call.params["bucket_id"], event_id_of(call))
    call.answer_json(encode_event(event))


async def delete_event(call: Call) -> None:
    """Returns 200 even if there was no such event; see `success`."""
    undo = await call.store.delete_event(call.params["bucket_id"], event_id_of(call))
    call.set_undo(undo)
    call.answer_value(Deletion(success=undo is not None))


def _kept(call: Call, events: Sequence[Event]) -> list[Event]:
    """The events after the privacy rules. Raises TooLarge if a rule makes one too large."""
    kept = call.tenant.privacy.kept(call.params["bucket_id"], events)
    for event in kept:
        check_data_size(event.data, call.server.limits.event_bytes)
    return kept


def _check_ids(call: Call, events: Sequence[Event]) -> None:
    if not any(event.id for event in events):
        return
    if call.caller.scope == "append":
        raise Forbidden(
            "an event with an id replaces an existing one, and this key has scope append",
            hint="leave out the id to insert a new event",
            field="id",
        )
    call.note_destruction()


def _limit(call: Call) -> int | None:
    """None for unlimited: missing, negative (the default of the Python client), or not a number."""
    with contextlib.suppress(ValueError):
        limit = int(call.request.get_param("limit", default=""))
        return None if limit < 0 else min(limit, MAX_EVENT_ID)
    return None


def event_id_of(call: Call) -> int:
    """The event id in the path. Raises EventNotFound if it is not an id."""
    number = call.path_number("event_id")
    if number is not None and 0 < number <= MAX_EVENT_ID:
        return number
    call.store.bucket(call.params["bucket_id"])
    raise EventNotFound(call.params["bucket_id"], call.params["event_id"][:40])


# `/api/0/buckets/<id>/heartbeat` for requests outside the fast path.


async def send_heartbeat(call: Call) -> None:
    """A heartbeat reports that a state continues.

    If its data equals that of the bucket's last event, and it begins at most `pulsetime` seconds after that event's
    end, the last event is extended. Otherwise a new event is created. The response is sent when the change is on disk.
    A heartbeat that a privacy rule drops is returned as it was sent, with the id `null`.
    """
    bucket_id = call.params["bucket_id"]
    pulsetime = parse_pulsetime(call.request.get_param("pulsetime"))
    sent = decode_heartbeat(await call.json_body(), max_data_bytes=call.server.limits.event_bytes)
    kept = _kept(call, [sent])
    if not kept:
        call.tenant.store.bucket(bucket_id)  # raises BucketNotFound, as for a heartbeat that is stored
        call.answer_json(encode_unstored(sent))
        return
    [beat] = kept
    stored: asyncio.Future[Event | DaylineError] = asyncio.get_running_loop().create_future()

    def done(outcome: Event | DaylineError) -> None:
        if not stored.done():  # canceled if the client has disconnected
            stored.set_result(outcome)

    call.store.heartbeat(bucket_id, beat, pulsetime=pulsetime, done=done)
    outcome = await stored
    if isinstance(outcome, DaylineError):
        raise outcome
    call.answer_json(encode_event(outcome))


def parse_pulsetime(text: str | None) -> Microseconds:
    """Seconds from the URL as microseconds; negative counts as 0. Raises Malformed if missing or not a number."""
    if text is None:
        raise Malformed("`pulsetime` is required", hint="…/heartbeat?pulsetime=<seconds>", field="pulsetime")
    try:
        seconds = float(text)
    except ValueError as error:
        raise Malformed(f"pulsetime must be a number of seconds (got {text[:40]!r})", field="pulsetime") from error
    if not math.isfinite(seconds):
        raise Malformed(f"pulsetime must be a finite number of seconds (got {text[:40]!r})", field="pulsetime")
    return round(min(max(seconds * SECOND, 0), LATEST))  # clamped before rounding: the product may be infinite


_START = Parameter(name="start", type=Timestamp, description="only events that end at this time or later")
_END = Parameter(name="end", type=Timestamp, description="only events that begin at this time or earlier")
_LIMIT = Parameter(name="limit", type=int, description="max events, the newest ones; negative means all")
_PULSETIME = Parameter(
    name="pulsetime",
    type=Annotated[float, Meta(examples=[5.0])],
    description="max gap in seconds to the last event for the heartbeat to extend it",
    is_required=True,
)

CALLS: tuple[Route, ...] = (
    Route(
        method="GET", path=f"{BUCKET}/events", handler=get_events, tag="events", scope="read",
        summary="Get events, newest first, clipped to the range", parameters=(_START, _END, _LIMIT),
        answer=Answer(type=list[EventView], description="the events"), errors=(NotFound,),
    ),
    Route(
        method="POST", path=f"{BUCKET}/events", handler=insert_events, tag="events", scope="append",
        summary="Insert events, or replace those with an id",
        body=Body(type=list[EventBody] | EventBody, example=[EVENT]),
        answer=Answer(type=list[EventView] | EventView, description="the events as stored, with their ids"),
        errors=(NotFound, Conflict),
    ),
    Route(
        method="GET", path=f"{BUCKET}/events/count", handler=count_events, tag="events", scope="read",
        summary="Count events", parameters=(_START, _END),
        answer=Answer(type=Annotated[int, Meta(ge=0)], description="the number of events"), errors=(NotFound,),
    ),
    Route(
        method="GET", path=f"{BUCKET}/events/{{event_id}}", handler=get_event, tag="events", scope="read",
        summary="Get an event, unclipped", answer=Answer(type=EventView, description="the event"), errors=(NotFound,),
    ),
    Route(
        method="DELETE", path=f"{BUCKET}/events/{{event_id}}", handler=delete_event, tag="events",
        scope="full", is_destructive=True,
        summary="Delete an event of a bucket", answer=Answer(type=Deletion, description="whether it existed"),
        errors=(NotFound,),
    ),
    Route(
        method="POST", path=f"{BUCKET}/heartbeat", handler=send_heartbeat, tag="events", scope="append",
        summary="Extend the last event, or start a new one", parameters=(_PULSETIME,),
        body=Body(type=HeartbeatBody, example=EVENT),
        answer=Answer(type=EventView, description="the event as stored"), errors=(NotFound,),
    ),
)  # fmt: skip
