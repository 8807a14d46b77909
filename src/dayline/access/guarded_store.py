"""The store for a caller with access to some buckets: the others do not exist for it."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Generic, TypeVar

from dayline.model.access import BucketNames, Once
from dayline.model.bucket import Alias, Bucket, BucketChange, Merged, Rehosted, Renamed
from dayline.model.data import UNLIMITED, CanonicalJson
from dayline.model.edits.selection import DeletedEvents, Selection
from dayline.model.errors import BucketNotFound, Forbidden, NotFound
from dayline.model.event import Event, StoredEvent
from dayline.model.settings.history import ComposePair, HistoryFilter, SettingChange
from dayline.model.time import Microseconds
from dayline.model.upkeep.undo import TrashItem, Undone
from dayline.storage.history.contract import (
    BucketMoves,
    CorrectionResult,
    EditedEvents,
    EventCheck,
    EventCorrection,
    EventEdit,
    EventEdits,
    EventPosition,
    HeartbeatDone,
    Inserted,
    SelectedEvents,
    Trash,
)
from dayline.storage.redaction.redactions import Redactions
from dayline.storage.store import ImportProgress, ImportReport, ImportSurvey, LineForm, Store
from dayline.transform.privacy import PrivacyRules

T = TypeVar("T")


class BucketGuard(Generic[T]):
    """Passes on a part of the store for a caller's buckets.

    For recording, an alias is an id like any other, so that a watcher with the old id keeps working. Everything else
    also needs access to the bucket's own id; otherwise a key for an old id could read events that were merged from
    elsewhere.
    """

    def __init__(self, store: Store, names: BucketNames, inner: T) -> None:
        self._store = store
        self._names = names
        self._inner = inner

    def _for(self, *bucket_ids: str) -> T:
        for bucket_id in bucket_ids:
            if not self._may_use(bucket_id):
                raise BucketNotFound(bucket_id)
        return self._inner

    def _recording(self, bucket_id: str) -> T:
        if bucket_id not in self._names:
            raise BucketNotFound(bucket_id)
        return self._inner

    def _may_use(self, bucket_id: str) -> bool:
        return bucket_id in self._names and self._store.own_id(bucket_id) in self._names


class GuardedEdits(BucketGuard[EventEdits]):
    """The EventEdits for a caller's buckets."""

    def event(self, bucket_id: str, event_id: int) -> StoredEvent:
        return self._for(bucket_id).event(bucket_id, event_id)

    def select(
        self, selection: Selection, *, after: EventPosition | None, limit: int, is_newest_first: bool
    ) -> SelectedEvents:
        edits = self._for(selection.bucket)
        return edits.select(selection, after=after, limit=limit, is_newest_first=is_newest_first)

    def survey(self, selection: Selection) -> DeletedEvents:
        return self._for(selection.bucket).survey(selection)

    async def add(self, bucket: Bucket, event: Event) -> EditedEvents:
        return await self._recording(bucket.id).add(bucket, event)

    async def edit(self, bucket_id: str, event_id: int, edit: EventEdit) -> EditedEvents:
        return await self._for(bucket_id).edit(bucket_id, event_id, edit)

    async def split(self, bucket_id: str, event_id: int, at: Microseconds, *, check: EventCheck) -> EditedEvents:
        return await self._for(bucket_id).split(bucket_id, event_id, at, check=check)

    async def delete_selected(self, selection: Selection) -> DeletedEvents:
        return await self._for(selection.bucket).delete_selected(selection)


class GuardedMoves(BucketGuard[BucketMoves]):
    """The BucketMoves between a caller's buckets."""

    def aliases(self) -> list[Alias]:
        return [alias for alias in self._inner.aliases() if alias.id in self._names and alias.bucket in self._names]

    async def remove_alias(self, alias: str) -> int:
        if not self._may_use(alias):
            raise NotFound(f"there is no alias {alias!r}", hint="GET /api/1/aliases lists the aliases")
        return await self._inner.remove_alias(alias)

    async def rename(self, bucket_id: str, new_id: str, *, keeps_alias: bool = True) -> Renamed:
        moves = self._for(bucket_id)
        self._check_new(new_id)
        return await moves.rename(bucket_id, new_id, keeps_alias=keeps_alias)

    async def preview_merge(self, bucket_id: str, into: str) -> Merged:
        return await self._for(bucket_id, into).preview_merge(bucket_id, into)

    async def merge(self, bucket_id: str, into: str, *, is_forced: bool = False) -> Merged:
        return await self._for(bucket_id, into).merge(bucket_id, into, is_forced=is_forced)

    async def preview_rehost(self, bucket_id: str, hostname: str, *, renames: bool = True) -> Rehosted:
        preview = await self._for(bucket_id).preview_rehost(bucket_id, hostname, renames=renames)
        self._check_new(preview.id)
        return preview

    async def rehost(self, bucket_id: str, hostname: str, *, renames: bool = True, merges: bool = False) -> Rehosted:
        await self.preview_rehost(bucket_id, hostname, renames=renames)
        return await self._for(bucket_id).rehost(bucket_id, hostname, renames=renames, merges=merges)

    def _check_new(self, bucket_id: str) -> None:
        """Raise Forbidden if the caller has no access to the bucket, or would learn that it exists."""
        if not self._may_use(bucket_id):
            raise Forbidden(
                f"this key has no access to bucket {bucket_id!r}",
                hint=f"it has access to {', '.join(self._names.names)}",
            )


class GuardedTrash:
    """The Trash with the operations on a caller's buckets."""

    def __init__(self, trash: Trash, names: BucketNames) -> None:
        self._trash = trash
        self._names = names

    def all(self) -> list[TrashItem]:
        return [item for item in self._trash.all() if self._may_use(item)]

    def item(self, undo_id: int) -> TrashItem:
        item = self._trash.item(undo_id)
        if not self._may_use(item):
            raise NotFound(f"there is no undo entry {undo_id}", hint="GET /api/1/trash lists the entries")
        return item

    async def undo(self, undo_id: int, *, is_merging: bool = True) -> Undone:
        self.item(undo_id)
        return await self._trash.undo(undo_id, is_merging=is_merging)

    async def empty(self, undo_id: int | None = None) -> int:
        items = self.all() if undo_id is None else [self.item(undo_id)]
        return sum([await self._trash.empty(item.id) for item in items])

    def _may_use(self, item: TrashItem) -> bool:
        return item.bucket in self._names and (not item.other or item.other in self._names)


class GuardedStore(BucketGuard[Store]):
    """The Store for a caller's buckets. Operations on the whole store raise Forbidden."""

    def __init__(self, store: Store, names: BucketNames) -> None:
        super().__init__(store, names, store)

    def once(self, once: Once) -> "GuardedStore":
        return GuardedStore(self._store.once(once), self._names)

    @property
    def trash(self) -> Trash:
        return GuardedTrash(self._store.trash, self._names)

    @property
    def moves(self) -> BucketMoves:
        return GuardedMoves(self._store, self._names, self._store.moves)

    @property
    def edits(self) -> EventEdits:
        return GuardedEdits(self._store, self._names, self._store.edits)

    @property
    def revision(self) -> int:
        raise _not_for_all()  # it would show activity in other buckets

    @property
    def redactions(self) -> Redactions:
        raise _not_for_all()

    def own_id(self, bucket_id: str) -> str:
        own = self._store.own_id(bucket_id)
        return own if own in self._names else bucket_id

    def buckets(self) -> Mapping[str, Bucket]:
        return {bucket_id: bucket for bucket_id, bucket in self._store.buckets().items() if bucket_id in self._names}

    def bucket(self, bucket_id: str) -> Bucket:
        return self._for(bucket_id).bucket(bucket_id)

    def event(self, bucket_id: str, event_id: int) -> Event:
        return self._for(bucket_id).event(bucket_id, event_id)

    def events(
        self, bucket_id: str, *, start: Microseconds | None, end: Microseconds | None, limit: int | None
    ) -> Iterator[bytes]:
        return self._for(bucket_id).events(bucket_id, start=start, end=end, limit=limit)

    def whole_events(self, bucket_id: str, *, start: Microseconds | None, end: Microseconds | None) -> Iterator[bytes]:
        return self._for(bucket_id).whole_events(bucket_id, start=start, end=end)

    def exported_events(self, bucket_id: str) -> Iterator[bytes]:
        return self._for(bucket_id).exported_events(bucket_id)

    def exported_lines(self, bucket_id: str, form: LineForm, head: str) -> Iterator[bytes]:
        return self._for(bucket_id).exported_lines(bucket_id, form, head)

    def count(self, bucket_id: str, *, start: Microseconds | None, end: Microseconds | None) -> int:
        return self._for(bucket_id).count(bucket_id, start=start, end=end)

    def counts(self, bucket_id: str, edges: Sequence[Microseconds]) -> list[int]:
        return self._for(bucket_id).counts(bucket_id, edges)

    def settings(self) -> dict[str, CanonicalJson]:
        raise _not_for_all()

    def setting(self, key: str) -> CanonicalJson | None:
        raise _not_for_all()

    def setting_history(self, which: HistoryFilter) -> list[SettingChange]:
        raise _not_for_all()

    def heartbeat(self, bucket_id: str, beat: Event, *, pulsetime: Microseconds, done: HeartbeatDone) -> None:
        self._recording(bucket_id).heartbeat(bucket_id, beat, pulsetime=pulsetime, done=done)

    async def create_bucket(self, bucket: Bucket) -> None:
        await self._recording(bucket.id).create_bucket(bucket)

    async def update_bucket(self, bucket_id: str, change: BucketChange) -> int:
        return await self._for(bucket_id).update_bucket(bucket_id, change)

    async def delete_bucket(self, bucket_id: str) -> int:
        return await self._for(bucket_id).delete_bucket(bucket_id)

    async def delete_buckets(self, bucket_ids: Sequence[str]) -> int:
        raise _not_for_all()

    async def insert(self, bucket_id: str, events: Sequence[Event]) -> Inserted:
        replaces = any(event.id for event in events)
        store = self._for(bucket_id) if replaces else self._recording(bucket_id)
        return await store.insert(bucket_id, events)

    async def delete_event(self, bucket_id: str, event_id: int) -> int | None:
        return await self._for(bucket_id).delete_event(bucket_id, event_id)

    async def correct_events(self, corrections: Mapping[str, Iterator[EventCorrection]]) -> dict[str, CorrectionResult]:
        raise _not_for_all()

    async def set_setting(self, key: str, value: CanonicalJson) -> None:
        raise _not_for_all()

    async def delete_setting(self, key: str) -> None:
        raise _not_for_all()

    async def change_setting_pair(self, key: str, own_key: str, compose: ComposePair) -> int:
        raise _not_for_all()

    async def begin(self) -> None:
        raise _not_for_all()

    async def survey_import(
        self, spooled: Sequence[Path], *, rules: PrivacyRules | None = None, max_data_bytes: int = UNLIMITED
    ) -> ImportSurvey:
        raise _not_for_all()

    async def import_files(
        self,
        spooled: Sequence[Path],
        *,
        rules: PrivacyRules | None = None,
        max_data_bytes: int = UNLIMITED,
        on_progress: ImportProgress | None = None,
    ) -> ImportReport:
        raise _not_for_all()


def _not_for_all() -> Forbidden:
    return Forbidden(
        "this affects the whole server, and this key is limited to some buckets", hint="use a key for all buckets"
    )
