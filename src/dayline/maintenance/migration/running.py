"""Runs a migration in a child process: starts it, answers its calls, and receives the result."""

import asyncio
from contextlib import suppress
from pathlib import Path
from typing import Final, Protocol

from dayline.maintenance.migration.model import Migrated
from dayline.maintenance.migration.process import (
    BucketMessage,
    CallAnswer,
    CallMessage,
    DoneMessage,
    Message,
    ProgressMessage,
    messages,
)
from dayline.model.errors import DaylineError, Invalid, Unavailable
from dayline.runtime.encryption import keyed_command
from dayline.runtime.framing import frame, receive_frame
from dayline.storage.operations.children import child_command, child_environment

_MODULE: Final = "dayline.maintenance.migration.process"


class MigrationListener(Protocol):
    """Answers the calls of a migration, and receives its progress."""

    async def answer(self, asked: CallMessage) -> CallAnswer: ...

    def begin_bucket(self, bucket: str) -> None: ...

    def advance(self, events: int) -> None: ...


async def run_migration(database: Path, folder: Path, listener: MigrationListener) -> Migrated:
    """Migrate a database; `folder` is for temporary files. Kills the process if the task is canceled.

    Raises a DaylineError if the migration fails.
    """
    error_file = folder / "complaint.txt"
    with error_file.open("wb") as errors:
        command, secret = keyed_command(child_command(_MODULE, database, folder))
        process = await asyncio.create_subprocess_exec(
            *command, env=child_environment(),
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=errors,
        )  # fmt: skip
        assert process.stdin is not None
        process.stdin.write(secret)
    ended: DoneMessage | DaylineError | None = None
    try:
        with suppress(ConnectionError):  # it died before it read our answer
            ended = await _conversation(process, listener)
    finally:
        with suppress(ProcessLookupError):  # it has ended
            process.kill()
        await process.wait()
    if isinstance(ended, DoneMessage):
        return ended.migrated
    raise ended or Unavailable(f"the migration process ended: {_last_line(error_file)}", hint="start it again")


async def _conversation(
    process: asyncio.subprocess.Process, listener: MigrationListener
) -> DoneMessage | DaylineError | None:
    assert process.stdin is not None
    assert process.stdout is not None
    while True:
        message = await _receive(process.stdout)
        match message:
            case CallMessage():
                answer = frame(await listener.answer(message))
                if process.stdin.is_closing():  # the process died; uvloop raises RuntimeError if we write now
                    return None
                process.stdin.write(answer)
                await process.stdin.drain()
            case ProgressMessage():
                listener.advance(message.events)
            case BucketMessage():
                listener.begin_bucket(message.bucket)
            case DoneMessage():
                return message
            case None:
                return None
            case _:
                kind = Unavailable if message.kind.startswith(("Unavailable", "Store")) else Invalid
                return kind(message.message, hint=message.hint)


async def _receive(stream: asyncio.StreamReader) -> Message | None:
    try:
        return messages.decode(await receive_frame(stream))
    except asyncio.IncompleteReadError:
        return None


def _last_line(file: Path) -> str:
    lines = file.read_text(errors="replace").strip().splitlines()
    return lines[-1] if lines else "without an error message"
