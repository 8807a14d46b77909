"""What encrypted backups hold, where the key is known. Each is opened once, by a process of its own."""

from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from dayline.care.backup_folder import Backup
from dayline.model.timestamps import Microseconds
from dayline.storage.sqlite.backup.encryption import Secret
from dayline.storage.sqlite.backup.file_format import Manifest
from dayline.storage.sqlite.backup.process import ReadJob, read_manifests

_Place = tuple[str, int, Microseconds, str | None]


class OpenedManifests:
    """The manifests of encrypted backups, remembered. Those that the key does not open are remembered as well."""

    def __init__(self, secret: Secret | None) -> None:
        self._secret = secret
        self._known: dict[_Place, Manifest | None] = {}

    async def added(self, folder: Path, backups: Sequence[Backup]) -> list[Backup]:
        """The backups with what they hold."""
        unread = [each for each in backups if each.is_encrypted and _place(each) not in self._known]
        if unread and self._secret is not None:
            job = ReadJob(snapshots=[str(folder / each.name) for each in unread], secret=self._secret)
            self._known.update(zip(map(_place, unread), await read_manifests(job), strict=True))
        return [self._with_manifest(backup) for backup in backups]

    def noted(self, backup: Backup, manifest: Manifest) -> Backup:
        """Remember what a new one holds."""
        self._known[_place(backup)] = manifest
        return self._with_manifest(backup)

    def _with_manifest(self, backup: Backup) -> Backup:
        return replace(backup, manifest=backup.manifest or self._known.get(_place(backup)))


def _place(backup: Backup) -> _Place:
    return backup.name, backup.bytes, backup.made, backup.mark
