"""What this server stores for devices that sync through it: checked names, limited sizes, and tags of what is there.

It sees encrypted files only, and knows no key of a space.
"""

from collections.abc import Iterable
from time import monotonic
from typing import Final

from dayline.maintenance.sync.spaces.protocol import HEAD, KEYS, MAX_HEAD_BYTES, is_device, is_file
from dayline.maintenance.sync.spaces.views import (
    MAX_FILE_BYTES,
    StoredDevice,
    StoredNames,
    StoredSpace,
    tag_of_content,
    tag_of_names,
)
from dayline.model.errors import Invalid, TooLarge
from dayline.runtime.text import format_size
from dayline.storage.engine.sync_files import SyncFile, SyncFiles

_OVERHEAD_BYTES: Final = 4096  # of a file, or empty ones would not count
_USED_S: Final = 60.0  # how long the size of all files is known; another server of the database may add some


class SpaceStorage:
    """The space of one tenant. Call it on any thread; every method raises Unavailable, and Invalid for a wrong name."""

    def __init__(self, files: SyncFiles, *, max_bytes: int) -> None:
        self._files = files
        self._max_bytes = max_bytes
        self._used = 0
        self._counted: float | None = None

    def space(self) -> StoredSpace:
        """The devices, with the tags of their files: equal tags mean that nothing has changed."""
        packs: dict[str, list[str]] = {}
        for device, name in self._files.names():
            if is_device(device) or device == KEYS:
                packs.setdefault(device, []).append(name)
        return StoredSpace(devices={device: self._device(device, packs[device]) for device in sorted(packs)})

    def packs(self, device: str) -> StoredNames:
        """The names of the packs of a device."""
        _check(device, HEAD if device != KEYS else "1")
        return StoredNames(packs=sorted(name for there, name in self._files.names() if there == device != name != HEAD))

    def read(self, device: str, name: str) -> bytes | None:
        """The content of a file; None if there is none."""
        return self._files.read(_check(device, name))

    def put(self, device: str, name: str, content: bytes) -> None:
        """Add or replace a file. Raises TooLarge if the space would exceed its limit."""
        file = _check(device, name)
        limit, size = MAX_HEAD_BYTES if name == HEAD else MAX_FILE_BYTES, len(content) + _OVERHEAD_BYTES
        if len(content) > limit:
            raise TooLarge(f"this file of a sync space has at most {format_size(limit)}")
        now = monotonic()
        if self._counted is None or now - self._counted > _USED_S or self._used + size > self._max_bytes:
            self._used = self._files.used_bytes() + len(self._files.names()) * _OVERHEAD_BYTES
            self._counted = now
        if self._used + size > self._max_bytes:
            raise TooLarge(
                f"the sync space is full: it may have {format_size(self._max_bytes)}",
                hint="on the storing server: dayline settings set limits.sync_mib NUMBER, then restart it",
            )
        self._files.put(file, content)
        self._used += size

    def delete(self, device: str, name: str) -> None:
        """Delete a file, if there is one."""
        self._files.delete(_check(device, name))
        self._counted = None

    def _device(self, device: str, names: Iterable[str]) -> StoredDevice:
        head = self._files.read(SyncFile(device, HEAD)) if HEAD in names else None
        return StoredDevice(
            head=None if head is None else tag_of_content(head), packs=tag_of_names(set(names) - {HEAD})
        )


def _check(device: str, name: str) -> SyncFile:
    """The place of a file that a space may have: nothing else is read or written. Raises Invalid."""
    if not (is_file(device, name) or (is_device(device) and name == HEAD)):
        raise Invalid(f"{device[:20]}/{name[:40]} is not a file of a sync space", field="name")
    if not is_device(device) and device != KEYS:
        raise Invalid(f"{device[:20]!r} is not the id of a device", field="device")
    return SyncFile(device, name)
