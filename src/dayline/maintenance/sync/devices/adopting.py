"""Adoption: the mirrors of a device that is gone become buckets of this one.

A device stores which buckets of others it has adopted and lists them in its head. So nobody mirrors them from their
origin any more, and no event exists twice. A mirror that is back was not adopted, or its adoption was undone.
"""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

import msgspec

from dayline.maintenance.sync.report import AdoptedBucket
from dayline.maintenance.sync.state import SyncState
from dayline.model.upkeep.mirror import Origin, origin_of
from dayline.storage.writing.mirrors import ADOPTED_KEY, MirrorFence, Mirrors, StoredBucket

AdoptedKeys: TypeAlias = dict[str, list[int]]  # of buckets at their origin, by device


async def adopted_here(mirrors: Mirrors) -> AdoptedKeys:
    """What this device has adopted. Adoptions that were undone are forgotten."""
    stored, adopted = await asyncio.to_thread(_adopted, mirrors)
    if adopted != stored:
        await _keep(mirrors, adopted)
    return adopted


def adopted_elsewhere(state: SyncState) -> dict[Origin, str]:
    """The buckets that other devices have adopted, with the name of the device."""
    return {
        Origin(device, key): peer.name
        for peer in state.peers.values()
        for device, keys in peer.adopted.items()
        for key in keys
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


async def adopt(mirrors: Mirrors, found: Sequence[StoredBucket], inherited: AdoptedKeys, *, group: str) -> None:
    """Make mirrors buckets of this device, as one change that can be undone as a group.

    `inherited` is what their device has adopted itself. If it is interrupted, it can be called again: the marks are
    stored first, and the next pass deletes those of mirrors that are still there.
    """
    _, adopted = await asyncio.to_thread(_adopted, mirrors)
    await _keep(mirrors, _joined(adopted, inherited, _keys_of(found)))
    for stored in found:
        await mirrors.adopt(stored, group=group)


async def adopt_again(mirrors: Mirrors, adopted: AdoptedKeys, *, group: str) -> None:
    """Hide the mirrors of what this device had adopted before its database was restored from a backup."""
    _, known = await asyncio.to_thread(_adopted, mirrors)
    await _keep(mirrors, _joined(known, adopted))
    for stored in await asyncio.to_thread(mirrors.buckets):
        origin = origin_of(stored.bucket)
        if origin is not None and origin.key in adopted.get(origin.device, ()):
            await mirrors.hide(stored.key, group=group)


async def drop_adopted(
    mirrors: Mirrors, state: SyncState, own: AdoptedKeys, fence: MirrorFence
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
    both = {
        (device, elsewhere[each])
        for device, keys in own.items()
        for key in keys
        if (each := Origin(device, key)) in elsewhere
    }
    warnings = [
        f"{_name(state, device)} was adopted here and by {other}: its events are on both. Undo one of the adoptions"
        for device, other in sorted(both)
    ]
    return msgspec.structs.replace(state, peers=peers), warnings


def _adopted(mirrors: Mirrors) -> tuple[AdoptedKeys, AdoptedKeys]:
    """The marks as stored, and those that are valid."""
    text = mirrors.state(ADOPTED_KEY)
    stored = {} if text is None else msgspec.json.decode(text, type=AdoptedKeys)
    there = set(_origins(mirrors.buckets()))
    valid = {device: [key for key in keys if Origin(device, key) not in there] for device, keys in stored.items()}
    return stored, {device: keys for device, keys in valid.items() if keys}


def _name(state: SyncState, device: str) -> str:
    peer = state.peers.get(device)
    return device if peer is None else peer.name


async def _keep(mirrors: Mirrors, adopted: AdoptedKeys) -> None:
    await mirrors.keep({ADOPTED_KEY: msgspec.json.encode(adopted) if adopted else None})


def _keys_of(found: Sequence[StoredBucket]) -> AdoptedKeys:
    keys: AdoptedKeys = {}
    for origin in _origins(found):
        keys.setdefault(origin.device, []).append(origin.key)
    return keys


def _origins(found: Sequence[StoredBucket]) -> Iterator[Origin]:
    return (origin for stored in found if (origin := origin_of(stored.bucket)) is not None)


def _joined(*parts: Mapping[str, Sequence[int]]) -> AdoptedKeys:
    devices = sorted({device for part in parts for device in part})
    return {device: sorted({key for part in parts for key in part.get(device, ())}) for device in devices}
