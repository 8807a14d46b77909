"""A verified backup before a schema upgrade and before a restore.

It goes to the backup folder. If that is not usable (a missing disk, no space), it is created next to the database, so
that neither an upgrade nor a restore has to wait for an unplugged disk.
"""

import logging
import shutil
from collections.abc import Callable
from pathlib import Path

from msgspec.structs import replace

from dayline.config.sections import BackupSettings
from dayline.maintenance.backups.folder import BackupFolder, check_space, folder_of
from dayline.model.errors import Unavailable
from dayline.model.time import Microseconds
from dayline.storage.sqlite.backup.encryption import Secret
from dayline.storage.sqlite.backup.messages import ReadJob
from dayline.storage.sqlite.backup.process import read_manifests_now, snapshot_beside, snapshot_in

log = logging.getLogger(__name__)


class BackupBefore:
    """Creates the backups of a database before irreversible operations, and waits for them."""

    def __init__(
        self, settings: BackupSettings, *, clock: Callable[[], Microseconds], secret: Secret | None = None
    ) -> None:
        self._settings = settings
        self._clock = clock
        self._secret = secret

    def upgrade(self, database: Path) -> None:
        """Back up an older file before its schema is upgraded.

        Raises DamagedSnapshot if the file cannot be read, Unavailable or OSError if there is no space.
        """
        if self._settings.upgrade_without_backup:
            log.warning("Upgrading %s to a newer schema without a backup, as the settings request", database.name)
            return
        path = self.ensure(database)
        log.warning("Upgrading %s to a newer schema; the backup before the upgrade is %s", database.name, path)

    def ensure(self, database: Path) -> Path:
        """A verified backup of the current state: a new one, or the last one if nothing was written since.

        Raises DamagedSnapshot if the database cannot be read, Unavailable or OSError if there is no space, and Invalid
        if the key cannot be used.
        """
        folder = BackupFolder(folder_of(database, self._settings), database)
        try:
            return self._current(folder, database) or self._create(folder, database)
        except (Unavailable, OSError) as error:
            if not _has_space(database):
                raise
            log.warning("Cannot create a backup in %s: %s; creating it next to the database", folder.path, error)
            return snapshot_beside(database, self._secret)

    def _current(self, folder: BackupFolder, database: Path) -> Path | None:
        """The last backup, if it is of the current state, so that a start that fails repeatedly creates only one."""
        newest = next((backup for backup in folder.all() if backup.is_verified), None)
        if newest is None or not newest.is_of(database):
            return None
        path = folder.path / newest.name
        if self._secret is not None and newest.is_encrypted:
            job = ReadJob(snapshots=[str(path)], secret=self._secret)
            newest = replace(newest, manifest=read_manifests_now(job)[0])
        return path if newest.is_ours(self._secret) else None

    def _create(self, folder: BackupFolder, database: Path) -> Path:
        check_space(folder.path, database)
        work = folder.begin_making()
        made = self._clock()
        try:
            part = snapshot_in(work, database, made=made, secret=self._secret)
            path = folder.new(made, self._secret)
            folder.keep(part, path)
        finally:
            shutil.rmtree(work, ignore_errors=True)
        return path


def _has_space(database: Path) -> bool:
    try:
        check_space(database.parent, database)
    except (Unavailable, OSError):
        return False
    return True
