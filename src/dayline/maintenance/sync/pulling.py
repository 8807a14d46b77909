"""Applies what other devices have published to their mirrors here.

The digests of a mirror are compared with those of the head, and only the packs of spans that differ are read. So a pass
can be interrupted anywhere and repeated, and equal digests prove that a mirror is identical.
"""

import asyncio
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

from msgspec import Struct, structs

from dayline.maintenance.sync.digests.spans import range_of
from dayline.maintenance.sync.digests.survey import Survey, moved
from dayline.maintenance.sync.heads import Head, HeadBucket, HeadRejected, generation_of, read_head
from dayline.maintenance.sync.items.exchange import ItemExchange
from dayline.maintenance.sync.keys import SpaceKey, key_of, to_text
from dayline.maintenance.sync.packs import PackDamaged, read_pack
from dayline.maintenance.sync.report import DeviceReport, DeviceState
from dayline.maintenance.sync.spaces.protocol import Space
from dayline.maintenance.sync.state import Peer, Remember, SyncState
from dayline.model.bucket import BUCKET_FIELDS, Bucket
from dayline.model.errors import BucketExists, Invalid
from dayline.model.event import Event
from dayline.model.time import SECOND, Microseconds, format_timestamp, optional_timestamp
from dayline.model.upkeep.mirror import (
    FIRST_SOURCE_SLOT,
    Origin,
    first_id_of_slot,
    hosts_of_others,
    mirror_host,
    mirror_id,
    origin_of,
)
from dayline.runtime.text import quantity
from dayline.storage.writing.mirrors import MirrorFence, Mirrors, MirrorSlice, StoredBucket

MAX_SKEW: Final[Microseconds] = 300 * SECOND
_ROUNDS: Final = 3  # an event that moved leaves its old span in the next round


class Pulled(Struct, frozen=True, kw_only=True):
    """A device after a pull, and the state after it."""

    state: SyncState
    report: DeviceReport | None  # None if it is not known whether there is such a device
    warnings: list[str] = []


class _Applied(Struct):
    fetched: int = 0
    waiting: int = 0
    problems: list[str] = []


class Puller:
    """Applies heads to mirrors."""

    def __init__(self, mirrors: Mirrors, survey: Survey, items: ItemExchange, remember: Remember) -> None:
        self._mirrors = mirrors
        self._items = items
        self._survey = survey
        self._remember = remember

    async def pull(
        self, space: Space, state: SyncState, device: str, fence: MirrorFence, *, now: Microseconds,
        is_verifying: bool = False, adopted: Collection[int] = (),
        is_joining: bool = False,
    ) -> Pulled:  # fmt: skip
        """Apply the head of another device, if it is newer, without buckets that were adopted. Raises Unavailable.

        `is_joining`: this device joins now, after its user has seen the devices that are there.
        """
        peer = state.peers.get(device)
        file = await asyncio.to_thread(space.head, device)
        if file is None:
            return _pulled(state, device, peer, None, "waiting", "its head is not here yet", now=now)
        if peer is None and 0 < generation_of(file) < state.first_generation:
            # It does not concern this device: the others know whether it was removed.
            return Pulled(state=state, report=None, warnings=[f"{device} has published nothing with the newest key"])
        try:
            head = await asyncio.to_thread(read_head, file, state.space_keys, device=device)
            _check_known(peer, head)
            _check_newcomer(state, peer, head)
        except HeadRejected as error:
            return _pulled(state, device, peer, None, "rejected", str(error), now=now)
        warnings = [_skew(head)] if head.made > now + MAX_SKEW else []
        refused = None if peer is None else _refused(peer, head)
        if refused is not None:
            pulled = _pulled(state, device, peer, head, *refused, now=now)
            return structs.replace(pulled, warnings=warnings)
        if peer is None:
            state = _with_new_peer(state, device, head, await asyncio.to_thread(self._mirrors.first_free_slot))
            peer = structs.replace(state.peers[device], is_new=not is_joining)
            state = structs.replace(state, peers=state.peers | {device: peer})
            await self._remember(state)  # before anything has an id of its slot
        skipped = sorted(bucket.key for bucket in head.buckets if bucket.key in adopted)
        known = peer.number, peer.nonce, peer.skipped
        if (head.number, head.nonce, skipped) == known and not is_verifying:
            pulled = _pulled(state, device, peer, head, "identical", "", now=now)
            return structs.replace(pulled, warnings=warnings)
        if head.number > peer.seen:
            peer = structs.replace(peer, seen=head.number)
            state = structs.replace(state, peers=state.peers | {device: peer})
            await self._remember(state)  # a kill may leave some of its events
        applied = await self._apply(space, state, device, peer.slot, head, fence, skipped)
        items = await self._items.pull(space, state, head, now=now)
        applied.waiting += items.is_waiting
        applied.problems += [] if items.problem is None else [items.problem]
        warnings += [] if items.warning is None else [items.warning]
        kind, text = _outcome(applied)
        if kind == "identical":
            peer = structs.replace(
                peer,
                name=head.name,
                number=head.number,
                nonce=head.nonce,
                made=head.made,
                exchange=head.exchange,
                adopted=head.adopted,
                skipped=skipped,
            )
            state = structs.replace(state, peers=state.peers | {device: peer})
        pulled = _pulled(state, device, peer, head, kind, text, now=now, applied=applied)
        return structs.replace(pulled, warnings=warnings)

    async def _apply(
        self,
        space: Space,
        state: SyncState,
        device: str,
        slot: int,
        head: Head,
        fence: MirrorFence,
        skipped: Collection[int],
    ) -> _Applied:
        applied = _Applied()
        for _ in range(_ROUNDS):
            applied.waiting, applied.problems = 0, []
            stored = await self._matched(device, head, applied, fence, skipped)
            siblings = [each.key for each in stored.values()]
            is_equal = True
            for bucket in head.buckets:
                if bucket.key in stored:
                    is_equal &= await self._apply_bucket(
                        space, state, device, slot, head, bucket, stored[bucket.key], siblings, applied, fence
                    )
            if is_equal or applied.waiting or applied.problems:
                return applied
        applied.problems.append("its spans do not fit together: they are read again with its next head")
        return applied

    async def _apply_bucket(
        self,
        space: Space,
        state: SyncState,
        device: str,
        slot: int,
        head: Head,
        bucket: HeadBucket,
        stored: StoredBucket,
        siblings: Sequence[int],
        applied: _Applied,
        fence: MirrorFence,
    ) -> bool:
        """Returns whether the mirror was equal before, so that nothing was changed."""
        first_id, keys = first_id_of_slot(slot), head.keys_of(bucket, key_of(state.space_keys, head.space))
        found = await asyncio.to_thread(self._survey.spans, stored, head.made, first_id=first_id)
        differing = {
            span: digest for span, digest in bucket.spans.items() if span not in found or found[span].digest != digest
        }
        waiting = applied.waiting
        for span, digest in differing.items():
            # The next one is not fetched while this one is applied: heartbeats would wait for two threads.
            events = await asyncio.to_thread(_fetched, space, keys[span], device, digest, applied)
            if events is not None:
                await self._replace(stored.key, siblings, span, moved(events, first_id), fence)
                applied.fetched += 1
        gone = found.keys() - bucket.spans.keys()
        if applied.waiting == waiting:  # otherwise an event that moved may be in a pack that is not here yet
            for span in gone:
                await self._replace(stored.key, siblings, span, [], fence)
        return not differing and not gone

    async def _replace(
        self, key: int, siblings: Sequence[int], span: str, events: Iterable[Event], fence: MirrorFence
    ) -> None:
        difference = await asyncio.to_thread(self._difference, key, span, events)
        await self._mirrors.apply(key, siblings, difference, fence=fence)

    def _difference(self, key: int, span: str, events: Iterable[Event]) -> MirrorSlice:
        wanted = list(events)
        present = {event.id: event for event in self._mirrors.events(key, range_of(span))}
        put = [event for event in wanted if present.get(event.id) != event]
        return MirrorSlice(remove=sorted(present.keys() - {event.id for event in wanted}), put=put)

    async def _matched(
        self, device: str, head: Head, applied: _Applied, fence: MirrorFence, skipped: Collection[int]
    ) -> dict[int, StoredBucket]:
        """The mirrors of the buckets of a head by their keys there: created, renamed and deleted as the head says.

        Without the skipped ones, which are left as they are.
        """
        everything = await asyncio.to_thread(self._mirrors.buckets)
        mine = {
            origin.key: stored
            for stored in everything
            if (origin := origin_of(stored.bucket)) is not None and origin.device == device
        }
        wanted = {bucket.key: bucket for bucket in head.buckets}
        for key in mine.keys() - wanted.keys():
            await self._mirrors.delete(mine.pop(key).key, fence=fence)
        for key in skipped:
            mine.pop(key, None)
            del wanted[key]
        hosts = hosts_of_others((stored.bucket for stored in everything), device)
        for key, bucket in wanted.items():
            new = _mirror_of(bucket, head, device, hosts)
            known = mine.get(key)
            try:
                if known is None:
                    created = await self._mirrors.create(new)
                    mine[key] = StoredBucket(created, new, 0)
                elif _fields(known.bucket) != _fields(new):
                    await self._mirrors.update(known.key, new)
                    mine[key] = structs.replace(known, bucket=new)
            except BucketExists:
                applied.problems.append(f"another bucket here has the id {new.id}: rename it")
                mine.pop(key, None)
        return mine


def not_pulled(state: SyncState, device: str, kind: DeviceState, text: str, *, now: Microseconds) -> Pulled:
    """A device whose head is not applied."""
    return _pulled(state, device, state.peers.get(device), None, kind, text, now=now)


def _fetched(space: Space, key: SpaceKey, device: str, digest: str, applied: _Applied) -> list[Event] | None:
    """The events of a pack; None if it is not here yet, or cannot be used."""
    name = key.pack_name(digest)
    file = space.open_pack(device, name)
    if file is None:
        applied.waiting += 1
        return None
    try:
        with file:
            return read_pack(file, key, digest=digest)
    except PackDamaged as error:
        # It may be a part of the file: a folder synchronizer is still writing it.
        applied.waiting += 1
        applied.problems.append(f"{device}/{name} cannot be used: {error}")
        return None


def _check_known(peer: Peer | None, head: Head) -> None:
    if peer is not None and peer.key != head.key:
        raise HeadRejected("its head is signed with another key than before")


def _check_newcomer(state: SyncState, peer: Peer | None, head: Head) -> None:
    """A device that was removed still has the former keys: no device joins with one."""
    if peer is None and head.space != state.space_key.space_id:
        raise HeadRejected("it joined with an old invite. Show it a new one with: dayline sync invite")


def _refused(peer: Peer, head: Head) -> tuple[DeviceState, str] | None:
    """Why a head is not applied although its device wrote it."""
    if head.number < peer.number:
        return "waiting", "an older head than the last one is here: the folder was set back, or delivers it late"
    is_other = head.number == peer.number and head.nonce != peer.nonce
    breaks = [*head.breaks, (head.replaces, head.number)]
    if is_other or any(before < peer.number < after for before, after in breaks):
        return "forked", (
            "its heads do not know one that was applied here: its database was restored, or runs twice. "
            "The mirror is unchanged"
        )
    return None


def _with_new_peer(state: SyncState, device: str, head: Head, first_free_slot: int) -> SyncState:
    slot = max(state.next_slot, first_free_slot)  # mirrors of an earlier space may have been kept
    if slot >= FIRST_SOURCE_SLOT:
        raise Invalid("this space has had too many devices", hint="start a new one: dayline sync leave")
    peer = Peer(name=head.name, key=to_text(head.public_key), slot=slot, exchange=head.exchange)
    return structs.replace(state, peers=state.peers | {device: peer}, next_slot=slot + 1)


def _skew(head: Head) -> str:
    return f"the clock of {head.name} is more than five minutes ahead, or that of this device is behind"


def _outcome(applied: _Applied) -> tuple[DeviceState, str]:
    if applied.waiting and not applied.problems:
        return "waiting", f"waiting for {quantity(applied.waiting, 'file')}"
    if applied.problems:
        return "waiting", "; ".join(applied.problems)
    return "identical", ""


def _mirror_of(bucket: HeadBucket, head: Head, device: str, hosts: Collection[str]) -> Bucket:
    """What the mirror of a bucket is."""
    return Bucket(
        id=mirror_id(bucket.id, device),
        type=bucket.type,
        client=bucket.client,
        hostname=mirror_host(bucket.hostname, device, name=head.name, taken=hosts),
        created=bucket.created,
        data=bucket.data,
        creator=Origin(device, bucket.key).creator,
    )


def _fields(bucket: Bucket) -> Mapping[str, object]:
    return {name: getattr(bucket, name) for name in ("id", *BUCKET_FIELDS)}


def _pulled(
    state: SyncState,
    device: str,
    peer: Peer | None,
    head: Head | None,
    kind: DeviceState,
    text: str,
    *,
    now: Microseconds,
    applied: _Applied | None = None,
) -> Pulled:
    since = peer.since if peer is not None and peer.state == kind else now
    if peer is not None:
        state = structs.replace(state, peers=state.peers | {device: structs.replace(peer, state=kind, since=since)})
    report = DeviceReport(
        id=device,
        name=head.name if head is not None else peer.name if peer is not None else device,
        state=kind,
        text=text,
        made=optional_timestamp(head.made if head is not None else None),
        since=format_timestamp(since),
        buckets=0 if head is None else len(head.buckets),
        events=0 if head is None else head.events,
        waiting=0 if applied is None else applied.waiting,
        fetched=0 if applied is None else applied.fetched,
        is_new=peer is not None and peer.is_new and kind not in ("adopted", "removed"),
    )
    return Pulled(state=state, report=report)
