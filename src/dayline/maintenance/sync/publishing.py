"""Publishes this device: packs first, then the head that lists them."""

import asyncio
import secrets
from collections.abc import Collection, Mapping, Sequence
from functools import partial
from pathlib import Path

from msgspec import Struct, structs

from dayline.maintenance.sync.digests.spans import SpanDigest, is_closed, range_of
from dayline.maintenance.sync.digests.survey import Survey
from dayline.maintenance.sync.heads import (
    MAX_SYNCED_ID,
    AdoptedBuckets,
    Head,
    HeadBucket,
    HeadRejected,
    read_head,
    write_head,
)
from dayline.maintenance.sync.items.exchange import ItemExchange
from dayline.maintenance.sync.keys import SpaceKey, key_of, to_text
from dayline.maintenance.sync.packs import TOO_LARGE, PackDamaged, read_pack, write_pack
from dayline.maintenance.sync.spaces.protocol import HEAD, Space
from dayline.maintenance.sync.spaces.views import MAX_FILE_BYTES
from dayline.maintenance.sync.state import Remember, SyncState, is_published
from dayline.model.errors import Conflict, Invalid
from dayline.model.time import Microseconds
from dayline.model.upkeep.mirror import SLOT_IDS
from dayline.storage.writing.mirrors import Mirrors, StoredBucket


class Published(Struct, frozen=True, kw_only=True):
    """What was published, and the state after it."""

    state: SyncState
    head: Head
    packs: int = 0
    bytes: int = 0
    has_new_head: bool = False


class _Written(Struct):
    packs: int = 0
    bytes: int = 0


class Publisher:
    """Writes packs and heads. `scratch` makes a folder for files that are being written."""

    def __init__(
        self, mirrors: Mirrors, survey: Survey, items: ItemExchange, scratch: Path, remember: Remember
    ) -> None:
        self._mirrors = mirrors
        self._items = items
        self._survey = survey
        self._scratch = scratch
        self._remember = remember

    async def publish(
        self,
        space: Space,
        state: SyncState,
        head: Head | None,
        *,
        now: Microseconds,
        known: Head | None = None,
        adopted: Mapping[str, AdoptedBuckets] = {},
        is_verifying: bool = False,
    ) -> Published:
        """Publish what has changed since the own head, which is not newer than the database. Raises Unavailable.

        `known` is the head of the pass before, if nothing has changed since; `adopted` are the buckets of other devices
        that are now among the own. `is_verifying` reads the own packs, and writes those again that are damaged.
        """
        if not state.sessions and not state.covered:
            state = state.begun(1)
        # Before the events are read: an event with a later id may be missing.
        next_event_id = await self._mirrors.next_event_id()
        if next_event_id > SLOT_IDS:
            raise Invalid("the ids of events are too large to be synced", hint="export and import the buckets first")
        written = _Written()
        there = await asyncio.to_thread(space.packs, state.device)
        if is_verifying and head is not None:
            there -= await asyncio.to_thread(_damaged, space, state, head)
        # Another server of the database may have published since.
        is_known = known is not None and head is not None and (known.buckets, known.items) == (head.buckets, head.items)
        if known is not None and is_known and known.pack_names(state.space_key) <= there:
            buckets, items = known.buckets, known.items
        else:
            items = await self._write_items(space, state, head, there, written, now)
            buckets = await asyncio.to_thread(self._write_packs, space, state, there, written, now, next_event_id)
        is_current = head is not None and (head.number, head.nonce) == (state.number, state.nonce)
        wanted = buckets, items, state.name, adopted, state.space_key.space_id
        is_same = head is not None and (head.buckets, head.items, head.name, head.adopted, head.space) == wanted
        if is_current and head is not None and is_same:
            return Published(state=state, head=head, packs=written.packs, bytes=written.bytes)
        former, number = state.number, max(state.number + 1, now // 1000)
        new = Head(
            space=state.space_key.space_id,
            name=state.name,
            key=to_text(state.signing_key.public),
            exchange=to_text(state.exchange_key.public),
            number=number,
            nonce=secrets.token_urlsafe(9),
            replaces=former,
            breaks=state.all_breaks(head, number),
            made=now,
            next_event_id=next_event_id,
            covered=state.all_covered(next_event_id),
            buckets=buckets,
            items=items,
            adopted=dict(adopted),
            former=_former_keys(state, buckets),
        )
        file = await asyncio.to_thread(_checked_file, new, state)
        # Those of the head before were listed until now.
        heads = [new] if head is None else [new, head]
        listed = {name for each in heads for name in each.pack_names(key_of(state.space_keys, each.space))}
        state = structs.replace(
            state,
            number=new.number,
            nonce=new.nonce,
            published=now,
            covered=new.covered,
            breaks=new.breaks,
            sessions=dict(list(state.sessions.items())[-1:]),
            listed=state.listed | dict.fromkeys(listed, now),
        )
        # Stored before the head is written: a number is never used twice.
        await self._remember(state)
        await asyncio.to_thread(self._write_head, space, state, file)
        state = structs.replace(state, listed=await asyncio.to_thread(_deleted_old, space, state, now))
        return Published(state=state, head=new, packs=written.packs, bytes=written.bytes, has_new_head=True)

    async def _write_items(
        self, space: Space, state: SyncState, head: Head | None, there: Collection[str], written: _Written,
        now: Microseconds,
    ) -> str:  # fmt: skip
        try:
            digest, size = await self._items.publish(space, state, self._scratch, there, now=now)
        except Conflict:  # the annotations are worked on: a later pass publishes them
            return "" if head is None else head.items
        written.packs += size > 0
        written.bytes += size
        return digest

    def _write_packs(
        self,
        space: Space,
        state: SyncState,
        there: set[str],
        written: _Written,
        now: Microseconds,
        next_event_id: int,
    ) -> list[HeadBucket]:
        found, keys = list[HeadBucket](), state.space_keys
        is_first = not there  # then each month is read once, for its pack, and not for its digest before
        for stored in self._mirrors.buckets():
            if not is_published(stored.bucket):
                continue  # a mirror is never published again: only its device knows what belongs to it
            write = partial(self._write_pack, space, state, stored, there, written, now, next_event_id)
            spans = self._survey.spans(stored, now, compute=write if is_first else None)
            former: dict[str, list[str]] = {}
            for span, digest in spans.items():
                key = _key_of_pack(keys, span, digest.digest, there)
                if key is None:
                    spans[span] = write(span)
                elif key != keys[0]:
                    former.setdefault(key.space_id, []).append(span)
            listed = {span: digest for span, digest in spans.items() if digest.events}
            found.append(_head_bucket(stored, listed, former))
        return found

    def _write_pack(
        self,
        space: Space,
        state: SyncState,
        stored: StoredBucket,
        there: set[str],
        written: _Written,
        now: Microseconds,
        next_event_id: int,
        span: str,
    ) -> SpanDigest:
        """Write the pack of a span as it is now, which may be newer than when it was surveyed."""
        key = state.space_key
        path = self._scratch / "pack"
        with path.open("wb") as file:
            events = self._mirrors.events(stored.key, range_of(span))
            digest = write_pack(file, key, stored.bucket, events, made=now, next_event_id=next_event_id)
        if digest.events:
            size, name = path.stat().st_size, key.pack_name(digest.digest)
            if size > MAX_FILE_BYTES:
                raise Invalid(
                    f"the file with the events of {stored.bucket.id[:40]} in {span} cannot be published: {TOO_LARGE}",
                    hint="delete or downsample some of these events",
                )
            space.put(state.device, name, path)
            there.add(name)
            written.packs += 1
            written.bytes += size
        return digest

    def _write_head(self, space: Space, state: SyncState, file: bytes) -> None:
        path = self._scratch / HEAD
        path.write_bytes(file)
        space.put(state.device, HEAD, path)


def _checked_file(head: Head, state: SyncState) -> bytes:
    """The file of a head, read as others will read it: they would reject all of it. Raises Invalid."""
    long = [bucket.id for bucket in head.buckets if len(bucket.id) > MAX_SYNCED_ID]
    if long:
        raise Invalid(
            f"the id of bucket {long[0][:40]}… has more than {MAX_SYNCED_ID} characters: nothing can be published",
            hint="rename it: dayline buckets rename",
        )
    file = write_head(head, state.space_key, state.signing_key)
    try:
        read_head(file, [state.space_key], device=state.device)
    except HeadRejected as error:
        raise Invalid(f"nothing can be published, because other devices would reject it: {error}") from error
    return file


def _damaged(space: Space, state: SyncState, head: Head) -> set[str]:
    """The own packs of a head that no reader could use."""
    found, newest = set[str](), key_of(state.space_keys, head.space)
    packs = ((bucket.spans[span], key) for bucket in head.buckets for span, key in head.keys_of(bucket, newest).items())
    for digest, key in packs:
        name = key.pack_name(digest)
        file = space.open_pack(state.device, name)
        if file is None:
            continue
        try:
            with file:
                read_pack(file, key, digest=digest)
        except PackDamaged:
            found.add(name)
    return found


def _key_of_pack(keys: Sequence[SpaceKey], span: str, digest: str, there: Collection[str]) -> SpaceKey | None:
    """The newest key with which the pack of a span is there.

    A removed device could read the packs of closed months before. Those of the open month are written again: this
    device may have published some of it with a former key after the removal.
    """
    usable = keys if is_closed(span) else keys[:1]
    return next((key for key in usable if key.pack_name(digest) in there), None)


def _former_keys(state: SyncState, buckets: Sequence[HeadBucket]) -> dict[str, str]:
    used = {space for bucket in buckets for space in bucket.former}
    return {key.space_id: to_text(key.secret) for key in state.space_keys if key.space_id in used}


def _head_bucket(stored: StoredBucket, spans: Mapping[str, SpanDigest], former: dict[str, list[str]]) -> HeadBucket:
    bucket = stored.bucket
    return HeadBucket(
        key=stored.key,
        id=bucket.id,
        type=bucket.type,
        client=bucket.client,
        hostname=bucket.hostname,
        created=bucket.created,
        data=bucket.data,
        events=sum(span.events for span in spans.values()),
        spans={span: digest.digest for span, digest in spans.items()},
        former=former,
    )


def _deleted_old(space: Space, state: SyncState, now: Microseconds) -> dict[str, Microseconds]:
    """Delete own packs that no head has listed for a while; returns the others with their times."""
    there = space.packs(state.device)
    kept = {name: state.listed.get(name, now) for name in there | state.listed.keys()}
    for name in _older(kept, now - space.timing.kept):
        space.delete(state.device, name)
        del kept[name]
    return kept


def _older(listed: dict[str, Microseconds], limit: Microseconds) -> Sequence[str]:
    return [name for name, when in listed.items() if when < limit]
