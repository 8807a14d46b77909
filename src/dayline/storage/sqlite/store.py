"""The store of one file, and its background workers."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from msgspec import Struct

from dayline.model.time import Microseconds
from dayline.runtime.background import BackgroundWorkers
from dayline.storage.columns.scheduler import SegmentScheduler
from dayline.storage.history.contract import TrashPolicy
from dayline.storage.history.merges import Merges
from dayline.storage.history.trash import TenantTrash
from dayline.storage.redaction.tenant_redactions import TenantRedactions
from dayline.storage.sqlite.file.connection import ReaderPool
from dayline.storage.sqlite.rows.read_transaction import SqliteReaders
from dayline.storage.sqlite.rows.reader import Reader
from dayline.storage.sqlite.transfer.imports import SqliteImportEngine
from dayline.storage.sqlite.upkeep.purge import purge_deleted
from dayline.storage.sqlite.writing.writer import FileWriter
from dayline.storage.tenant_store import StoreParts
from dayline.storage.transfer.imports import TenantImporter


class Workers(Struct, frozen=True):
    """The background workers of one file."""

    segments: SegmentScheduler
    redactions: TenantRedactions
    merges: Merges
    trash: TenantTrash

    def start(self) -> None:
        """Start the background work. Call it on the event loop."""
        for worker in (self.segments, self.redactions, self.merges, self.trash):
            worker.start()

    async def close(self) -> None:
        for worker in (self.trash, self.merges, self.redactions, self.segments):
            await worker.close()


def create_workers(
    writer: FileWriter,
    readers: ReaderPool,
    segments: SegmentScheduler,
    redactions: TenantRedactions,
    *,
    policy: TrashPolicy,
    clock: Callable[[], Microseconds],
    background: BackgroundWorkers,
) -> Workers:
    """Create the workers of a file, including merges and trash, without starting them."""
    read = SqliteReaders(readers)
    merges = Merges(writer, read, lambda: redactions.exclusive, background)
    purge = partial(purge_deleted, writer)
    trash = TenantTrash(writer, read, redactions, merges, purge, policy, clock, background)
    return Workers(segments, redactions, merges, trash)


def store_parts(
    writer: FileWriter, readers: ReaderPool, workers: Workers, *, scratch: Callable[[], Path], path: Path
) -> StoreParts:
    """The parts of the file's store."""
    return StoreParts(
        readers=SqliteReaders(readers),
        events=Reader(readers),
        published=writer.catalogue.published,
        merges=workers.merges,
        trash=workers.trash,
        redactions=workers.redactions,
        importer=TenantImporter(SqliteImportEngine(writer, path), writer),
        exclusive=lambda: workers.redactions.exclusive,
        import_under_way=workers.segments.import_under_way,
        revision=lambda: writer.revision,
        scratch=scratch,
    )
