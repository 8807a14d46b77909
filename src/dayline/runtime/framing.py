"""Messages through a pipe: msgpack with a length prefix (4 bytes, big-endian)."""

from typing import IO, TYPE_CHECKING, Final

import msgspec

if TYPE_CHECKING:
    import asyncio

_LENGTH_BYTES: Final = 4

_encoder = msgspec.msgpack.Encoder()


def frame(message: object) -> bytes:
    """A message with its length prefix."""
    encoded = _encoder.encode(message)
    return len(encoded).to_bytes(_LENGTH_BYTES) + encoded


def read_frame(pipe: IO[bytes]) -> bytes | None:
    """The next encoded message; None if the other side closed the pipe, also within a message."""
    head = pipe.read(_LENGTH_BYTES)
    if len(head) < _LENGTH_BYTES:
        return None
    size = int.from_bytes(head)
    encoded = pipe.read(size)
    return encoded if len(encoded) == size else None


async def receive_frame(pipe: "asyncio.StreamReader") -> bytes:
    """The next encoded message, read on the event loop. Raises IncompleteReadError if the pipe was closed."""
    size = int.from_bytes(await pipe.readexactly(_LENGTH_BYTES))
    return await pipe.readexactly(size)
