"""Long work beside the recording: child processes, and slices that leave heartbeats their time."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Final, TypeVar

C = TypeVar("C")
T = TypeVar("T")


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


# How much long work writes at once, so that a heartbeat never waits for more than a few milliseconds of it.


SLICE_ROWS: Final = 1000
SLICE_S: Final = 0.005  # what a slice should take: a heartbeat waits for one at most
_SMALLEST_SLICE: Final = 50


class SlicePace:
    """How many rows to write at once, from how long the last slice took; `fixed` rows regardless of that."""

    def __init__(self, *, most: int | None = None, seconds: float | None = None, fixed: int | None = None) -> None:
        self._most = SLICE_ROWS if most is None else most
        self._seconds = SLICE_S if seconds is None else seconds
        self._is_fixed = fixed is not None
        self.rows = self._most // 4 if fixed is None else fixed

    def note(self, rows: int, seconds: float) -> None:
        if not self._is_fixed:
            fitting = int(rows * self._seconds / max(seconds, 1e-6))
            self.rows = max(_SMALLEST_SLICE, min(self._most, (self.rows + fitting) // 2))

    def timed(self, change: Callable[[C], T], *, rows: int) -> Callable[[C], T]:
        """A change of so many rows that notes how long it took, without its commit."""

        def timed_change(tx: C) -> T:
            started = perf_counter()
            result = change(tx)
            self.note(rows, perf_counter() - started)
            return result

        return timed_change
