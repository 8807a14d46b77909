"""`/api/1/imports` and `/api/1/jobs`: imports in the background, and what they would change."""

import shutil
from functools import partial
from pathlib import Path
from typing import Annotated, Final, Literal

import falcon
from msgspec import Meta

from dayline.api.http.call import Call
from dayline.api.http.route import Answer, Body, Parameter, Route
from dayline.api.http.services import TenantServices
from dayline.api.v0.documents import Import
from dayline.api.v0.transfer import DOCUMENT, spool_documents
from dayline.maintenance.jobs import Job, JobList, JobResult, JobView, result_of
from dayline.model.errors import Malformed, NotFound
from dayline.runtime.threads import in_thread
from dayline.storage.store import ImportSurvey

LONGEST_WAIT_S: Final = 30


async def start_import(call: Call) -> None:
    """Takes what `/api/0/import` takes, and answers when it has the whole of it; `GET /api/1/jobs/{id}` tells the rest.

    It goes on when the client goes away. With `dry_run=1` nothing is changed: the answer says for every bucket how many
    events are new and how many are there already, how many cannot be used or are dropped by privacy rules, whether the
    bucket is new, and which of its fields the document has otherwise (those that are stored stay).
    """
    is_dry = _is_dry(call)
    folder = await in_thread(call.server.database.scratch)
    try:
        documents = await spool_documents(call, folder)
        if is_dry:
            rules = call.tenant.privacy.rules
            call.answer_value(await call.tenant.store.survey_import(documents, rules=rules))
            await _cleared(folder)
            return
        await call.store.begin()
    except BaseException:
        await _cleared(folder)
        raise
    call.note_destruction()  # of nothing, but it changes as much as an import does
    job = call.tenant.jobs.start("import", partial(_import, call.tenant, folder, documents))
    call.response.status = falcon.HTTP_202
    call.answer_value(job.view())


async def list_jobs(call: Call) -> None:
    """Those under way, and the last fifty that are over, the newest first. A restart forgets them."""
    call.answer_value(JobList(jobs=[job.view() for job in call.tenant.jobs.all()]))


async def get_job(call: Call) -> None:
    """With `wait_s` the answer comes when the job is over, or after so many seconds."""
    job = call.tenant.jobs.find(call.params["job_id"])
    await call.tenant.jobs.wait(job, seconds=_wait_s(call))
    call.answer_value(job.view())


async def cancel_job(call: Call) -> None:
    """It stops where it is, and `error` says what stays; a job that is over stays as it is.

    What an import has stored stays. What a migration or the demo has begun goes to the trash, but for new events in
    buckets that were there before or have recorded since: those stay.
    """
    job = call.tenant.jobs.find(call.params["job_id"])
    await call.tenant.jobs.cancel(job)
    call.answer_value(job.view())


async def _import(services: TenantServices, folder: Path, documents: list[Path], job: Job) -> JobResult:
    try:
        rules = services.privacy.rules
        return result_of(await services.store.import_files(documents, rules=rules, on_progress=job.advance))
    finally:
        await _cleared(folder)


async def _cleared(folder: Path) -> None:
    await in_thread(shutil.rmtree, folder, ignore_errors=True)


def _is_dry(call: Call) -> bool:
    text = call.request.get_param("dry_run", default="0")
    if text not in ("0", "1", "false", "true"):
        raise Malformed("dry_run must be 0 or 1", field="dry_run")
    return text in ("1", "true")


def _wait_s(call: Call) -> int:
    text = call.request.get_param("wait_s", default="0")
    if not (text.isascii() and text.isdigit() and len(text) < 19 and int(text) <= LONGEST_WAIT_S):
        raise Malformed(f"wait_s must be a whole number of seconds from 0 to {LONGEST_WAIT_S}", field="wait_s")
    return int(text)


# Routes.


_JOB = "/api/1/jobs/{job_id}"

CALLS: tuple[Route, ...] = (
    Route(
        method="POST", path="/api/1/imports", handler=start_import, tag="transfer",
        scope="full", is_server_wide=True,
        summary="Start an import, or ask what it would do",
        parameters=(
            Parameter(name="dry_run", type=Literal["0", "1"], description="1: only tell what would happen"),
        ),
        body=Body(type=Import, example=DOCUMENT, is_document=True),
        answer=Answer(type=JobView, description="the job that imports it", status=202),
        other_answer=Answer(type=ImportSurvey, description="with `dry_run=1`: what the import would do"),
    ),
    Route(
        method="GET", path="/api/1/jobs", handler=list_jobs, tag="care", scope="full", is_server_wide=True,
        summary="List the jobs", answer=Answer(type=JobList, description="the jobs, the newest first"),
    ),
    Route(
        method="GET", path=_JOB, handler=get_job, tag="care", scope="full", is_server_wide=True,
        summary="Tell how far a job is",
        parameters=(
            Parameter(
                name="wait_s", type=Annotated[int, Meta(ge=0, le=LONGEST_WAIT_S)],
                description="how long to wait for its end",
            ),
        ),
        answer=Answer(type=JobView, description="the job"), errors=(NotFound,),
    ),
    Route(
        method="DELETE", path=_JOB, handler=cancel_job, tag="care", scope="full", is_server_wide=True,
        summary="Cancel a job", answer=Answer(type=JobView, description="the job as it is now"), errors=(NotFound,),
    ),
)  # fmt: skip
