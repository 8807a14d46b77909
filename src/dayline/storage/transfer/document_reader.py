"""First half of staging: decodes a document, and numbers the texts of its data in order of their first use.

A large document is read in a process of its own, python -m dayline.storage.transfer.document_reader DOCUMENT, so that
decoding it and storing its rows use two cores.
"""

import os
import subprocess
import sys
from array import array
from collections.abc import Callable, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final, TypeAlias

import msgspec
from msgspec import Struct

from dayline.model.data import MAX_DEPTH, CanonicalJson, canonical_data, canonical_json, check_depth, decode_value
from dayline.model.errors import DaylineError, Invalid
from dayline.model.event import HeartbeatBody
from dayline.runtime.encryption import keyed_command
from dayline.runtime.framing import frame, read_frame
from dayline.runtime.spool import open_spool
from dayline.runtime.untrusted import IMPORT_MEMORY_MIB, OUT_OF_MEMORY
from dayline.storage.operations.children import child_command, child_environment
from dayline.storage.transfer.export_document import ExportDocument
from dayline.storage.transfer.staging import StagingError, bucket_of, error_of

_MODULE: Final = "dayline.storage.transfer.document_reader"
_PIPE_BYTES: Final = 1 << 20  # so that the process can be one run of events ahead
_REMEMBERED_TEXTS: Final = 300_000  # by their digests, in memory
_DIGEST_BYTES: Final = 16  # so that nobody finds two texts with the same one


class EventRun(Struct, frozen=True, tag=True):
    """Events with the right shape, not validated. `numbers`, 64 bits each, are those of the texts of their data.

    `values` has the canonical forms of the texts with the numbers from `first` on, empty for each that is invalid. If
    `first` is 0, former numbers are not used any more. Several texts may have the same canonical form.
    """

    timestamps: list[str]
    durations: bytes  # 64-bit floats, seconds
    numbers: bytes
    first: int
    values: list[CanonicalJson]


class BucketEnd(Struct, frozen=True, tag=True):
    """The events before this one, since the last end of a bucket, are of this bucket.

    It is JSON, because msgpack has no large integers. `invalid` counts its events with the wrong shape.
    """

    bucket: bytes
    invalid: int


class DocumentEnd(Struct, frozen=True, tag=True):
    """The document is valid to its end."""


class _Refused(Struct, frozen=True, tag=True):
    error: StagingError


Content: TypeAlias = EventRun | BucketEnd
_messages: Final[msgspec.msgpack.Decoder[Content | DocumentEnd | _Refused]] = msgspec.msgpack.Decoder(
    Content | DocumentEnd | _Refused
)


def read_document(document: Path, send: Callable[[Content], None]) -> None:
    """Pass on the content of a document. Raises Malformed or Invalid, possibly after parts of it were passed on."""
    texts = _Texts(send)
    with open_spool(document) as file:
        reader, invalid = ExportDocument(file), 0
        for key, head in reader.read(texts.add):
            send(BucketEnd(msgspec.json.encode(bucket_of(key, head)), reader.invalid - invalid))
            invalid = reader.invalid
            texts.forget()


def read_in_child(document: Path, send: Callable[[Content], None]) -> None:
    """Like `read_document`, decoding in a child process with the limits of this one."""
    command, secret = keyed_command(child_command(_MODULE, document))
    with subprocess.Popen(
        command, env=child_environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, pipesize=_PIPE_BYTES
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            with process.stdin as pipe:
                pipe.write(secret)
            while content := read_frame(process.stdout):
                message = _messages.decode(content)
                if isinstance(message, DocumentEnd):
                    return
                if isinstance(message, _Refused):
                    raise error_of(message.error)
                send(message)
            # It has written the reason to standard error, unless it was killed.
            status = process.wait()
            sys.exit(1 if status >= 0 else f"the process that reads the document was ended by signal {-status}")
        finally:
            process.kill()


class _Texts:
    """Numbers the texts of the data of one bucket, and passes on its events."""

    def __init__(self, send: Callable[[Content], None]) -> None:
        self._send = send
        self._numbers: dict[bytes, int] = {}  # by a digest, which is shorter than most texts

    def add(self, bodies: list[HeartbeatBody]) -> None:
        if not bodies:
            return
        known, first = self._numbers, len(self._numbers)
        # Most events repeat a text, and need no canonical form.
        texts = [bytes(body.data) for body in bodies]
        digests = [blake2b(text, digest_size=_DIGEST_BYTES).digest() for text in texts]
        numbers = [known.setdefault(digest, len(known)) for digest in digests]
        fresh = dict(zip(numbers, texts, strict=True)) if len(known) > first else {}
        self._send(
            EventRun(
                timestamps=[body.timestamp for body in bodies],
                durations=array("d", [body.duration for body in bodies]).tobytes(),
                numbers=array("q", numbers).tobytes(),
                first=first,
                values=_canonical_texts([fresh[number] for number in range(first, len(known))]),
            )
        )
        if len(known) > _REMEMBERED_TEXTS:
            self.forget()

    def forget(self) -> None:
        self._numbers.clear()


def _canonical_texts(texts: Sequence[bytes]) -> list[CanonicalJson]:
    """The canonical forms of data objects; empty for each that is invalid."""
    try:
        for text in texts:
            if len(text) > 2 * MAX_DEPTH:  # shorter texts cannot nest deeper
                check_depth(text)
        values: list[Any] = decode_value(b"[%b]" % b",".join(texts))
    except (Invalid, msgspec.DecodeError, UnicodeDecodeError):
        return [_canonical_text(text) for text in texts]
    return [canonical_json(value) if type(value) is dict else b"" for value in values]


def _canonical_text(text: bytes) -> CanonicalJson:
    try:
        return canonical_data(text)
    except Invalid:
        return b""


def refusal_of(error: BaseException) -> StagingError:
    """Why the document cannot be used, for an error of ours or one of OUT_OF_MEMORY."""
    if not isinstance(error, DaylineError):
        error = Invalid(f"reading the document takes more than {IMPORT_MEMORY_MIB} MiB of memory")
    return StagingError(kind=type(error).__name__, message=error.message, field=error.field, hint=error.hint)


def _main() -> None:
    pipe = sys.stdout.buffer

    def send(message: object) -> None:
        pipe.write(frame(message))
        pipe.flush()

    try:
        read_document(Path(sys.argv[1]), send)
    except (DaylineError, *OUT_OF_MEMORY) as error:
        send(_Refused(refusal_of(error)))
    except BrokenPipeError:
        os._exit(1)  # the staging process has ended; an error of this one would be taken for its reason
    else:
        send(DocumentEnd())


if __name__ == "__main__":
    _main()
