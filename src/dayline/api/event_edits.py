"""`/api/1/events`: one event as a whole, changed, split or deleted, and many deleted at once."""

from typing import Final

import msgspec

from dayline.api.call import Call, in_thread
from dayline.api.common_parameters import choice, several
from dayline.api.cursors import cursor_of, cursor_text
from dayline.api.event_context import aspects_of, in_context
from dayline.api.events import event_id_of
from dayline.api.insight import answer_tagged
from dayline.api.preconditions import EntityTags, expected_tags
from dayline.model.bucket import Bucket
from dayline.model.data import CanonicalJson
from dayline.model.errors import Conflict, Stale
from dayline.model.event import Event
from dayline.model.event_edits import (
    ChangedEvent,
    RemovedEvent,
    SplitEvent,
    changed,
    decode_change,
    decode_split,
    detail_of,
)
from dayline.model.event_selection import EventPage, Selection, decode_filters, decode_selector, listed
from dayline.model.event_tag import StoredEvent, event_tag, read_event_tag
from dayline.storage.history.edits import EventCheck

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
        if tags is not None and not tags.is_any:
            _check_version(stored, bucket, tags)

    return check


def _check_version(stored: StoredEvent, bucket: Bucket, tags: EntityTags) -> None:
    """Raise Stale unless one of the tags is of the event as it is. Weak tags never are: they promise too little."""
    versions = [version for tag in tags.strong if (version := read_event_tag(tag)) is not None]
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
    allowed = call.services.privacy.applied(bucket.id, data)
    if allowed is None:
        raise Conflict(
            f"a privacy rule drops such data in bucket {bucket.id!r}",
            hint="delete the event, or change the rule",
            field="data",
        )
    return allowed
