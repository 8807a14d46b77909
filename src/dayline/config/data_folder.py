"""The files and folders that Dayline writes in the data folder, and where those of a database are."""

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

    DERIVED = "{name}-derived"
    DERIVED_DAMAGED = "{name}-derived-damaged"
    REDACTION = "{name}-redaction-"
    RECOVERY = "{name}-recovery"
    STAGED = "{name}-recovery-staged"
    PART = "{name}.part"
    DAMAGED = "{name}-damaged"
    KEPT_BY_REPAIR = "{name}.damaged-"
    KEPT_BY_RESTORE = "{name}.before-restore-"
    RESTORE_PART = "{name}.restore-part"
    COPY_PART = "{name}.copy-part"
    CHECKED = "{name}-checked"
    REVOCATIONS = "{name}.revocations"
    LOCK = "{name}.lock"
    TOKEN = "{name}.token"
    SCRATCH = "{name}-scratch-"
    IMPORT = "dayline-migrate-"
    LOOK = "dayline-look-"
    BUCKET_RESTORE = "dayline-restore-"
    ARCHIVE = ".{name}-archive-"
    BACKUPS = "{stem}-backups"
    WATCH = "{stem}-watch"
    LOG = "{stem}.log"
    DEVICE_ID = "device_id"
    TLS = "tls"
    SIGN_IN_PAGE = "open.html"
    POSTGRES_TOKEN = "postgres-"
    POSTGRES_SCRATCH = "dayline-scratch-"


def data_file(database: Path, file: DataFile, ending: str = "") -> Path:
    """Where a file of a database is. `ending` completes a name that is only the start of one."""
    return database.with_name(file.format(name=database.name, stem=database.stem) + ending)


def data_files(database: Path, file: DataFile, ending: str = "*") -> list[Path]:
    """All files of a database whose names have this start; `ending` is a pattern."""
    start = data_file(database, file)
    return list(start.parent.glob(f"{escape(start.name)}{ending}"))


def make_data_folder(database: Path, folder: DataFile) -> Path:
    """Create a folder whose name has this start, for its owner only. Raises OSError."""
    start = data_file(database, folder)
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
