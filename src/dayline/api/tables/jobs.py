"""The calls about imports that go on by themselves, and about other work of that kind."""

from typing import Annotated, Literal

from msgspec import Meta

from dayline.api import imports
from dayline.api.documents import Import
from dayline.api.route import Answer, Body, Parameter, Route
from dayline.api.tables.transfer import DOCUMENT
from dayline.care.jobs import JobList, JobView
from dayline.model.errors import NotFound
from dayline.storage.store import ImportSurvey

_JOB = "/api/1/jobs/{job_id}"

CALLS: tuple[Route, ...] = (
    Route(
        method="POST", path="/api/1/imports", handler=imports.start_import, tag="transfer",
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
        method="GET", path="/api/1/jobs", handler=imports.list_jobs, tag="care", scope="full", is_server_wide=True,
        summary="List the jobs", answer=Answer(type=JobList, description="the jobs, the newest first"),
    ),
    Route(
        method="GET", path=_JOB, handler=imports.get_job, tag="care", scope="full", is_server_wide=True,
        summary="Tell how far a job is",
        parameters=(
            Parameter(
                name="wait_s", type=Annotated[int, Meta(ge=0, le=imports.LONGEST_WAIT_S)],
                description="how long to wait for its end",
            ),
        ),
        answer=Answer(type=JobView, description="the job"), errors=(NotFound,),
    ),
    Route(
        method="DELETE", path=_JOB, handler=imports.cancel_job, tag="care", scope="full", is_server_wide=True,
        summary="Cancel a job", answer=Answer(type=JobView, description="the job as it is now"), errors=(NotFound,),
    ),
)  # fmt: skip
