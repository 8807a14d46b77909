"""The files and folders that Dayline writes in the data folder, and where those of a database are.

Recorded data that exists nowhere else is next to the database, where people who copy or rescue the file see it. So is
what several databases share, and the lock, which every version of Dayline must find. Everything else that belongs to
one database is in its folder: for `dayline.db`, `dayline.db.d`.
"""

import shutil
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from enum import StrEnum, unique
from glob import escape
from pathlib import Path
from typing import Final

_ABANDONED_S: Final = 86_400  # no command takes this long


@unique
class DataFile(StrEnum):
    """How each is named. `name` is the name of the database file, `stem` the same without its last suffix.

    A name that ends in a hyphen is the start of several ones. docs/reference/files.md describes them all.
    """

    FOLDER = "{name}.d"
    DERIVED = "{name}.d/derived"
    DERIVED_DAMAGED = "{name}.d/derived-damaged"
    REDACTION = "{name}.d/redaction-"
    CHECKED = "{name}.d/checked"
    REVOCATIONS = "{name}.d/revocations"
    TOKEN = "{name}.d/token"
    SYNC = "{name}.d/sync"
    SCRATCH = "{name}.d/scratch-"
    ARCHIVE = "{name}.d/archive-"
    LOG = "{name}.d/dayline.log"
    SIGN_IN_PAGE = "{name}.d/open.html"
    LOCK = "{name}.lock"
    RECOVERY = "{name}-recovery"
    STAGED = "{name}-recovery-staged"
    PART = "{name}.part"
    DAMAGED = "{name}-damaged"
    KEPT_BY_REPAIR = "{name}.damaged-"
    KEPT_BY_RESTORE = "{name}.before-restore-"
    RESTORE_PART = "{name}.restore-part"
    COPY_PART = "{name}.copy-part"
    IMPORT = "dayline-migrate-"
    LOOK = "dayline-look-"
    BUCKET_RESTORE = "dayline-restore-"
    BACKUPS = "{stem}-backups"
    WATCH = "{stem}-watch"
    DEVICE_ID = "device_id"
    TLS = "tls"
    POSTGRES_TOKEN = "postgres-"
    POSTGRES_SCRATCH = "dayline-scratch-"


# The names before each database had a folder: storage/sqlite/file/former_layout.py moves the files.
FORMER_NAMES: Final = {
    DataFile.DERIVED: "{name}-derived",
    DataFile.DERIVED_DAMAGED: "{name}-derived-damaged",
    DataFile.REDACTION: "{name}-redaction-",
    DataFile.CHECKED: "{name}-checked",
    DataFile.REVOCATIONS: "{name}.revocations",
    DataFile.TOKEN: "{name}.token",
    DataFile.SCRATCH: "{name}-scratch-",
    DataFile.ARCHIVE: ".{name}-archive-",
    DataFile.LOG: "{stem}.log",
    DataFile.SIGN_IN_PAGE: "open.html",
}


def data_file(database: Path, file: DataFile, ending: str = "") -> Path:
    """Where a file of a database is. `ending` completes a name that is only the start of one."""
    return _named(database, file, ending)


def former_file(database: Path, file: DataFile, ending: str = "") -> Path:
    """Where a file that is in the folder of the database now was before there was one."""
    return _named(database, FORMER_NAMES[file], ending)


def data_files(database: Path, file: DataFile, ending: str = "*") -> list[Path]:
    """All files of a database whose names have this start; `ending` is a pattern."""
    start = data_file(database, file)
    return list(start.parent.glob(f"{escape(start.name)}{ending}"))


def make_own_folder(database: Path) -> Path:
    """The folder of a database, for its owner only; created if it is missing. Raises OSError."""
    folder = data_file(database, DataFile.FOLDER)
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder


def make_data_folder(database: Path, folder: DataFile) -> Path:
    """Create a folder whose name has this start, for its owner only. Raises OSError."""
    start = data_file(database, folder)
    make_own_folder(database)
    return Path(tempfile.mkdtemp(prefix=start.name, dir=start.parent))


@contextmanager
def scratch_folder(start: str, parent: Path | None) -> Generator[Path]:
    """A new folder whose name starts so, for the length of the block; by default in the system's temporary folder.

    One that was left by a killed command is removed after a day.
    """
    parent = parent or Path(tempfile.gettempdir())
    for left in parent.glob(f"{escape(start)}*"):
        with suppress(OSError):
            if time.time() - left.stat().st_mtime > _ABANDONED_S:
                shutil.rmtree(left, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix=start, dir=parent, ignore_cleanup_errors=True) as folder:
        yield Path(folder)


def beside(file: Path, suffix: str) -> Path:
    """A file that SQLite keeps next to another one: `-wal`, `-shm` or `-journal`."""
    return file.with_name(f"{file.name}{suffix}")


def _named(database: Path, pattern: str, ending: str) -> Path:
    return database.parent / (pattern.format(name=database.name, stem=database.stem) + ending)
