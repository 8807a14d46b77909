"""Archives of a whole database, optionally encrypted like a backup."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from dayline.model.errors import Invalid
from dayline.model.time import Microseconds
from dayline.storage.opening import Location, open_archive_source, restore_copy
from dayline.storage.sqlite.backup.encryption import DamagedSnapshot, Decrypting, Encrypting, Secret, is_encrypted
from dayline.storage.transfer.archive import ArchiveReader, EventLine, Header, Trailer
from dayline.storage.transfer.archive_copy import CountCallback, fill_copy, write_archive
from dayline.storage.transfer.copying import CopyTarget


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

    def fill(target: CopyTarget) -> Trailer:
        with _reader(archive, secret) as reader:
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


@contextmanager
def _reader(archive: Path, secret: Secret | None) -> Generator[ArchiveReader]:
    """An archive, decrypted if necessary. Any defect raises Invalid with the file name."""
    try:
        with archive.open("rb") as file:
            yield ArchiveReader(Decrypting(file, secret) if is_encrypted(file) else file)
    except Invalid as error:
        raise Invalid(f"{archive.name}: {error.message}", hint=error.hint) from error
    except DamagedSnapshot as error:
        raise Invalid(f"{archive.name}: {error}", hint="use another archive; nothing was changed") from error
