"""The server's side of a migrating process: starts it, answers what it asks, and hears how it ends."""

import asyncio
from contextlib import suppress
from pathlib import Path
from typing import Final, Protocol

from dayline.care.migration.migrated import Migrated
from dayline.care.migration.pipe import LENGTH_BYTES, Advanced, Answered, Asked, Began, Ended, Told, frame, told
from dayline.model.errors import DaylineError, Invalid, Unavailable
from dayline.storage.background import child_command, child_environment

_MODULE: Final = "dayline.care.migration.process"


class Listener(Protocol):
    """Whoever hears how far a migration is, and answers its calls."""

    async def answer(self, asked: Asked) -> Answered: ...

    def began(self, bucket: str) -> None: ...

    def advanced(self, events: int) -> None: ...


async def run_migration(database: Path, folder: Path, listener: Listener) -> Migrated:
    """Migrate a database; `folder` takes what the process has to put somewhere. It is killed when nobody waits for it.

    Raises what keeps it from being done.
    """
    complaint = folder / "complaint.txt"
    with complaint.open("wb") as errors:
        process = await asyncio.create_subprocess_exec(
            *child_command(_MODULE, database, folder), env=child_environment(),
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=errors,
        )  # fmt: skip
    ended: Ended | DaylineError | None = None
    try:
        with suppress(ConnectionError):  # it has died between asking and hearing
            ended = await _conversation(process, listener)
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()
    if isinstance(ended, Ended):
        return ended.migrated
    raise ended or Unavailable(f"the process that migrates has ended: {_last_line(complaint)}", hint="start it again")


async def _conversation(process: asyncio.subprocess.Process, listener: Listener) -> Ended | DaylineError | None:
    assert process.stdin is not None
    assert process.stdout is not None
    while True:
        message = await _heard(process.stdout)
        match message:
            case Asked():
                answer = frame(await listener.answer(message))
                if process.stdin.is_closing():  # the process died; uvloop raises RuntimeError if we write now
                    return None
                process.stdin.write(answer)
                await process.stdin.drain()
            case Advanced():
                listener.advanced(message.events)
            case Began():
                listener.began(message.bucket)
            case Ended():
                return message
            case None:
                return None
            case _:
                kind = Unavailable if message.kind.startswith(("Unavailable", "Store")) else Invalid
                return kind(message.message, hint=message.hint)


async def _heard(stream: asyncio.StreamReader) -> Told | None:
    try:
        length = int.from_bytes(await stream.readexactly(LENGTH_BYTES))
        return told.decode(await stream.readexactly(length))
    except asyncio.IncompleteReadError:
        return None


def _last_line(file: Path) -> str:
    lines = file.read_text(errors="replace").strip().splitlines()
    return lines[-1] if lines else "without a word"
