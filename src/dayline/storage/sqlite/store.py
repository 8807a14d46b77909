"""The SQLite store: one person's data in one file."""

import asyncio
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from pathlib import Path
from typing import TypeVar

from msgspec import Struct

from dayline.model.access import Once
from dayline.model.bucket import Bucket, BucketChange
from dayline.model.data import CanonicalJson
from dayline.model.event import Event
from dayline.model.preferences import ComposePair, HistoryFilter, SettingChange
from dayline.model.privacy import RuleBook
from dayline.model.time import Microseconds, now_us
from dayline.storage.history.contract import EventMend, MendOutcome
from dayline.storage.sqlite.derived.keeper import SegmentKeeper
from dayline.storage.sqlite.history.corrections import mend_events
from dayline.storage.sqlite.history.edits import SqliteEdits
from dayline.storage.sqlite.history.merges import SqliteMerges
from dayline.storage.sqlite.history.moves import SqliteMoves
from dayline.storage.sqlite.history.trash import SqliteTrash
from dayline.storage.sqlite.redaction.redactions import SqliteRedactions
from dayline.storage.sqlite.rows.access import change_pair, delete_setting, set_setting
from dayline.storage.sqlite.rows.reader import Reader
from dayline.storage.sqlite.transfer.import_worker import survey_import
from dayline.storage.sqlite.transfer.imports import import_files
from dayline.storage.sqlite.writing.changes import delete_bucket, delete_buckets, update_bucket
from dayline.storage.sqlite.writing.transaction import Changes
from dayline.storage.sqlite.writing.writer import OnceWriter, Writer
from dayline.storage.store import HeartbeatDone, ImportProgress, ImportReport, ImportSurvey, Inserted, LineForm
from dayline.transform.privacy import PrivacyRules


class Keepers(Struct, frozen=True):
    """What works on the file in addition to the writer."""

    segments: SegmentKeeper
    redactions: SqliteRedactions
    merges: SqliteMerges
    trash: SqliteTrash
    moves: SqliteMoves
    edits: SqliteEdits

    def start(self) -> None:
        """Begin with what they do in the background. Called on the event loop."""
        for keeper in (self.segments, self.redactions, self.merges, self.trash):
            keeper.start()

    async def close(self) -> None:
        for keeper in (self.trash, self.merges, self.redactions, self.segments):
            await keeper.close()


T = TypeVar("T")


class SqliteStore:
    """One person's data in one file."""

    def __init__(
        self,
        writer: Writer,
        reader: Reader,
        keepers: Keepers,
        scratch: Callable[[], Path],
        path: Path,
    ) -> None:
        self._writer: Writer | OnceWriter = writer
        self._reader = reader
        self._scratch = scratch
        self._path = path
        self._segments, self._redactions = keepers.segments, keepers.redactions
        self._trash, self._moves, self._edits = keepers.trash, keepers.moves, keepers.edits
        self._importing = keepers.redactions.alone  # an import relies on the texts of values between its slices

    @property
    def trash(self) -> SqliteTrash:
        return self._trash.through(self._writer)

    @property
    def moves(self) -> SqliteMoves:
        return self._moves.through(self._writer)

    @property
    def edits(self) -> SqliteEdits:
        return self._edits.through(self._writer)

    @property
    def revision(self) -> int:
        return self._writer.revision

    @property
    def redactions(self) -> SqliteRedactions:
        return self._redactions.through(self._writer)

    def once(self, once: Once) -> "SqliteStore":
        store = copy(self)
        store._writer = OnceWriter(self._writer, once)
        return store

    def own_id(self, bucket_id: str) -> str:
        return self._writer.catalogue.own_id(bucket_id)

    def buckets(self) -> Mapping[str, Bucket]:
        return self._writer.catalogue.published.by_id

    def bucket(self, bucket_id: str) -> Bucket:
        return self._writer.catalogue.published.find(bucket_id)

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
        self._writer.heartbeat(bucket_id, beat, pulsetime, done)

    async def create_bucket(self, bucket: Bucket) -> None:
        await self._writer.change(lambda changes: changes.create_bucket(bucket))

    async def update_bucket(self, bucket_id: str, change: BucketChange) -> int:
        return await self._act(lambda changes: update_bucket(changes, bucket_id, change, now=now_us()))

    async def delete_bucket(self, bucket_id: str) -> int:
        return await self._act(lambda changes: delete_bucket(changes, bucket_id, now=now_us()))

    async def delete_buckets(self, bucket_ids: Sequence[str]) -> int:
        return await self._act(lambda changes: delete_buckets(changes, bucket_ids, now=now_us()))

    async def insert(self, bucket_id: str, events: Sequence[Event]) -> Inserted:
        return await self._act(lambda changes: changes.insert(bucket_id, events, now=now_us()), rows=len(events))

    async def delete_event(self, bucket_id: str, event_id: int) -> int | None:
        return await self._act(lambda changes: changes.delete_event(bucket_id, event_id, now=now_us()))

    async def mend_events(self, mends: Mapping[str, Iterator[EventMend]]) -> dict[str, MendOutcome]:
        outcomes = await mend_events(self._writer, mends, under_way=self._trash.under_way, now=now_us())
        self._trash.look()
        return outcomes

    async def set_setting(self, key: str, value: CanonicalJson) -> None:
        await self._writer.change(lambda changes: set_setting(changes, key, value, now=now_us()))

    async def delete_setting(self, key: str) -> None:
        await self._writer.change(lambda changes: delete_setting(changes, key, now=now_us()))

    async def change_setting_pair(self, key: str, own_key: str, compose: ComposePair) -> int:
        return await self._writer.change(lambda changes: change_pair(changes, key, own_key, compose, now=now_us()))

    async def begin(self) -> None:
        if isinstance(self._writer, OnceWriter):
            await self._writer.change(lambda changes: None)

    async def survey_import(self, spooled: Sequence[Path], *, rules: PrivacyRules | None = None) -> ImportSurvey:
        folder = await asyncio.to_thread(self._scratch)
        try:
            book = rules or PrivacyRules(RuleBook())
            return await survey_import(self._path, spooled, rules=book, folder=folder)
        finally:
            await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)

    async def import_files(
        self, spooled: Sequence[Path], *, rules: PrivacyRules | None = None, on_progress: ImportProgress | None = None
    ) -> ImportReport:
        # One after the other: each has its rows attached to the writing connection.
        async with self._importing:
            with self._segments.import_under_way():
                return await self._import(spooled, rules or PrivacyRules(RuleBook()), on_progress)

    async def _act(self, act: Callable[[Changes], T], *, rows: int = 1) -> T:
        """Make a change that may leave something in the trash."""
        result = await self._writer.change(act, rows=rows)
        self._trash.look()
        return result

    async def _import(
        self, spooled: Sequence[Path], rules: PrivacyRules, on_progress: ImportProgress | None
    ) -> ImportReport:
        folder, writer = self._scratch(), self._writer
        try:
            if not isinstance(writer, OnceWriter):
                return await import_files(
                    writer, spooled, rules=rules, folder=folder, now=now_us(), on_progress=on_progress
                )
            # The token comes last: an import that was cut off is finished by sending it again, which doubles nothing.
            await writer.check()
            report = await import_files(writer.plain, spooled, rules=rules, folder=folder, now=now_us())
            await writer.change(lambda changes: None)
            return report
        finally:
            await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
