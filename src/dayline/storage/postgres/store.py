"""The PostgreSQL store: one person's data among those of others."""

import asyncio
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from dayline.model.access import Once
from dayline.model.bucket import Bucket, BucketChange
from dayline.model.data import CanonicalJson
from dayline.model.event import Event
from dayline.model.preferences import ComposePair, HistoryFilter, SettingChange
from dayline.model.privacy import RuleBook
from dayline.model.time import Microseconds, now_us
from dayline.storage.history.contract import EventMend, MendOutcome
from dayline.storage.postgres.connection import Readers
from dayline.storage.postgres.derived.keeper import SegmentKeeper
from dayline.storage.postgres.history.corrections import mend_events
from dayline.storage.postgres.history.edits import PostgresEdits
from dayline.storage.postgres.history.moves import PostgresMoves
from dayline.storage.postgres.history.trash import PostgresTrash
from dayline.storage.postgres.redaction.redactions import PostgresRedactions
from dayline.storage.postgres.rows.access import change_pair, delete_setting, set_setting
from dayline.storage.postgres.rows.reader import Reader
from dayline.storage.postgres.transfer.imports import import_files, survey_import
from dayline.storage.postgres.writing.catalogue import Catalogue
from dayline.storage.postgres.writing.changes import (
    create_bucket,
    delete_bucket,
    delete_buckets,
    delete_event,
    insert,
    update_bucket,
)
from dayline.storage.postgres.writing.transaction import Turn
from dayline.storage.postgres.writing.writer import Scribe
from dayline.storage.store import HeartbeatDone, ImportProgress, ImportReport, ImportSurvey, Inserted, LineForm
from dayline.transform.privacy import PrivacyRules

T = TypeVar("T")


class PostgresStore:
    """One tenant of a database."""

    def __init__(
        self,
        scribe: Scribe,
        readers: Readers,
        catalogue: Catalogue,
        redactions: PostgresRedactions,
        trash: PostgresTrash,
        segments: SegmentKeeper,
        *,
        revision: Callable[[], int],
        scratch: Callable[[], Path],
    ) -> None:
        self._scribe = scribe
        self._readers = readers
        self._catalogue = catalogue
        self._redactions = redactions
        self._trash = trash
        self._segments = segments
        self._revision = revision
        self._scratch = scratch
        self._reader = Reader(readers, scribe.tenant)

    def once(self, once: Once) -> "PostgresStore":
        return PostgresStore(
            self._scribe.once(once),
            self._readers,
            self._catalogue,
            self._redactions,
            self._trash,
            self._segments,
            revision=self._revision,
            scratch=self._scratch,
        )

    @property
    def trash(self) -> PostgresTrash:
        return self._trash.through(self._scribe)

    @property
    def redactions(self) -> PostgresRedactions:
        return self._redactions.through(self._scribe)

    @property
    def moves(self) -> PostgresMoves:
        return PostgresMoves(self._scribe, self._readers, self._trash)

    @property
    def edits(self) -> PostgresEdits:
        return PostgresEdits(self._scribe, self._readers, self._trash)

    @property
    def revision(self) -> int:
        return self._revision()

    def own_id(self, bucket_id: str) -> str:
        return self._catalogue.own_id(bucket_id)

    def buckets(self) -> Mapping[str, Bucket]:
        return self._catalogue.published.by_id

    def bucket(self, bucket_id: str) -> Bucket:
        return self._catalogue.published.find(bucket_id)

    def event(self, bucket_id: str, event_id: int) -> Event:
        return self._reader.event(bucket_id, event_id)

    def events(
        self, bucket_id: str, *, start: Microseconds | None, end: Microseconds | None, limit: int | None
    ) -> Iterator[bytes]:
        return self._reader.events(bucket_id, start=start, end=end, limit=limit)

    def whole_events(self, bucket_id: str, *, start: Microseconds | None, end: Microseconds | None) -> Iterator[bytes]:
        return self._reader.whole_events(bucket_id, start=start, end=end)

    def exported_events(self, bucket_id: str) -> Iterator[bytes]:
        return self._reader.exported_events(bucket_id)

    def exported_lines(self, bucket_id: str, form: LineForm, head: str) -> Iterator[bytes]:
        return self._reader.exported_lines(bucket_id, form, head)

    def count(self, bucket_id: str, *, start: Microseconds | None, end: Microseconds | None) -> int:
        return self._reader.count(bucket_id, start=start, end=end)

    def counts(self, bucket_id: str, edges: Sequence[Microseconds]) -> list[int]:
        return self._reader.counts(bucket_id, edges)

    def settings(self) -> dict[str, CanonicalJson]:
        return self._reader.settings()

    def setting(self, key: str) -> CanonicalJson | None:
        return self._reader.setting(key)

    def setting_history(self, which: HistoryFilter) -> list[SettingChange]:
        return self._reader.setting_history(which)

    def heartbeat(self, bucket_id: str, beat: Event, *, pulsetime: Microseconds, done: HeartbeatDone) -> None:
        self._scribe.heartbeat(bucket_id, beat, pulsetime, done)

    async def create_bucket(self, bucket: Bucket) -> None:
        await self._scribe.change(lambda turn: create_bucket(turn, bucket))

    async def update_bucket(self, bucket_id: str, change: BucketChange) -> int:
        return await self._act(lambda turn: update_bucket(turn, bucket_id, change, now=now_us()))

    async def delete_bucket(self, bucket_id: str) -> int:
        return await self._act(lambda turn: delete_bucket(turn, bucket_id, now=now_us()))

    async def delete_buckets(self, bucket_ids: Sequence[str]) -> int:
        return await self._act(lambda turn: delete_buckets(turn, bucket_ids, now=now_us()))

    async def insert(self, bucket_id: str, events: Sequence[Event]) -> Inserted:
        return await self._act(lambda turn: insert(turn, bucket_id, events, now=now_us()))

    async def delete_event(self, bucket_id: str, event_id: int) -> int | None:
        return await self._act(lambda turn: delete_event(turn, bucket_id, event_id, now=now_us()))

    async def mend_events(self, mends: Mapping[str, Iterator[EventMend]]) -> dict[str, MendOutcome]:
        outcomes = await mend_events(self._scribe, mends, now=now_us())
        self._trash.look()
        return outcomes

    async def set_setting(self, key: str, value: CanonicalJson) -> None:
        await self._scribe.change(lambda turn: set_setting(turn, key, value, now=now_us()))

    async def delete_setting(self, key: str) -> None:
        await self._scribe.change(lambda turn: delete_setting(turn, key, now=now_us()))

    async def change_setting_pair(self, key: str, own_key: str, compose: ComposePair) -> int:
        return await self._scribe.change(lambda turn: change_pair(turn, key, own_key, compose, now=now_us()))

    async def begin(self) -> None:
        await self._scribe.begin()

    async def survey_import(self, spooled: Sequence[Path], *, rules: PrivacyRules | None = None) -> ImportSurvey:
        folder = await asyncio.to_thread(self._scratch)
        try:
            book = rules or PrivacyRules(RuleBook())
            return await survey_import(self._readers, self._scribe.tenant, spooled, rules=book, folder=folder)
        finally:
            await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)

    async def import_files(
        self, spooled: Sequence[Path], *, rules: PrivacyRules | None = None, on_progress: ImportProgress | None = None
    ) -> ImportReport:
        folder = await asyncio.to_thread(self._scratch)
        book = rules or PrivacyRules(RuleBook())
        try:
            # The token comes last: an import that was cut off is finished by sending it again, which doubles nothing.
            await self._scribe.check()
            plain = self._scribe.plain
            with self._segments.import_under_way():
                report = await import_files(
                    plain, spooled, rules=book, folder=folder, now=now_us(), on_progress=on_progress
                )
            await self._scribe.begin()
            return report
        finally:
            await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)

    async def _act(self, act: Callable[[Turn], T]) -> T:
        """Make a change that may leave something in the trash."""
        result = await self._scribe.change(act)
        self._trash.look()
        return result
