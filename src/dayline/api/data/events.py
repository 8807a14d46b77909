"""`/api/1/events`: one event with its context, edited, split or deleted; deleting many at once."""

from collections.abc import Collection
from contextlib import suppress
from typing import Annotated, Any, Final, Literal, TypeAlias

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from dayline.api.http.call import Call
from dayline.api.http.headers import ExpectedTags, expected_tags, is_any, strong_tags
from dayline.api.http.parameters import choice, cursor_of, cursor_text, several
from dayline.api.http.route import Answer, Body, Parameter, Route
from dayline.api.insight.task import annotations_between, answer_tagged, run_task, scope_of
from dayline.api.v0.events import event_id_of
from dayline.insight.categories.model import ExplainTask
from dayline.insight.now.buckets import layer_of
from dayline.insight.now.model import Layer
from dayline.insight.request import CommonRequest
from dayline.model.annotation import AnnotationView, view_of_annotation
from dayline.model.bucket import Bucket
from dayline.model.category import UNCATEGORIZED, Path
from dayline.model.data import CanonicalJson
from dayline.model.errors import Conflict, DaylineError, Malformed, NotFound, Stale
from dayline.model.event import Event, StoredEvent, event_tag, read_event_tag
from dayline.model.event_changes import (
    ChangedEvent,
    DeletedEvents,
    EventDetail,
    EventPage,
    EventPatch,
    EventSelector,
    RemovedEvent,
    Selection,
    SplitEvent,
    SplitRequest,
    changed,
    decode_change,
    decode_filters,
    decode_selector,
    decode_split,
    detail_of,
    listed,
)
from dayline.model.time import Timestamp
from dayline.runtime.threads import in_thread
from dayline.storage.history.contract import EventCheck

Aspect: TypeAlias = Literal["category", "notes"]
ASPECTS: Final[tuple[Aspect, ...]] = ("category", "notes")


class EventInContext(EventDetail, frozen=True, kw_only=True):
    """An event, and with `include` what there is about it besides."""

    category: Annotated[
        Path | UnsetType | None, Meta(description="by the rules alone; null where events of its kind have none")
    ] = UNSET
    notes: Annotated[list[AnnotationView] | UnsetType, Meta(description="the annotations that lie over it")] = UNSET


class _Explained(Struct):
    category: Path


_explained = msgspec.json.Decoder(_Explained)


def aspects_of(call: Call) -> list[Aspect]:
    """What `include` asks for. Raises Malformed."""
    wanted = [word.strip() for word in (call.request.get_param("include") or "").split(",") if word.strip()]
    for word in wanted:
        if word not in ASPECTS:
            raise Malformed(f"include: {word[:40]!r} is not one of {', '.join(ASPECTS)}", field="include")
    return [aspect for aspect in ASPECTS if aspect in wanted]


async def in_context(call: Call, detail: EventDetail, event: Event, aspects: Collection[Aspect]) -> EventInContext:
    """The event with what is asked for."""
    fields: dict[str, Any] = msgspec.structs.asdict(detail)
    if "category" in aspects:
        fields["category"] = await _category(call, detail, event)
    if "notes" in aspects:
        fields["notes"] = await in_thread(_notes, call, detail.device, event)
    return EventInContext(**fields)


async def _category(call: Call, detail: EventDetail, event: Event) -> Path | None:
    layer = layer_of(detail.type)
    if layer is None:
        return None
    scope = await scope_of(call)
    if not scope.categories:
        return UNCATEGORIZED
    layers: dict[Layer, dict[str, Any]] = {layer: msgspec.json.decode(event.data)}
    task = ExplainTask(common=CommonRequest(scope=scope, start=0, end=1), layers=layers)
    with suppress(DaylineError):  # too many ask at once: the event itself can be told all the same
        return _explained.decode(await run_task(call, "explain_category", task)).category
    return None


def _notes(call: Call, device: str, event: Event) -> list[AnnotationView]:
    end = max(event.end, event.start + 1)  # one without length lies under what is there at its moment
    found = annotations_between(call.store, event.start, end)
    return [view_of_annotation(each) for each in found if each.device in (None, device)]


# `/api/1/events`: one event as a whole, changed, split or deleted, and many deleted at once.


PAGE: Final = 100
_MOST: Final = 1000


async def read_event(call: Call) -> None:
    """With its whole length, whatever range was looked at before, and where it comes from.

    Its ETag, sent back as `If-Match` with a change, makes sure that nobody else has changed it in the meantime. The
    last event of a bucket grows with every heartbeat, which is no change in this sense: see the page on events.
    With `include` the answer has its category, and the annotations over it; `POST /api/1/categories/explain` tells why.
    """
    aspects, bucket = aspects_of(call), call.store.bucket(call.params["bucket_id"])
    stored = await in_thread(call.store.edits.event, bucket.id, event_id_of(call))
    detail = detail_of(stored, bucket)
    if aspects:
        # The tag is that of the event alone, so that nobody is told by it that the rest has not changed.
        _tell_version(call, stored, bucket)
        call.answer_value(await in_context(call, detail, stored.event, aspects))
        return
    answer_tagged(call, msgspec.json.encode(detail), tag=event_tag(stored, bucket))


async def change_event(call: Call) -> None:
    """Changes what is given and leaves the rest alone: the beginning, the end or the length, the data as a whole.

    With `If-Match` it is done only if the event is still as it was read; otherwise the answer is 412, and tells what it
    is now. Privacy rules apply to new data as they do to what is recorded.
    """
    change, bucket = decode_change(await call.json_body()), call.store.bucket(call.params["bucket_id"])
    if change.data is not None:
        change = msgspec.structs.replace(change, data=await in_thread(_allowed, call, bucket, change.data))
    check = _check(call, bucket)

    def edit(stored: StoredEvent) -> Event:
        check(stored)
        return changed(stored.event, change)

    edited = await call.store.edits.edit(bucket.id, event_id_of(call), edit)
    [stored] = edited.events
    _tell_version(call, stored, bucket)
    call.answer_value(ChangedEvent(event=detail_of(stored, bucket), undo=edited.undo))


async def remove_event(call: Call) -> None:
    """The event goes into the trash, from where `undo` brings it back. With `If-Match` only if it is as it was read."""
    bucket = call.store.bucket(call.params["bucket_id"])
    edited = await call.store.edits.edit(bucket.id, event_id_of(call), _check(call, bucket))
    assert edited.undo is not None  # there was one to delete
    call.tell_revision()
    call.answer_value(RemovedEvent(event=detail_of(edited.events[0], bucket), undo=edited.undo))


async def split_event(call: Call) -> None:
    """Makes two events of one, with the same data: the first keeps the id and ends where the second begins.

    That is one act: `undo` makes one event of them again, also where heartbeats have made the second longer since.
    """
    at, bucket = decode_split(await call.json_body()), call.store.bucket(call.params["bucket_id"])
    edited = await call.store.edits.split(bucket.id, event_id_of(call), at, check=_check(call, bucket))
    assert edited.undo is not None  # a split always changes something
    _tell_version(call, edited.events[0], bucket)
    parts = [detail_of(stored, bucket) for stored in edited.events]
    call.answer_value(SplitEvent(events=parts, undo=edited.undo))


async def delete_selected_events(call: Call) -> None:
    """Deletes every event of a bucket that all that is given is true of; with `dry_run` it only tells how many.

    It is one act, however many there are, and `undo` brings all of them back. Recording goes on meanwhile. An event
    that somebody else changes in the meantime is left alone.
    """
    selection, is_dry_run = decode_selector(await call.json_body())
    selection = msgspec.structs.replace(selection, bucket=call.store.bucket(selection.bucket).id)
    if is_dry_run:
        call.answer_value(await in_thread(call.store.edits.survey, selection))
        return
    call.note_destruction()
    deleted = await call.store.edits.delete_selected(selection)
    call.tell_revision()
    call.answer_value(deleted)


async def list_events(call: Call) -> None:
    """Page by page, unclipped: the events that lie at least partly between `start` and `end`.

    A cursor goes on after the last event of its page, whatever was inserted or deleted since: no event comes twice, and
    none that was there all the time is left out. With a filter a page may have fewer events than `limit`, or none, and
    yet a cursor.
    """
    selection = Selection(
        bucket=call.store.bucket(call.params["bucket_id"]).id,
        start=call.moment("start"),
        end=call.moment("end"),
        is_touching=True,
        filters=decode_filters(several(call, "filter")),
    )
    selected = await in_thread(
        call.store.edits.select,
        selection,
        after=cursor_of(call),
        limit=min(call.number("limit") or PAGE, _MOST),
        is_newest_first=choice(call, "order", ("newest", "oldest"), "newest") == "newest",
    )
    after = selected.after
    page = EventPage(events=list(map(listed, selected.events)), cursor=None if after is None else cursor_text(after))
    answer_tagged(call, msgspec.json.encode(page))


def _check(call: Call, bucket: Bucket) -> EventCheck:
    tags = expected_tags(call)

    def check(stored: StoredEvent) -> None:
        if tags is not None and not is_any(tags):
            _check_version(stored, bucket, tags)

    return check


def _check_version(stored: StoredEvent, bucket: Bucket, tags: ExpectedTags) -> None:
    """Raise Stale unless one of the tags is of the event as it is. Weak tags never are: they promise too little."""
    versions = [version for tag in strong_tags(tags) if (version := read_event_tag(tag)) is not None]
    differences = [version.differences(stored.event) for version in versions]
    if [] in differences:
        return
    fields = " and ".join(differences[0]) if differences else "its version"
    raise Stale(
        f"event {stored.event.id} of bucket {bucket.id!r} was changed meanwhile: {fields} "
        f"{'are' if ' and ' in fields else 'is'} not what it was",
        hint="look at what it is now, and send the change again with its new ETag",
        current=msgspec.json.decode(msgspec.json.encode(detail_of(stored, bucket))),
        tag=f'"{event_tag(stored, bucket)}"',
    )


def _tell_version(call: Call, stored: StoredEvent, bucket: Bucket) -> None:
    call.response.set_header("ETag", f'"{event_tag(stored, bucket)}"')
    call.tell_revision()


def _allowed(call: Call, bucket: Bucket, data: CanonicalJson) -> CanonicalJson:
    """The data as the privacy rules let them in. Raises Conflict where they let nothing in."""
    allowed = call.tenant.privacy.applied(bucket.id, data)
    if allowed is None:
        raise Conflict(
            f"a privacy rule drops such data in bucket {bucket.id!r}",
            hint="delete the event, or change the rule",
            field="data",
        )
    return allowed


# Routes.


_EVENT = "/api/1/events/{bucket_id}/{event_id}"
_SELECTOR = {
    "bucket": "aw-watcher-window_desktop",
    "start": "2026-02-03T08:00:00Z",
    "end": "2026-02-03T09:00:00Z",
    "data": [{"field": "title", "op": "has", "value": "draft"}],
}
_LIST = (
    Parameter(
        name="start", type=Timestamp, description="only events that end after this time, or begin at it or later"
    ),
    Parameter(name="end", type=Timestamp, description="only events that begin before this time"),
    Parameter(
        name="filter",
        type=list[Annotated[str, Meta(examples=["title:has:invoice"])]],
        description="`field:op:value`, where `op` is `is` or `has`; given several times, all must hold",
    ),
    Parameter(name="order", type=Literal["newest", "oldest"], description="which come first; `newest` by itself"),
    Parameter(name="limit", type=Annotated[int, Meta(ge=1)], description="at most so many, up to 1,000; 100 by itself"),
    Parameter(name="cursor", type=str, description="goes on where the page that told it has ended"),
)

CALLS: tuple[Route, ...] = (
    Route(
        method="GET", path=_EVENT, handler=read_event, tag="events", scope="read", is_tagged=True,
        summary="Get an event with all about it", answer=Answer(type=EventInContext, description="the event"),
        parameters=(
            Parameter(
                name="include", type=str,
                description=f"what to tell besides, with commas between: {', '.join(ASPECTS)}",
            ),
        ),
        errors=(NotFound,),
    ),
    Route(
        method="PATCH", path=_EVENT, handler=change_event, tag="events", scope="full",
        is_destructive=True, is_conditional=True, summary="Change an event",
        body=Body(type=EventPatch, example={"duration": 90.0}),
        answer=Answer(type=ChangedEvent, description="the event as it is now"), errors=(NotFound, Conflict),
    ),
    Route(
        method="DELETE", path=_EVENT, handler=remove_event, tag="events", scope="full",
        is_destructive=True, is_conditional=True, summary="Put an event into the trash",
        answer=Answer(type=RemovedEvent, description="the event as it was"), errors=(NotFound, Conflict),
    ),
    Route(
        method="POST", path=f"{_EVENT}/split", handler=split_event, tag="events", scope="full",
        is_destructive=True, is_conditional=True, summary="Split an event in two",
        body=Body(type=SplitRequest, example={"at": "2026-02-03T08:15:45Z"}),
        answer=Answer(type=SplitEvent, description="both parts"), errors=(NotFound, Conflict),
    ),
    Route(
        method="POST", path="/api/1/events/delete", handler=delete_selected_events, tag="events",
        scope="full", summary="Delete events by range, ids or data", body=Body(type=EventSelector, example=_SELECTOR),
        answer=Answer(type=DeletedEvents, description="what was deleted, or would be"), errors=(NotFound, Conflict),
    ),
    Route(
        method="GET", path="/api/1/buckets/{bucket_id}/events", handler=list_events, tag="events",
        scope="read", is_tagged=True, summary="List the events of a bucket, page by page", parameters=_LIST,
        answer=Answer(type=EventPage, description="some events, and the cursor for more"), errors=(NotFound,),
    ),
)  # fmt: skip
