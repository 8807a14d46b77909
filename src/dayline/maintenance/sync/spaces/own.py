"""The sync space that this server stores for other devices, used without HTTP and without a key."""

import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from dayline.maintenance.sync.spaces.protocol import FAST, HEAD, KEYS, Listing, is_device
from dayline.maintenance.sync.spaces.storing import SpaceStorage
from dayline.maintenance.sync.spaces.views import THIS_SERVER
from dayline.model.errors import TooLarge, Unavailable


class OwnSpace:
    """The space in the storage of this server."""

    timing = FAST

    def __init__(self, storage: SpaceStorage) -> None:
        self._storage = storage

    @property
    def location(self) -> str:
        return THIS_SERVER

    def create(self) -> None:
        """Does nothing: the first file makes the place."""

    def listing(self) -> Listing:
        listing = Listing()
        folders = self._storage.space().devices
        listing.devices, listing.has_keys = {device for device in folders if is_device(device)}, KEYS in folders
        return listing

    def packs(self, device: str) -> set[str]:
        return set(self._storage.packs(device).packs)

    def head(self, device: str) -> bytes | None:
        return self._storage.read(device, HEAD)

    def open_pack(self, device: str, name: str) -> IO[bytes] | None:
        content = self._storage.read(device, name)
        if content is None:
            return None
        file = tempfile.TemporaryFile()  # noqa: SIM115 - the caller closes it
        file.write(content)
        file.seek(0)
        return file

    def put(self, device: str, name: str, source: Path) -> None:
        with _full():
            self._storage.put(device, name, source.read_bytes())

    def delete(self, device: str, name: str) -> None:
        self._storage.delete(device, name)

    def close(self) -> None:
        """Does nothing: there is no connection."""


@contextmanager
def _full() -> Generator[None]:
    try:
        yield
    except TooLarge as error:
        raise Unavailable(error.message, hint=error.hint) from error
