"""Files that appear under their name only when they are complete, and on the disk."""

import os
import secrets
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final

# A name that nobody can guess, a file that nobody has put there, and no link that leads elsewhere: another user of the
# folder cannot choose what is written to.
_NEW_FILE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)


@contextmanager
def atomic_write(path: Path, *, mode: int = 0o600, must_be_new: bool = False) -> Generator[BinaryIO]:
    """Open a temporary file beside `path` that replaces it at the end of the block. If the block fails, it is removed.

    With `must_be_new`, raises FileExistsError instead of replacing a file. By default only the owner can read it.
    """
    unfinished = path.with_name(f"{path.name}.{secrets.token_hex(8)}.unfinished")
    descriptor = os.open(unfinished, _NEW_FILE, mode)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if must_be_new:
            _rename_new(unfinished, path)
        else:
            unfinished.replace(path)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise
    flush_folder(path.parent)


def flush_folder(folder: Path) -> None:
    """Write the names in a folder to the disk, not only the files."""
    if sys.platform == "win32":
        return  # folders cannot be opened there; the system sees to it
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _rename_new(unfinished: Path, path: Path) -> None:
    if sys.platform == "win32":
        unfinished.rename(path)  # fails if there is a file, and has no links on every file system
        return
    try:
        path.hardlink_to(unfinished)
    except FileExistsError:
        raise
    except OSError:  # a file system without links: a file of the same moment would be replaced
        if path.exists():
            raise FileExistsError(path) from None
        unfinished.replace(path)
        return
    unfinished.unlink()
