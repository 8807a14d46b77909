"""A sync space in a folder: of Syncthing, Dropbox, a network drive or a USB stick.

A file gets its name when it is complete, so no reader sees a part of one that this computer writes; a program that
copies the folder may still deliver a part, which readers detect.
"""

import errno
import os
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from stat import S_ISREG
from time import time
from typing import IO, Final

from dayline.maintenance.sync.spaces.protocol import (
    HEAD,
    KEYS,
    MAX_HEAD_BYTES,
    RETRIED,
    SLOW,
    Listing,
    is_device,
    is_file,
    no_space,
)
from dayline.model.errors import Invalid, Unavailable
from dayline.runtime.files import NO_LINK, UNFINISHED, flush_folder, make_folders, new_name, open_new, replace_file

_LEFT_S: Final = 6 * 3600.0  # a file that is still written has changed since; clocks of network drives may differ
_IS_LINK: Final = frozenset({errno.ELOOP, errno.EMLINK})  # where a file was opened that must be none


class FolderSpace:
    """A space in a folder."""

    timing = SLOW

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def location(self) -> str:
        return str(self.folder)

    def create(self) -> None:
        """Create the folder, if its parent is there: of a drive that is not mounted, neither is."""
        if not self.folder.parent.is_dir():
            raise Invalid(
                f"there is no folder {self.folder.parent}",
                hint="create it, or mount its drive, and start again",
                field="location",
            )
        try:
            self.folder.mkdir(mode=0o700, exist_ok=True)
        except OSError as error:
            raise Invalid(
                f"cannot create the folder {self.folder}: {error.strerror or error}", field="location"
            ) from error

    def listing(self) -> Listing:
        listing = Listing()
        with self._reaching():
            for entry in os.scandir(self.folder):
                if is_device(entry.name) and entry.is_dir(follow_symlinks=False):
                    listing.devices.add(entry.name)
                    listing.ignored += self._ignored(entry.name)
                elif entry.name == KEYS and entry.is_dir(follow_symlinks=False):
                    listing.has_keys = True
                    listing.ignored += self._ignored(entry.name)
                else:
                    listing.ignored.append(entry.name)
        return listing

    def packs(self, device: str) -> set[str]:
        with self._reaching(), suppress(FileNotFoundError):
            return {entry.name for entry in os.scandir(self.folder / device) if _is_file(device, entry)}
        return set()

    def head(self, device: str) -> bytes | None:
        file = self.open_pack(device, HEAD)
        if file is None:
            return None
        with self._reaching(), file:
            return file.read(MAX_HEAD_BYTES + 1)

    def open_pack(self, device: str, name: str) -> IO[bytes] | None:
        with self._reaching():
            # Without waiting: another program could have put a pipe there.
            flags = os.O_RDONLY | NO_LINK | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)
            try:
                descriptor = os.open(self.folder / device / name, flags)
            except FileNotFoundError:
                return None
            except OSError as error:
                if error.errno in _IS_LINK:
                    return None
                raise
            if S_ISREG(os.fstat(descriptor).st_mode):
                return open(descriptor, "rb")
            os.close(descriptor)
        return None

    def put(self, device: str, name: str, source: Path) -> None:
        with self._reaching():
            if not self.folder.is_dir():
                raise FileNotFoundError(self.folder)  # not mounted: creating it would hide the mounted one
            target = self.folder / device / name
            make_folders(target.parent)
            unfinished = new_name(target)
            try:
                with open_new(unfinished) as copy, source.open("rb") as file:
                    while piece := file.read(1 << 20):
                        copy.write(piece)
                replace_file(unfinished, target)
            except BaseException:
                with suppress(OSError):
                    unfinished.unlink(missing_ok=True)
                raise
            flush_folder(self.folder)
            if name == HEAD:
                self._delete_leftovers(device)

    def delete(self, device: str, name: str) -> None:
        with self._reaching():
            (self.folder / device / name).unlink(missing_ok=True)

    def close(self) -> None:
        """Does nothing: there is no connection."""

    def _delete_leftovers(self, device: str) -> None:
        """Delete the files that killed passes of this device have not finished. If one stays, that does no harm."""
        for entry in list(os.scandir(self.folder / device)):
            name, _, rest = entry.name.partition(".")
            is_own = rest.endswith(UNFINISHED[1:]) and (name == HEAD or is_file(device, name))
            with suppress(OSError):
                if is_own and entry.is_file(follow_symlinks=False) and entry.stat().st_mtime < time() - _LEFT_S:
                    os.unlink(entry)

    def _ignored(self, device: str) -> list[str]:
        entries = os.scandir(self.folder / device)
        return [f"{device}/{entry.name}" for entry in entries if entry.name != HEAD and not _is_file(device, entry)]

    @contextmanager
    def _reaching(self) -> Generator[None]:
        try:
            yield
        except FileNotFoundError as error:
            raise no_space(self.location) from error
        except OSError as error:
            raise Unavailable(
                f"cannot use the sync folder {self.location}: {error.strerror or error}",
                hint=RETRIED,
            ) from error


def _is_file(device: str, entry: "os.DirEntry[str]") -> bool:
    return is_file(device, entry.name) and entry.is_file(follow_symlinks=False)
