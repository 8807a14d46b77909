"""What a migrating process and the server say to each other: frames of msgpack, each behind its length."""

from pathlib import Path
from typing import BinaryIO, Final, TypeAlias

import msgspec
from msgspec import Struct

from dayline.care.migration.migrated import Migrated

LENGTH_BYTES: Final = 4


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


def frame(message: Told | Answered) -> bytes:
    """A message as it goes through the pipe."""
    content = msgspec.msgpack.encode(message)
    return len(content).to_bytes(LENGTH_BYTES) + content


def write_frame(file: BinaryIO, message: Told | Answered) -> None:
    """Send a message."""
    file.write(frame(message))
    file.flush()


def read_frame(file: BinaryIO) -> bytes | None:
    """The content of the next message; None where the other side has gone."""
    head = file.read(LENGTH_BYTES)
    if len(head) < LENGTH_BYTES:
        return None
    length = int.from_bytes(head)
    content = file.read(length)
    return content if len(content) == length else None


def body_file(folder: Path) -> Path:
    """Where the process leaves the body of a call: one at a time."""
    return folder / "body.json"
