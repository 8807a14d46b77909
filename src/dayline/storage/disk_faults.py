"""Why the file cannot be written, in words: from an error and the state of the disk to a message and what mends it."""

import contextlib
import errno
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Final, Literal

import apsw
from msgspec import Struct

from dayline.model.errors import StoreBusy, Unavailable
from dayline.model.health import ProblemKind, repair_command

FaultKind = Literal["full", "limit", "read-only", "permission", "failing", "vanished", "busy", "damaged"]

# The file cannot take the batch now. Anything else that goes wrong is the fault of one change, which fails alone.
STORAGE_FAULTS: Final = (
    apsw.BusyError,
    apsw.CantOpenError,
    apsw.CorruptError,
    apsw.FullError,
    apsw.IOError,
    apsw.LockedError,
    apsw.NoMemError,
    apsw.NotADBError,
    apsw.PermissionsError,
    apsw.ProtocolError,
    apsw.ReadOnlyError,
)

# SQLite has classes for these, and uses them where it can; for the rest the system's own number says it.
_KIND_OF_ERROR: Final[dict[type[BaseException], FaultKind]] = {
    apsw.FullError: "full",
    apsw.ReadOnlyError: "read-only",
    apsw.PermissionsError: "permission",
    apsw.BusyError: "busy",
    apsw.LockedError: "busy",
    apsw.CorruptError: "damaged",
    apsw.NotADBError: "damaged",
}
_KIND_OF_NUMBER: Final[dict[int, FaultKind]] = {
    errno.ENOSPC: "full",
    errno.EDQUOT: "full",
    errno.EFBIG: "limit",
    errno.EROFS: "read-only",
    errno.EACCES: "permission",
    errno.EPERM: "permission",
}
_LEAST_BYTES: Final = 64 << 10  # what SQLite needs to open a file: its index takes half of it

# How the last words of a process of ours begin, or what stands in them.
_SIGNS: Final[dict[str, FaultKind]] = {"apsw.FullError": "full", f"[Errno {errno.ENOSPC}]": "full"}


class Fault(Struct, frozen=True, kw_only=True):
    """What keeps the file from being written. `hint` says what mends it, as told to the owner of the machine."""

    kind: FaultKind
    message: str
    hint: str

    @property
    def problem_kind(self) -> ProblemKind:
        return "damage" if self.kind == "damaged" else "disk"

    def refusal(self) -> StoreBusy:
        """What a change is told that waited in vain."""
        return StoreBusy(
            f"the database cannot be written at present: {self.message}",
            hint=f"nothing was stored; {self.hint}, then send it again",
        )


def fault_of(error: BaseException, database: Path, *, number: int = 0) -> Fault:
    """The fault behind an error of SQLite's or of the system's. `number` is the system's, where SQLite had one."""
    if isinstance(error, OSError):
        number = error.errno or 0
    kind = _KIND_OF_ERROR.get(type(error)) or _KIND_OF_NUMBER.get(number) or "failing"
    if kind == "failing" and _is_missing(database if isinstance(error, apsw.CantOpenError) else database.parent):
        kind = "vanished"
    if kind == "failing" and _is_full(database.parent):
        kind = "full"  # SQLite found no room for its index, and says of that only that something failed
    words = _WORDS_OF.get(kind)
    if words is not None:
        return words(database)
    reason = os.strerror(number) if number else str(error)
    return Fault(
        kind="failing",
        message=f"the disk with {database} fails: {reason}",
        hint="look at the disk and at the system's log",
    )


def failed(what: str, error: OSError, database: Path) -> StoreBusy:
    """What a call is told that needs a file beside the database, and cannot have it."""
    fault = fault_of(error, database)
    return StoreBusy(f"{what}: {fault.message}", hint=f"{fault.hint}, then send it again")


def child_failed(what: str, complaint: str, database: Path) -> Unavailable:
    """What a call is told whose process has ended with these words: what they mean, where the disk is to blame."""
    for sign, kind in _SIGNS.items():
        if sign in complaint:
            fault = _WORDS_OF[kind](database)
            return Unavailable(f"{what}: {fault.message}", hint=f"{fault.hint}, then send it again")
    return Unavailable(f"{what}: {complaint}")


def vanished(file: Path) -> Fault:
    """The file is not where it was any more. Whatever were written to it would be lost with it."""
    database = Path(str(file).removesuffix("-wal").removesuffix("-shm"))
    what = f"the data folder {file.parent}" if not os.path.isdir(file.parent) else str(file)
    if file == database:
        hint = f"bring {what} back, or save what the server still holds with GET /api/0/export"
    else:
        hint = "start the server again: what it has stored is moved into the database when it stops"
    return Fault(kind="vanished", message=f"{what} has vanished; nothing is made anew in its place", hint=hint)


def replaced(file: Path) -> Fault:
    """There is a file of the same name that is not the one that the server has opened."""
    return Fault(
        kind="vanished",
        message=f"{file} is another file than the one that the server has opened",
        hint="bring the first one back, or start the server again to go on with this one",
    )


def out_of_reach(file: Path) -> Fault:
    """The file is open and takes writes, but nobody of this user's could open it again."""
    return Fault(
        kind="permission",
        message=f"the server may not look into {file.parent} any more; recording goes on with the files that are open",
        hint=f"give the user of the server the right to use it: chmod u+rwx {file.parent}",
    )


def room_in(folder: Path) -> str:
    """How much room there is, where."""
    with contextlib.suppress(OSError):
        usage = shutil.disk_usage(folder)
        return f"{in_bytes(usage.free)} of {in_bytes(usage.total)} are free in {folder}"
    return f"nobody can tell how much is free in {folder}"


def in_bytes(count: int) -> str:
    """A size for people: `0 bytes`, `12 KiB`, `3.4 GiB`."""
    size, unit = float(count), "bytes"
    for larger in ("KiB", "MiB", "GiB", "TiB"):
        if size < 1024:
            break
        size, unit = size / 1024, larger
    return f"{size:,.0f} {unit}" if size >= 10 or unit == "bytes" else f"{size:,.1f} {unit}"


def _is_missing(path: Path) -> bool:
    """Whether it is not there, rather than out of reach."""
    try:
        os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False


def _is_full(folder: Path) -> bool:
    with contextlib.suppress(OSError):
        return shutil.disk_usage(folder).free < _LEAST_BYTES
    return False


def _full(database: Path) -> Fault:
    folder = database.parent
    return Fault(kind="full", message=f"the disk is full: {room_in(folder)}", hint="make room on that disk")


def _limit(database: Path) -> Fault:
    return Fault(
        kind="limit",
        message=f"the system lets no file grow any further in {database.parent}",
        hint="raise the limit on the size of files (ulimit -f)",
    )


def _read_only(database: Path) -> Fault:
    return Fault(
        kind="read-only",
        message=f"{database} can only be read: the file or its disk is write-protected",
        hint=f"make {database.parent} writable again (mount -o remount,rw; chmod u+w)",
    )


def _permission(database: Path) -> Fault:
    return Fault(
        kind="permission",
        message=f"the system does not permit writing to {database}",
        hint=f"look at the rights of the files in {database.parent} (ls -l, lsattr)",
    )


def _busy(database: Path) -> Fault:
    return Fault(
        kind="busy",
        message=f"another program holds {database.name}",
        hint="close the program that has the file open",
    )


def _damaged(database: Path) -> Fault:
    return Fault(kind="damaged", message=f"{database} is damaged", hint=f"run: {repair_command(database)}")


_WORDS_OF: Final[dict[FaultKind, Callable[[Path], Fault]]] = {
    "full": _full,
    "limit": _limit,
    "read-only": _read_only,
    "permission": _permission,
    "busy": _busy,
    "damaged": _damaged,
    "vanished": vanished,
}
