"""Starts the process that builds segments, and waits for it."""

import asyncio
import os
import sys
from pathlib import Path

import msgspec

from dayline.storage.sqlite.segment_job import BuildJob, BuildReport


class BuilderFailed(Exception):
    """The process ended without an answer."""


async def run_builder(database: Path, job: BuildJob) -> BuildReport:
    """What the process answers. It is killed when nobody waits for it any longer. Raises BuilderFailed."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "dayline.storage.sqlite.segment_builder", str(database),
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
        lines = complaint.decode(errors="replace").strip().splitlines()
        raise BuilderFailed(lines[-1] if lines else f"the builder ended with {process.returncode}")
    return msgspec.json.decode(output, type=BuildReport)
