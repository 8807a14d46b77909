"""Why a database file cannot be written: the faults behind errors of SQLite, and those of the paths of an open file."""

from pathlib import Path
from typing import Final

import apsw

from dayline.storage import disk_faults
from dayline.storage.disk_faults import Fault, FaultKind

# These fail the whole batch, which is retried. Any other error fails one change alone.
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

# SQLite has error classes for these; for the rest, the operating system's error number decides.
_KIND_OF_ERROR: Final[dict[type[BaseException], FaultKind]] = {
    apsw.FullError: "full",
    apsw.ReadOnlyError: "read-only",
    apsw.PermissionsError: "permission",
    apsw.BusyError: "busy",
    apsw.LockedError: "busy",
    apsw.CorruptError: "damaged",
    apsw.NotADBError: "damaged",
}


def fault_of(error: BaseException, database: Path, *, number: int = 0) -> Fault:
    """The fault behind an SQLite or system error. `number` is the errno that SQLite reported, if any."""
    if isinstance(error, OSError):
        number = error.errno or 0
    return disk_faults.fault_of(
        database,
        str(error),
        kind=_KIND_OF_ERROR.get(type(error)),
        number=number,
        needed=database if isinstance(error, apsw.CantOpenError) else None,
    )


def replaced_fault(file: Path) -> Fault:
    """The path now leads to a file other than the one that the server has open."""
    return Fault(
        kind="vanished",
        message=f"{file} was replaced by a different file while the server had it open",
        hint="restore the original file, or restart the server to use the new one",
    )


def unreachable_fault(file: Path) -> Fault:
    """The open file can be written, but this user could not open it again."""
    return Fault(
        kind="permission",
        message=f"permission denied: {file.parent}; recording continues with the open files",
        hint=f"give the server's user access: chmod u+rwx {file.parent}",
    )
