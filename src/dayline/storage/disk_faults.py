"""Explains why a file cannot be written: maps an error and the state of the disk to a message and a hint."""

import contextlib
import errno
import os
import shutil
from pathlib import Path
from typing import Final, Literal

from msgspec import Struct

from dayline.model.errors import StoreBusy, Unavailable
from dayline.model.health import ProblemKind, repair_command
from dayline.runtime.text import format_size

FaultKind = Literal["full", "limit", "read-only", "permission", "failing", "vanished", "busy", "damaged"]

RESERVED_BYTES: Final = 128 << 20  # of disk space, which work in the background leaves for recording

_KIND_OF_NUMBER: Final[dict[int, FaultKind]] = {
    errno.ENOSPC: "full",
    errno.EDQUOT: "full",
    errno.EFBIG: "limit",
    errno.EROFS: "read-only",
    errno.EACCES: "permission",
    errno.EPERM: "permission",
}
_MIN_FREE_BYTES: Final = 64 << 10  # SQLite needs 32 KiB for the WAL index when it opens a file; twice that, for safety

# Text in the last line of a failed child process that identifies the fault.
_KIND_OF_TEXT: Final[dict[str, FaultKind]] = {"apsw.FullError": "full", f"[Errno {errno.ENOSPC}]": "full"}


class Fault(Struct, frozen=True, kw_only=True):
    """Why the database cannot be written. `hint` says how to fix it."""

    kind: FaultKind
    message: str
    hint: str

    @property
    def problem_kind(self) -> ProblemKind:
        return "damage" if self.kind == "damaged" else "disk"

    def to_error(self) -> StoreBusy:
        """The error for a change that could not be written in time."""
        return StoreBusy(
            f"the database cannot be written: {self.message}",
            hint=f"nothing was stored; {self.hint}, then retry the request",
        )


def fault_of(
    database: Path, reason: str, *, kind: FaultKind | None = None, number: int = 0, needed: Path | None = None
) -> Fault:
    """The fault behind an error of this kind, or with this number of the operating system.

    `needed` is what must exist, by default the folder of the database.
    """
    kind = kind or _KIND_OF_NUMBER.get(number) or "failing"
    if kind == "failing" and _is_missing(needed or database.parent):
        kind = "vanished"
    if kind == "failing" and _is_full(database.parent):
        kind = "full"  # SQLite has no space for its WAL index and reports a generic I/O error
    if kind != "failing":
        return _known_fault(kind, database)
    return Fault(
        kind="failing",
        message=f"I/O error on {database}: {os.strerror(number) if number else reason}",
        hint="check the disk and the system log",
    )


def file_error(what: str, error: OSError, database: Path) -> StoreBusy:
    """The error for a call that cannot create a file next to the database."""
    fault = fault_of(database, str(error), number=error.errno or 0)
    return StoreBusy(f"{what}: {fault.message}", hint=f"{fault.hint}, then retry the request")


def child_error(what: str, complaint: str, database: Path) -> Unavailable:
    """The error for a call whose child process failed, explained if the disk is the cause."""
    for text, kind in _KIND_OF_TEXT.items():
        if text in complaint:
            fault = _known_fault(kind, database)
            return Unavailable(f"{what}: {fault.message}", hint=f"{fault.hint}, then retry the request")
    return Unavailable(f"{what}: {complaint}")


def removed_fault(file: Path) -> Fault:
    """The open file is no longer at its path; further writes to it would be lost."""
    database = Path(str(file).removesuffix("-wal").removesuffix("-shm"))
    what = f"the data folder {file.parent}" if not os.path.isdir(file.parent) else str(file)
    if file == database:
        hint = f"restore {what}, or save the data that the server still has open with GET /api/0/export"
    else:
        hint = "restart the server: it moves the data from the write-ahead log into the database when it stops"
    return Fault(kind="vanished", message=f"{what} was removed; Dayline does not create a new one", hint=hint)


def free_space(folder: Path) -> str:
    """The free disk space of a folder, as text."""
    with contextlib.suppress(OSError):
        usage = shutil.disk_usage(folder)
        return f"{format_size(usage.free)} of {format_size(usage.total)} free in {folder}"
    return f"the free space in {folder} is unknown"


def _is_missing(path: Path) -> bool:
    """Whether the path does not exist; False if it cannot be read."""
    try:
        os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False


def _is_full(folder: Path) -> bool:
    with contextlib.suppress(OSError):
        return shutil.disk_usage(folder).free < _MIN_FREE_BYTES
    return False


# The message and the hint of each kind; `full` and `vanished` are looked up when they happen.
_TEXTS: Final[dict[FaultKind, tuple[str, str]]] = {
    "limit": ("file size limit reached in {folder}", "raise the file size limit (ulimit -f)"),
    "read-only": (
        "{database} is read-only: the file or its disk is write-protected",
        "make {folder} writable again (mount -o remount,rw; chmod u+w)",
    ),
    "permission": (
        "no permission to write to {database}",
        "check the permissions of the files in {folder} (ls -l, lsattr)",
    ),
    "busy": ("{database.name} is locked by another program", "close the program that has the file open"),
    "damaged": ("{database} is damaged", "run: {repair}"),
}


def _known_fault(kind: FaultKind, database: Path) -> Fault:
    folder = database.parent
    if kind == "vanished":
        return removed_fault(database)
    if kind == "full":
        return Fault(kind="full", message=f"the disk is full: {free_space(folder)}", hint="free some disk space")
    names = {"database": database, "folder": folder, "repair": repair_command(database)}
    message, hint = (text.format(**names) for text in _TEXTS[kind])
    return Fault(kind=kind, message=message, hint=hint)
