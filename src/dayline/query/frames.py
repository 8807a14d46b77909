"""What goes through the pipes of a query process: messages with their length before them, and the bytes of results.

The recording process sends Work and gets a Reply; behind a Done come as many bytes of results as it says.
"""

import struct
from typing import TYPE_CHECKING, BinaryIO, Final, TypeAlias

import msgspec
from msgspec import Struct

from dayline.query.job import Outcome, Work

if TYPE_CHECKING:  # a query process has no event loop, and starts faster without one
    import asyncio

_LENGTH: Final = struct.Struct(">I")


class Ready(Struct, frozen=True, tag=True):
    """The first message of a process: it has loaded all that it needs."""


class Done(Struct, frozen=True, tag=True):
    """The job has come to its end, well or not."""

    outcome: Outcome
    body_bytes: int


class Cancelled(Struct, frozen=True, tag=True):
    """The job was given up because it was asked to be; the process can take the next one."""


class Unreadable(Struct, frozen=True, tag=True):
    """The store could not be read; nothing is wrong with the query."""

    message: str
    hint: str | None


class Crashed(Struct, frozen=True, tag=True):
    """A defect. The process ends."""

    traceback: str


Reply: TypeAlias = Ready | Done | Cancelled | Unreadable | Crashed

_encoder = msgspec.msgpack.Encoder()
_work_decoder: msgspec.msgpack.Decoder[Work] = msgspec.msgpack.Decoder(Work)
_reply_decoder: msgspec.msgpack.Decoder[Reply] = msgspec.msgpack.Decoder(Reply)


def frame(message: Work | Reply) -> bytes:
    """A message as it goes through a pipe."""
    encoded = _encoder.encode(message)
    return _LENGTH.pack(len(encoded)) + encoded


def read_work(pipe: BinaryIO) -> Work | None:
    """What to do next; None where the other side has hung up."""
    head = pipe.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (size,) = _LENGTH.unpack(head)
    encoded = pipe.read(size)
    return _work_decoder.decode(encoded) if len(encoded) == size else None


async def read_reply(pipe: "asyncio.StreamReader") -> Reply:
    """The next reply. Raises IncompleteReadError where the process has ended."""
    (size,) = _LENGTH.unpack(await pipe.readexactly(_LENGTH.size))
    return _reply_decoder.decode(await pipe.readexactly(size))
