"""Publishes this device: packs first, then the head that lists them."""

import asyncio
import secrets
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct, structs

from dayline.maintenance.sync.digests.spans import range_of
from dayline.maintenance.sync.digests.survey import SpanDigest, Survey
from dayline.maintenance.sync.heads import AdoptedBuckets, Head, HeadBucket, write_head
from dayline.maintenance.sync.keys import key_of, to_text
from dayline.maintenance.sync.packs import write_pack
from dayline.maintenance.sync.spaces.protocol import HEAD, Space
from dayline.maintenance.sync.state import Remember, SyncState, is_published
from dayline.model.errors import Invalid
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

    def __init__(self, mirrors: Mirrors, survey: Survey, scratch: Path, remember: Remember) -> None:
        self._mirrors = mirrors
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
        known: list[HeadBucket] | None = None,
        adopted: Mapping[str, AdoptedBuckets] = {},
    ) -> Published:
        """Publish what has changed since the own head, which is not newer than the database. Raises Unavailable.

        `known` are the buckets of the pass before, if nothing has changed since; `adopted` those of other devices that
        are now among the own.
        """
        if not state.sessions and not state.covered:
            state = state.begun(1)
        # Before the events are read: an event with a later id may be missing.
        next_event_id = await self._mirrors.next_event_id()
        if next_event_id > SLOT_IDS:
            raise Invalid("the ids of events are too large to be synced", hint="export and import the buckets first")
        written = _Written()
        there = await asyncio.to_thread(space.packs, state.device)
        if known is not None and all(name in there for name in _names(state, known)):
            buckets = known
        else:
            buckets = await asyncio.to_thread(self._write_packs, space, state, there, written, now, next_event_id)
        is_current = head is not None and (head.number, head.nonce) == (state.number, state.nonce)
        wanted = buckets, state.name, adopted, state.space_key.space_id
        is_same = head is not None and (head.buckets, head.name, head.adopted, head.space) == wanted
        if is_current and head is not None and is_same:
            return Published(state=state, head=head, packs=written.packs, bytes=written.bytes)
        former = state.number
        new = Head(
            space=state.space_key.space_id,
            name=state.name,
            key=to_text(state.signing_key.public),
            exchange=to_text(state.exchange_key.public),
            number=max(former + 1, now // 1000),
            nonce=secrets.token_urlsafe(9),
            replaces=former,
            made=now,
            next_event_id=next_event_id,
            covered=state.all_covered(next_event_id),
            buckets=buckets,
            adopted=dict(adopted),
        )
        # Those of the head before were listed until now.
        heads = [new] if head is None else [new, head]
        listed = {key_of(state.space_keys, each.space).pack_name(digest) for each in heads for digest in each.digests}
        state = structs.replace(
            state,
            number=new.number,
            nonce=new.nonce,
            published=now,
            covered=new.covered,
            sessions=dict(list(state.sessions.items())[-1:]),
            listed=state.listed | dict.fromkeys(listed, now),
        )
        # Stored before the head is written: a number is never used twice.
        await self._remember(state)
        await asyncio.to_thread(self._write_head, space, state, new)
        state = structs.replace(state, listed=await asyncio.to_thread(_deleted_old, space, state, now))
        return Published(state=state, head=new, packs=written.packs, bytes=written.bytes, has_new_head=True)

    def _write_packs(
        self,
        space: Space,
        state: SyncState,
        there: Collection[str],
        written: _Written,
        now: Microseconds,
        next_event_id: int,
    ) -> list[HeadBucket]:
        found: list[HeadBucket] = []
        for stored in self._mirrors.buckets():
            if not is_published(stored.bucket):
                continue  # a mirror is never published again: only its device knows what belongs to it
            spans = self._survey.spans(stored, now)
            for span, digest in spans.items():
                if state.space_key.pack_name(digest.digest) not in there:
                    spans[span] = self._write_pack(space, state, stored, span, written, now, next_event_id)
            found.append(_head_bucket(stored, {span: digest for span, digest in spans.items() if digest.events}))
        return found

    def _write_pack(
        self,
        space: Space,
        state: SyncState,
        stored: StoredBucket,
        span: str,
        written: _Written,
        now: Microseconds,
        next_event_id: int,
    ) -> SpanDigest:
        """Write the pack of a span as it is now, which may be newer than when it was surveyed."""
        key = state.space_key
        path = self._scratch / "pack"
        with path.open("wb") as file:
            events = self._mirrors.events(stored.key, range_of(span))
            digest = write_pack(file, key, stored.bucket, events, made=now, next_event_id=next_event_id)
        if digest.events:
            space.put(state.device, key.pack_name(digest.text()), path)
            written.packs += 1
            written.bytes += path.stat().st_size
        return SpanDigest(digest.text(), digest.events)

    def _write_head(self, space: Space, state: SyncState, head: Head) -> None:
        path = self._scratch / HEAD
        path.write_bytes(write_head(head, state.space_key, state.signing_key))
        space.put(state.device, HEAD, path)


def _names(state: SyncState, buckets: Sequence[HeadBucket]) -> Iterator[str]:
    return (state.space_key.pack_name(digest) for bucket in buckets for digest in bucket.spans.values())


def _head_bucket(stored: StoredBucket, spans: dict[str, SpanDigest]) -> HeadBucket:
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
