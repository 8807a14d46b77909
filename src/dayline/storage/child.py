"""A process of our own that does one piece of work: what it is given, what it answers, and what went wrong."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path


class ChildFailed(Exception):
    """The process ended without an answer; the message is its last line."""


async def run_child(module: str, *arguments: Path, given: bytes = b"") -> bytes:
    """What a module answers that is run with these arguments. Killed when nobody waits for it. Raises ChildFailed."""
    # Without a pipe where there is nothing to give: the process may have ended before the loop comes to write into it.
    stdin = asyncio.subprocess.PIPE if given else asyncio.subprocess.DEVNULL
    process = await asyncio.create_subprocess_exec(
        *child_command(module, *arguments), env=child_environment(),
        stdin=stdin, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    try:
        answer, complaint = await process.communicate(given or None)
    except asyncio.CancelledError:
        process.kill()
        await process.wait()
        raise
    return _answered(answer, complaint, process.returncode)


def wait_for_child(module: str, *arguments: Path, given: bytes = b"") -> bytes:
    """The same where there is no event loop to wait on. Raises ChildFailed."""
    ended = subprocess.run(
        child_command(module, *arguments), input=given, capture_output=True, check=False, env=child_environment()
    )
    return _answered(ended.stdout, ended.stderr, ended.returncode)


def child_command(module: str, *arguments: Path) -> list[str]:
    """What starts a module with these arguments."""
    return [sys.executable, "-m", module, *map(str, arguments)]


def child_environment() -> dict[str, str]:
    """Ours, so that it finds the same modules."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}


def _answered(answer: bytes, complaint: bytes, status: int | None) -> bytes:
    if status != 0:
        lines = complaint.decode(errors="replace").strip().splitlines()
        raise ChildFailed(lines[-1] if lines else f"it ended with {status}")
    return answer
