"""Changing events by hand, by somebody who may use some of the buckets."""

from dayline.model.bucket import Bucket
from dayline.model.errors import BucketNotFound
from dayline.model.event import Event
from dayline.model.event_selection import DeletedEvents, Selection
from dayline.model.event_tag import StoredEvent
from dayline.model.keys import BucketNames
from dayline.model.timestamps import Microseconds
from dayline.storage.history.edits import EditedEvents, EventCheck, EventEdit, EventEdits, EventPlace, SelectedEvents
from dayline.storage.store import Store


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

    async def add(self, bucket: Bucket, event: Event) -> EditedEvents:
        return await self._recording(bucket.id).add(bucket, event)

    async def edit(self, bucket_id: str, event_id: int, edit: EventEdit) -> EditedEvents:
        return await self._for(bucket_id).edit(bucket_id, event_id, edit)

    async def split(self, bucket_id: str, event_id: int, at: Microseconds, *, check: EventCheck) -> EditedEvents:
        return await self._for(bucket_id).split(bucket_id, event_id, at, check=check)

    async def delete_selected(self, selection: Selection) -> DeletedEvents:
        return await self._for(selection.bucket).delete_selected(selection)

    def _for(self, bucket_id: str) -> EventEdits:
        if self._store.own_id(bucket_id) not in self._names:
            raise BucketNotFound(bucket_id)
        return self._recording(bucket_id)

    def _recording(self, bucket_id: str) -> EventEdits:
        if bucket_id not in self._names:
            raise BucketNotFound(bucket_id)
        return self._edits
