"""Everything archives of a database: made of one moment of it, and put in the place of an empty one."""

import os
import shutil
import tempfile
import time
from collections.abc import Callable, Generator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import IO, Final

import apsw

from dayline.model.errors import Conflict, Invalid, StoreLocked, StoreUnusable
from dayline.model.timestamps import Microseconds
from dayline.storage.sqlite.backup.snapshot import open_unchanging, take_snapshot
from dayline.storage.sqlite.backup.snapshot_damage import DamagedSnapshot
from dayline.storage.sqlite.backup.snapshot_encryption import Decrypting, Encrypting, is_encrypted
from dayline.storage.sqlite.backup.snapshot_restore import replace_by
from dayline.storage.sqlite.backup.snapshot_secret import Secret
from dayline.storage.sqlite.file.connection import open_reader, open_writer
from dayline.storage.sqlite.file.lock import FileLock
from dayline.storage.sqlite.file.schema import MIGRATIONS, migrate, version_of
from dayline.storage.sqlite.transfer.archive_filling import fill_database
from dayline.storage.sqlite.transfer.archive_reading import write_archive
from dayline.storage.transfer.archive_file import ArchiveReader
from dayline.storage.transfer.archive_lines import EventLine, Header, Trailer

_ABANDONED_S: Final = 86_400  # nobody takes so long to make an archive
# What a database has as soon as somebody used it. Not the trail: to have been called is no data to lose, and the file
# that is replaced is kept anyway.
_DATA: Final = ("bucket", "setting", "setting_history", "own_setting", "own_setting_history", "access_key", "act")

Told = Callable[[int], object]


def create_archive(
    database: Path,
    file: IO[bytes],
    *,
    secret: Secret | None = None,
    made: Microseconds,
    server: str,
    on_start: Told,
    on_events: Told,
) -> Trailer:
    """Write an archive of the database to an open file, as it is at one moment. A server may go on recording.

    With a secret it is encrypted, like a backup. It is read from a copy, which is stored next to the database for that
    time. Raises Unavailable if the database cannot be read, and Invalid if the secret cannot be.
    """
    sealed = None if secret is None else Encrypting(file, secret, made=made, source="archive")
    _forget_earlier_attempts(database)
    try:
        with tempfile.TemporaryDirectory(prefix=_prefix(database), dir=database.parent) as folder:
            copy = Path(folder) / "copy.db"
            with _left_tidy(database):
                take_snapshot(database, copy)
            _bring_up_to_date(copy)
            with closing(open_unchanging(copy)) as db:
                trailer = write_archive(
                    db, sealed or file, made=made, server=server, on_start=on_start, on_events=on_events
                )
        if sealed is not None:
            sealed.finish()
        return trailer
    except (apsw.Error, DamagedSnapshot) as error:
        raise StoreUnusable(f"{database} cannot be read: {error}") from error


def restore_archive(
    database: Path,
    archive: Path,
    *,
    secret: Secret | None = None,
    now: Microseconds,
    on_start: Told,
    on_events: Told,
) -> tuple[Trailer, Path | None]:
    """Make the database that an archive holds. Returns where an empty one that was there is kept.

    Raises StoreLocked while a server uses it, Conflict where it is not empty, and Invalid where the archive is
    damaged: then nothing was changed.
    """

    def write(part: Path) -> Trailer:
        _check_empty(database)
        try:
            return _filled(part, archive, secret, on_start, on_events)
        except apsw.Error as error:  # the disk is full, say
            raise StoreUnusable(f"{part} cannot be written: {error}", hint="nothing was changed") from error

    return replace_by(database, write, now=now)


def check_archive(
    archive: Path, *, secret: Secret | None = None, on_start: Told, on_events: Told
) -> tuple[Header, Trailer]:
    """Read an archive to its end. Raises Invalid if it is damaged, or encrypted with another secret."""
    with _reader(archive, secret) as reader:
        on_start(reader.header.events)
        for line in reader.content():
            if isinstance(line, EventLine):
                on_events(1)
    assert reader.trailer is not None  # `content` has come to its end
    return reader.header, reader.trailer


def _filled(part: Path, archive: Path, secret: Secret | None, on_start: Told, on_events: Told) -> Trailer:
    with closing(open_writer(part)) as db:
        # If it does not come to its end, the file is thrown away: until then it needs no protection, but for its log
        # not to become as large as all of it.
        db.pragma("synchronous", "OFF")
        db.pragma("wal_autocheckpoint", 1000)
        migrate(db)
        with _reader(archive, secret) as reader:
            on_start(reader.header.events)
            fill_database(db, reader, on_events=on_events)
        db.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    with part.open("rb+") as file:
        os.fsync(file.fileno())
    assert reader.trailer is not None  # `content` has come to its end
    return reader.trailer


@contextmanager
def _reader(archive: Path, secret: Secret | None) -> Generator[ArchiveReader]:
    """An archive, decrypted if necessary. Raises Invalid for everything that is wrong with it, with its name."""
    try:
        with archive.open("rb") as file:
            yield ArchiveReader(Decrypting(file, secret) if is_encrypted(file) else file)
    except Invalid as error:
        raise Invalid(f"{archive.name}: {error.message}", hint=error.hint) from error
    except DamagedSnapshot as error:
        raise Invalid(f"{archive.name}: {error}", hint="take another archive; nothing was changed") from error


@contextmanager
def _left_tidy(database: Path) -> Generator[None]:
    """Where no server uses a database, whoever only reads it makes a log beside it, and cannot remove it again."""
    try:
        lock = FileLock(database)
    except StoreLocked:
        yield
        return
    with closing(lock), closing(apsw.Connection(str(database), flags=apsw.SQLITE_OPEN_READWRITE)) as db:
        version_of(db)
        yield


def _bring_up_to_date(copy: Path) -> None:
    with closing(open_unchanging(copy)) as db:
        version = version_of(db)
    if version < len(MIGRATIONS):
        with closing(open_writer(copy)) as db:
            migrate(db)
            db.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)


def _check_empty(database: Path) -> None:
    if not database.exists() or not database.stat().st_size:
        return
    try:
        with closing(open_reader(database)) as db:
            if version_of(db) == 0:
                return
            there = {name for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
            found = {table: int(db.execute(f"SELECT count(*) FROM {table}").get) for table in _DATA if table in there}
    except apsw.Error as error:
        raise StoreUnusable(f"{database} cannot be read: {error}", hint="name another file with --database") from error
    if any(found.values()):
        raise Conflict(
            f"{database} is not empty: it has {found['bucket']:,} buckets, {found['setting']:,} settings and "
            f"{found.get('access_key', 0):,} keys",
            hint="an archive is restored into a new database: name another file with --database",
        )


def _prefix(database: Path) -> str:
    return f".{database.name}-archive-"


def _forget_earlier_attempts(database: Path) -> None:
    """Remove what was left behind by one that was cut off."""
    for folder in database.parent.glob(f"{_prefix(database)}*"):
        with suppress(OSError):
            if time.time() - folder.stat().st_mtime > _ABANDONED_S:
                shutil.rmtree(folder, ignore_errors=True)
