"""An open SQLite database: its file, its writer, its readers and its background workers."""

import asyncio
import os
import shutil
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import Final

import apsw

from dayline.config.data_folder import DataFile, beside, data_file, data_files, make_data_folder
from dayline.model.bucket import Bucket
from dayline.model.health import Damage
from dayline.model.time import Microseconds, now_us
from dayline.runtime.background import BackgroundTask, BackgroundWorkers
from dayline.storage.columns.segment_plan import SEGMENT_PACE, SegmentPace
from dayline.storage.disk_faults import file_error
from dayline.storage.history.contract import TRASH_POLICY, TrashPolicy
from dayline.storage.sqlite.backup.process import Keep, snapshot_beside
from dayline.storage.sqlite.file.checkpoint import Checkpointer
from dayline.storage.sqlite.file.connection import ReaderPool
from dayline.storage.sqlite.file.errors import make_folder
from dayline.storage.sqlite.file.former_layout import open_folder
from dayline.storage.sqlite.file.lock import FileLock
from dayline.storage.sqlite.repair.mark import damage_of, recovery_path
from dayline.storage.sqlite.store import SingleTenant
from dayline.storage.sqlite.upgrade import open_current
from dayline.storage.sqlite.writing.writer import Writer
from dayline.storage.writing.notices import OnCommit

# How long a stop waits for running reads. If a reader closes last, the write-ahead log stays next to the file.
READERS_END_S: Final = 1.0


class SqliteDatabase(SingleTenant):
    """A database file that only this process has open. Create and use it on the event loop.

    `ages` is the clock that decides what is old enough to be deleted. `keep` makes a snapshot of an older file before
    the upgrade. If the file is damaged, a recovery file is used instead (repair/), and `damage` reports it.
    """

    def __init__(
        self,
        path: Path,
        loop: asyncio.AbstractEventLoop,
        *,
        segment_pace: SegmentPace = SEGMENT_PACE,
        trash: TrashPolicy = TRASH_POLICY,
        ages: Callable[[], Microseconds] = now_us,
        keep: Keep = snapshot_beside,
        background: BackgroundWorkers | None = None,
    ) -> None:
        self.background = background or BackgroundWorkers()
        self._named = path
        self._keep = keep
        make_folder(path.parent)
        is_new = not os.path.exists(path) and not os.path.exists(beside(path, "-wal"))
        self._lock = FileLock(path)
        try:
            for used in (path, recovery_path(path)):
                for leftover in data_files(used, DataFile.SCRATCH):
                    shutil.rmtree(leftover, ignore_errors=True)
            self._damage = damage_of(path, now=now_us())
            for used in (path, recovery_path(path)):
                if used == path or used.exists():
                    open_folder(used)
            self._path = path = path if self._damage is None else _recovery_file(path, self._damage)
            self._db = open_current(path, keep=keep)
        except BaseException:
            if is_new:
                _remove_half_made(self._named)
            with suppress(OSError):  # it is missing, or has files
                data_file(self._named, DataFile.FOLDER).rmdir()
            self._lock.close()
            raise
        self._recovering: BackgroundTask | None = None
        self._checkpointer = self._checkpointed(path, self._db)
        self._readers = ReaderPool(path)
        self._writer = Writer(self._db, loop, path)
        self.problems, self.stop_holding = self._writer.problems, self._writer.stop_holding
        self._workers = self._assemble(
            path,
            self._writer,
            self._readers,
            trash=trash,
            ages=ages,
            pace=segment_pace,
            scratch=self.scratch,
            background=self.background,
        )
        self._workers.start()
        self.upkeep.start()

    @property
    def damage(self) -> Damage | None:
        return self._damage

    @property
    def path(self) -> Path:
        """The file in use."""
        return self._path

    def watch(self, on_damage: Callable[[str], None]) -> None:
        """Call `on_damage` if the file turns out to be damaged while it is open; on any thread, possibly many times."""
        self._writer.on_damage = self._readers.on_damage = on_damage

    def listen(self, on_commit: OnCommit | None, *, tenant: str = "") -> None:
        self._writer.on_commit = on_commit

    async def leave_damaged(self, damage: Damage) -> None:
        """Write heartbeats to the recovery file until the server restarts, and refuse all other changes.

        Nothing is written to the damaged file after this, not even its log. If the recovery file cannot be created,
        this raises and the damaged file stays in use.
        """
        await self._workers.close()
        await asyncio.to_thread(self._checkpointer.close)
        known = self._writer.catalogue.known()  # includes buckets that can no longer be read from the file

        def opened() -> tuple[apsw.Connection, Path]:
            path = _recovery_file(self._named, damage, known)
            return open_current(path, keep=self._keep), path

        await self._writer.leave(opened)
        self._damage = damage

    def begin_recovery(self) -> None:
        """Copy what is readable of a damaged file into the recovery file, in the background."""
        if self._damage is not None:
            self._recovering = self.background.task("copy of the damaged database", self.recover, interval_s=None)
            self._recovering.start()

    async def recover(self) -> None:
        """Like `begin_recovery`, and wait for it. Raises Unavailable."""
        from dayline.storage.sqlite.repair.copy import copy_readable  # here, because few files are damaged

        workers = self._workers
        # Values are copied before the events that use them: nothing may delete or change them in between.
        async with workers.redactions.exclusive:
            with workers.segments.import_under_way():
                await copy_readable(self._named, self._writer)

    def scratch(self) -> Path:
        """A new folder on the disk of the database, which needs the space for spooled files anyway. Raises
        StoreBusy.
        """
        try:
            return make_data_folder(self._path, DataFile.SCRATCH)
        except OSError as error:
            raise file_error("cannot create a temporary folder", error, self._path) from error

    async def build_segments(self) -> None:
        """Build all missing segments of closed months now."""
        await self._workers.segments.build()

    async def close(self) -> None:
        if self._recovering is not None:
            await self._recovering.close()
        await self.upkeep.close()
        await self._workers.close()
        await asyncio.to_thread(self._readers.close, READERS_END_S)
        self._checkpointer.close()
        # Last, because the last connection to close removes the log, and a reader cannot.
        await self._writer.close()
        self._lock.close()

    def _checkpointed(self, path: Path, db: apsw.Connection) -> Checkpointer:
        checkpointer = Checkpointer(path, self.background)
        db.set_wal_hook(checkpointer.note)
        checkpointer.start()
        return checkpointer


def _recovery_file(path: Path, damage: Damage, known: Mapping[int, Bucket] = MappingProxyType({})) -> Path:
    from dayline.storage.sqlite.repair.bootstrap import make_recovery  # here, because few files are damaged

    return make_recovery(path, damage, known)


def _remove_half_made(path: Path) -> None:
    """Remove the file of a failed start. We hold the lock, so no other process uses it."""
    database = (beside(path, suffix) for suffix in ("-wal", "-shm", "-journal", ""))  # the log first: see check_log
    for file in (*database, data_file(path, DataFile.LOCK)):
        with suppress(OSError):
            file.unlink()
