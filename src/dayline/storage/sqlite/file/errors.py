"""Why a database file cannot be opened, and the folder it is created in."""

import errno
import os
from pathlib import Path

import apsw

from dayline.model.errors import Invalid, NotADatabase, StoreUnusable
from dayline.storage.sqlite.file.faults import fault_of

_ANOTHER = "choose another file with --database"


def cannot_open(database: Path, error: Exception, what: str = "cannot open the database") -> StoreUnusable:
    """The error with its cause if it is known, otherwise with SQLite's message."""
    if os.path.exists(database):
        missing = [word for word, mode in (("read", os.R_OK), ("write", os.W_OK)) if not os.access(database, mode)]
        if missing:
            return _forbidden(database, " or ".join(missing))
    if not os.access(database.parent, os.R_OK | os.W_OK | os.X_OK):
        return cannot_write_beside(database, PermissionError(errno.EACCES, os.strerror(errno.EACCES)))
    if isinstance(error, apsw.NotADBError):
        return NotADatabase(f"{database} is not a database", hint=_ANOTHER)
    fault = fault_of(error, database)
    if fault.kind in ("full", "limit", "read-only"):
        return StoreUnusable(f"{what} {database}: {fault.message}", hint=f"{fault.hint}, or {_ANOTHER}")
    return StoreUnusable(f"{what} {database}: {error}", hint="choose another file with --database, or repair this one")


def write_protected(database: Path) -> StoreUnusable:
    """SQLite opens a write-protected file without an error; only the first write would fail."""
    return cannot_open(database, apsw.ReadOnlyError())


def cannot_write_beside(database: Path, error: OSError) -> StoreUnusable:
    """The folder cannot be written."""
    folder = database.parent
    fix = {
        errno.EACCES: f"give this user access (chmod u+rwx {folder}), or ",
        errno.EPERM: f"give this user access (chmod u+rwx {folder}; chattr -i {folder}), or ",
        errno.EROFS: "mount the disk for writing (mount -o remount,rw), or ",
        errno.ENOSPC: "free some disk space, or ",
    }.get(error.errno or 0, "")
    return StoreUnusable(
        f"cannot write to the folder of the database {database}: {error.strerror}", hint=f"{fix}{_ANOTHER}"
    )


def refuse_tenant(tenant: object) -> None:
    """Raise Invalid for any tenant but the unnamed one."""
    if tenant:
        raise Invalid(
            f"an SQLite database has a single tenant; it has no tenant {tenant!r}",
            hint="use PostgreSQL for several tenants: see docs/guides/postgres.md",
            field="tenant",
        )


def make_folder(folder: Path) -> None:
    """Create the folder of a database, but not its parents. Raises StoreUnusable.

    If the parents are missing, a disk may not be mounted, and events must not be recorded elsewhere silently.
    """
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
    except FileNotFoundError as error:
        raise StoreUnusable(
            f"the folder {folder.parent} does not exist, so {folder.name} cannot be created in it",
            hint=f"mount its disk; for a new folder run: mkdir -p {folder}",
        ) from error
    except OSError as error:
        raise StoreUnusable(f"cannot create the folder {folder}: {error.strerror}", hint=_ANOTHER) from error


def _forbidden(database: Path, what: str) -> StoreUnusable:
    return StoreUnusable(
        f"no permission to {what} the database {database}",
        hint=f"run chmod u+rw {database}, check its owner and attributes with ls -l and lsattr, or {_ANOTHER}",
    )
