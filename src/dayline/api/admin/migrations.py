"""`/api/1/migrations`: bring the data of an existing server along while recording goes on, and prove it."""

import asyncio
import shutil
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Final
from urllib.parse import unquote

import falcon
import msgspec
from msgspec import Struct

from dayline.api.http.call import Call
from dayline.api.http.inner import App, InnerAnswer, InnerCall, Trusted, call_within
from dayline.api.http.services import TenantServices
from dayline.maintenance.jobs import Job, JobFault, JobResult
from dayline.maintenance.migration.copying import Migrated, proof_of
from dayline.maintenance.migration.finding import FoundDatabase
from dayline.maintenance.migration.process import Answered, Asked, run_migration
from dayline.maintenance.migration.sources import LeftOut
from dayline.model.data import canonical_json, decode_body
from dayline.model.errors import BucketNotFound, Invalid
from dayline.runtime.text import quantity
from dayline.runtime.threads import in_thread
from dayline.storage.store import ImportReport, Store

_IMPORT: Final = "/api/0/import"
_SETTINGS: Final = "/api/0/settings/"
_CHUNK_BYTES: Final = 1 << 20


class MigrationRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which database to bring along: a path that `GET /api/1/welcome` has told."""

    path: str


_request = msgspec.json.Decoder(MigrationRequest)


async def start_migration(call: Call) -> None:
    """Buckets, events and settings of a database that `GET /api/1/welcome` has found, and no other file.

    It is only read, and its server may go on running. What is there already is skipped, so that it can be done again
    for what is new. At the end both sides are added up, each by itself: the `proof` of the job's `result`. Cancelled,
    it moves the buckets that it has made to the trash, and removes the settings that it has set.
    """
    request = decode_body(await call.json_body(), _request)
    found = await in_thread(call.server.their_databases.look)
    database = next((one for one in found if str(one.path) == request.path), None)
    if database is None:
        # The same words for whatever may or may not be there: this is no way to look at the disk.
        raise Invalid(
            "the path is not that of a database that was found",
            hint="GET /api/1/welcome lists them; dayline import PATH takes any",
            field="path",
        )
    call.tenant.jobs.check_alone("migration")
    await call.store.begin()
    call.note_destruction()  # of nothing, but it changes as much as an import does
    trusted = Trusted(caller=call.caller, seen=call.seen)
    job = call.tenant.jobs.start_alone("migration", partial(_migrate, call.tenant, call.app, trusted, database))
    call.response.status = falcon.HTTP_202
    call.answer_value(job.view())


async def _migrate(
    services: TenantServices, app: App, trusted: Trusted, database: FoundDatabase, job: Job
) -> JobResult:
    within = _Within(services.store, app, trusted, job, total=database.events)
    folder = await in_thread(services.server.database.scratch)
    try:
        migrated = await run_migration(database.path, folder, within)
    except asyncio.CancelledError:
        if job.is_given_up:
            job.left = await within.take_back()
        raise
    finally:
        await in_thread(shutil.rmtree, folder, ignore_errors=True)
    job.advance(database.events, database.events, within.stored)
    return _result(migrated)


class _Within:
    """Answers what the process asks, through the whole application, and keeps in mind what it has changed."""

    def __init__(self, store: Store, app: App, trusted: Trusted, job: Job, *, total: int) -> None:
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

    def began(self, bucket: str) -> None:
        self._bucket = bucket

    def advanced(self, events: int) -> None:
        # What changes there meanwhile may be more than was counted.
        self._done = min(self._done + events, self._total)
        self._job.advance(self._done, self._total, self.stored)

    async def answer(self, asked: Asked) -> Answered:
        body = None if asked.body is None else Path(asked.body)
        # To its end, though the job may be cancelled: or else nobody would know what it has changed.
        making = asyncio.ensure_future(self._made(asked, body))
        try:
            return await asyncio.shield(making)
        except asyncio.CancelledError:
            await asyncio.wait({making})
            raise

    async def take_back(self) -> JobFault:
        """Undo what can be undone without touching anything else; what is left."""
        trashed = [bucket for bucket in self._imported if await self._take_back_bucket(bucket)]
        for key, value in self._settings.items():
            if await in_thread(self._store.setting, unquote(key)) == value:
                await self._call("DELETE", f"{_SETTINGS}{key}")
        kept = sum(count for bucket, count in self._imported.items() if bucket not in trashed)
        return JobFault(
            message=f"it was cancelled; {quantity(len(trashed), 'bucket')} that it had begun "
            f"{'is' if len(trashed) == 1 else 'are'} in the trash, "
            f"{quantity(kept, 'new event is', 'new events are')} in buckets with others, and stay",
            type="Cancelled",
            hint="start it again to go on: what is there already is skipped",
        )

    async def _take_back_bucket(self, bucket_id: str) -> bool:
        if self._store.own_id(bucket_id) in self._before:
            return False
        try:
            count = await in_thread(self._store.count, bucket_id, start=None, end=None)
            if count != self._imported[bucket_id]:
                return False  # a watcher has recorded into it meanwhile
            await self._store.delete_bucket(bucket_id)
        except BucketNotFound:
            return False
        return True

    async def _made(self, asked: Asked, body: Path | None) -> Answered:
        answer = await self._call(asked.method, asked.path, asked.query, body)
        if asked.path == _IMPORT and answer.status < 400:
            report = msgspec.json.decode(answer.body, type=ImportReport)
            self._imported[self._bucket] = self._imported.get(self._bucket, 0) + report.imported
        if asked.path.startswith(_SETTINGS) and asked.method == "POST" and answer.status < 400:
            self._settings[asked.path.removeprefix(_SETTINGS)] = canonical_json(msgspec.json.decode(answer.body))
        return Answered(answer.status, answer.body)

    async def _call(self, method: str, path: str, query: str = "", body: Path | None = None) -> InnerAnswer:
        chunks = None if body is None else _chunks(body)
        inner = InnerCall(method=method, path=path, query=query, chunks=chunks, trusted=self._trusted)
        return await call_within(self._app, inner)


def _chunks(file: Path) -> Iterator[bytes]:
    with file.open("rb") as body:
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
