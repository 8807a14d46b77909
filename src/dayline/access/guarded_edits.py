"""Changing events by hand, by somebody who may use some of the buckets."""

from dayline.model.errors import BucketNotFound
from dayline.model.event_edits import EventChange
from dayline.model.event_selection import DeletedEvents, Selection
from dayline.model.event_tag import StoredEvent
from dayline.model.keys import BucketNames
from dayline.model.timestamps import Microseconds
from dayline.storage.base import Store
from dayline.storage.edits import EditedEvents, EventCheck, EventEdits, EventPlace, SelectedEvents


class GuardedEdits:
    """The EventEdits of one caller: in buckets that it may use."""

    def __init__(self, store: Store, names: BucketNames) -> None:
        self._store = store
        self._edits: EventEdits = store.edits
        self._names = names

    def event(self, bucket_id: str, event_id: int) -> StoredEvent:
        return self._for(bucket_id).event(bucket_id, event_id)

    def select(
        self, selection: Selection, *, after: EventPlace | None, limit: int, is_newest_first: bool
    ) -> SelectedEvents:
        edits = self._for(selection.bucket)
        return edits.select(selection, after=after, limit=limit, is_newest_first=is_newest_first)

    def survey(self, selection: Selection) -> DeletedEvents:
        return self._for(selection.bucket).survey(selection)

    async def change(self, bucket_id: str, event_id: int, change: EventChange, *, check: EventCheck) -> EditedEvents:
        return await self._for(bucket_id).change(bucket_id, event_id, change, check=check)

    async def split(self, bucket_id: str, event_id: int, at: Microseconds, *, check: EventCheck) -> EditedEvents:
        return await self._for(bucket_id).split(bucket_id, event_id, at, check=check)

    async def delete(self, bucket_id: str, event_id: int, *, check: EventCheck) -> EditedEvents:
        return await self._for(bucket_id).delete(bucket_id, event_id, check=check)

    async def delete_selected(self, selection: Selection) -> DeletedEvents:
        return await self._for(selection.bucket).delete_selected(selection)

    def _for(self, bucket_id: str) -> EventEdits:
        if bucket_id not in self._names or self._store.own_id(bucket_id) not in self._names:
            raise BucketNotFound(bucket_id)
        return self._edits
