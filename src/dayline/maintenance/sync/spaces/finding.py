"""Finds the space at a location."""

from collections.abc import Callable
from pathlib import Path

from dayline.maintenance.sync.spaces.folder import FolderSpace
from dayline.maintenance.sync.spaces.own import OwnSpace
from dayline.maintenance.sync.spaces.protocol import Space
from dayline.maintenance.sync.spaces.storing import SpaceStorage
from dayline.maintenance.sync.spaces.views import NO_ACCESS, THIS_SERVER, SpaceAccess
from dayline.model.errors import Invalid


class Spaces:
    """Keeps the connection to the space that was used last. `storage` makes what this server stores for others."""

    def __init__(self, storage: Callable[[], SpaceStorage]) -> None:
        self._storage = storage
        self._last: tuple[str, SpaceAccess, Space] | None = None

    def at(self, location: str, access: SpaceAccess = NO_ACCESS) -> Space:
        """The space at a location. Raises Invalid."""
        if self._last is None or self._last[:2] != (location, access):
            self.close()
            self._last = location, access, self._new(location, access)
        return self._last[2]

    def close(self) -> None:
        """Close the connection."""
        if self._last is not None:
            self._last[2].close()
        self._last = None

    def _new(self, location: str, access: SpaceAccess) -> Space:
        scheme, has_scheme, _ = location.partition("://")
        if location == THIS_SERVER:
            return OwnSpace(self._storage())
        if scheme in ("http", "https") and has_scheme:
            from dayline.maintenance.sync.spaces.server import ServerSpace  # here, because most spaces are folders

            return ServerSpace(location, access)
        if scheme in ("webdav+http", "webdav+https") and has_scheme:
            from dayline.maintenance.sync.spaces.webdav import WebdavSpace  # here, as above

            return WebdavSpace(location, access)
        if has_scheme:
            raise Invalid(
                f"{scheme}:// is not a place for files of sync",  # the rest may have a password
                hint="use a folder, a Dayline server such as https://diary:5600, or webdav+https://user@host/path",
                field="location",
            )
        folder = Path(location)
        if "\0" in location or not folder.is_absolute():
            raise Invalid(
                f"{location} is not an absolute path", hint="pass the whole path of the folder", field="location"
            )
        return FolderSpace(folder)
