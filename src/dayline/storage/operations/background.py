"""Runs long work next to recording: in child processes, or in slices that leave time for heartbeats."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from time import perf_counter
from typing import Final, TypeVar

from dayline.runtime.encryption import DatabaseKey, keyed_command

C = TypeVar("C")
T = TypeVar("T")


class ChildFailed(Exception):
    """The process ended without a result; the message is its last line of output."""


async def run_child(module: str, *arguments: Path, given: bytes = b"", key: DatabaseKey | None = None) -> bytes:
    """Run a module in a child process and return its output. Cancelling kills the process. Raises ChildFailed.

    The process has our key of an encrypted database, or `key`.
    """
    command, secret = keyed_command(child_command(module, *arguments), key)
    given = secret + given
    # No pipe if there is no input: the process may have ended before the loop writes to it.
    stdin = asyncio.subprocess.PIPE if given else asyncio.subprocess.DEVNULL
    process = await asyncio.create_subprocess_exec(
        *command, env=child_environment(),
        stdin=stdin, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    try:
        answer, complaint = await process.communicate(given or None)
    except asyncio.CancelledError:
        process.kill()
        await process.wait()
        raise
    return _output(answer, complaint, process.returncode)


def wait_for_child(module: str, *arguments: Path, given: bytes = b"") -> bytes:
    """Like `run_child`, but blocking. Raises ChildFailed."""
    command, secret = keyed_command(child_command(module, *arguments))
    ended = subprocess.run(command, input=secret + given, capture_output=True, check=False, env=child_environment())
    return _output(ended.stdout, ended.stderr, ended.returncode)


def child_command(module: str, *arguments: Path) -> list[str]:
    """The command that runs a module with these arguments."""
    return [sys.executable, "-m", module, *map(str, arguments)]


def child_environment() -> dict[str, str]:
    """Our environment, with a PYTHONPATH that finds the same modules."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}


def _output(answer: bytes, complaint: bytes, status: int | None) -> bytes:
    if status != 0:
        if sys.platform != "win32" and status == -signal.SIGXCPU:
            raise ChildFailed("it took more processor time than it may")
        lines = complaint.decode(errors="replace").strip().splitlines()
        raise ChildFailed(lines[-1] if lines else f"exit status {status}")
    return answer


# The size of a slice: a heartbeat waits at most a few milliseconds for one.


SLICE_ROWS: Final = 1000
SLICE_S: Final = 0.005  # target duration of a slice: a heartbeat waits for at most one
_SMALLEST_SLICE: Final = 50


class SlicePace:
    """The number of rows per slice, adjusted to the duration of the last slice; constant if `fixed` is given."""

    def __init__(self, *, most: int | None = None, seconds: float | None = None, fixed: int | None = None) -> None:
        self._most = SLICE_ROWS if most is None else most
        self._seconds = SLICE_S if seconds is None else seconds
        self._is_fixed = fixed is not None
        self.rows = self._most // 4 if fixed is None else fixed

    def note(self, rows: int, seconds: float) -> None:
        if not self._is_fixed:
            fitting = int(rows * self._seconds / max(seconds, 1e-6))
            self.rows = max(_SMALLEST_SLICE, min(self._most, (self.rows + fitting) // 2))

    async def with_pause(self, change: Awaitable[T], *, rows: int) -> T:
        """Await a change of this many rows; its duration, with the commit, adjusts the pace. Then pause for as long.

        Without the pause, every heartbeat would share its commit with a slice.
        """
        started = perf_counter()
        result = await change
        took_s = perf_counter() - started
        self.note(rows, took_s)
        await asyncio.sleep(took_s)
        return result

    def timed(self, change: Callable[[C], T], *, rows: int) -> Callable[[C], T]:
        """Wrap a change of this many rows so that its duration, without the commit, adjusts the pace."""

        def timed_change(tx: C) -> T:
            started = perf_counter()
            result = change(tx)
            self.note(rows, perf_counter() - started)
            return result

        return timed_change
