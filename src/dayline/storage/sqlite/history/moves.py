"""Renaming, merging and rehosting the buckets of one file, and their aliases."""

import asyncio
from collections.abc import Callable
from copy import copy
from typing import TypeVar

import msgspec

from dayline.model.bucket import Alias, Merged, Rehosted, Renamed, check_bucket_id
from dayline.model.errors import BucketNotFound, Conflict, Invalid
from dayline.model.time import now_us
from dayline.storage.sqlite.file.connection import ReaderPool
from dayline.storage.sqlite.history import aliases, renaming
from dayline.storage.sqlite.history import merges as merging
from dayline.storage.sqlite.history.merge_preview import preview_merge
from dayline.storage.sqlite.history.merges import SqliteMerges
from dayline.storage.sqlite.history.trash import SqliteTrash
from dayline.storage.sqlite.writing.transaction import Changes
from dayline.storage.sqlite.writing.writer import OnceWriter, Writer

T = TypeVar("T")


class SqliteMoves:
    """The BucketMoves of one file."""

    def __init__(self, writer: Writer, readers: ReaderPool, trash: SqliteTrash, merges: SqliteMerges) -> None:
        self._writer: Writer | OnceWriter = writer
        self._readers = readers
        self._trash = trash
        self._merges = merges

    def through(self, writer: Writer | OnceWriter) -> "SqliteMoves":
        """The same for one call, whose first change brings a token."""
        moves = copy(self)
        moves._writer = writer
        return moves

    def aliases(self) -> list[Alias]:
        with self._readers.connection() as db:
            return aliases.all_aliases(db)

    async def remove_alias(self, alias: str) -> int:
        return await self._act(lambda changes: aliases.remove_alias(changes, alias, now=now_us()))

    async def rename(self, bucket_id: str, new_id: str, *, keeps_alias: bool = True) -> Renamed:
        def rename(changes: Changes) -> Renamed:
            state = changes.catalogue.find(bucket_id)
            former = state.bucket.id
            undo = renaming.rename_bucket(changes, state, new_id, keeps_alias=keeps_alias, now=now_us())
            others = aliases.aliases_of(changes.db, state.key)
            return Renamed(id=new_id, former_id=former, aliases=others, undo=undo)

        return await self._act(rename)

    async def preview_merge(self, bucket_id: str, into: str) -> Merged:
        return await asyncio.to_thread(preview_merge, self._readers, bucket_id, into)

    async def merge(self, bucket_id: str, into: str, *, is_forced: bool = False) -> Merged:
        await self._check_token()
        preview = await self.preview_merge(bucket_id, into)

        def begin(changes: Changes) -> int:
            source, target = changes.catalogue.find(bucket_id), changes.catalogue.find(into)
            merging.check_merge(source, target, is_forced=is_forced)
            return merging.begin_merge(changes, source, target.key, target.bucket.id, now=now_us())

        act = await self._merges.merge(self._writer, begin)
        self._trash.look()
        done = merging.merge_of(act)
        return msgspec.structs.replace(
            preview, events=done.count, moved=done.moved, skipped=done.count - done.moved, undo=act.key
        )

    async def preview_rehost(self, bucket_id: str, hostname: str, *, renames: bool = True) -> Rehosted:
        published = self._writer.catalogue.published
        buckets, bucket = published.by_id, published.by_id.get(published.own_id(bucket_id))
        if bucket is None:
            raise BucketNotFound(bucket_id)
        if not hostname:
            raise Invalid("a host name may not be empty", field="hostname")
        if hostname == bucket.hostname:
            raise Conflict(f"bucket {bucket.id!r} is of the host {hostname!r} already", field="hostname")
        new_id = renaming.rehosted_id(bucket.id, bucket.hostname, hostname) if renames else bucket.id
        is_taken = new_id != bucket.id and new_id in buckets
        return Rehosted(
            id=new_id,
            former_id=bucket.id,
            hostname=hostname,
            former_hostname=bucket.hostname,
            aliases=[bucket.id] if new_id != bucket.id else [],
            merged=await self.preview_merge(bucket.id, new_id) if is_taken else None,
            undo=None,
        )

    async def rehost(self, bucket_id: str, hostname: str, *, renames: bool = True, merges: bool = False) -> Rehosted:
        await self._check_token()
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

        def rehost(changes: Changes) -> Rehosted:
            state = changes.catalogue.find(preview.former_id)
            undo = renaming.rehost_bucket(changes, state, hostname, new_id=preview.id, now=now_us())
            return msgspec.structs.replace(preview, aliases=aliases.aliases_of(changes.db, state.key), undo=undo)

        return await self._act(rehost)

    async def _act(self, act: Callable[[Changes], T]) -> T:
        result = await self._writer.change(act)
        self._trash.look()
        return result

    async def _check_token(self) -> None:
        """Raise AlreadyDone before anything else could be wrong with a call that is sent again."""
        if isinstance(self._writer, OnceWriter):
            await self._writer.check()
