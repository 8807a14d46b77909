"""Starts the process that plans a redaction, and waits for it."""

from pathlib import Path

import msgspec

from dayline.model.errors import Unavailable
from dayline.storage.background import ChildFailed, run_child
from dayline.storage.postgres.redaction.plan_worker import PlanJob, Planned


async def run_plan(folder: Path, job: PlanJob) -> Planned:
    """What the process answers. Raises Unavailable, with nothing changed."""
    try:
        # The address may have a password in it: it is given on the standard input, which nobody sees.
        answer = await run_child(
            "dayline.storage.postgres.redaction.plan_worker", folder, given=msgspec.json.encode(job)
        )
    except ChildFailed as error:
        raise Unavailable(f"the redaction was stopped before it began: {error}", hint="try it again later") from error
    return msgspec.json.decode(answer, type=Planned)
