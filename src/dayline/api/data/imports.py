"""`/api/1/imports` and `/api/1/jobs`: background imports and their preview."""

import shutil
from functools import partial
from pathlib import Path
from typing import Annotated, Final, Literal

import falcon
from msgspec import Meta

from dayline.api.admin.migrations import migrate
from dayline.api.http.call import Call
from dayline.api.http.inner import Trusted
from dayline.api.http.route import Answer, Body, Parameter, Route
from dayline.api.http.services import TenantServices
from dayline.api.v0.documents import Import
from dayline.api.v0.transfer import DOCUMENT, spool_documents
from dayline.maintenance.jobs import BackgroundJob, JobList, JobResult, JobView, result_of
from dayline.maintenance.migration.converting import as_documents, uploaded_kind
from dayline.maintenance.migration.finding import look_into_upload
from dayline.model.errors import Conflict, Malformed, NotFound
from dayline.runtime.threads import in_thread
from dayline.storage.transfer.report import ImportSurvey

MAX_WAIT_S: Final = 30


async def start_import(call: Call) -> None:
    """Accepts what `/api/0/import` does, and in a form also databases of ActivityWatch and archives of Dayline.

    The response is sent once the server has received all of it. A single database becomes a job of the kind
    `migration`, which also imports settings and proves that nothing is missing. Of an archive, buckets and events are
    imported. Poll `GET /api/1/jobs/{id}` for the result. The import continues if the client disconnects. With
    `dry_run=1` nothing is changed; the response shows for each bucket how many events are new, already exist, are
    invalid or are dropped by privacy rules, whether the bucket is new, and which of its fields differ (the stored ones
    stay).
    """
    is_dry = call.flag("dry_run", default=False)
    folder = await in_thread(call.server.database.scratch)
    try:
        files = await spool_documents(call, folder)
        is_form = call.content_kind == falcon.MEDIA_MULTIPART
        if is_form and not is_dry and len(files) == 1 and await in_thread(uploaded_kind, files[0]) == "database":
            await _start_migration(call, folder, files[0])
            return
        documents = await as_documents(files) if is_form else files
        if is_dry:
            rules, limit = call.tenant.privacy.rules, call.server.limits.event_bytes
            survey = await call.tenant.store.survey_import(documents, rules=rules, max_data_bytes=limit)
            call.answer_value(survey)
            await _remove(folder)
            return
        await call.store.begin()
    except BaseException:
        await _remove(folder)
        raise
    call.note_destruction()  # it deletes nothing, but writes a lot
    job = call.tenant.jobs.start("import", partial(_import, call.tenant, folder, documents))
    call.answer_value(job.view(), status=202)


async def _start_migration(call: Call, folder: Path, file: Path) -> None:
    """Import a database of ActivityWatch that was sent. `folder` is deleted at the end."""
    database = await look_into_upload(file, folder)
    call.tenant.jobs.check_exclusive("migration")
    await call.store.begin()
    call.note_destruction()
    trusted = Trusted(caller=call.caller, origin=call.origin)

    async def work(job: BackgroundJob) -> JobResult:
        try:
            return await migrate(call.tenant, call.app, trusted, database, job)
        finally:
            await _remove(folder)

    job = call.tenant.jobs.start_exclusive("migration", work)
    call.answer_value(job.view(), status=202)


async def list_jobs(call: Call) -> None:
    """Running jobs and the last fifty finished ones, the newest first. The list is empty after a restart."""
    call.answer_value(JobList(jobs=[job.view() for job in call.tenant.jobs.all()]))


async def get_job(call: Call) -> None:
    """With `wait_s` the response is sent when the job ends, or after that many seconds."""
    job = call.tenant.jobs.find(call.params["job_id"])
    await call.tenant.jobs.wait(job, seconds=_wait_s(call))
    call.answer_value(job.view())


async def cancel_job(call: Call) -> None:
    """Stops the job; `error` describes what remains. A finished job does not change.

    What an import has stored remains. A migration or demo job moves the buckets that it created to the trash, but keeps
    new events in buckets that existed before or have recorded since.
    """
    job = call.tenant.jobs.find(call.params["job_id"])
    await call.tenant.jobs.cancel(job)
    call.answer_value(job.view())


async def _import(services: TenantServices, folder: Path, documents: list[Path], job: BackgroundJob) -> JobResult:
    try:
        report = await services.store.import_files(
            documents,
            rules=services.privacy.rules,
            max_data_bytes=services.server.limits.event_bytes,
            on_progress=job.advance,
        )
        return result_of(report)
    finally:
        await _remove(folder)


async def _remove(folder: Path) -> None:
    await in_thread(shutil.rmtree, folder, ignore_errors=True)


def _wait_s(call: Call) -> int:
    text = call.request.get_param("wait_s", default="0")
    if not (text.isascii() and text.isdigit() and len(text) < 19 and int(text) <= MAX_WAIT_S):
        raise Malformed(
            f"wait_s must be a whole number of seconds from 0 to {MAX_WAIT_S} (got {text[:40]!r})", field="wait_s"
        )
    return int(text)


_JOB = "/api/1/jobs/{job_id}"

CALLS: tuple[Route, ...] = (
    Route(
        method="POST", path="/api/1/imports", handler=start_import, tag="transfer",
        scope="full", audience="all buckets",
        summary="Start an import, or preview it",
        parameters=(
            Parameter(name="dry_run", type=Literal["0", "1"], description="1: only preview the import"),
        ),
        body=Body(type=Import, example=DOCUMENT, is_document=True),
        answer=Answer(type=JobView, description="the job that imports it", status=202),
        other_answer=Answer(type=ImportSurvey, description="with `dry_run=1`: what the import would do"),
        errors=(Conflict,),
    ),
    Route(
        method="GET", path="/api/1/jobs", handler=list_jobs, tag="maintenance", scope="full", audience="all buckets",
        summary="List the jobs", answer=Answer(type=JobList, description="the jobs, the newest first"),
    ),
    Route(
        method="GET", path=_JOB, handler=get_job, tag="maintenance", scope="full", audience="all buckets",
        summary="Get a job",
        parameters=(
            Parameter(
                name="wait_s", type=Annotated[int, Meta(ge=0, le=MAX_WAIT_S)],
                description="max seconds to wait for the job to end",
            ),
        ),
        answer=Answer(type=JobView, description="the job"), errors=(NotFound,),
    ),
    Route(
        method="DELETE", path=_JOB, handler=cancel_job, tag="maintenance", scope="full", audience="all buckets",
        summary="Cancel a job", answer=Answer(type=JobView, description="the job"), errors=(NotFound,),
    ),
)  # fmt: skip
