"""The SQLite store: one file, one writer, many readers."""

import asyncio
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from pathlib import Path
from typing import TypeVar

from dayline.model.audit import Once
from dayline.model.bucket import Bucket, BucketChange
from dayline.model.data import CanonicalJson
from dayline.model.errors import BucketNotFound, StoreUnusable
from dayline.model.event import Event
from dayline.model.privacy import RuleBook
from dayline.model.timestamps import Microseconds, now_us
from dayline.storage.base import HeartbeatDone, ImportReport, Inserted
from dayline.storage.sqlite.access import SqliteAccess
from dayline.storage.sqlite.bucket_changes import delete_bucket, update_bucket
from dayline.storage.sqlite.changes import Changes
from dayline.storage.sqlite.checkpoint import Checkpointer
from dayline.storage.sqlite.connection import ReaderPool
from dayline.storage.sqlite.imports import import_files
from dayline.storage.sqlite.lock import FileLock
from dayline.storage.sqlite.merges import SqliteMerges
from dayline.storage.sqlite.moves import SqliteMoves
from dayline.storage.sqlite.once import OnceWriter
from dayline.storage.sqlite.purge import Purger
from dayline.storage.sqlite.reader import Reader
from dayline.storage.sqlite.redactions import SqliteRedactions
from dayline.storage.sqlite.segment_keeper import SegmentKeeper
from dayline.storage.sqlite.segment_pace import SegmentPace
from dayline.storage.sqlite.setting_rows import delete_setting, set_setting
from dayline.storage.sqlite.trash import SqliteTrash
from dayline.storage.sqlite.upgrade import open_current
from dayline.storage.sqlite.writer import Writer
from dayline.storage.trash import TrashSettings
from dayline.transform.privacy import PrivacyRules

T = TypeVar("T")


class SqliteDatabase:
    """A database file, held open by this process alone. Made and used on the event loop."""

    def __init__(
        self,
        path: Path,
        loop: asyncio.AbstractEventLoop,
        *,
        segment_pace: SegmentPace | None = None,
        trash: TrashSettings | None = None,
    ) -> None:
        self._path = path
        _make_folder(path.parent)
        self._lock = FileLock(path)
        try:
            for leftover in path.parent.glob(f"{path.name}-scratch-*"):
                shutil.rmtree(leftover, ignore_errors=True)
            self._db = open_current(path)
        except BaseException:
            self._lock.close()
            raise
        self._checkpointer = Checkpointer(path)
        self._db.set_wal_hook(self._checkpointer.note)
        self._readers = ReaderPool(path)
        self._writer = Writer(self._db, loop)
        pace = segment_pace or SegmentPace()
        self._segments = SegmentKeeper(path, self._writer, self._readers, pace=pace, clock=now_us)
        self._purger = Purger(self._writer)
        self._redactions = SqliteRedactions(path, self._writer, self._readers, self._segments, self.scratch)
        self._merges = SqliteMerges(self._writer, self._readers, self._redactions.alone)
        self._trash = SqliteTrash(
            self._writer,
            self._readers,
            self._redactions,
            self._merges,
            self._purger,
            trash or TrashSettings(),
            now_us,
        )
        moves = SqliteMoves(self._writer, self._readers, self._trash, self._merges)
        self._store = SqliteStore(
            self._writer, Reader(self._readers), self._segments, self._trash, moves, self._redactions, self.scratch
        )
        self.access = SqliteAccess(self._writer, self._readers)

    def store(self, tenant: str = "") -> "SqliteStore":
        if tenant:
            raise StoreUnusable("a SQLite file holds one person's data", hint="several people need PostgreSQL")
        return self._store

    def scratch(self) -> Path:
        """A new folder on the disk of the database: what is spooled there needs the room there anyway."""
        return Path(tempfile.mkdtemp(prefix=f"{self._path.name}-scratch-", dir=self._path.parent))

    async def build_segments(self) -> None:
        """Build every missing segment of closed months now, rather than when there is time for it."""
        await self._segments.build()

    def stop_holding(self) -> None:
        self._writer.stop_holding()

    async def close(self) -> None:
        await self._trash.close()
        await self._merges.close()
        await self._redactions.close()
        await self._segments.close()
        await self._purger.close()
        self._readers.close()
        self._checkpointer.close()
        # Last, because the last one to close removes the log, and a reader could not.
        await self._writer.close()
        self._lock.close()


class SqliteStore:
    """One person's data in one file."""

    def __init__(
        self,
        writer: Writer,
        reader: Reader,
        segments: SegmentKeeper,
        trash: SqliteTrash,
        moves: SqliteMoves,
        redactions: SqliteRedactions,
        scratch: Callable[[], Path],
    ) -> None:
        self._writer: Writer | OnceWriter = writer
        self._reader = reader
        self._segments = segments
        self._trash = trash
        self._moves = moves
        self._scratch = scratch
        self._redactions = redactions
        self._importing = redactions.alone  # an import relies on the texts of values from one slice to the next

    @property
    def trash(self) -> SqliteTrash:
        return self._trash.through(self._writer)

    @property
    def moves(self) -> SqliteMoves:
        return self._moves.through(self._writer)

    @property
    def redactions(self) -> SqliteRedactions:
        return self._redactions.through(self._writer)

    def once(self, once: Once) -> "SqliteStore":
        store = copy(self)
        store._writer = OnceWriter(self._writer, once)
        return store

    def own_id(self, bucket_id: str) -> str:
        return self._writer.catalogue.published_id(bucket_id)

    def buckets(self) -> Mapping[str, Bucket]:
        return self._writer.catalogue.published

    def bucket(self, bucket_id: str) -> Bucket:
        try:
            return self._writer.catalogue.published[self.own_id(bucket_id)]
        except KeyError:
            raise BucketNotFound(bucket_id) from None

    def event(self, bucket_id: str, event_id: int) -> Event:
        return self._reader.event(bucket_id, event_id)

    def events(
        self, bucket_id: str, *, start: Microseconds | None, end: Microseconds | None, limit: int | None
    ) -> Iterator[bytes]:
        return self._reader.events(bucket_id, start=start, end=end, limit=limit)

    def exported_events(self, bucket_id: str) -> Iterator[bytes]:
        return self._reader.exported_events(bucket_id)

    def count(self, bucket_id: str, *, start: Microseconds | None, end: Microseconds | None) -> int:
        return self._reader.count(bucket_id, start=start, end=end)

    def settings(self) -> dict[str, CanonicalJson]:
        return self._reader.settings()

    def setting(self, key: str) -> CanonicalJson | None:
        return self._reader.setting(key)

    def heartbeat(self, bucket_id: str, beat: Event, *, pulsetime: Microseconds, done: HeartbeatDone) -> None:
        self._writer.heartbeat(bucket_id, beat, pulsetime, done)

    async def create_bucket(self, bucket: Bucket) -> None:
        await self._writer.change(lambda changes: changes.create_bucket(bucket))

    async def update_bucket(self, bucket_id: str, change: BucketChange) -> int:
        return await self._act(lambda changes: update_bucket(changes, bucket_id, change, now=now_us()))

    async def delete_bucket(self, bucket_id: str) -> int:
        return await self._act(lambda changes: delete_bucket(changes, bucket_id, now=now_us()))

    async def insert(self, bucket_id: str, events: Sequence[Event]) -> Inserted:
        return await self._act(lambda changes: changes.insert(bucket_id, events, now=now_us()), rows=len(events))

    async def delete_event(self, bucket_id: str, event_id: int) -> int | None:
        return await self._act(lambda changes: changes.delete_event(bucket_id, event_id, now=now_us()))

    async def set_setting(self, key: str, value: CanonicalJson) -> None:
        await self._writer.change(lambda changes: set_setting(changes, key, value, now=now_us()))

    async def delete_setting(self, key: str) -> None:
        await self._writer.change(lambda changes: delete_setting(changes, key, now=now_us()))

    async def import_files(self, spooled: Sequence[Path], *, rules: PrivacyRules | None = None) -> ImportReport:
        # One after the other: each has its rows attached to the writing connection.
        async with self._importing:
            with self._segments.import_under_way():
                return await self._import(spooled, rules or PrivacyRules(RuleBook()))

    async def _act(self, act: Callable[[Changes], T], *, rows: int = 1) -> T:
        """Make a change that may leave something in the trash."""
        result = await self._writer.change(act, rows=rows)
        self._trash.look()
        return result

    async def _import(self, spooled: Sequence[Path], rules: PrivacyRules) -> ImportReport:
        folder, writer = self._scratch(), self._writer
        try:
            if not isinstance(writer, OnceWriter):
                return await import_files(writer, spooled, rules=rules, folder=folder, now=now_us())
            # The token comes last: an import that was cut off is finished by sending it again, which doubles nothing.
            await writer.check()
            report = await import_files(writer.plain, spooled, rules=rules, folder=folder, now=now_us())
            await writer.change(lambda changes: None)
            return report
        finally:
            await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise StoreUnusable(
            f"cannot make the folder {folder}: {error.strerror}", hint="name another place with --database"
        ) from error
