"""Starts the process that plans a redaction, and waits for it."""

import asyncio
import os
import sys
from pathlib import Path

import msgspec

from dayline.model.errors import Unavailable
from dayline.model.redaction import RedactionPreview
from dayline.storage.sqlite.redaction_plan import PlanJob


async def run_plan(database: Path, plan: Path, job: PlanJob) -> RedactionPreview:
    """What the process answers; the plan is written then. Raises Unavailable, with nothing changed."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "dayline.storage.sqlite.redaction_plan", str(database), str(plan),
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip
    try:
        output, complaint = await process.communicate(msgspec.json.encode(job))
    except asyncio.CancelledError:
        process.kill()
        await process.wait()
        raise
    if process.returncode != 0:
        reason = complaint.decode(errors="replace").strip().splitlines()
        raise Unavailable(f"the redaction was stopped before it began: {reason[-1] if reason else 'no reason'}")
    return msgspec.json.decode(output, type=RedactionPreview)
