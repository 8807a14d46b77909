"""Archives of a whole database, optionally encrypted like a backup."""

from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import IO, Any, Final

import msgspec

from dayline.model.errors import Invalid
from dayline.model.time import Microseconds
from dayline.runtime.spool import open_input
from dayline.storage.opening import Location, open_archive_source, restore_copy
from dayline.storage.sqlite.backup.encryption import DamagedSnapshot, Decrypting, Encrypting, Secret, is_encrypted
from dayline.storage.transfer.archive import BucketLine, EventLine, Header, Trailer
from dayline.storage.transfer.archive_copy import CountCallback, write_archive
from dayline.storage.transfer.archive_restore import fill_copy
from dayline.storage.transfer.archive_stream import ArchiveReader
from dayline.storage.transfer.copying import CopyTarget
from dayline.storage.transfer.expansion import Expansion

_DOCUMENT_FIELDS: Final = ("id", "type", "client", "hostname", "created", "data")
_encoder: Final = msgspec.json.Encoder(decimal_format="number")


def create_archive(
    database: Location,
    file: IO[bytes],
    *,
    secret: Secret | None = None,
    made: Microseconds,
    server: str,
    on_start: CountCallback,
    on_events: CountCallback,
    tenant: str = "",
) -> Trailer:
    """Write an archive of the database, as of one point in time, to an open file. A server may keep recording.

    With a secret it is encrypted like a backup. Raises Unavailable if the database cannot be read, and Invalid if the
    secret cannot be.
    """
    sealed = None if secret is None else Encrypting(file, secret, made=made, source="archive")
    with open_archive_source(database, tenant) as source:
        trailer = write_archive(
            source, sealed or file, made=made, server=server, on_start=on_start, on_events=on_events
        )
    if sealed is not None:
        sealed.finish()
    return trailer


def restore_archive(
    database: Location,
    archive: Path,
    *,
    secret: Secret | None = None,
    now: Microseconds,
    on_start: CountCallback,
    on_events: CountCallback,
    tenant: str = "",
) -> tuple[Trailer, Path | None]:
    """Create the database from an archive. Returns where an empty file that was there is kept.

    Raises StoreLocked while a server uses it, Conflict if it is not empty, and Invalid if the archive is damaged, with
    nothing changed.
    """

    folder = database.parent if isinstance(database, Path) else None  # PostgreSQL watches its own disk

    def fill(target: CopyTarget) -> Trailer:
        with _reader(archive, secret, scratch=folder) as reader:
            on_start(reader.header.events)
            return fill_copy(target, reader, on_events=on_events)

    return restore_copy(database, tenant, fill, now=now)


def check_archive(
    archive: Path, *, secret: Secret | None = None, on_start: CountCallback, on_events: CountCallback
) -> tuple[Header, Trailer]:
    """Read an archive to its end. Raises Invalid if it is damaged, or encrypted with another secret."""
    with _reader(archive, secret) as reader:
        on_start(reader.header.events)
        for line in reader.content():
            if isinstance(line, EventLine):
                on_events(1)
    assert reader.trailer is not None  # `content` is exhausted
    return reader.header, reader.trailer


def archived_buckets(archive: Path, *, scratch: Path) -> Iterator[tuple[dict[str, Any], Iterable[bytes]]]:
    """The buckets of an archive with their events as JSON, as an export document has them. Read one after the other.

    The caller writes them to `scratch`, whose space is checked. Raises Invalid if the archive is damaged or encrypted;
    a truncated one only at its end.
    """
    with _reader(archive, None, scratch=scratch) as reader:
        lines = (line for line in reader.content() if isinstance(line, BucketLine | EventLine))
        head: dict[str, Any] | None = None
        for line, events in groupby(lines, key=lambda line: line if isinstance(line, BucketLine) else None):
            if line is None:
                if head is None:
                    raise Invalid("the archive has events without their bucket")
                yield head, map(partial(_event_json, head["id"]), events)
                head = None
                continue
            if head is not None:
                yield head, ()
            head = {name: getattr(line, name) for name in _DOCUMENT_FIELDS}
        if head is not None:
            yield head, ()


def _event_json(bucket_id: str, line: BucketLine | EventLine) -> bytes:
    assert isinstance(line, EventLine)
    if line.bucket != bucket_id:
        raise Invalid(f"the archive has an event of {line.bucket!r} among those of {bucket_id!r}")
    return _encoder.encode({"timestamp": line.timestamp, "duration": line.duration, "data": line.data})


@contextmanager
def _reader(archive: Path, secret: Secret | None, *, scratch: Path | None = None) -> Generator[ArchiveReader]:
    """An archive, decrypted if necessary. Any defect raises Invalid with the file name.

    If what is read is written to a folder, it raises Unavailable before that is full.
    """
    try:
        with open_input(archive) as file:
            expansion = Expansion(archive.stat().st_size, folder=scratch)
            yield ArchiveReader(Decrypting(file, secret) if is_encrypted(file) else file, expansion)
    except Invalid as error:
        raise Invalid(f"{archive.name}: {error.message}", hint=error.hint) from error
    except DamagedSnapshot as error:
        raise Invalid(f"{archive.name}: {error}", hint="use another archive; nothing was changed") from error
