"""An open PostgreSQL database: its writer, its readers and its listener."""

import asyncio
import tempfile
from collections.abc import Callable
from contextlib import nullcontext
from datetime import datetime
from functools import partial
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Final

from dayline.config.data_folder import DataFile
from dayline.model.errors import StoreBusy, StoreUnusable
from dayline.model.time import Microseconds, now_us
from dayline.runtime.background import BackgroundWorkers
from dayline.storage.access import AccessStore
from dayline.storage.columns.scheduler import SegmentScheduler
from dayline.storage.columns.segment_plan import SEGMENT_PACE, SegmentPace
from dayline.storage.history.contract import TRASH_POLICY, TrashPolicy
from dayline.storage.history.merges import Merges
from dayline.storage.history.purge import purge
from dayline.storage.history.trash import Trash
from dayline.storage.postgres.connection import FAULTS, Readers, connect, display_address, error_text, transaction
from dayline.storage.postgres.derived.engine import PostgresSegmentEngine
from dayline.storage.postgres.redaction.engine import redactions_of
from dayline.storage.postgres.rows.buckets import BucketRecord
from dayline.storage.postgres.rows.read_transaction import PostgresReaders
from dayline.storage.postgres.rows.reader import Reader
from dayline.storage.postgres.rows.undo_log import LEASE_S
from dayline.storage.postgres.schema.migrate import SchemaStatus, check_server, migrate, refuse_too_new, status_of
from dayline.storage.postgres.transfer.imports import PostgresImportEngine
from dayline.storage.postgres.upkeep.purge import purge_values
from dayline.storage.postgres.upkeep.upkeep import PostgresUpkeep
from dayline.storage.postgres.writing.catalogue import Catalogue, Changed, read_all
from dayline.storage.postgres.writing.listener import NotificationListener, RemoteChange
from dayline.storage.postgres.writing.transaction import read_aliases
from dayline.storage.postgres.writing.writer import PostgresTenantWriter, Writer
from dayline.storage.redaction.redactions import Redactions
from dayline.storage.store import Store, StoreParts, Workers
from dayline.storage.transfer.imports import TenantImporter
from dayline.storage.writing.notices import Commit, OnCommit

if TYPE_CHECKING:
    from dayline.storage.postgres.writing.sync_files import TableFiles

READ_CONNECTIONS: Final = 8
# A merge without progress for this long was interrupted: a server gives up after ten seconds without the database.
STILL_S: Final = 15.0


class PostgresDatabase:
    """One of any number of servers on a database. Create and use it on the event loop.

    `ages` is the clock that decides what is old enough to be deleted. `folder` is for temporary files of a call.
    `on_heard` is called when another server has changed something, or may have.
    """

    damage = None

    def __init__(
        self,
        address: str,
        loop: asyncio.AbstractEventLoop,
        *,
        folder: Path | None = None,
        segment_pace: SegmentPace = SEGMENT_PACE,
        trash: TrashPolicy = TRASH_POLICY,
        ages: Callable[[], Microseconds] = now_us,
        read_connections: int = READ_CONNECTIONS,
        background: BackgroundWorkers | None = None,
    ) -> None:
        self.background = background or BackgroundWorkers()
        self._prepare(address)
        self._address = address
        self._loop = loop
        self._folder = folder
        self._trash_policy, self._ages = trash, ages
        self.on_heard: Callable[[RemoteChange], None] = lambda heard: None
        # By tenant. From the clock, so that it stays above its value before a restart, also on another server.
        self._revisions: dict[str, int] = {}
        self._on_commit: dict[str, OnCommit] = {}
        self._catalogues: dict[str, Catalogue] = {}
        self._workers: dict[str, Workers] = {}
        self._segment_pace, self._building = segment_pace, asyncio.Lock()
        self._stores: dict[str, Store] = {}
        self._upkeeps: dict[str, PostgresUpkeep] = {}
        self._readers = Readers(address, most=read_connections)
        self._writer = Writer(address, loop, self._changed, self._leave_others)
        self.problems, self.stop_holding = self._writer.problems, self._writer.stop_holding
        self.access = self.access_of("")
        self.store()
        self._listener = self._new_listener(address)
        if self._listener is not None:
            self._listener.start()

    def _prepare(self, address: str) -> None:
        prepare(address)

    def _leave_others(self, primary: datetime) -> None:
        self._readers.leave(primary)
        if self._listener is not None:
            self._listener.leave(primary)

    def _writer_of(self, tenant: str) -> PostgresTenantWriter:
        return PostgresTenantWriter(self._writer, tenant)

    def _new_listener(self, address: str) -> NotificationListener | None:
        return NotificationListener(
            address,
            self._writer.server,
            tenants=lambda: list(self._catalogues),
            hear=self._heard_on_thread,
            background=self.background,
        )

    def _start(self, workers: Workers) -> None:
        """Begin the work in the background on the data of one tenant."""
        workers.start()

    def store(self, tenant: str = "") -> Store:
        if tenant not in self._stores:
            self._begin(tenant, self._read(tenant))
        return self._stores[tenant]

    async def open(self, tenant: str) -> Store:
        if tenant not in self._stores:
            self._catalogues.setdefault(
                tenant, Catalogue()
            )  # so that notifications of other servers are received from now on
            found = await asyncio.to_thread(self._read, tenant)
            if tenant not in self._stores:  # unless a concurrent call was faster
                self._begin(tenant, found)
        return self._stores[tenant]

    @property
    def upkeep(self) -> PostgresUpkeep:
        return self.upkeep_of("")

    def upkeep_of(self, tenant: str) -> PostgresUpkeep:
        self.store(tenant)
        return self._upkeeps[tenant]

    def access_of(self, tenant: str) -> AccessStore:
        return AccessStore(self._writer_of(tenant), PostgresReaders(self._readers, tenant))

    def sync_files(self, tenant: str = "") -> "TableFiles":
        from dayline.storage.postgres.writing.sync_files import TableFiles  # here, because few servers store them

        return TableFiles(self._address, self._readers, tenant)

    def _read(self, tenant: str) -> tuple[list[BucketRecord], dict[str, str], float]:
        """The buckets and aliases of a tenant, and when reading began. Adds a new tenant. Call it on any thread."""
        began = monotonic()
        with self._readers.transaction(tenant) as db:
            if db.execute("SELECT 1 FROM tenant WHERE id = %s", (tenant,)).fetchone() is not None:
                return read_all(db, [tenant])[tenant], read_aliases(db, [tenant])[tenant], began
        self._make_tenant(tenant)
        return [], {}, began

    def _begin(self, tenant: str, found: tuple[list[BucketRecord], dict[str, str], float]) -> None:
        buckets, aliases, read = found
        tenant_writer, catalogue = (
            self._writer_of(tenant),
            self._catalogues.setdefault(tenant, Catalogue()),
        )
        catalogue.take(buckets, aliases, read=read)
        segments = self._new_segments(tenant_writer)
        redactions = redactions_of(self._address, tenant_writer, self._readers, segments, self.scratch, self.background)
        merges, trash = history_of(
            tenant_writer, self._readers, redactions, self._trash_policy, self._ages, self.background
        )
        workers = self._workers[tenant] = Workers(segments, redactions, merges, trash)
        self._start(workers)
        self._revisions[tenant] = now_us()
        self._upkeeps[tenant] = PostgresUpkeep(
            tenant_writer, self._readers, trash, revision=lambda: self._revisions[tenant], clock=now_us
        )
        parts = StoreParts(
            readers=PostgresReaders(self._readers, tenant),
            events=Reader(self._readers, tenant),
            published=catalogue.published,
            workers=workers,
            importer=TenantImporter(PostgresImportEngine(tenant_writer, self._readers), tenant_writer),
            exclusive=nullcontext,
            revision=lambda: self._revisions[tenant],
            scratch=self.scratch,
        )
        self._stores[tenant] = Store(tenant_writer, parts)

    def _new_segments(self, tenant_writer: PostgresTenantWriter) -> SegmentScheduler:
        """The scheduler of a tenant's segments. A server runs one builder at a time."""
        pace, tenant = self._segment_pace, tenant_writer.tenant
        engine = PostgresSegmentEngine(self._address, tenant_writer, self._readers, pace=pace)
        return SegmentScheduler(engine, pace=pace, background=self.background, tenant=tenant, building=self._building)

    def _make_tenant(self, tenant: str) -> None:
        try:
            with connect(self._address) as db, transaction(db, tenant):
                db.execute("INSERT INTO tenant(id) VALUES(%s) ON CONFLICT DO NOTHING", (tenant,))
        except FAULTS as error:
            raise StoreBusy(f"the database cannot be written: {error_text(error)}") from error

    def scratch(self) -> Path:
        return Path(tempfile.mkdtemp(prefix=DataFile.POSTGRES_SCRATCH, dir=self._folder))

    def listen(self, on_commit: OnCommit | None, *, tenant: str = "") -> None:
        if on_commit is None:
            self._on_commit.pop(tenant, None)
        else:
            self._on_commit[tenant] = on_commit

    async def build_segments(self, tenant: str = "") -> None:
        """Build all missing segments now."""
        await self._workers[tenant].segments.build()

    async def close(self) -> None:
        for workers in self._workers.values():
            await workers.close()
        await self._writer.close()
        if self._listener is not None:
            await asyncio.to_thread(self._listener.close)
        await asyncio.to_thread(self._readers.close)

    def _changed(self, changed: Changed) -> None:
        """Publish a commit of this server."""
        if not (changed.buckets or changed.grown or changed.notices or changed.is_access):
            return
        tenant = changed.tenant
        revision = self._passed(tenant)
        catalogue = self._catalogues.get(tenant)
        recorded = [state.bucket.id for state in changed.buckets if not state.is_deleted]
        if catalogue is not None:
            catalogue.take(changed.buckets, changed.aliases)
            recorded += catalogue.grow(changed.grown)
        keys = [*(state.key for state in changed.buckets), *(each.key for each in changed.grown)]
        if keys and not changed.notices and self._listener is not None:
            self._listener.recorded(tenant, keys)
        if tenant in self._on_commit and (keys or changed.notices):
            # After the responses, which are sent at the end of this turn of the loop.
            commit = Commit(revision, recorded, list(changed.notices))
            self._loop.call_soon(partial(self._notify, tenant, commit))

    def _passed(self, tenant: str) -> int:
        """The new revision of a tenant whose data has changed."""
        revision = self._revisions[tenant] = self._revisions.get(tenant, 0) + 1
        return revision

    def _notify(self, tenant: str, commit: Commit) -> None:
        on_commit = self._on_commit.get(tenant)
        if on_commit is not None:
            on_commit(commit)

    def _heard_on_thread(self, heard: RemoteChange) -> None:
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._heard, heard)

    def _heard(self, heard: RemoteChange) -> None:
        """Publish a commit of another server."""
        tenant = heard.tenant
        catalogue = self._catalogues.get(tenant)
        is_new = catalogue is not None
        if catalogue is not None and heard.is_whole:
            is_new = catalogue.replace(heard.buckets, heard.aliases or {}, read=heard.read)
        elif catalogue is not None:
            catalogue.take(heard.buckets, heard.aliases, read=heard.read)
        self.on_heard(heard)
        if is_new:
            recorded = [state.bucket.id for state in heard.buckets if not state.is_deleted]
            self._notify(tenant, Commit(self._passed(tenant), recorded, list(heard.notices)))


def history_of(
    tenant_writer: PostgresTenantWriter,
    readers: Readers,
    redactions: Redactions,
    policy: TrashPolicy,
    clock: Callable[[], Microseconds],
    background: BackgroundWorkers,
) -> tuple[Merges, Trash]:
    """The merges and the trash of one tenant, not started. They need no lock: rows of operations are locked."""
    read, tenant = PostgresReaders(readers, tenant_writer.tenant), tenant_writer.tenant
    # A server that starts finds the lease of one that was killed still valid, so it looks again when that has expired.
    interval_s = min(policy.interval_s, LEASE_S)
    merges = Merges(tenant_writer, read, nullcontext, background, tenant=tenant, still_s=STILL_S, interval_s=interval_s)
    clear = partial(purge, tenant_writer, partial(purge_values, tenant_writer))
    trash = Trash(
        tenant_writer, read, redactions, merges, clear, policy, clock, background,
        tenant=tenant, resume_interval_s=interval_s,
    )  # fmt: skip
    return merges, trash


def prepare(address: str) -> None:
    """Check that the tables exist and are up to date, and create them if we may. Raises Unavailable errors."""
    if status_at(address).state in ("empty", "old"):
        migrate(address)


def status_at(address: str) -> SchemaStatus:
    """The schema at an address. Raises StoreUnusable if no usable PostgreSQL responds, and StoreTooNew."""
    try:
        with connect(address, is_owner=True) as db:
            check_server(db)
            status = status_of(db)
    except FAULTS as error:
        raise StoreUnusable(
            f"{display_address(address)} does not respond: {error_text(error)}",
            hint="check the address, and that the database server is running",
        ) from error
    refuse_too_new(status, address)
    return status
