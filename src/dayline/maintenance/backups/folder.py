"""The backup folder: file names, the state of each backup, which ones expire, and the last failure.

dayline-20260131T093000Z.db.zst           a backup: it has this name only after verification
dayline-20260131T093000Z.db.zst.enc       the same, encrypted
dayline-20260131T093000Z.db.zst.failed    a later verification failed
dayline.backup-failed                     the last attempt failed
.dayline-making-…, .dayline-checking-…    in progress, or interrupted
"""

import contextlib
import os
import re
import shutil
import tempfile
import time
from collections.abc import Callable, Hashable, Iterable
from datetime import UTC, datetime
from glob import escape
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from dayline.config.data_folder import DataFile, data_file
from dayline.config.sections import BackupSettings
from dayline.model.errors import NotFound, Unavailable
from dayline.model.time import DAY, SECOND, Microseconds
from dayline.runtime.files import atomic_write, replace_file
from dayline.storage.sqlite.backup.encryption import DamagedSnapshot, EncryptedHead, Secret
from dayline.storage.sqlite.backup.file_format import Manifest, mark_of, read_head
from dayline.storage.sqlite.backup.process import name_of, stamp_of

RESERVED_BYTES: Final = 256 << 20  # disk space that is left for recording
_MAX_SHIFT: Final[Microseconds] = 60 * SECOND  # of the time in a name, if the name was taken
_ABANDONED_S: Final = 86_400  # longer than any verification takes


class Backup(Struct, frozen=True, kw_only=True):
    """A backup in the folder. `problem` says why it is not verified."""

    name: str
    made: Microseconds
    bytes: int
    problem: str | None = None
    manifest: Manifest | None = None  # also None for an encrypted backup that was not opened
    is_encrypted: bool = False
    mark: str | None = None  # fingerprint of the database it was made from

    @property
    def is_verified(self) -> bool:
        return self.problem is None

    def is_ours(self, secret: Secret | None) -> bool:
        """Whether only this key can have made it now, if there is one: other programs may write to the folder.

        Without `manifest` it is not: the key has not opened it.
        """
        if secret is None:
            return True
        return self.is_encrypted and self.manifest is not None and self.made - self.manifest.made < _MAX_SHIFT

    def is_of(self, database: Path) -> bool:
        """Whether nothing was written to the database since the backup."""
        return self.mark == mark_of(stamp_of(database))


class BackupFailure(Struct, frozen=True, kw_only=True):
    """A failed attempt to create a backup."""

    when: Microseconds
    message: str


class BackupFolder:
    """The backups of one database. Several databases may share a folder, if their files have different names."""

    def __init__(self, folder: Path, database: Path) -> None:
        self.path = folder
        self._database = database
        self._stem = database.stem
        self._pattern = re.compile(rf"{re.escape(self._stem)}-(\d{{8}}T\d{{6}}Z)\.db\.zst(\.enc)?")
        self._failure = folder / f"{self._stem}.backup-failed"

    def all(self) -> list[Backup]:
        """All backups, the newest first. Reads the header of each."""
        try:
            names = [path.name for path in self.path.iterdir()]
        except FileNotFoundError:
            return []
        except OSError as error:
            raise Unavailable(f"cannot read the backup folder {self.path}: {error.strerror}") from error
        backups: list[Backup] = []
        for name in names:
            if self._time(name) is not None:
                with contextlib.suppress(NotFound):  # deleted since the folder was listed
                    backups.append(self.describe(name))
        return sorted(backups, key=lambda backup: backup.made, reverse=True)

    def describe(self, name: str) -> Backup:
        """One backup. Raises NotFound."""
        path, made = self.path / name, self._time(name)
        if made is None:
            raise _not_found(name, self.path)
        head: Manifest | EncryptedHead | None = None
        size = 0
        try:
            size = path.stat().st_size
            head = read_head(path)
            problem = self._noted_problem(name)
        except FileNotFoundError as error:
            raise _not_found(name, self.path) from error
        except (OSError, DamagedSnapshot) as error:
            problem = str(error)
        is_encrypted = name.endswith(".enc") if head is None else isinstance(head, EncryptedHead)
        backup = Backup(name=name, made=made, bytes=size, problem=problem, is_encrypted=is_encrypted)
        if isinstance(head, Manifest):
            return replace(backup, manifest=head, mark=mark_of(head.stamp))
        return replace(backup, mark=None if head is None else head.source)

    def find(self, name: str) -> Path:
        """The path of a backup. Raises NotFound."""
        path = self.path / name
        if self._time(name) is None or not path.is_file():
            raise _not_found(name, self.path)
        return path

    def new(self, made: Microseconds, secret: Secret | None) -> Path:
        """The path for a backup made now. If that second is taken, the next one."""
        while (path := self.path / name_of(self._database, made, secret)).exists():
            made += SECOND
        return path

    def keep(self, part: Path, path: Path) -> None:
        """Rename a verified file to its final name."""
        replace_file(part, path)
        self._failure.unlink(missing_ok=True)

    def remove(self, backup: Backup) -> None:
        for path in (self.path / backup.name, self._problem_file(backup.name)):
            path.unlink(missing_ok=True)

    def note_problem(self, name: str, problem: str | None) -> None:
        """Store the result of a verification; None if the backup is good."""
        if problem is None:
            self._problem_file(name).unlink(missing_ok=True)
        else:
            with atomic_write(self._problem_file(name)) as file:
                file.write(problem.encode())

    def note_failure(self, failure: BackupFailure) -> None:
        """Store the failure of an attempt; the next successful one removes it."""
        # The folder may be the cause.
        with contextlib.suppress(OSError), atomic_write(self._failure) as file:
            file.write(msgspec.json.encode(failure))

    def last_failure(self) -> BackupFailure | None:
        try:
            return msgspec.json.decode(self._failure.read_bytes(), type=BackupFailure)
        except (OSError, msgspec.DecodeError, UnicodeDecodeError):
            return None

    def begin_making(self) -> Path:
        """A temporary folder for a new backup. Removes what interrupted ones have left."""
        self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        for leftover in self.path.glob(f".{escape(self._stem)}-making-*"):
            shutil.rmtree(leftover, ignore_errors=True)
        return self._temporary("making")

    def begin_checking(self) -> Path:
        """A temporary folder to unpack a backup; there may be several."""
        for leftover in self.path.glob(f".{escape(self._stem)}-checking-*"):
            with contextlib.suppress(OSError):
                if time.time() - leftover.stat().st_mtime > _ABANDONED_S:
                    shutil.rmtree(leftover, ignore_errors=True)
        return self._temporary("checking")

    def _noted_problem(self, name: str) -> str | None:
        try:
            return self._problem_file(name).read_text("utf-8")
        except FileNotFoundError:
            return None

    def _temporary(self, purpose: str) -> Path:
        return Path(tempfile.mkdtemp(prefix=f".{self._stem}-{purpose}-", dir=self.path))

    def _problem_file(self, name: str) -> Path:
        return self.path / f"{name}.failed"

    def _time(self, name: str) -> Microseconds | None:
        match = self._pattern.fullmatch(name)
        if match is None:
            return None
        try:
            time = datetime.strptime(match[1], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
        except ValueError:
            return None
        return int(time.timestamp()) * SECOND


def folder_of(database: Path, settings: BackupSettings) -> Path:
    """The backup folder of a database."""
    if settings.folder is not None:
        return Path(os.path.expandvars(settings.folder)).expanduser().absolute()
    return data_file(database, DataFile.BACKUPS)


def check_space(folder: Path, database: Path) -> None:
    """Create the folder if it is missing. Raises Unavailable if it has no space for a backup of the database."""
    # Before the folder is created: nothing should appear next to a database that has vanished.
    if not database.exists():
        raise NotFound(f"no database at {database}")
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    # A plain copy and the compressed one exist together for a while.
    needed = database.stat().st_size * 3 // 2 + RESERVED_BYTES
    if shutil.disk_usage(folder).free < needed:
        raise Unavailable(
            f"a backup needs {needed >> 20:,} MiB of disk space in {folder}",
            hint="free disk space, or set another folder in [backup]",
        )


def _not_found(name: str, folder: Path) -> NotFound:
    return NotFound(f"there is no backup {name[:80]!r} in {folder}", hint="dayline backup list shows the backups")


# Retention of backups.
def expired_backups(backups: Iterable[Backup], settings: BackupSettings) -> list[Backup]:
    """The backups to delete, the newest first.

    Kept are all of the last 24 hours, and the last one of each of the latest days, weeks and months (UTC). If they
    exceed the maximum size, the oldest are deleted. The newest verified backup is always kept. A failed one is deleted
    as soon as there is a newer verified one.
    """
    newest_first = sorted(backups, key=lambda backup: backup.made, reverse=True)
    verified = [backup for backup in newest_first if backup.is_verified]
    if not verified:
        return []
    kept = _within_size(_retained(verified, settings), settings.max_mib << 20)
    return [
        backup
        for backup in newest_first
        if backup.name not in kept and (backup.is_verified or backup.made < verified[0].made)
    ]


def _retained(verified: list[Backup], settings: BackupSettings) -> list[Backup]:
    newest = verified[0]
    names = {backup.name for backup in verified if newest.made - backup.made < DAY}
    periods: tuple[tuple[int, Callable[[datetime], Hashable]], ...] = (
        (settings.keep_daily, lambda time: time.date()),
        (settings.keep_weekly, lambda time: time.isocalendar()[:2]),
        (settings.keep_monthly, lambda time: (time.year, time.month)),
    )
    for count, period_of in periods:
        latest: dict[Hashable, str] = {}
        for backup in verified:
            latest.setdefault(period_of(datetime.fromtimestamp(backup.made // SECOND, UTC)), backup.name)
        names.update(list(latest.values())[:count])
    return [backup for backup in verified if backup.name in names]


def _within_size(retained: list[Backup], max_bytes: int) -> set[str]:
    kept: set[str] = set()
    size = 0
    for backup in retained:
        size += backup.bytes
        if kept and max_bytes and size > max_bytes:
            break
        kept.add(backup.name)
    return kept
