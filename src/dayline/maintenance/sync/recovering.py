"""Merges a restored database with what its device had published.

Published events win, up to the restore; events that were recorded later are added. Every start of the server is a
session, and a head has up to which id it covers each: so an event is new if no head of this device has covered it, also
if its id was used twice.
"""

import asyncio
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import count
from typing import Final, TypeAlias

from msgspec import Struct, structs

from dayline.maintenance.sync.devices.adopting import adopt_again
from dayline.maintenance.sync.heads import Head, HeadBucket
from dayline.maintenance.sync.keys import SpaceKey, key_of
from dayline.maintenance.sync.packs import PackDamaged, read_pack
from dayline.maintenance.sync.report import Recovered
from dayline.maintenance.sync.spaces.protocol import Space
from dayline.maintenance.sync.state import SyncState, is_published
from dayline.model.bucket import Bucket
from dayline.model.errors import BucketExists, Unavailable
from dayline.model.event import Event
from dayline.model.time import EARLIEST, LATEST
from dayline.runtime.text import quantity
from dayline.storage.writing.mirrors import Mirrors, StoredBucket

Events: TypeAlias = dict[int, Event]
_LIKENESS: Final[Sequence[Callable[[int, Bucket | HeadBucket], object]]] = (
    lambda key, bucket: (key, bucket.created, bucket.id),
    lambda key, bucket: (key, bucket.created),
    lambda key, bucket: bucket.id,
)


class _Plan(Struct):
    """A bucket of this database with its events, and those that were published; None if it was deleted since."""

    stored: StoredBucket
    present: Events
    published: Events | None
    new: Events


async def recover(mirrors: Mirrors, space: Space, state: SyncState, head: Head) -> tuple[SyncState, Recovered]:
    """Merge, and return the state that publishes next. Raises Unavailable if packs are missing, with nothing changed.

    If it is interrupted, it can be called again.
    """
    published = await asyncio.to_thread(_published, space, state, head)
    await _leave_trash(mirrors, published, head.next_event_id)
    ids = await mirrors.reserve_ids(head.next_event_id, 0)
    group = f"sync-{head.number}-{ids}"
    plans = await _plans(mirrors, state, head, published, ids)
    kept = sum(len(plan.new) for plan in plans)
    # All of this on threads: there may be a million events.
    restored, removed = await asyncio.to_thread(_counts, plans)
    taken = await asyncio.to_thread(set[int]().union, *published.values())
    for plan in plans:
        await _renumber(mirrors, plan, taken, head.next_event_id, group)
    for plan in plans:
        if plan.published is None and not plan.new:
            await mirrors.hide(plan.stored.key, group=group)  # deleted since the backup
            continue
        gone = {event_id: change for event_id, change in _changes_of(plan).items() if change is None}
        if gone:  # of all buckets first: ids may have been used twice
            await mirrors.rewrite(plan.stored.key, gone, group=group)
    for plan in plans:
        put = {event_id: change for event_id, change in _changes_of(plan).items() if change is not None}
        if put:
            await mirrors.rewrite(plan.stored.key, put, group=group)
    await adopt_again(mirrors, head.adopted, group=group)
    next_event_id = await mirrors.reserve_ids(head.next_event_id, 0)
    covered = dict(head.covered)
    for session in state.sessions:
        covered[session] = max(covered.get(session, 0), next_event_id)
    state = structs.replace(
        state, number=head.number, nonce=head.nonce, covered=covered, breaks=head.breaks, sessions={}, listed={}
    )
    return state.begun(next_event_id), Recovered(restored=restored, kept=kept, removed=removed, group=group)


async def _leave_trash(mirrors: Mirrors, published: Mapping[int, Events], first: int) -> None:
    """Give published events other ids if theirs are in the trash here: their bucket was restored after the backup."""
    hidden = await asyncio.to_thread(mirrors.hidden_ids)
    for events in published.values():
        taken = sorted(hidden & events.keys())
        if taken:
            new = count(await mirrors.reserve_ids(first, len(taken)))
            moved = {event_id: events.pop(old) for old, event_id in zip(taken, new, strict=False)}
            events |= {event_id: structs.replace(event, id=event_id) for event_id, event in moved.items()}


def unpublished(state: SyncState, head: Head, next_event_id: int) -> list[range]:
    """The ids that no head has covered."""
    starts = sorted(state.sessions.items(), key=lambda item: item[1])
    ends = [first for _, first in starts[1:]] + [next_event_id]
    return [
        range(max(first, _covered(state, head, session, end)), end)
        for (session, first), end in zip(starts, ends, strict=True)
    ]


def _covered(state: SyncState, head: Head, session: str, end: int) -> int:
    """Up to which id a head covers a session. One that was in a head, and is too old for this one, is covered whole."""
    return head.covered.get(session, end if session in state.covered else 0)


def _published(space: Space, state: SyncState, head: Head) -> dict[int, Events]:
    """The events of all packs of a head, by the key of their bucket."""
    found: dict[int, Events] = {}
    missing = 0
    for bucket in head.buckets:
        events = found[bucket.key] = {}
        for span, key in head.keys_of(bucket, key_of(state.space_keys, head.space)).items():
            some = _pack(space, state, key, bucket.spans[span])
            missing += some is None
            events |= {event.id: event for event in some or ()}
    if missing:
        raise Unavailable(
            f"{quantity(missing, 'file')} that {head.name} has published is not in {space.location}"
            if missing == 1
            else f"{quantity(missing, 'file')} that {head.name} has published are not in {space.location}",
            hint="nothing was changed: try again when the folder is complete",
        )
    return found


def _pack(space: Space, state: SyncState, key: SpaceKey, digest: str) -> list[Event] | None:
    file = space.open_pack(state.device, key.pack_name(digest))
    if file is None:
        return None
    try:
        with file:
            return read_pack(file, key, digest=digest)
    except PackDamaged:
        return None


async def _plans(
    mirrors: Mirrors, state: SyncState, head: Head, published: Mapping[int, Events], next_event_id: int
) -> list[_Plan]:
    ranges = unpublished(state, head, next_event_id)
    own = [stored for stored in await asyncio.to_thread(mirrors.buckets) if is_published(stored.bucket)]
    plans, matched = list[_Plan](), _matched(head, own)
    for _ in range(2):  # then every id is free that another of them had
        for bucket in head.buckets:
            if bucket.key in matched:
                matched[bucket.key] = await _renamed(mirrors, matched[bucket.key], bucket)
    known = {stored.key for stored in matched.values()}
    for bucket in head.buckets:
        stored = matched[bucket.key] if bucket.key in matched else await _created(mirrors, bucket)
        plans.append(await asyncio.to_thread(_plan, mirrors, stored, published[bucket.key], ranges))
    for stored in (each for each in own if each.key not in known):  # deleted since, or created after the restore
        plan = await asyncio.to_thread(_plan, mirrors, stored, None, ranges)
        if plan.present:
            plans.append(plan)
    return plans


async def _renamed(mirrors: Mirrors, stored: StoredBucket, bucket: HeadBucket) -> StoredBucket:
    """The bucket with the fields and the id that were published, or a similar id if another bucket has it by now."""
    for wanted in _similar(structs.replace(_bucket_of(bucket), creator=stored.bucket.creator)):
        if wanted == stored.bucket:
            break
        with suppress(BucketExists):
            await mirrors.update(stored.key, wanted)
            return structs.replace(stored, bucket=wanted)
    return stored


async def _created(mirrors: Mirrors, bucket: HeadBucket) -> StoredBucket:
    for wanted in _similar(_bucket_of(bucket)):
        with suppress(BucketExists):
            return StoredBucket(await mirrors.create(wanted), wanted, 0)
    raise AssertionError("ids do not end")


def _similar(bucket: Bucket) -> Iterator[Bucket]:
    """A bucket, and then the same with other ids."""
    yield bucket
    yield from (structs.replace(bucket, id=f"{bucket.id}-{number}") for number in count(2))


def _matched(head: Head, own: Sequence[StoredBucket]) -> dict[int, StoredBucket]:
    """The buckets of a head in this database, by their keys there: those that are most alike first.

    A key may have been used twice since the backup.
    """
    found, left = dict[int, StoredBucket](), list(own)
    for likeness in _LIKENESS:
        known = {likeness(stored.key, stored.bucket): stored for stored in left}
        for bucket in head.buckets:
            if bucket.key not in found and (stored := known.pop(likeness(bucket.key, bucket), None)) is not None:
                found[bucket.key] = stored
                left.remove(stored)
    return found


def _bucket_of(bucket: HeadBucket) -> Bucket:
    return Bucket(
        id=bucket.id,
        type=bucket.type,
        client=bucket.client,
        hostname=bucket.hostname,
        created=bucket.created,
        data=bucket.data,
    )


def _plan(mirrors: Mirrors, stored: StoredBucket, published: Events | None, ranges: Sequence[range]) -> _Plan:
    present = {event.id: event for event in mirrors.events(stored.key, (EARLIEST, LATEST))}
    new: Events = {}
    same = {(event.start, event.data): event for event in (published or {}).values()}
    for event in present.values():
        if not any(event.id in ids for ids in ranges):
            continue
        known = same.get((event.start, event.data))
        if known is None:
            new[event.id] = event
        elif published is not None and event.duration > known.duration:
            published[known.id] = structs.replace(known, duration=event.duration)
    return _Plan(stored, present, published, new)


async def _renumber(mirrors: Mirrors, plan: _Plan, taken: Collection[int], first: int, group: str) -> None:
    """Give new events ids that no published event has had."""
    clashing = [event_id for event_id in plan.new if event_id in taken or event_id < first]
    if not clashing:
        return
    ids = dict(zip(clashing, count(await mirrors.reserve_ids(first, len(clashing))), strict=False))
    for old, new in ids.items():
        plan.new[new] = plan.present[new] = structs.replace(plan.new.pop(old), id=new)
        del plan.present[old]
    await mirrors.renumber(plan.stored.key, ids, group=group)


def _changes_of(plan: _Plan) -> dict[int, Event | None]:
    if plan.published is None and not plan.new:
        return {}  # it is hidden
    return _changes(plan)


def _changes(plan: _Plan) -> dict[int, Event | None]:
    present, wanted = plan.present, (plan.published or {}) | plan.new
    removed: dict[int, Event | None] = dict.fromkeys(present.keys() - wanted.keys())
    return removed | {event_id: event for event_id, event in wanted.items() if present.get(event_id) != event}


def _counts(plans: Sequence[_Plan]) -> tuple[int, int]:
    restored = removed = 0
    for plan in plans:
        published = plan.published or {}
        restored += sum(plan.present.get(event_id) != event for event_id, event in published.items())
        removed += len(plan.present.keys() - published.keys() - plan.new.keys())
    return restored, removed
