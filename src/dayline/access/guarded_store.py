"""A store as somebody sees it who may use some of its buckets: as if the others did not exist."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from dayline.access.guarded_edits import GuardedEdits
from dayline.access.guarded_moves import GuardedMoves
from dayline.model.audit import Once
from dayline.model.bucket import Bucket, BucketChange
from dayline.model.data import CanonicalJson
from dayline.model.errors import BucketNotFound, Forbidden, NotFound
from dayline.model.event import Event
from dayline.model.keys import BucketNames
from dayline.model.setting_change import ComposePair, HistoryFilter, SettingChange
from dayline.model.timestamps import Microseconds
from dayline.model.trash import TrashItem, Undone
from dayline.storage.history.corrections import EventMend, MendOutcome
from dayline.storage.history.edits import EventEdits
from dayline.storage.history.moves import BucketMoves
from dayline.storage.history.trash import Trash
from dayline.storage.redaction.redactions import Redactions
from dayline.storage.store import HeartbeatDone, ImportProgress, ImportReport, ImportSurvey, Inserted, LineForm, Store
from dayline.transform.privacy import PrivacyRules


class GuardedTrash:
    """The Trash of one caller: what was done to the buckets that it may use."""

    def __init__(self, trash: Trash, names: BucketNames) -> None:
        self._trash = trash
        self._names = names

    def all(self) -> list[TrashItem]:
        return [item for item in self._trash.all() if self._may_use(item)]

    def item(self, act: int) -> TrashItem:
        item = self._trash.item(act)
        if not self._may_use(item):
            raise NotFound(f"there is nothing to undo by the number {act}")
        return item

    async def undo(self, act: int, *, is_merging: bool = True) -> Undone:
        self.item(act)
        return await self._trash.undo(act, is_merging=is_merging)

    async def empty(self, act: int | None = None) -> int:
        doomed = self.all() if act is None else [self.item(act)]
        return sum([await self._trash.empty(item.id) for item in doomed])

    def _may_use(self, item: TrashItem) -> bool:
        return item.bucket in self._names and (not item.other or item.other in self._names)


class GuardedStore:
    """The Store of one caller. What concerns the store as a whole is refused, whoever let it through.

    An alias is an id like any other where something is recorded: a watcher that knows the old one goes on. For all else
    the bucket's own id has to be allowed too, or else a key for an old id would read what was merged from elsewhere.
    """

    def __init__(self, store: Store, names: BucketNames) -> None:
        self._store = store
        self._names = names

    def once(self, once: Once) -> "GuardedStore":
        return GuardedStore(self._store.once(once), self._names)

    @property
    def trash(self) -> Trash:
        return GuardedTrash(self._store.trash, self._names)

    @property
    def moves(self) -> BucketMoves:
        return GuardedMoves(self._store, self._names)

    @property
    def edits(self) -> EventEdits:
        return GuardedEdits(self._store, self._names)

    @property
    def revision(self) -> int:
        raise _not_for_all()  # it tells when something happens in any bucket

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

    async def mend_events(self, mends: Mapping[str, Iterator[EventMend]]) -> dict[str, MendOutcome]:
        raise _not_for_all()

    async def set_setting(self, key: str, value: CanonicalJson) -> None:
        raise _not_for_all()

    async def delete_setting(self, key: str) -> None:
        raise _not_for_all()

    async def change_setting_pair(self, key: str, own_key: str, compose: ComposePair) -> int:
        raise _not_for_all()

    async def begin(self) -> None:
        raise _not_for_all()

    async def survey_import(self, spooled: Sequence[Path], *, rules: PrivacyRules | None = None) -> ImportSurvey:
        raise _not_for_all()

    async def import_files(
        self, spooled: Sequence[Path], *, rules: PrivacyRules | None = None, on_progress: ImportProgress | None = None
    ) -> ImportReport:
        raise _not_for_all()

    def _for(self, bucket_id: str) -> Store:
        if self._store.own_id(bucket_id) not in self._names:
            raise BucketNotFound(bucket_id)
        return self._recording(bucket_id)

    def _recording(self, bucket_id: str) -> Store:
        if bucket_id not in self._names:
            raise BucketNotFound(bucket_id)
        return self._store


def _not_for_all() -> Forbidden:
    return Forbidden("this concerns the server as a whole, and the key is for some buckets only")
