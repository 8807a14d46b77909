"""A child process that migrates: python -m dayline.maintenance.migration.process DATABASE FOLDER.

It reads the source and compares both sides, which would delay recording in the server. It accesses Dayline's data
through the server, over its standard streams, with the same calls as `dayline import`.
"""

import sys
from pathlib import Path
from time import monotonic
from typing import Any, BinaryIO, Final, TypeAlias
from urllib.parse import urlencode

import msgspec
from msgspec import Struct

from dayline.maintenance.migration.model import Migrated
from dayline.model.error_body import answered_error
from dayline.model.errors import DaylineError
from dayline.runtime.framing import frame, read_frame
from dayline.runtime.spool import create_spool
from dayline.runtime.untrusted import IMPORT_MEMORY_MIB, OUT_OF_MEMORY, give_way, limit_import


class CallMessage(Struct, frozen=True, tag="Asked"):
    """A call that the process makes. `query` is raw; the body is JSON in a file, because it may be large."""

    method: str
    path: str
    query: str = ""
    body: str | None = None


class CallAnswer(Struct, frozen=True):
    """The server's response."""

    status: int
    body: bytes


class ProgressMessage(Struct, frozen=True, tag="Advanced"):
    """The number of events processed since the last message."""

    events: int


class BucketMessage(Struct, frozen=True, tag="Began"):
    """The calls that follow are about this bucket."""

    bucket: str


class DoneMessage(Struct, frozen=True, tag="Ended"):
    """Everything is copied and compared."""

    migrated: Migrated


class FailedMessage(Struct, frozen=True, tag="Refused"):
    """The migration failed; `kind` is the name of a DaylineError class."""

    kind: str
    message: str
    hint: str | None = None


Message: TypeAlias = CallMessage | ProgressMessage | BucketMessage | DoneMessage | FailedMessage
messages: Final[msgspec.msgpack.Decoder[Message]] = msgspec.msgpack.Decoder(Message)
_answers: Final = msgspec.msgpack.Decoder(CallAnswer)


def body_file(folder: Path) -> Path:
    """The file for the body of a call; there is one call at a time."""
    return folder / "body.json"


REPORT_EVERY_S: Final = 0.1
PASSES: Final = 3  # over each event
AT_ONCE: Final = 5000  # events, about 1 MB: the server holds them in memory
NICENESS: Final = 10  # recording has priority


class ServerBehindPipe:
    """The Calls of the server that started this process."""

    def __init__(self, reading: BinaryIO, writing: BinaryIO, folder: Path) -> None:
        self._reading = reading
        self._writing = writing
        self._folder = folder
        self._reads, self._reported_at = 0, monotonic()

    def call(self, method: str, path: str, body: object = None, **query: object) -> Any:
        file: Path | None = None
        if body is not None:
            file = body_file(self._folder)
            with create_spool(file) as opened:
                opened.write(msgspec.json.encode(body))
        self.send(CallMessage(method, path, urlencode(query), None if file is None else str(file)))
        content = read_frame(self._reading)
        if content is None:
            raise SystemExit(1)  # the server has ended
        answer = _answers.decode(content)
        if answer.status >= 400:
            raise answered_error(answer.status, answer.body)
        return msgspec.json.decode(answer.body) if answer.body else None

    def advance(self, events: int) -> None:
        """Report progress at intervals. Each event is read, copied and compared."""
        self._reads += events
        if monotonic() - self._reported_at > REPORT_EVERY_S:
            done, self._reads = divmod(self._reads, PASSES)
            self._reported_at = monotonic()
            self.send(ProgressMessage(done))

    def send(self, message: Message) -> None:
        self._writing.write(frame(message))
        self._writing.flush()


def migrate(database: Path, folder: Path, server: ServerBehindPipe) -> Message:
    """Migrate, and return the last message."""
    # Here, because the server does not need them.
    from dayline.maintenance.migration.copying import migrate_source
    from dayline.maintenance.migration.ledger import Ledger
    from dayline.maintenance.migration.opening import opened_source

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
                    on_bucket=lambda bucket: server.send(BucketMessage(bucket)),
                    at_once=AT_ONCE,
                )
            finally:
                ledger.close()
            return DoneMessage(done)
    except OUT_OF_MEMORY:
        return FailedMessage("Invalid", f"reading the database takes more than {IMPORT_MEMORY_MIB} MiB of memory")
    except DaylineError as error:
        return FailedMessage(type(error).__name__, error.message, error.hint)


def main() -> None:
    give_way(NICENESS)
    database, folder = map(Path, sys.argv[1:])
    limit_import(size=database.stat().st_size)
    server = ServerBehindPipe(sys.stdin.buffer, sys.stdout.buffer, folder)
    server.send(migrate(database, folder, server))


if __name__ == "__main__":
    main()
