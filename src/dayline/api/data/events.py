"""`/api/1/events`: read, edit, split and delete an event; delete many at once."""

from collections.abc import Collection
from contextlib import suppress
from typing import Annotated, Any, Final, Literal, TypeAlias

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from dayline.api.http.call import Call, ExpectedTags, expected_tags, is_any, strong_tags
from dayline.api.http.parameters import choice, cursor_of, cursor_text, several
from dayline.api.http.route import Answer, Body, Parameter, Route
from dayline.api.insight.task import annotations_between, answer_tagged, run_task, scope_of
from dayline.api.v0.events import event_id_of
from dayline.insight.categories.tasks import ExplainTask
from dayline.insight.now.buckets import layer_of
from dayline.insight.now.model import Layer
from dayline.insight.request import CommonRequest
from dayline.model.bucket import Bucket
from dayline.model.category import UNCATEGORIZED, Path
from dayline.model.data import CanonicalJson, check_data_size
from dayline.model.edits.annotation import AnnotationView, view_of_annotation
from dayline.model.edits.events import (
    ChangedEvent,
    EventDetail,
    EventPatch,
    RemovedEvent,
    SplitEvent,
    SplitRequest,
    changed,
    decode_change,
    decode_split,
    detail_of,
)
from dayline.model.edits.selection import (
    DeletedEvents,
    EventPage,
    EventSelector,
    Selection,
    decode_filters,
    decode_selector,
    listed,
)
from dayline.model.errors import Conflict, DaylineError, Malformed, NotFound, Stale
from dayline.model.event import Event, StoredEvent, event_tag, read_event_tag
from dayline.model.time import Timestamp
from dayline.runtime.threads import in_thread
from dayline.storage.history.contract import EventCheck

Aspect: TypeAlias = Literal["category", "notes"]
ASPECTS: Final[tuple[Aspect, ...]] = ("category", "notes")


class EventInContext(EventDetail, frozen=True, kw_only=True):
    """An event, and the related data that `include` requests."""

    category: Annotated[
        Path | UnsetType | None, Meta(description="the category by the rules; null if its type of bucket has none")
    ] = UNSET
    notes: Annotated[list[AnnotationView] | UnsetType, Meta(description="annotations that overlap the event")] = UNSET


class _Explained(Struct):
    category: Path


def aspects_of(call: Call) -> list[Aspect]:
    """The parts that `include` requests. Raises Malformed for an unknown one."""
    wanted = [word.strip() for word in (call.request.get_param("include") or "").split(",") if word.strip()]
    for word in wanted:
        if word not in ASPECTS:
            raise Malformed(f"include: unknown value {word[:40]!r}; use {', '.join(ASPECTS)}", field="include")
    return [aspect for aspect in ASPECTS if aspect in wanted]


async def in_context(call: Call, detail: EventDetail, event: Event, aspects: Collection[Aspect]) -> EventInContext:
    """The event with the requested parts."""
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
    with suppress(DaylineError):  # the query processes may be busy; return the event anyway
        return msgspec.json.decode(await run_task(call, "explain_category", task), type=_Explained).category
    return None


def _notes(call: Call, device: str, event: Event) -> list[AnnotationView]:
    end = max(event.end, event.start + 1)  # so that an event without duration matches what covers its start
    annotations = annotations_between(call.store, event.start, end)
    return [view_of_annotation(each) for each in annotations if each.device in (None, device)]


async def read_event(call: Call) -> None:
    """Returns the event unclipped, with its bucket and device.

    Send its ETag as `If-Match` with a change to make sure that no other client has changed the event. A heartbeat that
    extends the last event of a bucket does not count as a change. With `include` the response has its category and
    the annotations that overlap it; `POST /api/1/categories/explain` explains the category.
    """
    aspects, bucket = aspects_of(call), call.store.bucket(call.params["bucket_id"])
    stored = await in_thread(call.store.edits.event, bucket.id, event_id_of(call))
    detail = detail_of(stored, bucket)
    if aspects:
        # This ETag covers only the event, so it is not used to answer 304.
        _set_version(call, stored, bucket)
        call.answer_value(await in_context(call, detail, stored.event, aspects))
        return
    answer_tagged(call, msgspec.json.encode(detail), tag=event_tag(stored, bucket))


async def change_event(call: Call) -> None:
    """Changes only the given fields: the start, the end or the duration, or the whole data.

    With `If-Match`, it changes the event only if it still has that ETag; otherwise the response is 412 with the current
    event. Privacy rules apply to the new data.
    """
    change, bucket = decode_change(await call.json_body()), call.store.bucket(call.params["bucket_id"])
    if change.data is not None:
        change = msgspec.structs.replace(change, data=await in_thread(_filter_data, call, bucket, change.data))
    check = _check(call, bucket)

    def edit(stored: StoredEvent) -> Event:
        check(stored)
        return changed(stored.event, change)

    edited = await call.store.edits.edit(bucket.id, event_id_of(call), edit)
    [stored] = edited.events
    _set_version(call, stored, bucket)
    call.answer_value(ChangedEvent(event=detail_of(stored, bucket), undo=edited.undo))


async def remove_event(call: Call) -> None:
    """Moves the event to the trash; `undo` restores it. With `If-Match`, only if the event still has that ETag."""
    bucket = call.store.bucket(call.params["bucket_id"])
    edited = await call.store.edits.edit(bucket.id, event_id_of(call), _check(call, bucket))
    assert edited.undo is not None  # deleting always creates an undo entry
    call.set_revision()
    call.answer_value(RemovedEvent(event=detail_of(edited.events[0], bucket), undo=edited.undo))


async def split_event(call: Call) -> None:
    """Splits an event into two with the same data. The first keeps the id and ends where the second starts.

    It is one operation: `undo` joins them again, even if heartbeats have extended the second one since.
    """
    at, bucket = decode_split(await call.json_body()), call.store.bucket(call.params["bucket_id"])
    edited = await call.store.edits.split(bucket.id, event_id_of(call), at, check=_check(call, bucket))
    assert edited.undo is not None  # a split always changes something
    _set_version(call, edited.events[0], bucket)
    parts = [detail_of(stored, bucket) for stored in edited.events]
    call.answer_value(SplitEvent(events=parts, undo=edited.undo))


async def delete_selected_events(call: Call) -> None:
    """Deletes every event of a bucket that matches all given conditions. With `dry_run` it only counts them.

    It is one operation with one `undo`. Recording continues while it runs. An event that changes while it runs is not
    deleted.
    """
    selection, is_dry_run = decode_selector(await call.json_body())
    selection = msgspec.structs.replace(selection, bucket=call.store.bucket(selection.bucket).id)
    if is_dry_run:
        call.answer_value(await in_thread(call.store.edits.survey, selection))
        return
    call.note_destruction()
    deleted = await call.store.edits.delete_selected(selection)
    call.set_revision()
    call.answer_value(deleted)


async def list_events(call: Call) -> None:
    """Pages of unclipped events that overlap the time from `start` to `end`.

    A cursor continues after the last event of its page, whatever was inserted or deleted since: no event is returned
    twice, and none that existed throughout is missing. With a filter, a page can have fewer events than `limit`, or
    none, and still have a cursor.
    """
    selection = Selection(
        bucket=call.store.bucket(call.params["bucket_id"]).id,
        start=call.time("start"),
        end=call.time("end"),
        is_touching=True,
        filters=decode_filters(several(call, "filter")),
    )
    selected = await in_thread(
        call.store.edits.select,
        selection,
        after=cursor_of(call),
        limit=call.page_limit(),
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
    """Raise Stale unless one of the strong tags is that of the current event."""
    versions = [version for tag in strong_tags(tags) if (version := read_event_tag(tag)) is not None]
    differences = [version.differences(stored.event) for version in versions]
    if [] in differences:
        return
    fields = " and ".join(differences[0]) if differences else "its version"
    raise Stale(
        f"event {stored.event.id} of bucket {bucket.id!r} was changed by another client: {fields} "
        f"{'differ' if ' and ' in fields else 'differs'} from the version in If-Match",
        hint="check `current`, and send the change again with the new ETag",
        current=msgspec.json.decode(msgspec.json.encode(detail_of(stored, bucket))),
        tag=f'"{event_tag(stored, bucket)}"',
    )


def _set_version(call: Call, stored: StoredEvent, bucket: Bucket) -> None:
    call.response.set_header("ETag", f'"{event_tag(stored, bucket)}"')
    call.set_revision()


def _filter_data(call: Call, bucket: Bucket, data: CanonicalJson) -> CanonicalJson:
    """The data after privacy rules. Raises Conflict if a rule drops it, and TooLarge."""
    allowed = call.tenant.privacy.applied(bucket.id, data)
    if allowed is None:
        raise Conflict(
            f"a privacy rule drops this data in bucket {bucket.id!r}",
            hint="delete the event instead, or change the rule with PUT /api/1/privacy/rules",
            field="data",
        )
    check_data_size(allowed, call.server.limits.event_bytes)
    return allowed


_EVENT = "/api/1/events/{bucket_id}/{event_id}"
_SELECTOR = {
    "bucket": "aw-watcher-window_desktop",
    "start": "2026-02-03T08:00:00Z",
    "end": "2026-02-03T09:00:00Z",
    "data": [{"field": "title", "op": "has", "value": "draft"}],
}
_LIST = (
    Parameter(
        name="start", type=Timestamp, description="only events that end after this time, or begin at or after it"
    ),
    Parameter(name="end", type=Timestamp, description="only events that begin before this time"),
    Parameter(
        name="filter",
        type=list[Annotated[str, Meta(examples=["title:has:invoice"])]],
        description="`field:op:value`, with `op` `is` or `has`; if repeated, all must match",
    ),
    Parameter(name="order", type=Literal["newest", "oldest"], description="which events come first; default: `newest`"),
    Parameter(name="limit", type=Annotated[int, Meta(ge=1)], description="max events, up to 1,000; default: 100"),
    Parameter(name="cursor", type=str, description="the `cursor` of the previous page"),
)

CALLS: tuple[Route, ...] = (
    Route(
        method="GET", path=_EVENT, handler=read_event, tag="events", scope="read", is_tagged=True,
        summary="Get an event", answer=Answer(type=EventInContext, description="the event"),
        parameters=(
            Parameter(
                name="include", type=str,
                description=f"related data to include, separated by commas: {', '.join(ASPECTS)}",
            ),
        ),
        errors=(NotFound,),
    ),
    Route(
        method="PATCH", path=_EVENT, handler=change_event, tag="events", scope="full",
        is_destructive=True, is_conditional=True, summary="Change an event",
        body=Body(type=EventPatch, example={"duration": 90.0}),
        answer=Answer(type=ChangedEvent, description="the changed event"), errors=(NotFound, Conflict),
    ),
    Route(
        method="DELETE", path=_EVENT, handler=remove_event, tag="events", scope="full",
        is_destructive=True, is_conditional=True, summary="Delete an event",
        answer=Answer(type=RemovedEvent, description="the deleted event"), errors=(NotFound, Conflict),
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
        answer=Answer(type=DeletedEvents, description="what was or would be deleted"), errors=(NotFound, Conflict),
    ),
    Route(
        method="GET", path="/api/1/buckets/{bucket_id}/events", handler=list_events, tag="events",
        scope="read", is_tagged=True, summary="List the events of a bucket", parameters=_LIST,
        answer=Answer(type=EventPage, description="a page of events"), errors=(NotFound,),
    ),
)  # fmt: skip
