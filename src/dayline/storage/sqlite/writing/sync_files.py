"""The files of devices that sync through this server, in the folder of the database."""

import os
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from dayline.model.errors import Unavailable
from dayline.runtime.files import NO_LINK, atomic_write, flush_folder, make_folders
from dayline.storage.engine.sync_files import SyncFile


class FolderFiles:
    """Files in a folder, which is created with the first one."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def names(self) -> Sequence[SyncFile]:
        with self._reaching(), suppress(FileNotFoundError):
            devices = [entry.name for entry in os.scandir(self._folder) if entry.is_dir(follow_symlinks=False)]
            return [SyncFile(device, entry.name) for device in devices for entry in self._files(device)]
        return []

    def used_bytes(self) -> int:
        with self._reaching():
            devices = {file.device for file in self.names()}
            return sum(_size(entry) for device in devices for entry in self._files(device))

    def read(self, file: SyncFile) -> bytes | None:
        with self._reaching(), suppress(FileNotFoundError):
            descriptor = os.open(self._path(file), os.O_RDONLY | NO_LINK | getattr(os, "O_BINARY", 0))
            with open(descriptor, "rb") as content:
                return content.read()
        return None

    def put(self, file: SyncFile, content: bytes) -> None:
        with self._reaching():
            path = self._path(file)
            is_new = not path.parent.is_dir()
            make_folders(path.parent)
            with atomic_write(path) as target:
                target.write(content)
            if is_new:
                flush_folder(self._folder)
                flush_folder(self._folder.parent)

    def delete(self, file: SyncFile) -> None:
        with self._reaching():
            self._path(file).unlink(missing_ok=True)

    def _files(self, device: str) -> "list[os.DirEntry[str]]":
        entries = os.scandir(self._folder / device)
        # A file that is being written has a suffix.
        return [entry for entry in entries if "." not in entry.name and entry.is_file(follow_symlinks=False)]

    def _path(self, file: SyncFile) -> Path:
        return self._folder / file.device / file.name

    @contextmanager
    def _reaching(self) -> Generator[None]:
        try:
            yield
        except FileNotFoundError:
            raise  # a file that was deleted at this moment, or none: the caller decides
        except OSError as error:
            raise Unavailable(
                f"cannot use the sync files in {self._folder}: {error.strerror or error}",
                hint="nothing is lost: free disk space, or check the folder; devices try again automatically",
            ) from error


def _size(entry: "os.DirEntry[str]") -> int:
    with suppress(FileNotFoundError):  # its device deletes it at this moment
        return entry.stat().st_size
    return 0
