"""Runs work in child processes, next to recording: a function of ours, or any module."""

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

import msgspec

from dayline.model.errors import Unavailable
from dayline.runtime.encrypted_file import DatabaseKey
from dayline.runtime.encryption import keyed_command

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
        self._result = result
        self._niceness = niceness
        self._failure = failure

    async def __call__(self, *arguments: object, key: DatabaseKey | None = None, **named: object) -> R:
        """Call it. The process has our key of an encrypted database, or `key`."""
        try:
            answer = await run_child(*self._command, given=_encode(arguments, named), key=key)
        except ChildFailed as error:
            raise self._error(error) from error
        return msgspec.json.decode(answer, type=self._result)

    def wait(self, *arguments: object, **named: object) -> R:
        """Like a call, but blocking."""
        try:
            answer = wait_for_child(*self._command, given=_encode(arguments, named))
        except ChildFailed as error:
            raise self._error(error) from error
        return msgspec.json.decode(answer, type=self._result)

    @property
    def _command(self) -> tuple[str, str, str]:
        return _MODULE, self._name, str(self._niceness)

    def _error(self, error: ChildFailed) -> Exception:
        return error if self._failure is None else Unavailable(f"{self._failure}: {error}")


async def run_child(module: str, *arguments: str | Path, given: bytes = b"", key: DatabaseKey | None = None) -> bytes:
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


def wait_for_child(module: str, *arguments: str | Path, given: bytes = b"") -> bytes:
    """Like `run_child`, but blocking. Raises ChildFailed."""
    command, secret = keyed_command(child_command(module, *arguments))
    ended = subprocess.run(command, input=secret + given, capture_output=True, check=False, env=child_environment())
    return _output(ended.stdout, ended.stderr, ended.returncode)


def child_command(module: str, *arguments: str | Path) -> list[str]:
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


def _encode(arguments: tuple[object, ...], named: dict[str, Any]) -> bytes:
    return msgspec.json.encode((arguments, named), enc_hook=str)  # for paths
