"""The files in a folder of aw-sync or aw-android.

    <folder>/<device id>/*.db                 what `aw-sync daemon` writes
    <folder>/<host name>/<device id>/*.db     what `aw-sync sync` and aw-android write

Both can be in one folder, also for one device: it has a file in each then.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from msgspec import Struct

from dayline.model.errors import Invalid, Unavailable

MAX_ENTRIES: Final = 20_000  # of all folders together
_SUFFIX: Final = ".db"
_CONFLICT: Final = ".sync-conflict-"  # in names that Syncthing gives to the older one of two versions


class DatabaseFile(Struct, frozen=True, kw_only=True):
    """A database that a device has written. `hostname` is that of its folder, empty if the layout has none."""

    path: Path
    device: str
    hostname: str


class Listed(Struct):
    """What is in a folder. `ignored` has names of files that are no databases of aw-sync."""

    files: list[DatabaseFile] = []
    ignored: list[str] = []


def listed(folder: Path) -> Listed:
    """The databases in a folder. Raises Unavailable if it cannot be read, and Invalid if it has too many entries."""
    listing, entries = Listed(), _Entries()
    try:
        for outer in entries.of(folder):
            if not _is_folder(outer):
                continue
            for inner in entries.of(Path(outer.path)):
                if _is_folder(inner):
                    for file in entries.of(Path(inner.path)):
                        _note(listing, folder, file, device=inner.name, hostname=outer.name)
                else:
                    _note(listing, folder, inner, device=outer.name, hostname="")
    except FileNotFoundError as error:
        raise Unavailable(f"there is no folder {folder}: is it mounted?") from error
    except OSError as error:
        raise Unavailable(f"cannot read the folder {folder}: {error.strerror or error}") from error
    listing.files.sort(key=lambda file: file.path)
    listing.ignored.sort()
    return listing


class _Entries:
    """The entries of folders, up to a number: a folder of another kind could have millions."""

    def __init__(self) -> None:
        self._left = MAX_ENTRIES

    def of(self, folder: Path) -> Iterator["os.DirEntry[str]"]:
        with os.scandir(folder) as entries:
            for entry in entries:
                self._left -= 1
                if self._left < 0:
                    raise Invalid(
                        f"{folder} is in a folder with more than {MAX_ENTRIES:,} entries",
                        hint="pass the sync folder of aw-sync, such as ~/ActivityWatchSync",
                        field="path",
                    )
                yield entry


def _note(found: Listed, folder: Path, entry: "os.DirEntry[str]", *, device: str, hostname: str) -> None:
    if entry.name.startswith(".") or not entry.name.endswith(_SUFFIX) or not entry.is_file(follow_symlinks=False):
        return
    path = Path(entry.path)
    if _CONFLICT in entry.name:
        found.ignored.append(str(path.relative_to(folder)))
    else:
        found.files.append(DatabaseFile(path=path, device=device, hostname=hostname))


def _is_folder(entry: "os.DirEntry[str]") -> bool:
    return not entry.name.startswith(".") and entry.is_dir(follow_symlinks=False)
