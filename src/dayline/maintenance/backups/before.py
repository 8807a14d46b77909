"""A verified backup before an upgrade of the schema and before a restore, wherever there is a place for it.

It goes to the folder of backups. Where that cannot be used (a disk that is not there, no room), it goes right beside
the database, because neither an upgrade nor a restore is to wait for a disk that was unplugged.
"""

import logging
import shutil
from collections.abc import Callable
from pathlib import Path

from dayline.config.sections import BackupSettings
from dayline.maintenance.backups.folder import BackupFolder, check_room, folder_of
from dayline.model.errors import Unavailable
from dayline.model.time import Microseconds
from dayline.storage.sqlite.backup.encryption import Secret
from dayline.storage.sqlite.backup.process import snapshot_beside, snapshot_in

log = logging.getLogger(__name__)


class BackupBefore:
    """Makes the backups of a database before what cannot be taken back. They are waited for."""

    def __init__(
        self, settings: BackupSettings, *, clock: Callable[[], Microseconds], secret: Secret | None = None
    ) -> None:
        self._settings = settings
        self._clock = clock
        self._secret = secret

    def upgrade(self, database: Path) -> None:
        """A backup of an older file that is about to be upgraded.

        Raises DamagedSnapshot where the file cannot be read, Unavailable or OSError where it has no place.
        """
        if self._settings.upgrade_without_backup:
            log.warning("%s is upgraded to a newer schema without a backup, as the settings say", database.name)
            return
        path = self.kept(database)
        log.warning("%s is upgraded to a newer schema; as it was before, it is in %s", database.name, path)

    def kept(self, database: Path) -> Path:
        """A verified backup of the database as it is now: a new one, or the last if nothing was written since.

        Raises DamagedSnapshot where the database cannot be read, Unavailable or OSError where there is no place, and
        Invalid where the key cannot be used.
        """
        folder = BackupFolder(folder_of(database, self._settings), database)
        try:
            return self._last_of(folder, database) or self._made(folder, database)
        except (Unavailable, OSError) as error:
            if not _has_room(database):
                raise
            log.warning("no backup can be made in %s: %s; it is made beside the database", folder.path, error)
            return snapshot_beside(database, self._secret)

    def _last_of(self, folder: BackupFolder, database: Path) -> Path | None:
        """The last backup, if it is of what is there now. A start that fails again and again makes only one."""
        newest = next((backup for backup in folder.all() if backup.is_verified), None)
        return folder.path / newest.name if newest is not None and newest.is_of(database) else None

    def _made(self, folder: BackupFolder, database: Path) -> Path:
        check_room(folder.path, database)
        work = folder.begin_making()
        made = self._clock()
        try:
            part = snapshot_in(work, database, made=made, secret=self._secret)
            path = folder.new(made, self._secret)
            folder.keep(part, path)
        finally:
            shutil.rmtree(work, ignore_errors=True)
        return path


def _has_room(database: Path) -> bool:
    try:
        check_room(database.parent, database)
    except (Unavailable, OSError):
        return False
    return True
