"""An archive as a stream. Reading and writing hold one chunk of lines in memory."""

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from hashlib import blake2b
from itertools import chain
from typing import IO, Final, Protocol, cast

import msgspec
from msgspec import Struct

from dayline.model.errors import Invalid
from dayline.storage.transfer.archive import FORMAT, VERSION, Content, Header, Kind, Trailer
from dayline.storage.transfer.expansion import MAX_WINDOW, Expansion

_LEVEL: Final = 6
_DIGEST_BYTES: Final = 32
_PIECE: Final = 1 << 18
_FLUSH: Final = 4 << 20
# Twice the default limit of a request body: no event is longer. Data that decompresses to more than this without a
# newline must not fill the memory.
_MAX_LINE_BYTES: Final = 64 << 20

_decoder: Final[msgspec.json.Decoder[Header | Trailer | Content]] = msgspec.json.Decoder(Header | Trailer | Content)
_encode = msgspec.json.Encoder().encode
_UNDECODABLE: Final = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


class ArchiveTarget(Protocol):
    """Where an archive is written: a plain file, or an encrypting one."""

    def write(self, data: bytes, /) -> int: ...
    def flush(self) -> None: ...
    def fileno(self) -> int: ...


class ArchiveSource(Protocol):
    """Where an archive is read from: a plain file, or a decrypting one."""

    def read(self, count: int, /) -> bytes: ...


class ArchiveWriter:
    """Writes an archive to an open file. Without `finish` it has no trailer, and readers reject it."""

    def __init__(self, file: ArchiveTarget, header: Header) -> None:
        import zstandard  # imported here: slow to load, and few commands need it

        self._file = file
        self._compressor = zstandard.ZstdCompressor(level=_LEVEL, write_checksum=True).compressobj()
        self._digest = blake2b(digest_size=_DIGEST_BYTES)
        self._counts: Counter[str] = Counter()
        self._unflushed = 0
        self._write(_encode(header) + b"\n")

    def add(self, kind: Kind, line: Content) -> None:
        """Write one line."""
        self.add_encoded(kind, _encode(line) + b"\n", count=1)

    def add_encoded(self, kind: Kind, lines: bytes, *, count: int) -> None:
        """Write lines that are encoded already, each ending with a newline."""
        self._counts[kind] += count
        self._write(lines)

    def finish(self) -> Trailer:
        """Write the trailer and flush."""
        trailer = Trailer(counts=dict(sorted(self._counts.items())), checksum=self._digest.hexdigest())
        self._file.write(self._compressor.compress(_encode(trailer) + b"\n"))
        self._file.write(self._compressor.flush())
        return trailer

    def _write(self, lines: bytes) -> None:
        self._digest.update(lines)
        self._unflushed += self._file.write(self._compressor.compress(lines))
        if self._unflushed > _FLUSH:
            # Flush in small chunks: a commit of the recording process waits for a large flush.
            self._unflushed = 0
            self._file.flush()
            os.fsync(self._file.fileno())


class ArchiveReader:
    """Reads an archive from an open file. Any defect raises Invalid with the line number."""

    def __init__(self, file: ArchiveSource, expansion: Expansion) -> None:
        self._blocks = _blocks(file, expansion)
        self._digest = blake2b(digest_size=_DIGEST_BYTES)
        self._number = 1
        self.header, rest = self._begun()
        self._lines = self._decoded(chain([rest], self._blocks))
        self.trailer: Trailer | None = None

    def content(self) -> Iterator[Content]:
        """The lines between header and trailer. The archive is verified only after the last one."""
        counts: Counter[type[Struct]] = Counter()
        for line in self._lines:
            if isinstance(line, Trailer):
                self._verify(line, counts)
                return
            if isinstance(line, Header):
                raise self.wrong("there is a second header")
            counts[type(line)] += 1
            yield line
        self._number += 1
        raise self.wrong("the archive is truncated: it has no trailer")

    def wrong(self, reason: str) -> Invalid:
        """The error for a defect in the line read last."""
        return Invalid(f"line {self._number:,}: {reason}", hint="use another archive; nothing was changed")

    def _begun(self) -> tuple[Header, bytes]:
        """The header, and what was read with it."""
        block = next(self._blocks, None)
        if block is None:
            raise self.wrong("the archive is truncated: it has no trailer")
        raw, _, rest = block.partition(b"\n")
        self._digest.update(raw + b"\n")
        try:
            header = _decoder.decode(raw)
        except _UNDECODABLE:
            header = None
        if not isinstance(header, Header) or header.format != FORMAT:
            raise Invalid("not a Dayline archive", hint="create one with: dayline export --format archive -o FILE")
        if header.version != VERSION:
            raise Invalid(
                f"archive format version {header.version} is not supported (supported: {VERSION})",
                hint="use the version of Dayline that created it, or a later one",
            )
        return header, rest

    def _decoded(self, blocks: Iterable[bytes]) -> Iterator[Header | Trailer | Content]:
        for block in blocks:
            try:
                lines = _decoder.decode_lines(block)
            except _UNDECODABLE as error:
                raise self._undecodable(block) from error
            is_last = bool(lines) and isinstance(lines[-1], Trailer)
            self._digest.update(block[: block.rfind(b"\n", 0, -1) + 1] if is_last else block)
            for line in lines:
                self._number += 1
                yield line

    def _undecodable(self, block: bytes) -> Invalid:
        """The error for the first line of a block that cannot be decoded."""
        for raw in block.split(b"\n"):
            self._number += 1
            try:
                _decoder.decode(raw)
            except _UNDECODABLE as error:
                return self.wrong(f"invalid line: {error}")
        return self.wrong("invalid line")

    def _verify(self, trailer: Trailer, counted: Mapping[type[Struct], int]) -> None:
        if next(self._lines, None) is not None:
            raise self.wrong("there is data after the trailer")
        if trailer.checksum != self._digest.hexdigest():
            raise self.wrong("wrong checksum: the archive was modified")
        counts = {str(kind.__struct_config__.tag): count for kind, count in counted.items()}
        if trailer.counts != counts:
            raise self.wrong(
                f"the trailer counts {_counts_text(trailer.counts)}, but the archive has {_counts_text(counts)}"
            )
        self.trailer = trailer


def _blocks(file: ArchiveSource, expansion: Expansion) -> Iterator[bytes]:
    """Blocks of complete lines. Raises Invalid if the archive cannot be decompressed or expands too much."""
    import zstandard  # imported here: slow to load, and few commands need it

    unfinished: list[bytes] = []
    length = 0
    # Across frames: other tools may recompress an archive into several frames.
    source = cast("IO[bytes]", file)  # it only calls `read`
    with zstandard.ZstdDecompressor(max_window_size=MAX_WINDOW).stream_reader(
        source, read_across_frames=True, closefd=False
    ) as plain:
        while True:
            try:
                piece = plain.read(_PIECE)
            except zstandard.ZstdError as error:
                raise Invalid(f"cannot decompress the archive: {error}", hint="use another archive") from error
            if not piece:
                return
            expansion.add(len(piece))
            end = piece.rfind(b"\n") + 1
            if end:
                yield b"".join((*unfinished, piece[:end]))
                unfinished, length = [], 0
            unfinished.append(piece[end:])
            length += len(piece) - end
            if length > _MAX_LINE_BYTES:
                raise Invalid(f"a line is longer than {_MAX_LINE_BYTES >> 20} MiB", hint="use another archive")


def _counts_text(counts: dict[str, int]) -> str:
    return ", ".join(f"{count:,} {kind}" for kind, count in sorted(counts.items())) or "none"
