"""Opens a database file for writing; an older file is upgraded after a verified snapshot."""

import logging
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import apsw

from dayline.model.errors import DaylineError, StoreUnusable
from dayline.runtime.text import quantity
from dayline.storage.history.undo_log import RENUMBERED
from dayline.storage.sqlite.backup.encryption import DamagedSnapshot
from dayline.storage.sqlite.backup.process import Keep, snapshot_beside
from dayline.storage.sqlite.file.connection import open_without_trace, open_writer
from dayline.storage.sqlite.file.errors import cannot_open
from dayline.storage.sqlite.file.faults import STORAGE_FAULTS
from dayline.storage.sqlite.file.schema import MIGRATIONS, UNIQUE_EVENT_IDS, migrate, version_of

log = logging.getLogger(__name__)


def open_current(
    path: Path, migrations: Sequence[str] = MIGRATIONS, *, keep: Keep = snapshot_beside
) -> apsw.Connection:
    """A writing connection to a file with the current schema. Raises StoreTooNew or StoreUnusable, changing nothing.

    An older file is upgraded once `keep` has made a snapshot of it; if that fails, the file stays as it is.
    """
    _check(path, migrations)
    db = open_writer(path)
    try:
        version = int(db.pragma("user_version"))
        if 0 < version < len(migrations):
            _keep_first(path, keep, f"schema {version} and was not upgraded to {len(migrations)}")
        migrate(db, migrations)
        if 0 < version < UNIQUE_EVENT_IDS:
            _log_renumbered(db, path)
    except STORAGE_FAULTS as error:
        db.close()
        raise cannot_open(path, error) from error
    except BaseException:
        db.close()
        raise
    return db


def _log_renumbered(db: apsw.Connection, path: Path) -> None:
    """Log how many events got new ids because others had the same."""
    events = db.execute(f"SELECT sum(events) FROM operation WHERE detail ->> '{RENUMBERED}' IS NOT NULL").get
    if events:
        log.warning("%s: %s got new ids, because other events had the same", path.name, quantity(events, "event"))


def _keep_first(path: Path, keep: Keep, state: str) -> None:
    try:
        keep(path)
    except DamagedSnapshot as error:
        raise StoreUnusable(
            f"{path} has {state}: the backup before the upgrade failed because the file is damaged: {error}",
            hint="restore a backup; dayline backup list shows them",
        ) from error
    except (DaylineError, OSError) as error:
        raise StoreUnusable(
            f"{path} has {state}: the backup before the upgrade failed: {error}",
            hint="free disk space, or set another folder in [backup], or upgrade_without_backup = true there",
        ) from error


def _check(path: Path, migrations: Sequence[str]) -> None:
    """Check the file through a read-only connection."""
    if not path.exists() or path.stat().st_size == 0:
        return
    try:
        with closing(open_without_trace(path)) as db:
            version_of(db, newest=len(migrations))
    except (apsw.NotADBError, *STORAGE_FAULTS) as error:
        raise cannot_open(path, error, "this file cannot be read as a database:") from error
