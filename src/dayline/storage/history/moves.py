"""Renames buckets, merges them, changes their host, and lists aliases."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

import msgspec

from dayline.model.bucket import Alias, Bucket, HostChange, Merged, Renamed, check_bucket_id
from dayline.model.errors import Conflict, Invalid
from dayline.model.time import now_us
from dayline.storage.engine.tenant import TenantReaders, TenantWriter
from dayline.storage.engine.transaction import WriteTransaction
from dayline.storage.guard import Guard
from dayline.storage.history import aliases, renaming
from dayline.storage.history.buckets import find_each
from dayline.storage.history.merge_counts import count_merge
from dayline.storage.history.merges import Merges, begin_merge, check_merge, merge_of

T = TypeVar("T")


class Moves:
    """Renames and merges buckets. Each change is an operation that can be undone.

    `expire` is called after every change that added an undo entry.
    """

    def __init__(
        self,
        writer: TenantWriter,
        readers: TenantReaders,
        merges: Merges,
        expire: Callable[[], None],
        guard: Guard,
    ) -> None:
        self._writer = writer
        self._readers = readers
        self._merges = merges
        self._expire = expire
        self._guard = guard

    def aliases(self) -> list[Alias]:
        """All aliases, ordered by id. Call it on a thread."""
        with self._readers.transaction() as tx:
            every_alias = tx.all_aliases()
        return [alias for alias in every_alias if self._guard.may_list(alias.id) and self._guard.may_list(alias.bucket)]

    async def remove_alias(self, alias: str) -> int:
        """Delete an alias and return the undo number. Raises NotFound."""
        if not self._guard.may_use(alias):
            raise aliases.no_alias(alias)
        return await self._change(lambda tx: aliases.remove_alias(tx, alias, now=now_us()))

    async def rename(self, bucket_id: str, new_id: str, *, keeps_alias: bool = True) -> Renamed:
        """Change a bucket's id. Raises BucketNotFound, Invalid, or Conflict if the new id is taken."""
        self._guard.check_change(bucket_id)
        self._guard.check_new(new_id)

        def rename(tx: WriteTransaction) -> Renamed:
            row = tx.find(bucket_id)
            former = row.bucket.id
            undo = renaming.rename_bucket(tx, row, new_id, keeps_alias=keeps_alias, now=now_us())
            return Renamed(id=new_id, former_id=former, aliases=tx.aliases_of(row.key), undo=undo)

        return await self._change(rename)

    async def preview_merge(self, bucket_id: str, into: str) -> Merged:
        """What merging would do. Raises BucketNotFound, or Conflict if both are the same bucket."""
        self._guard.check_change(bucket_id, into)
        return await asyncio.to_thread(self._preview_merge, bucket_id, into)

    async def merge(self, bucket_id: str, into: str, *, is_forced: bool = False) -> Merged:
        """Move all events to another bucket in short slices; the id becomes an alias of that bucket.

        Returns when it is done. An interrupted merge resumes automatically. Raises BucketNotFound, or Conflict: if both
        are the same bucket, if their types differ (unless `is_forced`), or if one of them is already being merged.
        """
        self._guard.check_change(bucket_id, into)
        await self._writer.check_tokens()
        preview = await self.preview_merge(bucket_id, into)

        def begin(tx: WriteTransaction) -> int:
            source, target = find_each(tx, [bucket_id, into])
            check_merge(source, target, is_forced=is_forced)
            return begin_merge(tx, source, target.key, target.bucket.id, now=now_us())

        operation = await self._merges.merge(self._writer, begin)
        self._expire()
        done = merge_of(operation)
        return msgspec.structs.replace(
            preview, events=done.count, moved=done.moved, skipped=done.count - done.moved, undo=operation.key
        )

    async def preview_rehost(self, bucket_id: str, hostname: str, *, renames: bool = True) -> HostChange:
        """What changing the host would do. Raises BucketNotFound."""
        self._guard.check_change(bucket_id)
        preview = await asyncio.to_thread(self._preview_rehost, bucket_id, hostname, renames=renames)
        self._guard.check_new(preview.id)
        return preview

    async def rehost(self, bucket_id: str, hostname: str, *, renames: bool = True, merges: bool = False) -> HostChange:
        """Change a bucket's host name, and its id accordingly. Raises BucketNotFound or Conflict."""
        self._guard.check_change(bucket_id)
        await self._writer.check_tokens()
        preview = await self.preview_rehost(bucket_id, hostname, renames=renames)
        if preview.merged is not None:
            if not merges:
                raise Conflict(
                    f"bucket {preview.id!r} already exists",
                    hint='send "merge": true to merge into it, or "rename": false to change only the host name',
                    field="merge",
                )
            merged = await self.merge(preview.former_id, preview.id)
            return msgspec.structs.replace(preview, merged=merged, undo=merged.undo)
        check_bucket_id(preview.id)

        def rehost(tx: WriteTransaction) -> HostChange:
            row = tx.find(preview.former_id)
            undo = renaming.change_host(tx, row, hostname, new_id=preview.id, now=now_us())
            return msgspec.structs.replace(preview, aliases=tx.aliases_of(row.key), undo=undo)

        return await self._change(rehost)

    def _preview_rehost(self, bucket_id: str, hostname: str, *, renames: bool) -> HostChange:
        with self._readers.transaction() as tx:
            bucket = tx.bucket(bucket_id)
            new_id = renaming.id_on_host(bucket.id, bucket.hostname, hostname) if renames else bucket.id
            is_taken = new_id != bucket.id and tx.is_own_id(new_id)
        if not hostname:
            raise Invalid("the host name is empty", field="hostname")
        if hostname == bucket.hostname:
            raise Conflict(f"bucket {bucket.id!r} already has the host name {hostname!r}", field="hostname")
        return HostChange(
            id=new_id,
            former_id=bucket.id,
            hostname=hostname,
            former_hostname=bucket.hostname,
            aliases=[bucket.id] if new_id != bucket.id else [],
            merged=self._preview_merge(bucket.id, new_id) if is_taken else None,
            undo=None,
        )

    def _preview_merge(self, bucket_id: str, into: str) -> Merged:
        with self._readers.transaction() as tx:
            source, target = tx.bucket(bucket_id), tx.bucket(into)
        events, skipped, overlapping = count_merge(self._readers, source.id, target.id)
        return Merged(
            bucket=source.id,
            into=target.id,
            events=events,
            moved=events - skipped,
            skipped=skipped,
            overlapping=overlapping,
            warnings=_warnings(source, target),
            undo=None,
        )

    async def _change(self, change: Callable[[WriteTransaction], T]) -> T:
        result = await self._writer.change(change)
        self._expire()
        return result


def _warnings(source: Bucket, target: Bucket) -> list[str]:
    named = (("type", "types"), ("client", "clients"), ("hostname", "host names"))
    return [
        f"different {words}: {getattr(source, field)!r} and {getattr(target, field)!r}"
        for field, words in named
        if getattr(source, field) != getattr(target, field)
    ]
