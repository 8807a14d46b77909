"""Starts the process that plans a redaction, and waits for it."""

from pathlib import Path

import msgspec

from dayline.model.privacy import RedactionPreview
from dayline.storage.background import ChildFailed, run_child
from dayline.storage.disk_faults import child_error
from dayline.storage.sqlite.redaction.plan_worker import PlanJob


async def run_plan(database: Path, plan: Path, job: PlanJob) -> RedactionPreview:
    """What the process answers; the plan is written then. Raises Unavailable, with nothing changed."""
    try:
        answer = await run_child(
            "dayline.storage.sqlite.redaction.plan_worker", database, plan, given=msgspec.json.encode(job)
        )
    except ChildFailed as error:
        raise child_error("the redaction was stopped before it began", str(error), database) from error
    return msgspec.json.decode(answer, type=RedactionPreview)
