"""A process that migrates for a running server: python -m dayline.maintenance.migration.process DATABASE FOLDER.

It reads theirs, adds up both sides and compares them, which would hold up recording; what it wants of Dayline it asks
the server for through its standard streams, with the calls that `dayline import` makes.
"""

import asyncio
import os
import sys
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Any, BinaryIO, Final, Protocol, TypeAlias
from urllib.parse import urlencode

import msgspec
from msgspec import Struct

from dayline.maintenance.migration.copying import Migrated, migrate_source
from dayline.maintenance.migration.ledger import Ledger
from dayline.maintenance.migration.opening import opened_source
from dayline.model.error_body import answered_error
from dayline.model.errors import DaylineError, Invalid, Unavailable
from dayline.runtime.framing import frame, read_frame, receive_frame
from dayline.storage.background import child_command, child_environment


class Asked(Struct, frozen=True, tag=True):
    """A call that the process makes. `query` is raw; the body is JSON in a file, which may be large."""

    method: str
    path: str
    query: str = ""
    body: str | None = None


class Answered(Struct, frozen=True):
    """What the server answers to it."""

    status: int
    body: bytes


class Advanced(Struct, frozen=True, tag=True):
    """It is further by so many events."""

    events: int


class Began(Struct, frozen=True, tag=True):
    """What is asked from here on concerns this bucket."""

    bucket: str


class Ended(Struct, frozen=True, tag=True):
    """Everything is copied and compared."""

    migrated: Migrated


class Refused(Struct, frozen=True, tag=True):
    """It cannot be done; `kind` is the name of an error of our family."""

    kind: str
    message: str
    hint: str | None = None


Told: TypeAlias = Asked | Advanced | Began | Ended | Refused

told: Final[msgspec.msgpack.Decoder[Told]] = msgspec.msgpack.Decoder(Told)
answered: Final = msgspec.msgpack.Decoder(Answered)


def body_file(folder: Path) -> Path:
    """Where the process leaves the body of a call: one at a time."""
    return folder / "body.json"


TELL_EVERY_S: Final = 0.1
TIMES: Final = 3  # that an event is gone through
AT_ONCE: Final = 5000  # events, some 1 MB: the server has them in memory on their way
NICENESS: Final = 10  # recording goes first


class ServerBehindPipe:
    """The Calls of the server that started this process."""

    def __init__(self, reading: BinaryIO, writing: BinaryIO, folder: Path) -> None:
        self._reading = reading
        self._writing = writing
        self._folder = folder
        self._reads, self._told_at = 0, monotonic()

    def call(self, method: str, path: str, body: object = None, **query: object) -> Any:
        file: Path | None = None
        if body is not None:
            file = body_file(self._folder)
            file.write_bytes(msgspec.json.encode(body))
        self.tell(Asked(method, path, urlencode(query), None if file is None else str(file)))
        content = read_frame(self._reading)
        if content is None:
            raise SystemExit(1)  # the server has gone, and has nobody to tell
        answer = answered.decode(content)
        if answer.status >= 400:
            raise answered_error(answer.status, answer.body)
        return msgspec.json.decode(answer.body) if answer.body else None

    def advance(self, events: int) -> None:
        """Tell how far it is, now and then: each event is read, copied and compared."""
        self._reads += events
        if monotonic() - self._told_at > TELL_EVERY_S:
            done, self._reads = divmod(self._reads, TIMES)
            self._told_at = monotonic()
            self.tell(Advanced(done))

    def tell(self, message: Told) -> None:
        self._writing.write(frame(message))
        self._writing.flush()


def migrate(database: Path, folder: Path, server: ServerBehindPipe) -> Told:
    """What there is to say at the end."""
    try:
        with opened_source(database, scratch=folder) as source:
            ledger = Ledger(folder)
            try:
                done = migrate_source(
                    source,
                    server,
                    ledger,
                    on_events=server.advance,
                    on_reads=server.advance,
                    on_bucket=lambda bucket: server.tell(Began(bucket)),
                    at_once=AT_ONCE,
                )
            finally:
                ledger.close()
            return Ended(done)
    except DaylineError as error:
        return Refused(type(error).__name__, error.message, error.hint)


def main() -> None:
    with suppress(OSError, AttributeError):  # Windows has no such thing
        os.nice(NICENESS)
    database, folder = map(Path, sys.argv[1:])
    server = ServerBehindPipe(sys.stdin.buffer, sys.stdout.buffer, folder)
    server.tell(migrate(database, folder, server))


# The server's side of a migrating process: starts it, answers what it asks, and hears how it ends.


_MODULE: Final = "dayline.maintenance.migration.process"


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
        return told.decode(await receive_frame(stream))
    except asyncio.IncompleteReadError:
        return None


def _last_line(file: Path) -> str:
    lines = file.read_text(errors="replace").strip().splitlines()
    return lines[-1] if lines else "without a word"


if __name__ == "__main__":
    main()
