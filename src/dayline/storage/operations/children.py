"""Runs functions in child processes, next to recording."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, Generic, TypeVar

from dayline.model.errors import Unavailable
from dayline.runtime.encrypted_file import DatabaseKey
from dayline.runtime.encryption import keyed_command
from dayline.storage.operations.child import decode, encode

R = TypeVar("R")

_MODULE: Final = "dayline.storage.operations.child"


class ChildFailed(Exception):
    """The process ended without a result; the message is its last line of output."""


class ChildFunction(Generic[R]):
    """Calls a function in a child process, with the priority `niceness`; arguments and result are sent as JSON.

    It is given as text, `module:function`, because its imports are for the child alone. A call raises ChildFailed, or
    Unavailable with `failure` and the cause if that is given. Cancelling it kills the process.
    """

    def __init__(self, name: str, result: type[R], *, niceness: int = 0, failure: str | None = None) -> None:
        self._name = name
        self._type = result
        self._niceness = niceness
        self._failure = failure

    async def __call__(self, *arguments: object, key: DatabaseKey | None = None, **named: object) -> R:
        """Call it. The process has our key of an encrypted database, or `key`."""
        command, given = self._start((arguments, named), key)
        process = await asyncio.create_subprocess_exec(
            *command, env=child_environment(),
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        try:
            answer, complaint = await process.communicate(given)
        except asyncio.CancelledError:
            with suppress(ProcessLookupError):  # it has just ended
                process.kill()
            await process.wait()
            raise
        return self._result(answer, complaint, process.returncode)

    def wait(self, *arguments: object, **named: object) -> R:
        """Like a call, but blocking."""
        command, given = self._start((arguments, named))
        ended = subprocess.run(command, input=given, capture_output=True, check=False, env=child_environment())
        return self._result(ended.stdout, ended.stderr, ended.returncode)

    def _start(self, arguments: object, key: DatabaseKey | None = None) -> tuple[Sequence[str], bytes]:
        """The command, and what to write to its standard input."""
        command, secret = keyed_command(child_command(_MODULE, self._name, str(self._niceness)), key)
        return command, secret + encode(arguments)

    def _result(self, answer: bytes, complaint: bytes, status: int | None) -> R:
        if status == 0:
            result: R = decode(answer, self._type)
            return result
        error = ChildFailed(_reason(complaint, status))
        if self._failure is None:
            raise error
        raise Unavailable(f"{self._failure}: {error}") from error


def child_command(module: str, *arguments: str | Path) -> list[str]:
    """The command that runs a module with these arguments."""
    return [sys.executable, "-m", module, *map(str, arguments)]


def child_environment() -> dict[str, str]:
    """Our environment, with a PYTHONPATH that finds the same modules."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}


def _reason(complaint: bytes, status: int | None) -> str:
    if sys.platform != "win32" and status == -signal.SIGXCPU:
        return "it took more processor time than it may"
    lines = complaint.decode(errors="replace").strip().splitlines()
    return lines[-1] if lines else f"exit status {status}"
