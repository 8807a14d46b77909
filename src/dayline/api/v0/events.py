"""`/api/0/buckets/<id>/events` and `/heartbeat`: get, insert or replace, count, delete, and heartbeats."""

import asyncio
import contextlib
import math
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Annotated, Final

from msgspec import Meta, Struct

from dayline.api.http.call import Call, pages_in_thread
from dayline.api.http.route import BUCKET, EVENT, Answer, Body, Parameter, Route
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

FILTERED_ON_LOOP: Final = 100  # events: rules take some 5 µs for each that they have not seen lately


class Deletion(Struct, frozen=True, kw_only=True):
    """Whether there was something to delete."""

    success: bool


async def get_events(call: Call) -> None:
    """An event is given if it ends at `start` or later and begins at `end` or earlier.

    What lies outside the range is cut off: such an event comes with a later timestamp or a shorter duration than it
    has. Events that begin at the same time come in the order of their ids.
    """
    start, end = call.moment("start"), call.moment("end")
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

    An event without an id is appended as it is, also where it overlaps or repeats another. An event with an id replaces
    the one that has this id; where there is none, it is stored under it. An id of another bucket is refused. Events
    that a privacy rule drops are left out of the list; a single one is answered as it was sent, with the id `null`. A
    key that may only append may not give ids: that would be to replace.
    """
    sent = decode_events(await call.json_body())
    _check_ids(call, [sent] if isinstance(sent, Event) else sent)
    bucket_id, privacy = call.params["bucket_id"], call.tenant.privacy
    if isinstance(sent, Event):
        inserted = await call.store.insert(bucket_id, privacy.kept(bucket_id, [sent]))
        call.tell_undo(inserted.undo)
        call.answer_json(encode_event(inserted.events[0]) if inserted.events else encode_unstored(sent))
        return
    is_quick = privacy.rules.is_empty or len(sent) <= FILTERED_ON_LOOP
    kept = privacy.kept(bucket_id, sent) if is_quick else await in_thread(privacy.kept, bucket_id, sent)
    inserted = await call.store.insert(bucket_id, kept)
    call.tell_undo(inserted.undo)
    call.answer_json(b"[%s]" % b",".join(map(encode_event, inserted.events)))


async def count_events(call: Call) -> None:
    """The events that the same `start` and `end` would give."""
    start, end = call.moment("start"), call.moment("end")
    count = await in_thread(call.store.count, call.params["bucket_id"], start=start, end=end)
    call.answer_json(b"%d" % count)


async def get_event(call: Call) -> None:
    """With its whole length, whatever range was looked at before."""
    event = await in_thread(call.store.event, call.params["bucket_id"], event_id_of(call))
    call.answer_json(encode_event(event))


async def delete_event(call: Call) -> None:
    """Answers 200 also where there was no such event, and says so."""
    undo = await call.store.delete_event(call.params["bucket_id"], event_id_of(call))
    call.tell_undo(undo)
    call.answer_value(Deletion(success=undo is not None))


def _check_ids(call: Call, events: Sequence[Event]) -> None:
    if not any(event.id for event in events):
        return
    if call.caller.scope == "append":
        raise Forbidden(
            "an event with an id replaces the one that has it, and this key may only append",
            hint="leave out the id to insert a new event",
            field="id",
        )
    call.note_destruction()


def _limit(call: Call) -> int | None:
    """None for unlimited: not given, negative (as the Python client sends it by default), or not a number."""
    with contextlib.suppress(ValueError):
        limit = int(call.request.get_param("limit", default=""))
        return None if limit < 0 else min(limit, MAX_EVENT_ID)
    return None


def event_id_of(call: Call) -> int:
    """The id in the path. Raises EventNotFound for what cannot be one."""
    number = call.path_number("event_id")
    if number is not None and 0 < number <= MAX_EVENT_ID:
        return number
    call.store.bucket(call.params["bucket_id"])
    raise EventNotFound(call.params["bucket_id"], call.params["event_id"][:40])


# `/api/0/buckets/<id>/heartbeat` for every request that the hot lane does not take.


async def send_heartbeat(call: Call) -> None:
    """A heartbeat says that something is still so.

    Where its data equal those of the bucket's last event, and it begins no more than `pulsetime` seconds after that
    event's end, the last event is extended to its end. Otherwise it becomes an event of its own. The answer is sent
    when the change is on disk. A heartbeat that a privacy rule drops is answered as it was sent, with the id `null`.
    """
    bucket_id = call.params["bucket_id"]
    pulsetime = parse_pulsetime(call.request.get_param("pulsetime"))
    sent = decode_heartbeat(await call.json_body())
    kept = call.tenant.privacy.kept(bucket_id, [sent])
    if not kept:
        call.tenant.store.bucket(bucket_id)  # whoever may record there learns no more than that it is there
        call.answer_json(encode_unstored(sent))
        return
    [beat] = kept
    stored: asyncio.Future[Event | DaylineError] = asyncio.get_running_loop().create_future()

    def done(outcome: Event | DaylineError) -> None:
        if not stored.done():  # the client may have gone meanwhile
            stored.set_result(outcome)

    call.store.heartbeat(bucket_id, beat, pulsetime=pulsetime, done=done)
    outcome = await stored
    if isinstance(outcome, DaylineError):
        raise outcome
    call.answer_json(encode_event(outcome))


def parse_pulsetime(text: str | None) -> Microseconds:
    """Seconds from the URL as microseconds; negative counts as 0. Raises Malformed where it is missing or no number."""
    if text is None:
        raise Malformed("pulsetime is missing", hint="…/heartbeat?pulsetime=<seconds>", field="pulsetime")
    try:
        seconds = float(text)
    except ValueError as error:
        raise Malformed(f"pulsetime: {text[:40]!r} is not a number of seconds", field="pulsetime") from error
    if not math.isfinite(seconds):
        raise Malformed(f"pulsetime: {text[:40]!r} is not a finite number of seconds", field="pulsetime")
    return round(min(max(seconds * SECOND, 0), LATEST))  # bounded first: the product may be infinite


# Routes.


_START = Parameter(name="start", type=Timestamp, description="only events that end at this time or later")
_END = Parameter(name="end", type=Timestamp, description="only events that begin at this time or earlier")
_LIMIT = Parameter(name="limit", type=int, description="only the newest so many; negative means all")
_PULSETIME = Parameter(
    name="pulsetime",
    type=Annotated[float, Meta(examples=[5.0])],
    description="seconds: the longest gap to the last event that still extends it",
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
        summary="Insert events, or replace those whose id is given",
        body=Body(type=list[EventBody] | EventBody, example=[EVENT]),
        answer=Answer(type=list[EventView] | EventView, description="the events as stored, with their ids"),
        errors=(NotFound, Conflict),
    ),
    Route(
        method="GET", path=f"{BUCKET}/events/count", handler=count_events, tag="events", scope="read",
        summary="Count events", parameters=(_START, _END),
        answer=Answer(type=Annotated[int, Meta(ge=0)], description="how many"), errors=(NotFound,),
    ),
    Route(
        method="GET", path=f"{BUCKET}/events/{{event_id}}", handler=get_event, tag="events", scope="read",
        summary="Get an event, unclipped", answer=Answer(type=EventView, description="the event"), errors=(NotFound,),
    ),
    Route(
        method="DELETE", path=f"{BUCKET}/events/{{event_id}}", handler=delete_event, tag="events",
        scope="full", is_destructive=True,
        summary="Delete an event", answer=Answer(type=Deletion, description="whether it existed"),
        errors=(NotFound,),
    ),
    Route(
        method="POST", path=f"{BUCKET}/heartbeat", handler=send_heartbeat, tag="events", scope="append",
        summary="Extend the last event, or begin a new one", parameters=(_PULSETIME,),
        body=Body(type=HeartbeatBody, example=EVENT),
        answer=Answer(type=EventView, description="the event as stored"), errors=(NotFound,),
    ),
)  # fmt: skip
