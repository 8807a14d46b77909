"""Renaming, merging and rehosting the buckets of one tenant, and their aliases; and the way back from each."""

import asyncio
from collections.abc import Callable
from typing import Protocol, TypeVar

import msgspec

from dayline.model.bucket import Alias, Merged, Rehosted, Renamed, check_bucket_id
from dayline.model.errors import BucketNotFound, Conflict, Invalid
from dayline.model.time import now_us
from dayline.model.upkeep import Undone
from dayline.runtime.background import DetachedTasks
from dayline.storage.history.undo_log import Act
from dayline.storage.postgres.connection import Readers
from dayline.storage.postgres.history import aliases, merges, renaming
from dayline.storage.postgres.history import merges as merging
from dayline.storage.postgres.history.merge_preview import preview_merge
from dayline.storage.postgres.writing.transaction import Turn
from dayline.storage.postgres.writing.writer import Scribe

T = TypeVar("T")

undo_merge = merges.undo_at_once
merge_restored = merges.restore_at_once


class Looking(Protocol):
    """What wants to know when something was put into the trash, and runs merges that outlive their callers."""

    @property
    def merge_calls(self) -> DetachedTasks: ...

    def look(self) -> None: ...


class PostgresMoves:
    """The BucketMoves of one tenant."""

    def __init__(self, scribe: Scribe, readers: Readers, trash: Looking) -> None:
        self._scribe = scribe
        self._readers = readers
        self._trash = trash

    def aliases(self) -> list[Alias]:
        with self._readers.transaction(self._scribe.tenant) as db:
            return aliases.all_aliases(db, self._scribe.tenant)

    async def remove_alias(self, alias: str) -> int:
        return await self._act(lambda turn: aliases.remove_alias(turn, alias, now=now_us()))

    async def rename(self, bucket_id: str, new_id: str, *, keeps_alias: bool = True) -> Renamed:
        def rename(turn: Turn) -> Renamed:
            state = turn.find(bucket_id)
            former = state.bucket.id
            undo = renaming.rename_bucket(turn, state, new_id, keeps_alias=keeps_alias, now=now_us())
            return Renamed(id=new_id, former_id=former, aliases=aliases.aliases_of(turn, state.key), undo=undo)

        return await self._act(rename)

    async def preview_merge(self, bucket_id: str, into: str) -> Merged:
        return await asyncio.to_thread(preview_merge, self._readers, self._scribe.tenant, bucket_id, into)

    async def merge(self, bucket_id: str, into: str, *, is_forced: bool = False) -> Merged:
        await self._scribe.check()
        preview = await self.preview_merge(bucket_id, into)

        def begin(turn: Turn) -> int:
            found = turn.find_all([bucket_id, into])
            for wanted in (bucket_id, into):
                if wanted not in found:
                    raise BucketNotFound(wanted)
            source, target = found[bucket_id], found[into]
            merging.check_merge(source, target, is_forced=is_forced)
            return merging.begin_merge(turn, source, target.key, target.bucket.id, now=now_us())

        act = await merges.merge(self._trash.merge_calls, self._scribe, self._readers, begin)
        self._trash.look()
        done = merging.merge_of(act)
        return msgspec.structs.replace(
            preview, events=done.count, moved=done.moved, skipped=done.count - done.moved, undo=act.key
        )

    async def preview_rehost(self, bucket_id: str, hostname: str, *, renames: bool = True) -> Rehosted:
        return await asyncio.to_thread(self._preview_rehost, bucket_id, hostname, renames)

    async def rehost(self, bucket_id: str, hostname: str, *, renames: bool = True, merges: bool = False) -> Rehosted:
        await self._scribe.check()
        preview = await self.preview_rehost(bucket_id, hostname, renames=renames)
        if preview.merged is not None:
            if not merges:
                raise Conflict(
                    f"there is a bucket {preview.id!r} already",
                    hint='send "merge": true to merge into it, or "rename": false to change the host name alone',
                    field="merge",
                )
            merged = await self.merge(preview.former_id, preview.id)
            return msgspec.structs.replace(preview, merged=merged, undo=merged.undo)
        check_bucket_id(preview.id)

        def rehost(turn: Turn) -> Rehosted:
            state = turn.find(preview.former_id)
            undo = renaming.rehost_bucket(turn, state, hostname, new_id=preview.id, now=now_us())
            return msgspec.structs.replace(preview, aliases=aliases.aliases_of(turn, state.key), undo=undo)

        return await self._act(rehost)

    def _preview_rehost(self, bucket_id: str, hostname: str, renames: bool) -> Rehosted:
        tenant = self._scribe.tenant
        with self._readers.transaction(tenant) as db:
            bucket = aliases.seen(db, tenant, bucket_id).bucket
            if not hostname:
                raise Invalid("a host name may not be empty", field="hostname")
            if hostname == bucket.hostname:
                raise Conflict(f"bucket {bucket.id!r} is of the host {hostname!r} already", field="hostname")
            new_id = renaming.rehosted_id(bucket.id, bucket.hostname, hostname) if renames else bucket.id
            is_taken = new_id != bucket.id and aliases.is_taken(db, tenant, new_id)
        return Rehosted(
            id=new_id,
            former_id=bucket.id,
            hostname=hostname,
            former_hostname=bucket.hostname,
            aliases=[bucket.id] if new_id != bucket.id else [],
            merged=preview_merge(self._readers, tenant, bucket.id, new_id) if is_taken else None,
            undo=None,
        )

    async def _act(self, act: Callable[[Turn], T]) -> T:
        result = await self._scribe.change(act)
        self._trash.look()
        return result


def undo_rename(turn: Turn, act: Act) -> Undone:
    """Give a bucket its former id back."""
    renaming.undo_renaming(turn, act)
    return _undone(act)


def undo_rehost(turn: Turn, act: Act) -> Undone:
    """Give a bucket its former host name and id back."""
    renaming.undo_renaming(turn, act)
    return _undone(act)


def undo_remove_alias(turn: Turn, act: Act) -> Undone:
    """Let a bucket be found again under an alias that was removed."""
    aliases.undo_removal(turn, act)
    return _undone(act)


def _undone(act: Act) -> Undone:
    return Undone(id=act.key, kind=act.kind, bucket=act.bucket, events=act.events)
