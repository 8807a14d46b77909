"""A process that migrates for a running server: python -m dayline.care.migration.process DATABASE FOLDER.

It reads theirs, adds up both sides and compares them, which would hold up recording; what it wants of Dayline it asks
the server for through its standard streams, with the calls that `dayline migrate` makes.
"""

import os
import sys
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Any, BinaryIO, Final
from urllib.parse import urlencode

import msgspec
from msgspec import Struct

from dayline.care.migration.ledger import Ledger
from dayline.care.migration.migrated import migrate_source
from dayline.care.migration.opening import opened_source
from dayline.care.migration.pipe import (
    Advanced,
    Asked,
    Began,
    Ended,
    Refused,
    Told,
    answered,
    body_file,
    read_frame,
    write_frame,
)
from dayline.model.errors import DaylineError, Invalid, Malformed, NotFound, Unavailable

TELL_EVERY_S: Final = 0.1
TIMES: Final = 3  # that an event is gone through
AT_ONCE: Final = 5000  # events, some 1 MB: the server has them in memory on their way
NICENESS: Final = 10  # recording goes first


class _Words(Struct):
    message: str = ""
    hint: str | None = None


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
            raise _refusal(answer.status, answer.body)
        return msgspec.json.decode(answer.body) if answer.body else None

    def advance(self, events: int) -> None:
        """Tell how far it is, now and then: each event is read, copied and compared."""
        self._reads += events
        if monotonic() - self._told_at > TELL_EVERY_S:
            done, self._reads = divmod(self._reads, TIMES)
            self._told_at = monotonic()
            self.tell(Advanced(done))

    def tell(self, message: Told) -> None:
        write_frame(self._writing, message)


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


def _refusal(status: int, body: bytes) -> DaylineError:
    words = msgspec.json.decode(body, type=_Words) if body else _Words()
    kind = {400: Malformed, 404: NotFound, 503: Unavailable}.get(status, Invalid)
    return kind(words.message or f"the server answered {status}", hint=words.hint)


def main() -> None:
    with suppress(OSError, AttributeError):  # Windows has no such thing
        os.nice(NICENESS)
    database, folder = map(Path, sys.argv[1:])
    server = ServerBehindPipe(sys.stdin.buffer, sys.stdout.buffer, folder)
    server.tell(migrate(database, folder, server))


if __name__ == "__main__":
    main()
