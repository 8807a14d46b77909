"""Adoption: the mirrors of a device that is gone become buckets of this one.

A device stores which buckets of others it has adopted, and lists them in its head. So others do not mirror them from
their origin any more, and no event exists twice. A mirror that is back was not adopted, or its adoption was undone.
"""

import asyncio
from collections.abc import Iterator, Sequence
from typing import TypeAlias

import msgspec

from dayline.maintenance.sync.heads import AdoptedBuckets
from dayline.maintenance.sync.report import AdoptedBucket
from dayline.maintenance.sync.state import SyncState
from dayline.model.upkeep.mirror import Origin, origin_of
from dayline.storage.writing.mirrors import ADOPTED_KEY, MirrorFence, Mirrors, StoredBucket

Adopted: TypeAlias = dict[str, AdoptedBuckets]  # by device


async def adopted_here(mirrors: Mirrors) -> Adopted:
    """What this device has adopted. Adoptions that were undone are forgotten."""
    stored, adopted = await asyncio.to_thread(_adopted, mirrors)
    if adopted != stored:
        await _keep(mirrors, adopted)
    return adopted


def valid_adoptions(mirrors: Mirrors) -> Adopted:
    """What this device has adopted, without what was undone. Call it on a thread."""
    return _adopted(mirrors)[1]


def adopted_elsewhere(state: SyncState) -> dict[Origin, str]:
    """The buckets that other devices have adopted, with the name of the device.

    Not those that are newer here: their events would be lost.
    """
    return {
        Origin(device, key): peer.name
        for peer in state.peers.values()
        for device, adopted in peer.adopted.items()
        if not _is_newer_here(state, device, adopted)
        for key in adopted.keys
    }


def planned(mirrors: Mirrors, found: Sequence[StoredBucket]) -> list[AdoptedBucket]:
    """What `adopt` makes of mirrors. Call it on a thread."""
    targets = [(stored, mirrors.adoption_target(stored.bucket)) for stored in found]
    return [
        AdoptedBucket(
            bucket=stored.bucket.id,
            into=target.bucket.id,
            is_new=target.is_new,
            events=sum(month.events for month in mirrors.months(stored.key)),
        )
        for stored, target in targets
    ]


async def adopt(
    mirrors: Mirrors, found: Sequence[StoredBucket], inherited: Adopted, *, number: int, group: str
) -> None:
    """Make mirrors buckets of this device, as one change that can be undone as a group.

    `number` is that of the head whose events they have, and `inherited` what their device has adopted itself. If it is
    interrupted, it can be called again: the marks are stored first, and the next pass deletes those of mirrors that are
    still there.
    """
    _, adopted = await asyncio.to_thread(_adopted, mirrors)
    await _keep(mirrors, _joined(adopted, inherited, _buckets_of(found, number)))
    for stored in found:
        await mirrors.adopt(stored, group=group)


async def adopt_again(mirrors: Mirrors, adopted: Adopted, *, group: str) -> None:
    """Hide the mirrors of what this device had adopted before its database was restored from a backup."""
    _, known = await asyncio.to_thread(_adopted, mirrors)
    await _keep(mirrors, _joined(known, adopted))
    origins = set(_origins_of(adopted))
    for stored in await asyncio.to_thread(mirrors.buckets):
        if origin_of(stored.bucket) in origins:
            await mirrors.hide(stored.key, group=group)


async def drop_adopted(
    mirrors: Mirrors, state: SyncState, own: Adopted, fence: MirrorFence
) -> tuple[SyncState, list[str]]:
    """Delete mirrors of buckets that another device has adopted, whose mirrors have the events. Returns warnings."""
    elsewhere, peers = adopted_elsewhere(state), dict(state.peers)
    for stored in await asyncio.to_thread(mirrors.buckets):
        origin = origin_of(stored.bucket)
        if origin is None or origin not in elsewhere:
            continue
        await mirrors.delete(stored.key, fence=fence)
        if (peer := peers.get(origin.device)) is not None and origin.key not in peer.skipped:
            peers[origin.device] = msgspec.structs.replace(peer, skipped=sorted([*peer.skipped, origin.key]))
    return msgspec.structs.replace(state, peers=peers), _warnings(state, own, elsewhere)


def _warnings(state: SyncState, own: Adopted, elsewhere: dict[Origin, str]) -> list[str]:
    both = {(origin.device, elsewhere[origin]) for origin in _origins_of(own) if origin in elsewhere}
    older = {
        (device, peer.name)
        for peer in state.peers.values()
        for device, adopted in peer.adopted.items()
        if _is_newer_here(state, device, adopted)
    }
    return [
        f"{_name(state, device)} was adopted here and by {other}: its events are on both. Undo one of the adoptions"
        for device, other in sorted(both)
    ] + [
        f"{other} has adopted {_name(state, device)} without its newest events, which are here. Undo that there, sync, "
        "and adopt again"
        for device, other in sorted(older)
    ]


def _is_newer_here(state: SyncState, device: str, adopted: AdoptedBuckets) -> bool:
    peer = state.peers.get(device)
    return peer is not None and peer.seen > adopted.number


def _adopted(mirrors: Mirrors) -> tuple[Adopted, Adopted]:
    """The marks as stored, and those that are valid."""
    text = mirrors.state(ADOPTED_KEY)
    stored = {} if text is None else msgspec.json.decode(text, type=Adopted)
    there = set(_origins(mirrors.buckets()))
    valid: Adopted = {}
    for device, adopted in stored.items():
        if left := [key for key in adopted.keys if Origin(device, key) not in there]:
            valid[device] = AdoptedBuckets(number=adopted.number, keys=left)
    return stored, valid


def _name(state: SyncState, device: str) -> str:
    peer = state.peers.get(device)
    return device if peer is None else peer.name


async def _keep(mirrors: Mirrors, adopted: Adopted) -> None:
    await mirrors.keep({ADOPTED_KEY: msgspec.json.encode(adopted) if adopted else None})


def _buckets_of(found: Sequence[StoredBucket], number: int) -> Adopted:
    return _joined(*({origin.device: AdoptedBuckets(number=number, keys=[origin.key])} for origin in _origins(found)))


def _origins(found: Sequence[StoredBucket]) -> Iterator[Origin]:
    return (origin for stored in found if (origin := origin_of(stored.bucket)) is not None)


def _origins_of(adopted: Adopted) -> Iterator[Origin]:
    return (Origin(device, key) for device, buckets in adopted.items() for key in buckets.keys)


def _joined(*parts: Adopted) -> Adopted:
    joined: Adopted = {}
    for part in parts:
        for device, buckets in part.items():
            known = joined.get(device, buckets)
            keys = sorted({*known.keys, *buckets.keys})
            joined[device] = AdoptedBuckets(number=min(known.number, buckets.number), keys=keys)
    return joined
