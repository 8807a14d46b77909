"""Everything that works on one file: its store, its settings, its upkeep and its background workers."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from dayline.config.data_folder import DataFile, data_file
from dayline.model.time import Microseconds, now_us
from dayline.runtime.background import BackgroundWorkers
from dayline.storage.access import AccessStore
from dayline.storage.columns.scheduler import SegmentScheduler
from dayline.storage.columns.segment_plan import SegmentPace
from dayline.storage.history.contract import TrashPolicy
from dayline.storage.history.merges import Merges
from dayline.storage.history.purge import purge
from dayline.storage.history.trash import Trash
from dayline.storage.redaction.redactions import Redactions
from dayline.storage.sqlite.derived.engine import SqliteSegmentEngine
from dayline.storage.sqlite.file.connection import ReaderPool
from dayline.storage.sqlite.file.errors import refuse_tenant
from dayline.storage.sqlite.redaction.engine import SqliteRedactionEngine
from dayline.storage.sqlite.rows.read_transaction import SqliteReaders
from dayline.storage.sqlite.rows.reader import Reader
from dayline.storage.sqlite.transfer.imports import SqliteImportEngine
from dayline.storage.sqlite.upkeep.purge import purge_values
from dayline.storage.sqlite.upkeep.upkeep import SqliteUpkeep
from dayline.storage.sqlite.writing.writer import FileWriter
from dayline.storage.store import Store, StoreParts, Workers
from dayline.storage.transfer.imports import TenantImporter

if TYPE_CHECKING:
    from dayline.storage.sqlite.writing.sync_files import FolderFiles


class SingleTenant:
    """The methods of a Database that take a tenant, for a file with one. `_assemble` creates what they return."""

    _named: Path  # also if a recovery file is used instead
    _store: Store
    access: AccessStore
    upkeep: SqliteUpkeep

    def store(self, tenant: str = "") -> Store:
        refuse_tenant(tenant)
        return self._store

    async def open(self, tenant: str) -> Store:
        return self.store(tenant)

    def access_of(self, tenant: str) -> AccessStore:
        refuse_tenant(tenant)
        return self.access

    def upkeep_of(self, tenant: str) -> SqliteUpkeep:
        refuse_tenant(tenant)
        return self.upkeep

    def sync_files(self, tenant: str = "") -> "FolderFiles":
        from dayline.storage.sqlite.writing.sync_files import FolderFiles  # here, because few servers store them

        refuse_tenant(tenant)
        return FolderFiles(data_file(self._named, DataFile.SYNC))

    def _assemble(
        self,
        path: Path,
        writer: FileWriter,
        pool: ReaderPool,
        *,
        trash: TrashPolicy,
        ages: Callable[[], Microseconds],
        pace: SegmentPace,
        scratch: Callable[[], Path],
        background: BackgroundWorkers,
    ) -> Workers:
        """Create the store, and its workers without starting them. `scratch` makes a temporary folder."""
        readers = SqliteReaders(pool)
        segments = SegmentScheduler(
            SqliteSegmentEngine(path, writer, pool, pace=pace), pace=pace, background=background
        )
        redaction_engine = SqliteRedactionEngine(path, writer, pool, segments, scratch)
        redactions = Redactions(redaction_engine, writer, segments, background)
        merges = Merges(writer, readers, lambda: redactions.exclusive, background)
        clear = partial(purge, writer, partial(purge_values, writer))
        workers = Workers(
            segments,
            redactions,
            merges,
            Trash(writer, readers, redactions, merges, clear, trash, ages, background),
        )
        parts = StoreParts(
            readers=readers,
            events=Reader(pool),
            published=writer.catalogue.published,
            workers=workers,
            importer=TenantImporter(SqliteImportEngine(writer, path), writer),
            exclusive=lambda: redactions.exclusive,
            revision=lambda: writer.revision,
            scratch=scratch,
        )
        self._store = Store(writer, parts)
        self.access = AccessStore(writer, readers)
        self.upkeep = SqliteUpkeep(path, writer, pool, redactions, workers.trash, now_us, background)
        return workers
