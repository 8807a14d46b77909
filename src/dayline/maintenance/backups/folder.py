"""The folder of backups: names, what is known of each, which to delete, and what went wrong.

dayline-20260131T093000Z.db.zst           a backup: it has this name only once it is verified
dayline-20260131T093000Z.db.zst.enc       the same, encrypted
dayline-20260131T093000Z.db.zst.failed    it was verified again later, and was not good any more
dayline.backup-failed                     the last try came to nothing
.dayline-making-…, .dayline-checking-…    under way, or cut off
"""

import contextlib
import os
import re
import shutil
import tempfile
import time
from collections.abc import Callable, Hashable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from dayline.config.sections import BackupSettings
from dayline.model.errors import NotFound, Unavailable
from dayline.model.time import DAY, SECOND, Microseconds
from dayline.runtime.files import replace_file
from dayline.storage.sqlite.backup.encryption import DamagedSnapshot, EncryptedHead, Secret
from dayline.storage.sqlite.backup.file_format import Manifest, mark_of, read_head
from dayline.storage.sqlite.backup.process import name_of, stamp_of

ROOM_LEFT: Final = 256 << 20  # bytes: the last room on a disk is for recording
_ABANDONED_S: Final = 86_400  # nobody takes so long to verify a backup


class Backup(Struct, frozen=True, kw_only=True):
    """A backup in the folder. `problem` says what is wrong with one that is not verified."""

    name: str
    made: Microseconds
    bytes: int
    problem: str | None = None
    manifest: Manifest | None = None  # None also for an encrypted one that was not opened
    is_encrypted: bool = False
    mark: str | None = None  # of the database that it was made of

    @property
    def is_verified(self) -> bool:
        return self.problem is None

    def is_of(self, database: Path) -> bool:
        """Whether nothing was written to the database since."""
        return self.mark == mark_of(stamp_of(database))


class BackupFailure(Struct, frozen=True, kw_only=True):
    """A backup that came to nothing."""

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
        """Every backup, the newest first. Reads the head of each."""
        try:
            names = [path.name for path in self.path.iterdir()]
        except FileNotFoundError:
            return []
        except OSError as error:
            raise Unavailable(f"cannot read the folder of backups {self.path}: {error.strerror}") from error
        found: list[Backup] = []
        for name in names:
            if self._moment(name) is not None:
                with contextlib.suppress(NotFound):  # deleted since the folder was listed
                    found.append(self.described(name))
        return sorted(found, key=lambda backup: backup.made, reverse=True)

    def described(self, name: str) -> Backup:
        """What is known of one backup. Raises NotFound."""
        path, made = self.path / name, self._moment(name)
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
        backup = Backup(name=name, made=made, bytes=size, problem=problem, is_encrypted=name.endswith(".enc"))
        if isinstance(head, Manifest):
            return replace(backup, manifest=head, mark=mark_of(head.stamp))
        return replace(backup, mark=None if head is None else head.source)

    def find(self, name: str) -> Path:
        """The file of a backup. Raises NotFound."""
        path = self.path / name
        if self._moment(name) is None or not path.is_file():
            raise _not_found(name, self.path)
        return path

    def new(self, made: Microseconds, secret: Secret | None) -> Path:
        """The name of a backup made now, or where that second has one already, of the next one."""
        while (path := self.path / name_of(self._database, made, secret)).exists():
            made += SECOND
        return path

    def keep(self, part: Path, path: Path) -> None:
        """Give a verified file its name, for good."""
        replace_file(part, path)
        self._failure.unlink(missing_ok=True)

    def remove(self, backup: Backup) -> None:
        for path in (self.path / backup.name, self._mark(backup.name)):
            path.unlink(missing_ok=True)

    def note_problem(self, name: str, problem: str | None) -> None:
        """Remember that a backup is not good, or that it is."""
        if problem is None:
            self._mark(name).unlink(missing_ok=True)
        else:
            self._mark(name).write_text(problem, "utf-8")

    def note_failure(self, failure: BackupFailure) -> None:
        """Remember that a try came to nothing; forgotten with the next that succeeds."""
        with contextlib.suppress(OSError):  # the folder may be what is wrong
            self._failure.write_bytes(msgspec.json.encode(failure))

    def last_failure(self) -> BackupFailure | None:
        try:
            return msgspec.json.decode(self._failure.read_bytes(), type=BackupFailure)
        except (OSError, msgspec.DecodeError, UnicodeDecodeError):
            return None

    def begin_making(self) -> Path:
        """A folder for the one backup that is being made. Removes what earlier ones have left behind."""
        self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        for leftover in self.path.glob(f".{self._stem}-making-*"):
            shutil.rmtree(leftover, ignore_errors=True)
        return self._passing("making")

    def begin_checking(self) -> Path:
        """A folder to unpack a backup in; several may be in use."""
        for leftover in self.path.glob(f".{self._stem}-checking-*"):
            with contextlib.suppress(OSError):
                if time.time() - leftover.stat().st_mtime > _ABANDONED_S:
                    shutil.rmtree(leftover, ignore_errors=True)
        return self._passing("checking")

    def _noted_problem(self, name: str) -> str | None:
        try:
            return self._mark(name).read_text("utf-8")
        except FileNotFoundError:
            return None

    def _passing(self, purpose: str) -> Path:
        return Path(tempfile.mkdtemp(prefix=f".{self._stem}-{purpose}-", dir=self.path))

    def _mark(self, name: str) -> Path:
        return self.path / f"{name}.failed"

    def _moment(self, name: str) -> Microseconds | None:
        match = self._pattern.fullmatch(name)
        if match is None:
            return None
        try:
            moment = datetime.strptime(match[1], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
        except ValueError:
            return None
        return int(moment.timestamp()) * SECOND


def folder_of(database: Path, settings: BackupSettings) -> Path:
    """Where the backups of a database are."""
    if settings.folder is not None:
        return Path(os.path.expandvars(settings.folder)).expanduser().absolute()
    return database.with_name(f"{database.stem}-backups")


def check_room(folder: Path, database: Path) -> None:
    """Make the folder where there is none. Raises Unavailable where it has no room for a backup of the database."""
    # Before the folder is made: beside a database that has vanished nothing is to appear.
    if not database.exists():
        raise NotFound(f"there is no database {database}")
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    # A plain copy and the compressed one lie there together for a while.
    needed = database.stat().st_size * 3 // 2 + ROOM_LEFT
    if shutil.disk_usage(folder).free < needed:
        raise Unavailable(
            f"a backup needs {needed >> 20:,} MiB of room in {folder}", hint="name another folder in [backup]"
        )


def _not_found(name: str, folder: Path) -> NotFound:
    return NotFound(f"there is no backup {name[:80]!r} in {folder}", hint="dayline backup list shows them")


# Which backups may go.


def let_go(backups: Iterable[Backup], settings: BackupSettings) -> list[Backup]:
    """What need not be kept any longer, the newest first.

    Kept are all of the last 24 hours, and the last one of each of the latest days, weeks and months that have any
    (UTC). Over the size that is allowed the oldest give way. The newest that is verified stays in any case; one that
    failed counts for nothing, and goes when there is a newer one that is verified.
    """
    newest_first = sorted(backups, key=lambda backup: backup.made, reverse=True)
    verified = [backup for backup in newest_first if backup.is_verified]
    if not verified:
        return []
    kept = _within_size(_chosen(verified, settings), settings.max_mib << 20)
    return [
        backup
        for backup in newest_first
        if backup.name not in kept and (backup.is_verified or backup.made < verified[0].made)
    ]


def _chosen(verified: list[Backup], settings: BackupSettings) -> list[Backup]:
    newest = verified[0]
    names = {backup.name for backup in verified if newest.made - backup.made < DAY}
    periods: tuple[tuple[int, Callable[[datetime], Hashable]], ...] = (
        (settings.keep_daily, lambda moment: moment.date()),
        (settings.keep_weekly, lambda moment: moment.isocalendar()[:2]),
        (settings.keep_monthly, lambda moment: (moment.year, moment.month)),
    )
    for count, period_of in periods:
        latest: dict[Hashable, str] = {}
        for backup in verified:
            latest.setdefault(period_of(datetime.fromtimestamp(backup.made // SECOND, UTC)), backup.name)
        names.update(list(latest.values())[:count])
    return [backup for backup in verified if backup.name in names]


def _within_size(chosen: list[Backup], most_bytes: int) -> set[str]:
    kept: set[str] = set()
    size = 0
    for backup in chosen:
        size += backup.bytes
        if kept and most_bytes and size > most_bytes:
            break
        kept.add(backup.name)
    return kept
