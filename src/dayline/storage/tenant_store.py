"""The store of one tenant, over either engine."""

import asyncio
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from pathlib import Path
from typing import TypeVar

from msgspec import Struct

from dayline.model.access import Once
from dayline.model.bucket import Bucket, BucketChange
from dayline.model.data import UNLIMITED, CanonicalJson
from dayline.model.event import Event
from dayline.model.privacy.rules import RuleBook
from dayline.model.settings.history import ComposePair, HistoryFilter, SettingChange
from dayline.model.time import Microseconds, now_us
from dayline.storage.columns.scheduler import SegmentScheduler
from dayline.storage.engine import Exclusive, TenantReaders, TenantWriter, WriteTransaction
from dayline.storage.history.buckets import delete_bucket, delete_buckets, update_bucket
from dayline.storage.history.contract import CorrectionResult, EventCorrection, HeartbeatDone, Inserted
from dayline.storage.history.corrections import correct_events
from dayline.storage.history.edits import Edits, delete_event
from dayline.storage.history.merges import Merges
from dayline.storage.history.moves import Moves
from dayline.storage.history.trash import TenantTrash
from dayline.storage.redaction.redactions import Redactions
from dayline.storage.store import EventReader, ImportProgress, ImportReport, ImportSurvey
from dayline.storage.transfer.imports import TenantImporter
from dayline.storage.transfer.staging import StagingRules
from dayline.storage.writing.published_buckets import PublishedBuckets
from dayline.storage.writing.settings import change_setting_pair, set_setting
from dayline.transform.privacy import PrivacyRules

T = TypeVar("T")


class Workers(Struct, frozen=True):
    """The background workers of one tenant."""

    segments: SegmentScheduler
    redactions: Redactions
    merges: Merges
    trash: TenantTrash

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


class TenantStore:
    """The Store of one tenant."""

    def __init__(self, writer: TenantWriter, parts: StoreParts) -> None:
        self._writer = writer
        self._parts = parts
        self._readers = parts.readers
        self._published = parts.published
        self.own_id = parts.published.own_id
        events = parts.events
        self.event, self.events, self.whole_events = events.event, events.events, events.whole_events
        self.exported_events, self.exported_lines = events.exported_events, events.exported_lines
        self.count, self.counts = events.count, events.counts

    def once(self, once: Once) -> "TenantStore":
        store = copy(self)
        store._writer = self._writer.once(once)
        return store

    @property
    def trash(self) -> TenantTrash:
        return self._parts.workers.trash.through(self._writer, self.redactions)

    @property
    def redactions(self) -> Redactions:
        return self._parts.workers.redactions.through(self._writer)

    @property
    def moves(self) -> Moves:
        workers = self._parts.workers
        return Moves(self._writer, self._readers, workers.merges, workers.trash.expire_if_disabled)

    @property
    def edits(self) -> Edits:
        return Edits(self._writer, self._readers, self._parts.workers.trash.expire_if_disabled)

    @property
    def revision(self) -> int:
        return self._parts.revision()

    def buckets(self) -> Mapping[str, Bucket]:
        return self._published.current.by_id

    def bucket(self, bucket_id: str) -> Bucket:
        return self._published.current.find(bucket_id)

    def settings(self) -> dict[str, CanonicalJson]:
        with self._readers.transaction() as tx:
            return tx.setting_values("setting")

    def setting(self, key: str) -> CanonicalJson | None:
        with self._readers.transaction() as tx:
            return tx.setting_values("setting", [key]).get(key)

    def setting_history(self, which: HistoryFilter) -> list[SettingChange]:
        with self._readers.transaction() as tx:
            return tx.setting_history("setting", which)

    def heartbeat(self, bucket_id: str, beat: Event, *, pulsetime: Microseconds, done: HeartbeatDone) -> None:
        self._writer.heartbeat(bucket_id, beat, pulsetime, done)

    async def create_bucket(self, bucket: Bucket) -> None:
        await self._writer.change(lambda tx: tx.create_bucket(bucket))

    async def update_bucket(self, bucket_id: str, change: BucketChange) -> int:
        return await self._change(lambda tx: update_bucket(tx, bucket_id, change, now=now_us()))

    async def delete_bucket(self, bucket_id: str) -> int:
        return await self._change(lambda tx: delete_bucket(tx, bucket_id, now=now_us()))

    async def delete_buckets(self, bucket_ids: Sequence[str]) -> int:
        return await self._change(lambda tx: delete_buckets(tx, bucket_ids, now=now_us()))

    async def insert(self, bucket_id: str, events: Sequence[Event]) -> Inserted:
        return await self._change(lambda tx: tx.insert(bucket_id, events, now=now_us()), rows=len(events))

    async def delete_event(self, bucket_id: str, event_id: int) -> int | None:
        return await self._change(lambda tx: delete_event(tx, bucket_id, event_id, now=now_us()))

    async def correct_events(self, corrections: Mapping[str, Iterator[EventCorrection]]) -> dict[str, CorrectionResult]:
        outcomes = await correct_events(self._writer, corrections, now=now_us())
        self._parts.workers.trash.expire_if_disabled()
        return outcomes

    async def set_setting(self, key: str, value: CanonicalJson) -> None:
        await self._writer.change(lambda tx: set_setting(tx, key, value, now=now_us()))

    async def delete_setting(self, key: str) -> None:
        await self._writer.change(lambda tx: set_setting(tx, key, None, now=now_us()))

    async def change_setting_pair(self, key: str, own_key: str, compose: ComposePair) -> int:
        return await self._writer.change(lambda tx: change_setting_pair(tx, key, own_key, compose, now=now_us()))

    async def begin(self) -> None:
        await self._writer.use_tokens()

    async def survey_import(
        self, spooled: Sequence[Path], *, rules: PrivacyRules | None = None, max_data_bytes: int = UNLIMITED
    ) -> ImportSurvey:
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
        # An import relies on the texts of values between its slices, so nothing that changes them may run at the same
        # time.
        async with self._parts.exclusive():
            with self._parts.workers.segments.import_under_way():
                return await self._import(spooled, self._staging_rules(rules, max_data_bytes), on_progress)

    async def _import(
        self, spooled: Sequence[Path], rules: StagingRules, on_progress: ImportProgress | None
    ) -> ImportReport:
        folder = await asyncio.to_thread(self._parts.scratch)
        try:
            # Tokens are used last: an interrupted import is finished by sending it again, which stores nothing twice.
            await self._writer.check_tokens()
            report = await self._parts.importer.run(
                spooled, rules=rules, folder=folder, now=now_us(), on_progress=on_progress
            )
            await self._writer.use_tokens()
            return report
        finally:
            await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)

    def _staging_rules(self, rules: PrivacyRules | None, max_data_bytes: int) -> StagingRules:
        book, aliases = RuleBook() if rules is None else rules.book, dict(self._published.current.aliases)
        return StagingRules(book=book, aliases=aliases, max_data_bytes=max_data_bytes)

    async def _change(self, change: Callable[[WriteTransaction], T], *, rows: int = 1) -> T:
        """Make a change that may add an undo entry."""
        result = await self._writer.change(change, rows=rows)
        self._parts.workers.trash.expire_if_disabled()
        return result
