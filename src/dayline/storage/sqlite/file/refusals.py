"""Why a database cannot be opened at all, in words: what is told instead of starting."""

import errno
import os
from pathlib import Path

import apsw

from dayline.model.errors import Invalid, StoreUnusable
from dayline.storage.faults import fault_of

_ANOTHER = "name another place with --database"


def cannot_open(database: Path, error: Exception, what: str = "cannot open the database") -> StoreUnusable:
    """The reason as far as it can be seen from outside, and what SQLite says of it otherwise."""
    if os.path.exists(database):
        missing = [word for word, mode in (("read", os.R_OK), ("write", os.W_OK)) if not os.access(database, mode)]
        if missing:
            return _forbidden(database, " or ".join(missing))
    if not os.access(database.parent, os.R_OK | os.W_OK | os.X_OK):
        return cannot_write_beside(database, PermissionError(errno.EACCES, os.strerror(errno.EACCES)))
    fault = fault_of(error, database)
    if fault.kind in ("full", "limit", "read-only"):
        return StoreUnusable(f"{what} {database}: {fault.message}", hint=f"{fault.hint}, or {_ANOTHER}")
    return StoreUnusable(f"{what} {database}: {error}", hint="name another file with --database, or mend this one")


def write_protected(database: Path) -> StoreUnusable:
    """SQLite opens such a file without a word, and only the first write would fail."""
    return cannot_open(database, apsw.ReadOnlyError())


def cannot_write_beside(database: Path, error: OSError) -> StoreUnusable:
    """The folder takes no new file."""
    folder = database.parent
    mend = {
        errno.EACCES: f"give this user the right to use it (chmod u+rwx {folder}), or ",
        errno.EPERM: f"give this user the right to use it (chmod u+rwx {folder}; chattr -i {folder}), or ",
        errno.EROFS: "mount its disk for writing (mount -o remount,rw), or ",
        errno.ENOSPC: "make room on its disk, or ",
    }.get(error.errno or 0, "")
    return StoreUnusable(
        f"cannot write in the folder of the database {database}: {error.strerror}", hint=f"{mend}{_ANOTHER}"
    )


def refuse_tenant(tenant: str) -> None:
    """Raise Invalid for the data of anybody but the one person whose file this is."""
    if tenant:
        raise Invalid(
            f"a SQLite file holds one person's data, and none of {tenant!r}",
            hint="several people need PostgreSQL: see docs/postgres.md",
            field="tenant",
        )


def make_folder(folder: Path) -> None:
    """Make the folder of a database, but none of those around it.

    Where they are missing, so may be a disk; and what is recorded must not go to another one silently. Raises
    StoreUnusable.
    """
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
    except FileNotFoundError as error:
        raise StoreUnusable(
            f"there is no folder {folder.parent}, in which {folder.name} would be made for the database",
            hint=f"connect its disk; or, if it is to be new: mkdir -p {folder}",
        ) from error
    except OSError as error:
        raise StoreUnusable(f"cannot make the folder {folder}: {error.strerror}", hint=_ANOTHER) from error


def _forbidden(database: Path, what: str) -> StoreUnusable:
    return StoreUnusable(
        f"this user may not {what} the database {database}",
        hint=f"chmod u+rw {database}, and see with ls -l and lsattr who owns and protects it; or {_ANOTHER}",
    )
