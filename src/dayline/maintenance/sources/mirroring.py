"""Adds what was read of a device to its mirrors.

A folder is no statement of what belongs to a device: a file may be old, new, or gone. So events are added and become
longer, and nothing that is missing is deleted.
"""

import asyncio
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from itertools import count
from typing import Final

from msgspec import Struct, structs

from dayline.maintenance.sources.contents import ReadBucket, ReadDevice
from dayline.maintenance.sync.devices.adopting import valid_adoptions
from dayline.model.bucket import MAX_ID_CHARACTERS, Bucket
from dayline.model.data import CanonicalJson
from dayline.model.errors import BucketExists, Invalid
from dayline.model.event import Event
from dayline.model.time import Microseconds, start_of_month
from dayline.model.upkeep.mirror import (
    SLOT_IDS,
    Origin,
    first_id_of_slot,
    hosts_of_others,
    mirror_host,
    mirror_id,
    origin_of,
)
from dayline.storage.writing.mirrors import MirrorFence, Mirrors, MirrorSlice, StoredBucket

_KEY_BYTES: Final = 6

Digests = dict[tuple[str, str, int], bytes]  # by device, bucket and month


class Target(Struct, frozen=True, kw_only=True):
    """The device whose mirrors are changed."""

    device: str
    name: str
    slot: int


class SourceMirrors:
    """Keeps the digests of what it has applied, so that only months that changed are compared."""

    def __init__(self, mirrors: Mirrors) -> None:
        self._mirrors = mirrors
        self._applied: Digests = {}

    def forget(self, device: str) -> None:
        """Compare everything of a device the next time."""
        self._applied = {key: digest for key, digest in self._applied.items() if key[0] != device}

    async def apply(self, target: Target, read: ReadDevice, fence: MirrorFence, *, now: Microseconds) -> list[str]:
        """Add what is new; returns what could not be added. Can be repeated, so that it continues after a kill."""
        buckets = await asyncio.to_thread(read.buckets)
        mine, problems = await self._matched(target, buckets, now=now)
        siblings = [stored.key for stored in mine.values()]
        first = first_id_of_slot(target.slot)
        newest = await asyncio.to_thread(self._mirrors.newest_id, first, first + SLOT_IDS)
        ids = count(first + 1 if newest is None else newest + 1)
        for month in await asyncio.to_thread(read.months):
            month_key = target.device, month.bucket, month.month
            if month.bucket not in mine or self._applied.get(month_key) == month.digest:
                continue
            key = mine[month.bucket].key
            added = await asyncio.to_thread(self._difference, key, read, month.bucket, month.month, ids)
            await self._mirrors.apply(key, siblings, MirrorSlice([], added), fence=fence)
            self._applied[month_key] = month.digest
        return problems

    async def _matched(
        self, target: Target, buckets: Sequence[ReadBucket], *, now: Microseconds
    ) -> tuple[Mapping[str, StoredBucket], list[str]]:
        """The mirrors by the ids of their buckets, created if they are missing."""
        everything = await asyncio.to_thread(self._mirrors.buckets)
        mine = {
            origin.key: stored
            for stored in everything
            if (origin := origin_of(stored.bucket)) is not None and origin.device == target.device
        }
        marks = await asyncio.to_thread(valid_adoptions, self._mirrors)
        adopted = marks[target.device].keys if target.device in marks else []
        hosts = hosts_of_others((stored.bucket for stored in everything), target.device)
        matched: dict[str, StoredBucket] = {}
        problems: list[str] = []
        for bucket in buckets:
            new = _mirror_of(bucket, target, mirror_host(bucket.hostname, target.device, name=target.name, taken=hosts))
            known = mine.get(key_of(bucket.id))
            if key_of(bucket.id) in adopted:
                problems.append(f"{bucket.id} was adopted here: undo that, or remove the source")
                continue
            try:
                if len(new.id) > MAX_ID_CHARACTERS or "\0" in new.id:
                    raise Invalid(f"a bucket has an invalid id: {bucket.id[:40]!r}")
                if known is None:
                    created = structs.replace(new, created=now if bucket.created is None else bucket.created)
                    matched[bucket.id] = StoredBucket(await self._mirrors.create(created), created, 0)
                else:
                    matched[bucket.id] = known
            except BucketExists:
                problems.append(f"another bucket here has the id {new.id}: rename it")
            except Invalid as error:
                problems.append(error.message)
        return matched, problems

    def _difference(self, key: int, read: ReadDevice, bucket: str, month: int, ids: "count[int]") -> list[Event]:
        starts = start_of_month(month), start_of_month(month + 1) - 1
        return added_events(list(self._mirrors.events(key, starts)), read.events(bucket, starts), ids)


def added_events(present: Sequence[Event], wanted: Sequence[Event], ids: "count[int]") -> list[Event]:
    """The events to add to those that are present, and those that became longer, which keep their ids."""
    here = {_content(event) for event in present}
    there = {_content(event) for event in wanted}
    growing: dict[tuple[Microseconds, CanonicalJson], Event] = {
        (event.start, event.data): event for event in present if _content(event) not in there
    }
    added: list[Event] = []
    for event in wanted:
        if _content(event) in here:
            continue
        shorter = growing.get((event.start, event.data))
        if shorter is None:
            added.append(structs.replace(event, id=next(ids)))
        elif shorter.duration < event.duration:
            added.append(structs.replace(event, id=shorter.id))
            del growing[event.start, event.data]
        # Otherwise the file is older than what was read before.
    return added


def key_of(bucket_id: str) -> int:
    """The key of a bucket at its origin: a folder has no numbers that stay."""
    return int.from_bytes(blake2b(bucket_id.encode("utf-8", "replace"), digest_size=_KEY_BYTES).digest(), "little")


def _content(event: Event) -> tuple[Microseconds, Microseconds, CanonicalJson]:
    return event.start, event.duration, event.data


def _mirror_of(bucket: ReadBucket, target: Target, hostname: str) -> Bucket:
    return Bucket(
        id=mirror_id(bucket.id, target.device),
        type=bucket.type,
        client=bucket.client,
        hostname=hostname,
        created=bucket.created or 0,
        data=bucket.data,
        creator=Origin(target.device, key_of(bucket.id)).creator,
    )
