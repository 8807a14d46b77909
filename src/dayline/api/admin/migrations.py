"""`/api/1/migrations`: imports the database of an ActivityWatch server while recording continues, and verifies it."""

import asyncio
import shutil
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Final
from urllib.parse import unquote

import msgspec
from msgspec import Struct

from dayline.api.http.call import Call
from dayline.api.http.inner import App, InnerCall, InnerResponse, Trusted, call_within
from dayline.api.http.services import TenantServices
from dayline.maintenance.jobs import BackgroundJob, JobFault, JobResult
from dayline.maintenance.migration.finding import FoundDatabase
from dayline.maintenance.migration.model import LeftOut, Migrated
from dayline.maintenance.migration.process import CallAnswer, CallMessage
from dayline.maintenance.migration.proof import proof_of
from dayline.maintenance.migration.running import run_migration
from dayline.model.data import canonical_json
from dayline.model.errors import BucketNotFound, Invalid
from dayline.runtime.spool import open_spool
from dayline.runtime.text import quantity
from dayline.runtime.threads import in_thread
from dayline.storage.store import Store
from dayline.storage.transfer.report import ImportReport

_IMPORT: Final = "/api/0/import"
_SETTINGS: Final = "/api/0/settings/"
_CHUNK_BYTES: Final = 1 << 20


class MigrationRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The database to import: a path listed by `GET /api/1/welcome`."""

    path: str


async def start_migration(call: Call) -> None:
    """Imports buckets, events and settings of a database that `GET /api/1/welcome` lists. Other paths are rejected.

    The source is only read, and its server may keep running. Existing events are skipped, so you can run it again to
    import what is new. At the end both databases are summed up independently: see `proof` in the job's `result`. If you
    cancel the job, it moves the buckets that it created to the trash and removes the settings that it set.
    """
    request = await call.decoded(MigrationRequest)
    databases = await in_thread(call.server.source_databases.look)
    database = next((one for one in databases if str(one.path) == request.path), None)
    if database is None:
        # The same message whether or not the file exists, so that callers cannot probe the disk.
        raise Invalid(
            "the path is not a database listed by GET /api/1/welcome",
            hint="use a path listed by GET /api/1/welcome; dayline import accepts any path",
            field="path",
        )
    call.tenant.jobs.check_exclusive("migration")
    await call.store.begin()
    call.note_destruction()  # it deletes nothing, but writes as much as an import
    trusted = Trusted(caller=call.caller, origin=call.origin)
    job = call.tenant.jobs.start_exclusive("migration", partial(migrate, call.tenant, call.app, trusted, database))
    call.answer_value(job.view(), status=202)


async def migrate(
    services: TenantServices, app: App, trusted: Trusted, database: FoundDatabase, job: BackgroundJob
) -> JobResult:
    """The work of a migration job."""
    within = _Within(services.store, app, trusted, job, total=database.events)
    folder = await in_thread(services.server.database.scratch)
    try:
        migrated = await run_migration(database.path, folder, within)
    except asyncio.CancelledError:
        if job.is_given_up:
            job.left = await within.revert()
        raise
    finally:
        await in_thread(shutil.rmtree, folder, ignore_errors=True)
    job.advance(database.events, database.events, within.stored)
    return _result(migrated)


class _Within:
    """Runs the calls of the migration process inside the application, and records what they changed."""

    def __init__(self, store: Store, app: App, trusted: Trusted, job: BackgroundJob, *, total: int) -> None:
        self._store = store
        self._app = app
        self._trusted = trusted
        self._job = job
        self._total = total
        self._done = 0
        self._bucket = ""
        self._before = set(store.buckets())
        self._imported: dict[str, int] = {}
        self._settings: dict[str, bytes] = {}
        job.advance(0, total, 0)

    @property
    def stored(self) -> int:
        return sum(self._imported.values())

    def begin_bucket(self, bucket: str) -> None:
        self._bucket = bucket

    def advance(self, events: int) -> None:
        # The source may grow after its events were counted.
        self._done = min(self._done + events, self._total)
        self._job.advance(self._done, self._total, self.stored)

    async def answer(self, asked: CallMessage) -> CallAnswer:
        body = None if asked.body is None else Path(asked.body)
        # Runs to its end even if the job is canceled, so that we know what it changed.
        making = asyncio.ensure_future(self._run_call(asked, body))
        try:
            return await asyncio.shield(making)
        except asyncio.CancelledError:
            await asyncio.wait({making})
            raise

    async def revert(self) -> JobFault:
        """Undo what can be undone without touching other data. Returns a description of what remains."""
        trashed = [bucket for bucket in self._imported if await self._trash_bucket(bucket)]
        for key, value in self._settings.items():
            if await in_thread(self._store.setting, unquote(key)) == value:
                await self._call("DELETE", f"{_SETTINGS}{key}")
        kept = sum(count for bucket, count in self._imported.items() if bucket not in trashed)
        return JobFault(
            message=f"canceled: moved {quantity(len(trashed), 'new bucket')} to the trash, "
            f"kept {quantity(kept, 'new event')} in buckets that already existed",
            type="Cancelled",
            hint="start it again to resume: existing events are skipped",
        )

    async def _trash_bucket(self, bucket_id: str) -> bool:
        if self._store.own_id(bucket_id) in self._before:
            return False
        try:
            count = await in_thread(self._store.count, bucket_id, start=None, end=None)
            if count != self._imported[bucket_id]:
                return False  # a watcher has recorded into it since
            await self._store.delete_bucket(bucket_id)
        except BucketNotFound:
            return False
        return True

    async def _run_call(self, asked: CallMessage, body: Path | None) -> CallAnswer:
        answer = await self._call(asked.method, asked.path, asked.query, body)
        if asked.path == _IMPORT and answer.status < 400:
            report = msgspec.json.decode(answer.body, type=ImportReport)
            self._imported[self._bucket] = self._imported.get(self._bucket, 0) + report.imported
        if asked.path.startswith(_SETTINGS) and asked.method == "POST" and answer.status < 400:
            self._settings[asked.path.removeprefix(_SETTINGS)] = canonical_json(msgspec.json.decode(answer.body))
        return CallAnswer(answer.status, answer.body)

    async def _call(self, method: str, path: str, query: str = "", body: Path | None = None) -> InnerResponse:
        chunks = None if body is None else _chunks(body)
        inner = InnerCall(method=method, path=path, query=query, chunks=chunks, trusted=self._trusted)
        return await call_within(self._app, inner)


def _chunks(file: Path) -> Iterator[bytes]:
    with open_spool(file) as body:
        while chunk := body.read(_CHUNK_BYTES):
            yield chunk


def _result(migrated: Migrated) -> JobResult:
    copied = migrated.buckets
    dropped = sum(bucket.left_out.get(LeftOut.DROPPED, 0) for bucket in copied)
    imported = sum(bucket.imported for bucket in copied)
    return JobResult(
        buckets=len(copied),
        imported=imported,
        skipped=sum(bucket.events for bucket in copied) - imported,
        invalid=sum(sum(bucket.left_out.values()) for bucket in copied) - dropped,
        dropped=dropped or msgspec.UNSET,
        proof=proof_of(migrated),
    )
