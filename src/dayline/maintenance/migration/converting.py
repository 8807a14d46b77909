"""Converts uploaded databases of ActivityWatch, and archives, to export documents, in a child process."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import apsw
import msgspec
from msgspec import Struct

from dayline.maintenance.migration.model import FileKind, LeftOut, file_kind
from dayline.model.errors import DaylineError, Invalid, Unavailable
from dayline.model.event import Event
from dayline.model.time import SECOND, format_timestamp
from dayline.runtime.spool import SpoolWriter, create_spool
from dayline.runtime.threads import in_thread
from dayline.runtime.untrusted import IMPORT_MEMORY_MIB, OUT_OF_MEMORY, limit_import
from dayline.storage.operations.children import ChildFailed, ChildFunction
from dayline.storage.transfer.expansion import Expansion

if TYPE_CHECKING:
    from dayline.maintenance.migration.sources import Source, SourceBucket

_INVALID: Final = b"{}"  # counted as invalid by the import


class Conversion(Struct, frozen=True, kw_only=True):
    """The outcome: no message if it succeeded. `is_temporary` means that the same file may be accepted later."""

    message: str | None = None
    hint: str | None = None
    is_temporary: bool = False


run_conversion = ChildFunction("dayline.maintenance.migration.converting:convert", Conversion, niceness=10)


async def as_documents(files: Iterable[Path]) -> list[Path]:
    """The files as export documents, converted next to them if they are something else. Raises Invalid."""
    return [file if await in_thread(uploaded_kind, file) == "document" else await _converted(file) for file in files]


def uploaded_kind(file: Path) -> FileKind:
    """What an uploaded file is. Raises Invalid, without the path, which is ours."""
    return file_kind(file, name="the file")


async def _converted(file: Path) -> Path:
    document = file.with_suffix(".converted.json")
    try:
        outcome = await run_conversion(file, document)
    except ChildFailed as error:
        raise Invalid(f"cannot read the file: {error}") from error
    if outcome.message is not None:
        raise (Unavailable if outcome.is_temporary else Invalid)(outcome.message, hint=outcome.hint)
    return document


def convert(file: Path, document: Path) -> Conversion:
    """Write a file as an export document. Limits this process, which does nothing else."""
    from dayline.maintenance.migration.opening import opened_source  # here, because the server does not need it

    limit_import(size=file.stat().st_size)
    try:
        with create_spool(document) as opened:
            limited = _LimitedFile(opened, Expansion(file.stat().st_size, folder=document.parent))
            if file_kind(file) == "archive":
                _write_archive(file, limited)
            else:
                with opened_source(file, scratch=document.parent) as source:
                    _write_source(source, limited)
    except OUT_OF_MEMORY:
        return Conversion(message=f"reading the file takes more than {IMPORT_MEMORY_MIB} MiB of memory")
    except apsw.Error as error:
        return Conversion(message=f"the file cannot be read as a database: {error}")
    except DaylineError as error:
        # The file has a temporary name, which means nothing to the caller.
        message = error.message.replace(str(file), "the file").removeprefix(f"{file.name}: ")
        return Conversion(message=message, hint=error.hint, is_temporary=isinstance(error, Unavailable))
    return Conversion()


class _LimitedFile:
    """A file that may not grow beyond a limit."""

    def __init__(self, file: SpoolWriter, expansion: Expansion) -> None:
        self._file = file
        self._expansion = expansion

    def write(self, data: bytes) -> None:
        self._expansion.add(len(data))
        self._file.write(data)


def _write_source(source: "Source", file: "_LimitedFile") -> None:
    _write(((_head(bucket), map(_event, source.events(bucket))) for bucket in source.buckets()), file)


def _head(bucket: "SourceBucket") -> dict[str, Any]:
    fields = msgspec.structs.asdict(bucket)
    del fields["number"]
    return {name: value for name, value in fields.items() if value is not None}


def _event(event: Event | LeftOut) -> bytes:
    if isinstance(event, LeftOut):
        return _INVALID
    fields = {"timestamp": format_timestamp(event.start), "duration": event.duration / SECOND}
    return msgspec.json.encode({**fields, "data": msgspec.Raw(event.data)})


def _write_archive(path: Path, file: "_LimitedFile") -> None:
    from dayline.maintenance.archives import archived_buckets  # here: a database needs no zstandard

    _write(archived_buckets(path, scratch=path.parent), file)


def _write(buckets: Iterable[tuple[dict[str, Any], Iterable[bytes]]], file: "_LimitedFile") -> None:
    file.write(b'{"buckets":{')
    for number, (head, events) in enumerate(buckets):
        file.write(b"," if number else b"")
        file.write(msgspec.json.encode(head["id"]) + b":" + msgspec.json.encode(head).removesuffix(b"}"))
        file.write(b',"events":[')
        for index, event in enumerate(events):
            file.write(b",\n" + event if index else event)
        file.write(b"]}")
    file.write(b"}}")
