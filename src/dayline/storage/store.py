"""The store of one tenant: its buckets, events and settings, over either engine.

Writes complete after their commit, by callback or awaitable, in order of arrival per bucket. Reads are synchronous, see
committed data, and belong on threads; `buckets` and `bucket` read memory only and may be called on the event loop.
Errors are those of `dayline.model.errors`.
"""

import asyncio
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from pathlib import Path
from typing import Self, TypeVar

from msgspec import Struct

from dayline.model.access import ALL_BUCKETS, BucketNames, Once
from dayline.model.bucket import Bucket, BucketChange
from dayline.model.data import UNLIMITED, CanonicalJson
from dayline.model.event import Event
from dayline.model.privacy.rules import RuleBook
from dayline.model.settings.history import ComposePair, HistoryFilter, SettingChange
from dayline.model.time import Microseconds, now_us
from dayline.model.upkeep.undo import JournalNote
from dayline.storage.columns.scheduler import SegmentScheduler
from dayline.storage.columns.segment_plan import OnMonthImported
from dayline.storage.engine.tenant import EventReader, Exclusive, TenantReaders, TenantWriter
from dayline.storage.engine.transaction import WriteTransaction
from dayline.storage.guard import Guard
from dayline.storage.history.buckets import delete_bucket, delete_buckets, update_bucket
from dayline.storage.history.contract import CorrectionResult, EventCorrection, HeartbeatDone, Inserted, LineForm
from dayline.storage.history.corrections import correct_events
from dayline.storage.history.edits import Edits, delete_event
from dayline.storage.history.merges import Merges
from dayline.storage.history.moves import Moves
from dayline.storage.history.trash import Trash
from dayline.storage.redaction.redactions import Redactions
from dayline.storage.transfer.imports import TenantImporter
from dayline.storage.transfer.report import ImportProgress, ImportReport, ImportSurvey
from dayline.storage.transfer.staging import StagingRules
from dayline.storage.writing.mirrors import Mirrors
from dayline.storage.writing.published_buckets import PublishedBuckets
from dayline.storage.writing.settings import change_setting_pair, set_setting
from dayline.transform.privacy import PrivacyRules

T = TypeVar("T")


class Workers(Struct, frozen=True):
    """The background workers of one tenant."""

    segments: SegmentScheduler
    redactions: Redactions
    merges: Merges
    trash: Trash

    def start(self) -> None:
        """Start the background work. Call it on the event loop."""
        for worker in (self.segments, self.redactions, self.merges, self.trash):
            worker.start()

    async def close(self) -> None:
        for worker in (self.trash, self.merges, self.redactions, self.segments):
            await worker.close()


class StoreParts(Struct, frozen=True, kw_only=True):
    """What an engine provides. `exclusive` is held for the length of an import."""

    readers: TenantReaders
    events: EventReader
    published: PublishedBuckets
    workers: Workers
    importer: TenantImporter
    exclusive: Exclusive
    revision: Callable[[], int]
    scratch: Callable[[], Path]


class Store:
    """The buckets, events and settings of one tenant, for a caller with access to all buckets or to some."""

    def __init__(self, writer: TenantWriter, parts: StoreParts) -> None:
        self._writer = writer
        self._parts = parts
        self._guard = Guard(ALL_BUCKETS, parts.published)
        self._readers = parts.readers
        self._published = parts.published
        self._events = parts.events

    def once(self, once: Once) -> Self:
        """The same store for one change, which raises AlreadyDone if its idempotency token was used before.

        The token is stored in the transaction of the change, so a change that fails does not use it up.
        """
        store = copy(self)
        store._writer = self._writer.once(once)
        return store

    def noted(self, note: JournalNote) -> Self:
        """The same store for one call: what it changes is listed with this note."""
        store = copy(self)
        store._writer = self._writer.noted(note)
        return store

    def limited_to(self, names: BucketNames) -> Self:
        """The same store for a caller with access to these buckets: the others do not exist for it.

        What concerns the whole store raises Forbidden.
        """
        if names.is_all:
            return self
        store = copy(self)
        store._guard = Guard(names, self._published)
        return store

    @property
    def trash(self) -> Trash:
        """Undo entries of this tenant."""
        return self._parts.workers.trash.through(self._writer, self._redactions, self._guard)

    @property
    def redactions(self) -> Redactions:
        """Redactions: privacy rules applied to stored events."""
        self._guard.check_all()
        return self._redactions

    @property
    def moves(self) -> Moves:
        """Renaming and merging of buckets, and aliases."""
        workers = self._parts.workers
        return Moves(self._writer, self._readers, workers.merges, workers.trash.expire_if_disabled, self._guard)

    @property
    def edits(self) -> Edits:
        """Reading and editing single events."""
        return Edits(self._writer, self._readers, self._parts.workers.trash.expire_if_disabled, self._guard)

    @property
    def mirrors(self) -> Mirrors:
        """What sync works on."""
        self._guard.check_all()
        return Mirrors(self._writer.plain, self._readers, self._parts.workers.merges)

    @property
    def revision(self) -> int:
        """A number that grows with every commit that changes data visible to clients.

        Data read after the revision is at least as new as the revision. Every start continues from the current time.
        """
        self._guard.check_all()  # it would show activity in other buckets
        return self._parts.revision()

    def own_id(self, bucket_id: str) -> str:
        """Resolve an alias to the bucket's own id; an unknown id is returned unchanged. Reads memory, on any thread."""
        own = self._published.own_id(bucket_id)
        return own if self._guard.may_list(own) else bucket_id

    def buckets(self) -> Mapping[str, Bucket]:
        """All buckets by id, with their exact range, in order of creation."""
        buckets = self._published.current.by_id
        if self._guard.is_all:
            return buckets
        return {bucket_id: bucket for bucket_id, bucket in buckets.items() if self._guard.may_list(bucket_id)}

    def bucket(self, bucket_id: str) -> Bucket:
        """A bucket by its id or alias, as in all other calls. Raises BucketNotFound."""
        self._guard.check(bucket_id)
        return self._published.current.find(bucket_id)

    def event(self, bucket_id: str, event_id: int) -> Event:
        """One event, not clipped. Raises BucketNotFound or EventNotFound."""
        return self._events_of(bucket_id).event(self._read_id(bucket_id), event_id)

    def events(
        self, bucket_id: str, *, start: Microseconds | None, end: Microseconds | None, limit: int | None
    ) -> Iterator[bytes]:
        """The events that overlap the closed range, newest first and clipped to it, as pages of comma-separated JSON.

        Events with equal start are ordered by id. `limit` keeps the newest. No transaction stays open between pages.
        """
        return self._events_of(bucket_id).events(self._read_id(bucket_id), start=start, end=end, limit=limit)

    def whole_events(self, bucket_id: str, *, start: Microseconds | None, end: Microseconds | None) -> Iterator[bytes]:
        """Like `events`, but not clipped."""
        return self._events_of(bucket_id).whole_events(self._read_id(bucket_id), start=start, end=end)

    def exported_events(self, bucket_id: str) -> Iterator[bytes]:
        """All events, newest first, not clipped and without ids, as pages of comma-separated JSON.

        Events inserted after the first page are left out. No transaction stays open between pages.
        """
        return self._events_of(bucket_id).exported_events(self._read_id(bucket_id))

    def exported_lines(self, bucket_id: str, form: LineForm, head: str) -> Iterator[bytes]:
        """Like `exported_events`, as lines that start with `head`; a page does not end with a newline.

        `csv`: start, end, seconds, app, title, url and all data, each after a comma. `ndjson`: the members of a JSON
        object and its closing brace.
        """
        return self._events_of(bucket_id).exported_lines(self._read_id(bucket_id), form, head)

    def count(self, bucket_id: str, *, start: Microseconds | None, end: Microseconds | None) -> int:
        """The number of events that overlap the closed range."""
        return self._events_of(bucket_id).count(self._read_id(bucket_id), start=start, end=end)

    def counts(self, bucket_id: str, edges: Sequence[Microseconds]) -> list[int]:
        """The number of events that start between each pair of consecutive ascending `edges`."""
        return self._events_of(bucket_id).counts(self._read_id(bucket_id), edges)

    def settings(self) -> dict[str, CanonicalJson]:
        """All settings, as JSON text by key."""
        self._guard.check_all()
        with self._readers.transaction() as tx:
            return tx.setting_values("setting")

    def setting(self, key: str) -> CanonicalJson | None:
        """A setting as JSON text; None if it is not set."""
        self._guard.check_all()
        with self._readers.transaction() as tx:
            return tx.setting_values("setting", [key]).get(key)

    def setting_history(self, which: HistoryFilter) -> list[SettingChange]:
        """Changes of settings, newest first."""
        self._guard.check_all()
        with self._readers.transaction() as tx:
            return tx.setting_history("setting", which)

    def heartbeat(self, bucket_id: str, beat: Event, *, pulsetime: Microseconds, done: HeartbeatDone) -> None:
        """Merge a heartbeat into the bucket's last event or append it; `done` gets the stored event after the commit.

        Call it on the event loop, where `done` is called too. Heartbeats are queued while the store cannot commit.
        """
        self._guard.check_recording(bucket_id)
        self._writer.heartbeat(bucket_id, beat, pulsetime, done)

    async def create_bucket(self, bucket: Bucket) -> None:
        """Raises BucketExists, with nothing changed, if the id is taken."""
        self._guard.check_recording(bucket.id)
        await self._writer.change(lambda tx: tx.create_bucket(bucket))

    async def update_bucket(self, bucket_id: str, change: BucketChange) -> int:
        """Change the fields that are set and return the undo number. Raises BucketNotFound."""
        self._guard.check_change(bucket_id)
        return await self._change(lambda tx: update_bucket(tx, bucket_id, change, now=now_us()))

    async def delete_bucket(self, bucket_id: str) -> int:
        """Move a bucket and its events to the trash and return the undo number. Raises BucketNotFound."""
        self._guard.check_change(bucket_id)
        return await self._change(lambda tx: delete_bucket(tx, bucket_id, now=now_us()))

    async def delete_buckets(self, bucket_ids: Sequence[str]) -> int:
        """Delete several buckets as one operation and return the undo number. Raises BucketNotFound, with nothing
        deleted.
        """
        self._guard.check_all()
        self._guard.check_change(*bucket_ids)
        return await self._change(lambda tx: delete_buckets(tx, bucket_ids, now=now_us()))

    async def insert(self, bucket_id: str, events: Sequence[Event]) -> Inserted:
        """Append events without an id, replace or create those with one; all or nothing.

        Raises BucketNotFound, EventElsewhere if an id belongs to another bucket, or EventIdReserved if an id is unused
        and not assigned yet.
        """
        if any(event.id for event in events):
            self._guard.check_change(bucket_id)
        else:
            self._guard.check_recording(bucket_id)
        return await self._change(lambda tx: tx.insert(bucket_id, events, now=now_us()), rows=len(events))

    async def delete_event(self, bucket_id: str, event_id: int) -> int | None:
        """Delete an event and return the undo number; None if there is none. Raises BucketNotFound."""
        self._guard.check_change(bucket_id)
        return await self._change(lambda tx: delete_event(tx, bucket_id, event_id, now=now_us()))

    async def correct_events(self, corrections: Mapping[str, Iterator[EventCorrection]]) -> dict[str, CorrectionResult]:
        """Change or delete events in short slices, as one operation per bucket. Events changed since the check are
        skipped.

        If interrupted, the part that was done can be undone. Raises BucketNotFound.
        """
        self._guard.check_all()
        self._guard.check_change(*corrections)
        outcomes = await correct_events(self._writer, corrections, now=now_us())
        self._parts.workers.trash.expire_if_disabled()
        return outcomes

    async def set_setting(self, key: str, value: CanonicalJson) -> None:
        """Store a setting; its former values stay in the history."""
        self._guard.check_all()
        await self._writer.change(lambda tx: set_setting(tx, key, value, now=now_us()))

    async def delete_setting(self, key: str) -> None:
        """Delete a setting, if it is set."""
        self._guard.check_all()
        await self._writer.change(lambda tx: set_setting(tx, key, None, now=now_us()))

    async def change_setting_pair(self, key: str, own_key: str, compose: ComposePair) -> int:
        """Change a setting together with an internal one, based on their current values.

        Returns the number of the setting's last change in its history. Raises what `compose` raises.
        """
        self._guard.check_all()
        return await self._writer.change(lambda tx: change_setting_pair(tx, key, own_key, compose, now=now_us()))

    async def begin(self) -> None:
        """Use the token of `once` now, for work that continues after the call returns. Raises AlreadyDone."""
        self._guard.check_all()
        await self._writer.use_tokens()

    async def survey_import(
        self, spooled: Sequence[Path], *, rules: PrivacyRules | None = None, max_data_bytes: int = UNLIMITED
    ) -> ImportSurvey:
        """What `import_files` would do, with the same errors, without changing anything."""
        self._guard.check_all()
        folder = await asyncio.to_thread(self._parts.scratch)
        try:
            return await self._parts.importer.survey(
                spooled, rules=self._staging_rules(rules, max_data_bytes), folder=folder
            )
        finally:
            await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)

    async def import_files(
        self,
        spooled: Sequence[Path],
        *,
        rules: PrivacyRules | None = None,
        max_data_bytes: int = UNLIMITED,
        on_progress: ImportProgress | None = None,
    ) -> ImportReport:
        """Merge export documents into the store in short slices; identical events are skipped.

        Privacy rules are applied first, so events that they make equal count as identical. An event whose data is
        larger than the maximum counts as invalid. Raises Malformed or Invalid, with nothing changed, if a document as a
        whole is unusable.
        """
        self._guard.check_all()
        # An import relies on the texts of values between its slices, so nothing that changes them may run at the same
        # time.
        async with self._parts.exclusive():
            with self._parts.workers.segments.import_under_way() as on_month:
                return await self._import(spooled, self._staging_rules(rules, max_data_bytes), on_progress, on_month)

    async def _import(
        self,
        spooled: Sequence[Path],
        rules: StagingRules,
        on_progress: ImportProgress | None,
        on_month: OnMonthImported,
    ) -> ImportReport:
        folder = await asyncio.to_thread(self._parts.scratch)
        try:
            # Tokens are used last: an interrupted import is finished by sending it again, which stores nothing twice.
            await self._writer.check_tokens()
            report = await self._parts.importer.run(
                spooled, rules=rules, folder=folder, now=now_us(), on_progress=on_progress, on_month=on_month
            )
            await self._writer.use_tokens()
            return report
        finally:
            await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)

    @property
    def _redactions(self) -> Redactions:
        return self._parts.workers.redactions.through(self._writer)

    def _read_id(self, bucket_id: str) -> str:
        return self._published.current.read_id(bucket_id)

    def _events_of(self, bucket_id: str) -> EventReader:
        self._guard.check(bucket_id)
        return self._events

    def _staging_rules(self, rules: PrivacyRules | None, max_data_bytes: int) -> StagingRules:
        book, aliases = RuleBook() if rules is None else rules.book, dict(self._published.current.aliases)
        return StagingRules(book=book, aliases=aliases, max_data_bytes=max_data_bytes)

    async def _change(self, change: Callable[[WriteTransaction], T], *, rows: int = 1) -> T:
        """Make a change that may add an undo entry."""
        result = await self._writer.change(change, rows=rows)
        self._parts.workers.trash.expire_if_disabled()
        return result
