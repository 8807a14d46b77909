"""`/api/0/buckets/<id>/events`: get, insert or replace, count, get one, delete one."""

import contextlib
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Final

from msgspec import Struct

from dayline.api.call import Call, in_thread, pages_in_thread
from dayline.model.errors import EventNotFound, Forbidden
from dayline.model.event import MAX_EVENT_ID, Event, decode_events, encode_event, encode_unstored

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
    bucket_id, privacy = call.params["bucket_id"], call.services.privacy
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
