"""Opens a database file for writing: new, current, or brought up to date after a snapshot of it."""

from collections.abc import Sequence
from pathlib import Path

import apsw

from dayline.storage.sqlite.connection import open_writer
from dayline.storage.sqlite.faults import STORAGE_FAULTS
from dayline.storage.sqlite.refusals import cannot_open
from dayline.storage.sqlite.schema import MIGRATIONS, migrate, version_of


def open_current(path: Path, migrations: Sequence[str] = MIGRATIONS) -> apsw.Connection:
    """A writing connection to a file of the current schema. Raises StoreTooNew or StoreUnusable, touching nothing."""
    _check(path, migrations)
    db = open_writer(path)
    version = int(db.pragma("user_version"))
    if 0 < version < len(migrations):
        snapshot = path.with_name(f"{path.name}.schema-{version}")
        if not snapshot.exists():
            # Written under another name first: a snapshot that was interrupted must not pass for one.
            unfinished = path.with_name(f"{snapshot.name}.part")
            unfinished.unlink(missing_ok=True)
            db.execute("VACUUM INTO ?", (str(unfinished),))
            unfinished.rename(snapshot)
    try:
        migrate(db, migrations)
    except STORAGE_FAULTS as error:
        db.close()
        raise cannot_open(path, error) from error
    return db


def _check(path: Path, migrations: Sequence[str]) -> None:
    """Look at the file without being able to change it."""
    if not path.exists() or path.stat().st_size == 0:
        return
    # Immutable: a file in WAL mode would else get a log and a shared memory of its own by being looked at. With a log
    # there already, part of the content may stand in it.
    mode = "mode=ro" if path.with_name(f"{path.name}-wal").exists() else "mode=ro&immutable=1"
    try:
        flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
        db = apsw.Connection(f"{path.absolute().as_uri()}?{mode}", flags=flags)
        try:
            version_of(db, newest=len(migrations))
        finally:
            db.close()
    except (apsw.NotADBError, *STORAGE_FAULTS) as error:
        raise cannot_open(path, error, "this cannot be read as a database:") from error
