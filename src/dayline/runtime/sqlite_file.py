"""Opens every SQLite file of Dayline, encrypted or not, and attaches one file to another."""

from pathlib import Path
from typing import Final

import apsw

from dayline.model.errors import Invalid, SettingsInvalid, StoreUnusable
from dayline.runtime.encrypted_file import DatabaseKey
from dayline.runtime.encryption import key_of
from dayline.runtime.untrusted import MORE_ROWS_THAN_FIT, RECOVER_HINT, check_schema, harden

READ_ONLY: Final = apsw.SQLITE_OPEN_READONLY
READ_WRITE: Final = apsw.SQLITE_OPEN_READWRITE
CREATE: Final = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE
# URI options for a file that no process writes any more: SQLite takes no lock and creates no files next to it.
UNCHANGING: Final = "mode=ro&immutable=1"
CIPHER: Final = "chacha20"
# An encrypted page has a little less space for rows, so at worst one row of two no longer fits.
_COPY_RATIO: Final = 3
_COPY_ALLOWANCE: Final = 1 << 20
_STEPS_PER_CHECK: Final = 10_000
_LOG_HEADER_BYTES: Final = 32  # a log of this size has no transactions


def connect(path: Path, flags: int = CREATE, *, options: str = "") -> apsw.Connection:
    """A new connection to a file of our own, with URI options if there are any.

    A new file is encrypted if this process has a key. Raises apsw.Error, and SettingsInvalid if the key of an encrypted
    file is missing or wrong, or if the file is plain although this process has a key.
    """
    return connect_with(key_of(path), path, flags, options=options)


def connect_plain(path: Path, flags: int = CREATE, *, options: str = "") -> apsw.Connection:
    """A new connection to a file of another program, which is never encrypted."""
    return connect_with(None, path, flags, options=options)


def connect_foreign(path: Path, flags: int = READ_ONLY, *, options: str = "") -> apsw.Connection:
    """A new connection to a file that another person or program made: see `harden`."""
    db = connect_plain(path, flags, options=options)
    harden(db)
    return db


def connect_copy(path: Path, flags: int = READ_ONLY) -> apsw.Connection:
    """A new connection to our copy of such a file, which is encrypted if this process has a key."""
    db = connect(path, flags)
    harden(db)
    return db


def vacuum_foreign(db: apsw.Connection, target: Path, key: DatabaseKey) -> None:
    """Copy a database that another program made. Raises apsw.Error, and Invalid before anything in it runs.

    Raises Invalid also if the copy becomes much larger. VACUUM copies rows: pages of a database that was made for it
    can contain each other, and it has endless rows then.
    """
    harden(db, max_attached=1)  # which is how VACUUM writes to another file
    check_schema(db)
    most = _COPY_RATIO * int(db.pragma("page_count")) * int(db.pragma("page_size")) + _COPY_ALLOWANCE
    db.set_progress_handler(lambda: _size(target) > most, _STEPS_PER_CHECK)
    try:
        vacuum_into(db, target, key)
    except apsw.InterruptError as error:
        raise Invalid(MORE_ROWS_THAN_FIT, hint=RECOVER_HINT) from error
    finally:
        db.set_progress_handler(None)


def connect_with(key: DatabaseKey | None, path: Path, flags: int = CREATE, *, options: str = "") -> apsw.Connection:
    """A new connection to a file with this key, or to a plain one, whatever the key of this process is.

    Raises StoreUnusable, and changes nothing, if the file is empty or missing and its log is not.
    """
    if key is not None:
        check_ciphers()
    check_log(path)
    # SQLITE_OPEN_URI also lets the connection attach files with options.
    name = f"{path.absolute().as_uri()}?{options}" if options else str(path)
    db = apsw.Connection(name, flags=flags | apsw.SQLITE_OPEN_URI)
    if key is not None:
        db.pragma("cipher", CIPHER)
        db.pragma("key", key_text(key))
    return db


def connect_through(vfs: str, name: str) -> apsw.Connection:
    """A read-only connection to a database that another virtual file system has by this name."""
    return apsw.Connection(f"file:/{name}?{UNCHANGING}", flags=READ_ONLY | apsw.SQLITE_OPEN_URI, vfs=vfs)


def connect_in_memory() -> apsw.Connection:
    """A new, empty database in memory."""
    return apsw.Connection(":memory:")


def vacuum_into(db: apsw.Connection, target: Path, key: DatabaseKey | None) -> None:
    """Write the database of a connection to a new file, encrypted with the key, or plain. Raises apsw.Error."""
    if key is not None:
        check_ciphers()
    options = "key=" if key is None else f"cipher={CIPHER}&key={key_text(key)}"
    options += f"&vfs={apsw.vfs_names()[0]}"  # the default, whatever the source is read through
    db.pragma("temp_store", "MEMORY")
    try:
        db.execute("VACUUM INTO ?", (f"{target.absolute().as_uri()}?{options}",))
    except apsw.Error as error:
        error.args = (str(error).replace(options, "…"),)  # SQLite's message would contain the key
        raise


def attach(db: apsw.Connection, path: Path, schema: str, *, options: str) -> None:
    """Attach another file to a connection, with URI options. Raises the same errors as `connect`."""
    key = key_of(path)
    uri = f"{path.absolute().as_uri()}?{options}"
    # Without KEY, SQLite would use the key of the main file.
    db.execute(f"ATTACH ? AS {schema} KEY ?", (uri, "" if key is None else key_text(key)))


def check_log(path: Path) -> None:
    """Raise StoreUnusable if the file is empty or missing, and SQLite would delete its log, even to read."""
    if _size(path) > 0:
        return
    log = path.resolve().with_name(f"{path.resolve().name}-wal")
    if _size(log) > _LOG_HEADER_BYTES:
        raise StoreUnusable(
            f"the database {path} is empty or missing, but its log {log} contains data",
            hint=f"restore a backup (dayline backup list --database {path}), or move the log elsewhere "
            "to start without its data",
        )


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:  # it is missing, or SQLite names the fault
        return 0


def check_ciphers() -> None:
    """Raise SettingsInvalid if the installed SQLite would silently ignore the key."""
    if not hasattr(apsw, "mc_version"):
        raise SettingsInvalid(
            "the installed package apsw cannot encrypt",
            hint="pip uninstall apsw, then pip install --force-reinstall apsw-sqlite3mc",
        )


def key_text(key: DatabaseKey) -> str:
    """The key as SQLite3 Multiple Ciphers reads it: used as it is, without deriving another one from it."""
    return f"raw:{key.secret.hex()}{key.id.hex()}"
