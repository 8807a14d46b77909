"""A process of our own that does one piece of work: what it is given, what it answers, and what went wrong."""

import asyncio
import os
import sys
from pathlib import Path


class ChildFailed(Exception):
    """The process ended without an answer; the message is its last line."""


async def run_child(module: str, *arguments: Path, given: bytes = b"") -> bytes:
    """What a module answers that is run with these arguments. Killed when nobody waits for it. Raises ChildFailed."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", module, *map(str, arguments),
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip
    try:
        answer, complaint = await process.communicate(given)
    except asyncio.CancelledError:
        process.kill()
        await process.wait()
        raise
    if process.returncode != 0:
        lines = complaint.decode(errors="replace").strip().splitlines()
        raise ChildFailed(lines[-1] if lines else f"it ended with {process.returncode}")
    return answer
