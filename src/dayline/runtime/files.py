"""Atomic file writes: readers see the old or the new content, never a part. Also locks."""

import os
import secrets
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final

from dayline.model.errors import StoreUnusable

# A random name, a new file, and no symbolic link: another user of the folder cannot choose what is written to.
NO_LINK: Final = getattr(os, "O_NOFOLLOW", 0)
UNFINISHED: Final = ".unfinished"  # ends the name of a file that is being written
_BINARY: Final = getattr(os, "O_BINARY", 0)
_NEW_FILE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | NO_LINK | _BINARY


@contextmanager
def atomic_write(path: Path, *, mode: int = 0o600, must_be_new: bool = False) -> Generator[BinaryIO]:
    """Open a temporary file next to `path` that replaces it at the end of the block. If the block fails, it is removed.

    With `must_be_new`, raises FileExistsError instead of replacing a file. By default only the owner can read it.
    """
    unfinished = new_name(path)
    opened = open_new(unfinished, mode=mode)
    try:
        with opened as file:
            yield file
        if must_be_new:
            flush_file(unfinished)
            _rename_new(unfinished, path)
            flush_folder(path.parent)
        else:
            replace_file(unfinished, path)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise


def new_name(path: Path) -> Path:
    """A name for a file that will replace this one."""
    return path.with_name(f"{path.name}.{secrets.token_hex(8)}{UNFINISHED}")


def open_new(path: Path, *, mode: int = 0o600) -> BinaryIO:
    """A new file for writing. Raises FileExistsError, also for a symbolic link, and other OSErrors."""
    return os.fdopen(os.open(path, _NEW_FILE, mode), "wb")


def open_same(path: Path, flags: int) -> int:
    """The descriptor of a file that is created if it is missing, for its owner only.

    Raises StoreUnusable if it is a symbolic link, through which another user could choose what we write to; OSError.
    """
    try:
        return os.open(path, flags | os.O_CREAT | NO_LINK | _BINARY | getattr(os, "O_CLOEXEC", 0), 0o600)
    except OSError as error:
        if path.is_symlink():
            raise StoreUnusable(f"{path} is a symbolic link, so it is not written to", hint="delete it") from error
        raise


def make_folders(folder: Path) -> None:
    """Create a folder and its missing parents, for their owner only, whatever the umask. Raises OSError."""
    if not folder.is_dir():
        make_folders(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)


def replace_file(finished: Path, path: Path) -> None:
    """Rename a complete file to its final name, replacing any file there. On return it is on disk under that name."""
    flush_file(finished)
    finished.replace(path)
    flush_folder(path.parent)


def flush_file(path: Path) -> None:
    """Write the content of a closed file to disk."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def flush_folder(folder: Path) -> None:
    """Write the entries of a folder to disk, not only its files."""
    if sys.platform == "win32":
        return  # folders cannot be opened on Windows, which flushes them itself
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _rename_new(unfinished: Path, path: Path) -> None:
    if sys.platform == "win32":
        unfinished.rename(path)  # fails if there is a file; not every file system has hard links
        return
    try:
        path.hardlink_to(unfinished)
    except FileExistsError:
        raise
    except OSError:  # a file system without hard links: a file created at the same time would be replaced
        if path.exists():
            raise FileExistsError(path) from None
        unfinished.replace(path)
        return
    unfinished.unlink()


def try_lock(file: int, path: Path) -> bool:
    """Lock an open file; False if another process has locked it. Raises StoreUnusable if its disk has no locks."""
    try:
        _lock(file)
    except (BlockingIOError, PermissionError):  # of Linux and macOS, of Windows
        return False
    except OSError as error:
        raise StoreUnusable(
            f"cannot lock {path}: {error.strerror}",
            hint="some network drives do not support locks: use a folder on a local disk",
        ) from error
    return True


if sys.platform == "win32":
    import msvcrt

    def _lock(file: int) -> None:
        os.lseek(file, 4096, os.SEEK_SET)  # far beyond the text, so that other processes can still read it
        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(file: int) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
