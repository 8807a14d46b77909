"""A snapshot as one file: what it holds, the database compressed, and a checksum over both.

    ┌ skippable frame ─┬ zstd frame ────────┬ skippable frame ─┐
    │ manifest (JSON)  │ the database file  │ BLAKE2b of all   │
    └──────────────────┴────────────────────┴──────────────────┘

It is a Zstandard file like any other: `zstd -d` makes the database of it, in whatever year that is needed.
"""

import os
import struct
from hashlib import blake2b
from pathlib import Path
from typing import IO, Final

import msgspec
from msgspec import Struct

from dayline.model.timestamps import Microseconds
from dayline.storage.sqlite.snapshot_contents import Contents

FORMAT: Final = 1
_LEVEL: Final = 3  # higher ones take several times as long for a tenth less
_FRAME: Final = struct.Struct("<II")  # magic number, bytes that follow
_HEAD_MAGIC: Final = 0x184D2A5D
_TAIL_MAGIC: Final = 0x184D2A5E
_DIGEST_BYTES: Final = 32
_TAIL_BYTES: Final = _FRAME.size + _DIGEST_BYTES
_LONGEST_HEAD: Final = 64 << 20
_PIECE: Final = 1 << 17
_FLUSH: Final = 4 << 20


class DamagedSnapshot(Exception):
    """The file is not what was written; the message says how that shows."""


class Manifest(Struct, frozen=True, kw_only=True):
    """What a snapshot was made of. `contents` are the figures of the source at that moment, read from the source."""

    format: int
    made: Microseconds
    stamp: tuple[int, ...]  # of the source, before: while it has the same one, nothing was written
    size: int  # bytes, of the database
    contents: Contents


def write_snapshot(plain: Path, target: Path, manifest: Manifest) -> None:
    """Compress a database file, and have it on the disk."""
    import zstandard  # here, because the recording process imports this module and must not load it

    head = msgspec.json.encode(manifest)
    digest = blake2b(digest_size=_DIGEST_BYTES)
    with plain.open("rb") as source, target.open("xb") as file:

        def write(data: bytes) -> None:
            digest.update(data)
            file.write(data)

        write(_FRAME.pack(_HEAD_MAGIC, len(head)) + head)
        compressor = zstandard.ZstdCompressor(level=_LEVEL, write_checksum=True).compressobj(size=manifest.size)
        flushed = 0
        while piece := source.read(_PIECE):
            write(compressor.compress(piece))
            if file.tell() - flushed > _FLUSH:
                # Little by little: a commit of the recording process waits for as much as is flushed at once.
                flushed = file.tell()
                file.flush()
                os.fsync(file.fileno())
        write(compressor.flush())
        file.write(_FRAME.pack(_TAIL_MAGIC, _DIGEST_BYTES) + digest.digest())
        file.flush()
        os.fsync(file.fileno())
        if hasattr(os, "posix_fadvise"):
            # What is verified afterwards is to come from the disk, not from the memory it was written from.
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def read_manifest(path: Path) -> Manifest:
    """What the head of a snapshot says, unchecked. Raises DamagedSnapshot or OSError."""
    with path.open("rb") as file:
        return _head(file)[0]


def unpack_snapshot(path: Path, target: Path) -> Manifest:
    """Write the database that a snapshot holds to a new file, not flushed to the disk yet.

    Raises DamagedSnapshot if any byte of the snapshot is not as it was written.
    """
    import zstandard  # here, because the recording process imports this module and must not load it

    with path.open("rb") as file, target.open("xb") as plain:
        size = os.fstat(file.fileno()).st_size
        manifest, head_bytes = _head(file)
        file.seek(0)
        digest = blake2b(file.read(head_bytes), digest_size=_DIGEST_BYTES)
        decompressor = zstandard.ZstdDecompressor().decompressobj()
        left = size - head_bytes - _TAIL_BYTES
        written = 0
        while left > 0 and (piece := file.read(min(left, _PIECE))):
            digest.update(piece)
            left -= len(piece)
            try:
                written += plain.write(b"" if decompressor.eof else decompressor.decompress(piece))
            except zstandard.ZstdError as error:
                raise DamagedSnapshot(f"it cannot be decompressed: {error}") from error
        if file.read(_TAIL_BYTES + 1) != _FRAME.pack(_TAIL_MAGIC, _DIGEST_BYTES) + digest.digest():
            raise DamagedSnapshot("its checksum is another one")
        if written != manifest.size:
            raise DamagedSnapshot(f"it holds {written:,} bytes in place of {manifest.size:,}")
    return manifest


def _head(file: IO[bytes]) -> tuple[Manifest, int]:
    """The manifest, and the bytes up to its end."""
    start = file.read(_FRAME.size)
    if len(start) < _FRAME.size:
        raise DamagedSnapshot("it is cut off")
    magic, length = _FRAME.unpack(start)
    if magic != _HEAD_MAGIC or length > _LONGEST_HEAD:
        raise DamagedSnapshot("it does not begin as a backup does")
    try:
        manifest = msgspec.json.decode(file.read(length), type=Manifest)
    except msgspec.DecodeError as error:
        raise DamagedSnapshot(f"its head cannot be read: {error}") from error
    except UnicodeDecodeError as error:
        raise DamagedSnapshot("its head cannot be read") from error
    if manifest.format != FORMAT:
        raise DamagedSnapshot(f"its format is {manifest.format}, this program knows {FORMAT}")
    return manifest, _FRAME.size + length
