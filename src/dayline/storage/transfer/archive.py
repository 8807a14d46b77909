"""The archive of everything as a stream: compressed lines of JSON, with a header and a trailer that verifies them."""

import os
from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from hashlib import blake2b
from typing import IO, Final, Literal, Protocol, cast

import msgspec
from msgspec import Struct

from dayline.model.access import Scope
from dayline.model.errors import Invalid

# The lines of an everything archive: what each kind holds. `docs/reference/files.md` describes the same for people.
#
# Times are text as everywhere on the wire, exact to the microsecond; durations are decimal seconds. Anything that is
# stored as JSON text stands in its line as the very same text.


FORMAT: Final = "dayline-archive"
VERSION: Final = 1
# Fields that are times, in whatever line: kept as microseconds, written as text.
TIMES: Final = frozenset(
    ("made", "created", "changed", "expires", "revoked", "last_used", "slot", "first", "last", "until")
)


class Header(Struct, frozen=True, kw_only=True, tag_field="kind", tag="header"):
    """The first line. `events` is for progress bars; what counts is the trailer."""

    format: str
    version: int
    made: str
    schema: int
    server: str
    events: int
    next_event_id: int


class BucketLine(Struct, frozen=True, kw_only=True, tag_field="kind", tag="bucket"):
    """A bucket. Its events follow it."""

    id: str
    type: str
    client: str
    hostname: str
    created: str
    creator: str | None
    data: msgspec.Raw


class EventLine(Struct, frozen=True, kw_only=True, tag_field="kind", tag="event"):
    """An event of a bucket that came before. Oldest first, equal starts in order of id."""

    bucket: str
    id: int
    timestamp: str
    duration: Decimal
    data: msgspec.Raw


class AliasLine(Struct, frozen=True, kw_only=True, tag_field="kind", tag="alias"):
    """Another id under which a bucket is found."""

    id: str
    bucket: str
    made: str


class SettingLine(Struct, frozen=True, kw_only=True, tag_field="kind", tag="setting"):
    """A setting that a client stored (`own` false), or one of Dayline's own."""

    own: bool
    key: str
    value: msgspec.Raw


class SettingHistoryLine(Struct, frozen=True, kw_only=True, tag_field="kind", tag="setting_history"):
    """A value that a setting was given. `deleted` stands in the place of a value where it was removed."""

    own: bool
    number: int
    key: str
    changed: str
    deleted: bool
    value: msgspec.Raw


class KeyLine(Struct, frozen=True, kw_only=True, tag_field="kind", tag="key"):
    """A key: everything but the key. `salt` and `digest` are Base64."""

    id: str
    name: str
    scope: Scope
    buckets: msgspec.Raw
    created: str
    expires: str | None
    revoked: str | None
    salt: bytes
    digest: bytes
    last_used: str | None
    last_address: str | None


class AuditLine(Struct, frozen=True, kw_only=True, tag_field="kind", tag="audit"):
    """A line of the audit trail."""

    number: int
    slot: str
    who: str
    key_id: str
    address: str
    call: str
    bucket: str
    status: int
    first: str
    last: str
    count: int


class OnceLine(Struct, frozen=True, kw_only=True, tag_field="kind", tag="once"):
    """The token of a change that must not be made twice."""

    token: str
    until: str


class Trailer(Struct, frozen=True, kw_only=True, tag_field="kind", tag="trailer"):
    """The last line: lines of each kind between the header and here, and BLAKE2b-256 of all bytes before this line."""

    counts: dict[str, int]
    checksum: str


Content = (
    BucketLine | EventLine | AliasLine | SettingLine | SettingHistoryLine | KeyLine | AuditLine | OnceLine
)  # what stands between the first line and the last
Kind = Literal["bucket", "event", "alias", "setting", "setting_history", "key", "audit", "once"]


# An everything archive as a stream: lines of JSON, compressed, with a header, and a trailer that proves the rest.
#
#     ┌ zstd ─────────────────────────────────────────────┐
#     │ {"kind":"header", …}                              │
#     │ {"kind":"bucket", …}                              │
#     │ …                                                 │
#     │ {"kind":"trailer","counts":{…},"checksum":"…"}    │
#     └───────────────────────────────────────────────────┘
#
# Nobody holds more of it in memory than the line at hand and a piece to come.


_LEVEL: Final = 6
_DIGEST_BYTES: Final = 32
_PIECE: Final = 1 << 18
_FLUSH: Final = 4 << 20
# Twice the largest body that a server takes unless told otherwise: no event is longer. What unpacks to more than that
# without an end of line is not to fill the memory.
_LONGEST_LINE: Final = 64 << 20

_decoder: Final[msgspec.json.Decoder[Header | Trailer | Content]] = msgspec.json.Decoder(Header | Trailer | Content)
_encode = msgspec.json.Encoder().encode


class ArchiveTarget(Protocol):
    """What an archive is written to: a file, or one that encrypts."""

    def write(self, data: bytes, /) -> int: ...
    def flush(self) -> None: ...
    def fileno(self) -> int: ...


class ArchiveSource(Protocol):
    """What an archive is read from: a file, or one that decrypts."""

    def read(self, count: int, /) -> bytes: ...


class ArchiveWriter:
    """Writes an archive to an open file. Without `finish` it is none, and is recognised as none."""

    def __init__(self, file: ArchiveTarget, header: Header) -> None:
        import zstandard  # here, because it takes its time to load, and few commands need it

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
        """Write lines that are JSON already, each with its end."""
        self._counts[kind] += count
        self._write(lines)

    def finish(self) -> Trailer:
        """Write the trailer, and all that is still to be written."""
        trailer = Trailer(counts=dict(sorted(self._counts.items())), checksum=self._digest.hexdigest())
        self._file.write(self._compressor.compress(_encode(trailer) + b"\n"))
        self._file.write(self._compressor.flush())
        return trailer

    def _write(self, lines: bytes) -> None:
        self._digest.update(lines)
        self._unflushed += self._file.write(self._compressor.compress(lines))
        if self._unflushed > _FLUSH:
            # Little by little: a commit of the recording process waits for as much as is flushed at once.
            self._unflushed = 0
            self._file.flush()
            os.fsync(self._file.fileno())


class ArchiveReader:
    """Reads an archive from an open file. Whatever is wrong with it raises Invalid, with the line."""

    def __init__(self, file: ArchiveSource) -> None:
        self._lines = _lines(file)
        self._digest = blake2b(digest_size=_DIGEST_BYTES)
        self._number = 0
        first = self._next()
        if not isinstance(first, Header) or first.format != FORMAT:
            raise Invalid("it is not an archive of Dayline", hint="dayline export --format archive -o makes one")
        if first.version != VERSION:
            raise Invalid(
                f"it is of version {first.version} of the format, this program knows {VERSION}",
                hint="install the version of Dayline that made it, or a later one",
            )
        self.header = first
        self.trailer: Trailer | None = None

    @property
    def number(self) -> int:
        """The line that was read last."""
        return self._number

    def content(self) -> Iterator[Content]:
        """Every line between the header and the trailer. All of it is known to be right only after the last one."""
        counts: Counter[str] = Counter()
        while True:
            line = self._next()
            if isinstance(line, Trailer):
                break
            if isinstance(line, Header):
                raise self.wrong("a second header")
            counts[str(line.__struct_config__.tag)] += 1
            yield line
        if line.counts != counts:
            raise self.wrong(f"the trailer counts {_told(line.counts)}, and there are {_told(counts)}")
        if next(self._lines, None) is not None:
            raise self.wrong("something follows the trailer")
        self.trailer = line

    def wrong(self, reason: str) -> Invalid:
        """The error for something that is wrong with the line that was read last."""
        return Invalid(f"line {self._number:,}: {reason}", hint="take another archive; nothing was changed")

    def _next(self) -> Header | Trailer | Content:
        try:
            raw = next(self._lines, None)
            self._number += 1
            if raw is None:
                raise self.wrong("it ends before its trailer: it is cut off")
            line = _decoder.decode(raw)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            if self._number == 1:
                raise Invalid(
                    "it is not an archive of Dayline", hint="dayline export --format archive -o makes one"
                ) from error
            raise self.wrong(f"it cannot be read: {error}") from error
        if isinstance(line, Trailer):
            if line.checksum != self._digest.hexdigest():
                raise self.wrong("the checksum is another one: the archive was changed")
        else:
            self._digest.update(raw + b"\n")
        return line


def _lines(file: ArchiveSource) -> Iterator[bytes]:
    """The lines that are complete, without their ends. Raises Invalid where it cannot be unpacked."""
    import zstandard  # here, because it takes its time to load, and few commands need it

    unfinished: list[bytes] = []
    length = 0
    # Across frames: whoever packs an archive again may do so in several.
    source = cast("IO[bytes]", file)  # of a file it calls `read` alone
    with zstandard.ZstdDecompressor().stream_reader(source, read_across_frames=True, closefd=False) as plain:
        while True:
            try:
                piece = plain.read(_PIECE)
            except zstandard.ZstdError as error:
                raise Invalid(f"it cannot be unpacked: {error}", hint="take another archive") from error
            if not piece:
                return
            *complete, rest = piece.split(b"\n")
            if complete:
                unfinished.append(complete[0])
                yield b"".join(unfinished)
                yield from complete[1:]
                unfinished, length = [], 0
            unfinished.append(rest)
            length += len(rest)
            if length > _LONGEST_LINE:
                raise Invalid(f"a line of it is longer than {_LONGEST_LINE >> 20} MiB", hint="take another archive")


def _told(counts: dict[str, int]) -> str:
    return ", ".join(f"{count:,} of {kind}" for kind, count in sorted(counts.items())) or "none"
